/** Accidental and malicious faults in steps. */
import { gunzipSync, gzipSync } from "node:zlib";
import { type Step, stepPath } from "../../../src/build/artifacts/steps.js";
import { sha256 } from "../../../src/core/release/plain-files.js";
import type { Random } from "../../support/random.js";
import { type Host, linesBetween, packStep, type Release } from "./release.js";

/** What a host has, and may lie about. */
interface Situation {
  /** What the copy holds. */
  from: Release;
  /** What the host has now; its files can be changed. */
  to: Release;
  random: Random;
  /** Answers for single paths, in place of the file. */
  answers: Host["answers"];
}

/** Steps may be enough all the same, since the copy is what it has to be. */
export const HARMLESS = "remove of nobody";

export const FAULTS: Readonly<Record<string, (situation: Situation) => unknown>> = {
  "a step that is missing": ({ to, answers }) => answers.set(fileOf(to), () => new Response(null, { status: 404 })),
  "a step that fails": ({ to, answers }) => answers.set(fileOf(to), () => new Response(null, { status: 500 })),
  "a step that never ends": ({ to, answers }) => answers.set(fileOf(to), endless),
  "HTML with 200": ({ to }) => to.files.set(fileOf(to), Buffer.from("<!doctype html><p>Log in</p>")),
  "a letter that is another": ({ to, random }) => {
    const right = to.files.get(fileOf(to)) ?? Buffer.alloc(0);
    let bytes: Buffer;
    do {
      bytes = Buffer.from(right);
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      // Some bits do not affect the content, such as those of the time in the header.
    } while (unpacksTo(bytes, gunzipSync(right)));
    to.files.set(fileOf(to), bytes);
  },
  "a step of another base": (situation) => {
    const { from, to } = situation;
    const other = from.things.map((thing) => ({ ...thing, name: "of nobody" }));
    list(situation, linesBetween(other, to.things.slice(0, -1)));
  },
  "a wrong digest": (situation) => relist(situation, { sha256: sha256("another") }),
  "a wrong size": (situation) => relist(situation, { bytes: 1 + stepOf(situation.to).bytes }),
  "gzip that is cut": (situation) => {
    const { to, random } = situation;
    const bytes = to.files.get(fileOf(to)) ?? Buffer.alloc(0);
    const cut = bytes.subarray(0, 1 + random.below(bytes.length - 1));
    to.files.set(fileOf(to), cut);
    relist(situation, { bytes: cut.length });
  },
  "a key that is repeated": (situation) => edit(situation, ([one = "", ...more]) => [one, one, ...more]),
  "a key that is put and removed": (situation) =>
    edit(situation, (lines) => [...lines, `{"remove":${situation.to.things[0]?.id}}`]),
  "remove of nobody": (situation) => edit(situation, (lines) => [...lines, '{"remove":999999999}']),
  "lines in another order": (situation) => edit(situation, (lines) => lines.toReversed()),
  "a line less": (situation) => edit(situation, (lines) => lines.slice(1)),
  "a record more": (situation) =>
    edit(situation, (lines) => [...lines, '{"put":{"id":999999999,"name":"","score":0}}']),
  "a record that is another": (situation) =>
    edit(situation, (lines) => lines.map((line) => line.replace('"name":"', '"name":"!'))),
  "a record with white space": (situation) =>
    edit(situation, (lines) => lines.map((line) => line.replace('"name":', '"name": '))),
  "a line with two records": (situation) =>
    edit(situation, (lines) => lines.map((line) => line.replace(/^\{("put":.*)\}$/, "{$1,$1}"))),
  "a record without its order": (situation) =>
    edit(situation, (lines) => lines.map((line) => line.replace(/"score":-?\d+/, '"score":null'))),
  "a line that is none": (situation) => edit(situation, (lines) => [...lines, '{"move":1}']),
  "JSON that is none": (situation) => edit(situation, (lines) => [...lines, '{"put":{"id":']),
  "no newline at the end": (situation) => plain(situation, (text) => text.trimEnd()),
  "UTF-16": (situation) => plain(situation, (text) => Buffer.from(text, "utf16le")),
  "no UTF-8": (situation) => plain(situation, (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x0a])])),
  "other numbers than the lines have": (situation) => relist(situation, { put: 1 + stepOf(situation.to).put }),
  "a step of a kilobyte that unpacks to ten gigabytes": (situation) => {
    // No gzip is so small. So the list says a kilobyte, and the file is ten megabytes of them.
    situation.to.files.set(fileOf(situation.to), tenGigabytes());
    relist(situation, { bytes: 1000 });
  },
  "a step that unpacks to a thousand times its size, as it is listed": (situation) => {
    const bomb = tenGigabytes().subarray(0, 100 * TEN_MEGABYTES.length);
    situation.to.files.set(fileOf(situation.to), bomb);
    relist(situation, { bytes: bomb.length });
  },
  "what looks like very many members": (situation) => {
    const one = gzipSync("", { level: 0 }).subarray(0, 10);
    const bytes = gzipSync(Buffer.concat(Array.from({ length: 100_000 }, () => one)), { level: 0 });
    situation.to.files.set(fileOf(situation.to), bytes);
    relist(situation, { bytes: bytes.length });
  },
  "changes.json of the snapshot before": ({ from, to }) => to.files.set(CHANGES, at(from, CHANGES)),
  "changes.json that is none": ({ to }) => to.files.set(CHANGES, Buffer.from("[1]")),
  "a step that is somewhere else": (situation) => relist(situation, { file: "changes/../snapshot.json" }),
  "a step of no size": (situation) => relist(situation, { bytes: -1 }),
  "a step of any size": (situation) => relist(situation, { bytes: Number.MAX_SAFE_INTEGER }),
  "a chain that is torn": (situation) => relist(situation, { to: sha256("another") }),
  "a very long chain that leads nowhere": ({ to }) => {
    const states = [to.state, ...Array.from({ length: 1000 }, (_, at) => sha256(`${at}`))];
    const steps = states.slice(1).map((from, index) => {
      const next = states[index] ?? "";
      return { ...stepOf(to), from, to: next, file: stepPath(from, next) };
    });
    to.files.set(CHANGES, Buffer.from(JSON.stringify({ state: to.state, steps })));
  },
  "a contract that is another": ({ to }) => {
    to.files.set("contract.json", Buffer.from(to.contract.text.replace('"-score"', '"score"')));
  },
  "a contract that is missing": ({ answers }) =>
    answers.set("contract.json", () => new Response(null, { status: 404 })),
};

