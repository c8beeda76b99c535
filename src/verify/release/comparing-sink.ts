/** A sink for artifacts that compares the digest of each file with the one in the release. */
import { createHash } from "node:crypto";
import type { Sink, SinkFile } from "../../artifacts/artifact.js";
import { sha256 } from "../../release/plain-files.js";
import type { Finding } from "../verdict.js";
import type { FileDigests } from "./files.js";

/** What is wrong with a file or a page. */
export type Difference = Pick<Finding, "id" | "found" | "expected">;

/** Adds a finding about a file. */
export type Note = (path: string, difference: Difference) => void;

export class ComparingSink implements Sink {
  /** Paths of the files that the records make. */
  readonly made = new Set<string>();

  constructor(
    /** The digests of the release's files. */
    private readonly digests: FileDigests,
    private readonly note: Note,
    /** Called after each file. */
    private readonly onFile: () => void,
  ) {}

  put(path: string, bytes: Buffer): void {
    this.#compare(path, sha256(bytes));
    this.onFile();
  }

  create(path: string): SinkFile {
    const hash = createHash("sha256");
    return {
      bytes: 0,
      write: (bytes) => void hash.update(bytes),
      finish: () => this.#compare(path, hash.digest("hex")),
      close() {},
    };
  }

  #compare(path: string, digest: string): void {
    this.made.add(path);
    const found = this.digests.get(path);
    if (found === undefined) this.note(path, { found: "no such file", expected: "one, as the records make it" });
    else if (found !== digest)
      this.note(path, { found: `other bytes, ${found}`, expected: `${digest}, as the records make it` });
  }
}
