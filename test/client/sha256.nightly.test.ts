/** SHA-256 of very long inputs. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { Sha256 } from "../../src/client/sha256.js";

test("SHA-256 of more than 2^32 bits", () => {
  const part = new Uint8Array(2 ** 24).fill(7);
  const [sha, other] = [new Sha256(), createHash("sha256")];
  for (let at = 0; at < 33; at++) {
    sha.update(part);
    other.update(part);
  }
  expect(sha.digest()).toBe(other.digest("hex"));
});
