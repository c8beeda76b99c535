/** Pages that no reader could hold. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

test("a page larger than any reader could hold is refused in words", async () => {
  const folder = scratch();
  const rows = plainRows(300).map((row) => ({ ...row, bio: "x".repeat(1_000_000) }));
  const options = {
    db: writeUsers(join(folder, "large.sqlite"), rows),
    dist: join(folder, "large"),
    pageSize: 1000,
  };
  await expect(build({ ...options, baseUrl: "https://a.example" })).rejects.toThrow(
    /^Page 1 would have more than 268 million characters; put fewer than 1000 users on a page/,
  );
});
