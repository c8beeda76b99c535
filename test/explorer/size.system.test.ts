/** The download before the first record is small. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { scratch } from "../support/files.js";
import { publishPage } from "./hosts.js";

/** Bytes, gzipped. */
const MOST = 55_000;
const FILES = ["index.html", "explorer/app.js", "explorer/charts.js", "explorer/style.css", "explorer/summary.json"];

test("the explorer of the sample is small", async () => {
  const release = await publishPage(join(scratch(), "dist"), { baseUrl: "https://directory.example.com" });
  const sizes = FILES.map((file) => gzipSync(readFileSync(join(release, file)), { level: 6 }).length);
  const all = sizes.reduce((sum, size) => sum + size);
  process.stdout.write(`the explorer, gzipped: ${all} bytes: ${FILES.map((file, at) => `${file} ${sizes[at]}`)}\n`);
  expect(all).toBeLessThan(MOST);
});