const CHANGES = "changes.json";

function unpacksTo(packed: Buffer, plain: Buffer): boolean {
  try {
    return gunzipSync(packed).equals(plain);
  } catch {
    return false;
  }
}

function stepOf({ steps }: Release): Step {
  const [step] = steps;
  if (!step) throw new Error("There is no step");
  return step;
}

const fileOf = (release: Release) => stepOf(release).file;
const at = ({ files }: Release, path: string) => files.get(path) ?? Buffer.alloc(0);
const endless = () =>
  new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(2 ** 20).fill(32)) }));

/** changes.json says something else of its first step. */
function relist({ to }: Situation, said: Partial<Step>): void {
  const [step, ...others] = to.steps;
  to.files.set(CHANGES, Buffer.from(JSON.stringify({ state: to.state, steps: [{ ...step, ...said }, ...others] })));
}

/** Other lines in the step, with a changes.json that fits. */
function list(situation: Situation, lines: readonly string[]): void {
  const { from, to } = situation;
  const { step, packed } = packStep(from.state, to.state, lines);
  to.files.set(step.file, packed);
  relist(situation, step);
}

function edit(situation: Situation, change: (lines: readonly string[]) => readonly string[]): void {
  const { from, to } = situation;
  list(situation, change(linesBetween(from.things, to.things)));
}

/** Other plain bytes, with a changes.json that fits. */
function plain(situation: Situation, change: (text: string) => string | Buffer): void {
  const { from, to } = situation;
  const lines = linesBetween(from.things, to.things).map((line) => `${line}\n`);
  const bytes = Buffer.from(change(lines.join("")));
  const packed = gzipSync(bytes);
  to.files.set(fileOf(to), packed);
  relist(situation, { bytes: packed.length, sha256: sha256(bytes) });
}

let bomb: Buffer | undefined;

/** Ten megabytes of gzip: a thousand members of ten megabytes of zeros each. */
function tenGigabytes(): Buffer {
  bomb ??= Buffer.concat(Array.from({ length: 1000 }, () => TEN_MEGABYTES));
  return bomb;
}

const TEN_MEGABYTES = gzipSync(Buffer.alloc(10_000_000));
