import { defineConfig } from "vitest/config";
import base from "./vitest.config.js";

/** `npm run check:package` */
export default defineConfig({ ...base, test: { ...base.test, include: ["test/package.check.ts"] } });
