/** Explains errors from writing temporary files. */
import { expect, test } from "vitest";
import { UserError } from "../../../src/core/errors.js";
import { explainTemporary } from "../../../src/core/scratch/folder.js";

test.each(["ENOSPC", "EDQUOT", "EFBIG", "SQLITE_FULL", "SQLITE_IOERR_WRITE"])("%s is about TMPDIR", (code) => {
  const cause = Object.assign(new Error("disk I/O error"), { code });
  const message = expect.stringContaining(`too little room (${code}); point TMPDIR at one with more.`);
  for (const error of [cause, new UserError("Cannot read it.", { cause })])
    expect(explainTemporary(error)).toMatchObject({ message });
});
