/** Releases in memory with chosen records, and the steps between them. */
import { gzipSync } from "node:zlib";
import { encodeChanges, type Step, stepPath } from "../../../src/build/artifacts/steps.js";
import { type Contract, contractOf } from "../../../src/core/contract/contract.js";
import type { ContractFile } from "../../../src/core/contract/file/form.js";
import { comesAfter, orderKeyOf, writeKey } from "../../../src/core/contract/record/key.js";
import { sha256 } from "../../../src/core/release/plain-files.js";
import { filesOf } from "../../support/release-files.js";

const PATH = "/v1/things/";

/** A record as SQLite would have it: its fields in the order of their names. */
export interface Thing {
  id: number | string;
  name: string;
  score: number;
}

/** @param order the key is `id`. */
export function contractFor(order: readonly string[], keyType: "integer" | "string" = "integer"): Contract {
  const file: ContractFile = {
    type: "object",
    "x-listing": { path: PATH, words: ["thing", "things"], key: "id", order, version: 1 },
    properties: { id: { type: keyType }, name: { type: "string" }, score: { type: "integer" } },
    required: ["id", "name", "score"],
    additionalProperties: false,
  };
  return contractOf(file);
}

export interface Options {
  contract: Contract;
  baseUrl: string;
  pageSize: number;
  hasBulk: boolean;
  /** The previous release, with a step from it, and the number of its own steps to keep. */
  before: Release | undefined;
  most: number;
}

export interface Release {
  things: readonly Thing[];
  state: string;
  contract: Contract;
  steps: Step[];
  /** By path, below the base URL. */
  files: Map<string, Buffer>;
}

export const BASE = "https://things.example.com/data";

/** A host with one release, which can be switched to another. */
export class Host {
  readonly asked: string[] = [];
  onAsked: (path: string) => void = () => {};
  /** By path, in place of its file; `wrongTimes` of them are given, then the file is. */
  readonly answers = new Map<string, () => Response>();
  wrongTimes = Number.POSITIVE_INFINITY;
  /** The tag of some bytes. */
  tag = (bytes: Buffer | string) => `"${sha256(bytes).slice(0, 32)}"`;

  constructor(public current: Release) {}

  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const path = String(input)
      .slice(BASE.length + 1)
      .replace(/\?.*/, "");
    this.asked.push(path);
    this.onAsked(path);
    const wrong = this.answers.get(path);
    if (wrong && this.wrongTimes-- > 0) return wrong();
    const bytes = this.current.files.get(path);
    if (!bytes) return new Response("Not found", { status: 404 });
    const etag = this.tag(bytes);
    if (new Headers(init.headers).get("if-none-match") === etag) return new Response(null, { status: 304 });
    return new Response(new Uint8Array(bytes), { headers: { etag } });
  };

  /** What was asked for since the last call. */
  take(): string[] {
    return this.asked.splice(0);
  }
}

const OPTIONS: Options = {
  contract: contractFor(["-score", "name", "id"]),
  baseUrl: BASE,
  pageSize: 10,
  hasBulk: false,
  before: undefined,
  most: 5,
};

/** Every file of a release, and its proofs. */
export function release(records: Iterable<Thing>, given: Partial<Options> = {}): Release {
  const { contract, baseUrl, pageSize, hasBulk, before, most } = { ...OPTIONS, ...given };
  const things = inOrder([...records], contract);
  const texts = things.map((thing) => JSON.stringify(thing));
  const steps: Step[] = [...(before?.steps ?? [])].slice(0, most);
  const { state, files } = filesOf({
    ...{ texts, keys: things.map(keyOf), contract: contract.text, path: PATH, pageSize, baseUrl, links: "path" },
    partSize: hasBulk ? 1000 : undefined,
    *more(state) {
      for (const { file } of steps) yield [file, before?.files.get(file) ?? ""];
      if (before && before.state !== state) {
        const { step, packed } = packStep(before.state, state, linesBetween(before.things, things));
        steps.unshift(step);
        yield [step.file, packed];
      }
      yield ["changes.json", encodeChanges({ state, steps })];
    },
  });
  return { things, state, contract, steps, files };
}

function inOrder(things: Thing[], contract: Contract): Thing[] {
  const sorted = things.map((thing) => ({ thing, key: orderKeyOf(contract, thing) ?? [] }));
  sorted.sort((one, other) => (comesAfter(contract, one.key, other.key) ? 1 : -1));
  return sorted.map(({ thing: { id, name, score } }) => ({ id, name, score }));
}

/** As records.sha256 has it. */
function keyOf({ id }: Thing): string {
  return Buffer.from(writeKey(id), "latin1").toString();
}

/** The lines that lead from some things to others, in the order of their keys. */
export function linesBetween(from: readonly Thing[], to: readonly Thing[]): string[] {
  const [old, now] = [from, to].map((things) => new Map(things.map((thing) => [thing.id, JSON.stringify(thing)])));
  const keys = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])];
  keys.sort((one, other) =>
    typeof one === "number" && typeof other === "number"
      ? one - other
      : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other))),
  );
  return keys.flatMap((key) => {
    const text = now?.get(key);
    if (text === undefined) return [`{"remove":${JSON.stringify(key)}}`];
    return text === old?.get(key) ? [] : [`{"put":${text}}`];
  });
}

/** A step of any lines, as changes.json would list it. */
export function packStep(from: string, to: string, lines: readonly string[]): { step: Step; packed: Buffer } {
  const plain = lines.map((line) => `${line}\n`).join("");
  const packed = gzipSync(plain);
  const remove = lines.filter((line) => line.startsWith('{"remove"')).length;
  const counts = { put: lines.length - remove, remove };
  const step = { from, to, file: stepPath(from, to), bytes: packed.length, sha256: sha256(plain), ...counts };
  return { step, packed };
}
