/** The same in a tight loop of switches. */
import { expect, test } from "vitest";
import { isMissing } from "../support/installed.js";
import { checkSwitches, SWITCHED } from "./switches.js";

test.for(SWITCHED)("$name, 5,000 switches in a tight loop", { timeout: 1_800_000 }, async (server, { skip }) => {
  skip(isMissing(...server.needs));
  expect(await checkSwitches(server, 5_000, 1)).toBeGreaterThan(5_000);
});
