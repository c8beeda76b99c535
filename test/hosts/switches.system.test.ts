/** nginx, Apache and Caddy follow `dist/current` without a reload: nothing torn, stale or confirmed for other bytes. */
import { expect, test } from "vitest";
import { isMissing } from "../support/installed.js";
import { checkSwitches, SWITCHED } from "./switches.js";

test.for(SWITCHED)("$name, twenty switches under load", async (server, { skip }) => {
  skip(isMissing(...server.needs));
  expect(await checkSwitches(server, 20, 100)).toBeGreaterThan(2_000);
});
