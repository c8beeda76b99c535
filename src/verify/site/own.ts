/** What a host says of its own release: snapshot.json, SHA256SUMS and its signature. Each is asked for once, so that all is said of the same bytes. */
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PagePaths, SIGNATURE, SNAPSHOT, SUMS } from "../../release/layout.js";
import { parseSnapshot } from "../../release/snapshot.js";
import { pagesToList, readSums } from "../../release/sums.js";
import type { Client } from "../../remote/client.js";
import { MAX_BYTES } from "../../remote/exchange.js";
import { TransferError } from "../../remote/transfer.js";
import { explainRoom } from "../../scratch/folder.js";
import type { Signed } from "../signature.js";
import type { ExpectedRelease } from "./compare.js";
import type { ListingFacts } from "./listing.js";

/** Why a file cannot be used, as the end of a sentence. */
interface Unusable {
  whyNot: string;
}

/** Bytes of SHA256SUMS for a page and its compressed forms: no path of a page is so long. */
const BYTES_OF_PAGE = 1000;
/** How many pages are listed is what a stranger says. */
const MOST_SUM_BYTES = 2 ** 32;

export class OwnFiles {
  /** SHA256SUMS may be larger than memory. */
  readonly mostSumBytes: number;
  readonly #read = new Map<string, Promise<Buffer | Unusable>>();
  #sums: Promise<string | Unusable> | undefined;

  /** @param scratch a folder, where SHA256SUMS is kept. */
  constructor(
    private readonly client: Client,
    private readonly facts: ListingFacts,
    private readonly scratch: string,
  ) {
    this.mostSumBytes = Math.min(MAX_BYTES + facts.pages * BYTES_OF_PAGE, MOST_SUM_BYTES);
  }

  /** What snapshot.json and SHA256SUMS say together. @throws UserError when there is no room to keep that. */
  async release(): Promise<ExpectedRelease | Unusable> {
    const [text, path] = [await this.#readSmall(SNAPSHOT), await this.#keepSums()];
    if ("whyNot" in text) return text;
    if (typeof path !== "string") return path;
    const snapshot = parseSnapshot(String(text));
    if (!snapshot) return { whyNot: `its ${SNAPSHOT} is not of the form that Rollcall writes` };
    const file = openSync(path, "r");
    try {
      const shape = pagesToList(new PagePaths(this.facts.contract.listing.path), snapshot);
      return { snapshot, sums: await readSums({ file, size: fstatSync(file).size }, shape) };
    } catch (error) {
      return { whyNot: `in its ${SUMS}, ${error instanceof Error ? error.message : error}` };
    } finally {
      closeSync(file);
    }
  }

  /** @param isDemanded whether more than that there is a signature has to be known. */
  async signed(isDemanded: boolean): Promise<Signed> {
    const { baseUrl } = this.facts;
    const signature = await this.#readSmall(SIGNATURE);
    // Many hosts answer with a page for people where they have no file.
    const isThere = signature instanceof Buffer && signature.toString("latin1", 0, 9) === "untrusted";
    const text = isThere || (isDemanded && signature instanceof Buffer) ? signature.toString("utf8") : undefined;
    if (!isDemanded) return { sums: undefined, signature: text, id: undefined, baseUrl };
    const [path, snapshot] = [await this.#keepSums(), await this.#readSmall(SNAPSHOT)];
    const id = snapshot instanceof Buffer ? parseSnapshot(snapshot.toString("utf8"))?.id : undefined;
    // A signature is of all bytes at once.
    return { sums: typeof path === "string" ? readFileSync(path) : undefined, signature: text, id, baseUrl };
  }

  #readSmall(name: string): Promise<Buffer | Unusable> {
    const read =
      this.#read.get(name) ?? this.#ask(name, {}).then((answer) => ("whyNot" in answer ? answer : answer.body));
    this.#read.set(name, read);
    return read;
  }

  /** @returns the path of the host's SHA256SUMS, as it came. */
  #keepSums(): Promise<string | Unusable> {
    this.#sums ??= this.#writeSums(join(mkdtempSync(join(this.scratch, "own-")), SUMS));
    return this.#sums;
  }

  async #writeSums(path: string): Promise<string | Unusable> {
    const file = openSync(path, "wx");
    const into = (piece: Buffer) => {
      try {
        writeFileSync(file, piece);
      } catch (error) {
        throw explainRoom(error);
      }
    };
    try {
      const answer = await this.#ask(SUMS, { maxBytes: this.mostSumBytes, into });
      return "whyNot" in answer ? answer : path;
    } finally {
      closeSync(file);
    }
  }

  async #ask(name: string, how: Parameters<Client["request"]>[1]) {
    try {
      const answer = await this.client.request(`${this.facts.baseUrl}/${name}`, how);
      return answer.status === 200 ? answer : { whyNot: `its ${name} is answered with ${answer.status}` };
    } catch (error) {
      if (error instanceof TransferError) return { whyNot: `its ${name} ${error.why}` };
      throw error;
    }
  }
}
