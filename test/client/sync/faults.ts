/** Ways in which what leads from one snapshot to the next can be wrong, by accident or on purpose. */
import { gunzipSync, gzipSync } from "node:zlib";
import { type Step, stepPath } from "../../../src/artifacts/steps.js";
import type { Random } from "../../support/random.js";
import { linesBetween, packStep, type Release, sha256, type Thing } from "./release.js";

/** What a host has, and may lie about. */
interface Situation {
  /** What the copy holds. */
  from: Release;
  /** What the host has now; its files can be changed. */
  to: Release;
  random: Random;
  /** Answers for single paths, in place of the file. */
  answers: Map<string, Answer>;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: Buffer;
  /** Bytes that never end. */
  isEndless?: boolean;
  /** Sent as it is, in place of an answer by HTTP. */
  raw?: string;
  /** Breaks off in the middle. */
  isCut?: boolean;
}

export interface StepFault {
  name: string;
  /** Whether steps may be enough all the same, since the copy is what it has to be. */
  isHarmless?: boolean;
  spoil(situation: Situation): void;
}

export const FAULTS: readonly StepFault[] = [
  { name: "a step that is missing", spoil: ({ to, answers }) => answers.set(fileOf(to), { status: 404 }) },
  { name: "a step that fails", spoil: ({ to, answers }) => answers.set(fileOf(to), { status: 500 }) },
  { name: "a redirect", spoil: ({ to, answers }) => answers.set(fileOf(to), redirect()) },
  { name: "304 that nobody asked for", spoil: ({ to, answers }) => answers.set(fileOf(to), { status: 304 }) },
  { name: "a step that breaks off", spoil: ({ to, answers }) => answers.set(fileOf(to), { isCut: true }) },
  { name: "a step that never ends", spoil: ({ to, answers }) => answers.set(fileOf(to), { isEndless: true }) },
  {
    name: "gzip on the way that is none",
    spoil: ({ to, answers }) => answers.set(fileOf(to), { headers: { "Content-Encoding": "gzip" } }),
  },
  { name: "a closed connection", spoil: ({ to, answers }) => answers.set(fileOf(to), { raw: "" }) },
  { name: "no HTTP", spoil: ({ to, answers }) => answers.set(fileOf(to), { raw: "SSH-2.0-OpenSSH_9.2p1\r\n" }) },
  {
    name: "fewer bytes than were promised",
    spoil: ({ to, answers }) => answers.set(fileOf(to), { raw: "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{" }),
  },
  {
    name: "more bytes than were promised",
    spoil: ({ to, answers }) => answers.set(fileOf(to), { raw: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{}" }),
  },
  { name: "HTML with 200", spoil: ({ to }) => to.files.set(fileOf(to), Buffer.from("<!doctype html><p>Log in</p>")) },
  { name: "an empty step", spoil: ({ to }) => to.files.set(fileOf(to), Buffer.alloc(0)) },
  {
    name: "a letter that is another",
    spoil({ to, random }) {
      const right = to.files.get(fileOf(to)) ?? Buffer.alloc(0);
      let bytes: Buffer;
      do {
        bytes = Buffer.from(right);
        const at = random.below(bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
        // Some bits say nothing of what is packed, such as those of the time in the header.
      } while (unpacksTo(bytes, gunzipSync(right)));
      to.files.set(fileOf(to), bytes);
    },
  },
  {
    name: "a step of another base",
    spoil(situation) {
      const { from, to } = situation;
      const other = from.things.map((thing) => ({ ...thing, name: "of nobody" }));
      list(situation, linesBetween(other, to.things.slice(0, -1)));
    },
  },
  { name: "a wrong digest", spoil: (situation) => relist(situation, { sha256: sha256("another") }) },
  { name: "a wrong size", spoil: (situation) => relist(situation, { bytes: 1 + stepOf(situation.to).bytes }) },
  {
    name: "gzip that is cut",
    spoil(situation) {
      const { to, random } = situation;
      const bytes = to.files.get(fileOf(to)) ?? Buffer.alloc(0);
      const cut = bytes.subarray(0, 1 + random.below(bytes.length - 1));
      to.files.set(fileOf(to), cut);
      relist(situation, { bytes: cut.length });
    },
  },
  {
    name: "a key that is repeated",
    spoil: (situation) => edit(situation, ([one = "", ...more]) => [one, one, ...more]),
  },
  {
    name: "a key that is put and removed",
    spoil: (situation) => edit(situation, (lines) => [...lines, `{"remove":${situation.to.things[0]?.id}}`]),
  },
  {
    name: "remove of nobody",
    isHarmless: true,
    spoil: (situation) => edit(situation, (lines) => [...lines, '{"remove":999999999}']),
  },
  { name: "lines in another order", spoil: (situation) => edit(situation, (lines) => lines.toReversed()) },
  { name: "a line less", spoil: (situation) => edit(situation, (lines) => lines.slice(1)) },
  {
    name: "a record more",
    spoil: (situation) => edit(situation, (lines) => [...lines, '{"put":{"id":999999999,"name":"","score":0}}']),
  },
  {
    name: "a record that is another",
    spoil: (situation) => edit(situation, (lines) => lines.map((line) => line.replace('"name":"', '"name":"!'))),
  },
  {
    name: "a record with white space",
    spoil: (situation) => edit(situation, (lines) => lines.map((line) => line.replace('"name":', '"name": '))),
  },
  {
    name: "a line with two records",
    spoil: (situation) => edit(situation, (lines) => lines.map((line) => line.replace(/^\{("put":.*)\}$/, "{$1,$1}"))),
  },
  {
    name: "a record without its order",
    spoil: (situation) =>
      edit(situation, (lines) => lines.map((line) => line.replace(/"score":-?\d+/, '"score":null'))),
  },
  { name: "a line that is none", spoil: (situation) => edit(situation, (lines) => [...lines, '{"move":1}']) },
  { name: "JSON that is none", spoil: (situation) => edit(situation, (lines) => [...lines, '{"put":{"id":']) },
  { name: "no newline at the end", spoil: (situation) => plain(situation, (text) => text.trimEnd()) },
  { name: "UTF-16", spoil: (situation) => plain(situation, (text) => Buffer.from(text, "utf16le")) },
  {
    name: "no UTF-8",
    spoil: (situation) => plain(situation, (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x0a])])),
  },
  {
    name: "other numbers than the lines have",
    spoil: (situation) => relist(situation, { put: 1 + stepOf(situation.to).put }),
  },
  {
    name: "a step of a kilobyte that unpacks to ten gigabytes",
    spoil(situation) {
      // No gzip is so small. So the list says a kilobyte, and the file is ten megabytes of them.
      situation.to.files.set(fileOf(situation.to), tenGigabytes());
      relist(situation, { bytes: 1000 });
    },
  },
  {
    name: "a step that unpacks to a thousand times its size, as it is listed",
    spoil(situation) {
      const bomb = tenGigabytes().subarray(0, 100 * TEN_MEGABYTES.length);
      situation.to.files.set(fileOf(situation.to), bomb);
      relist(situation, { bytes: bomb.length });
    },
  },
  {
    name: "a step that the host packs once more, of ten gigabytes",
    spoil(situation) {
      const twice = gzipSync(tenGigabytes());
      situation.answers.set(fileOf(situation.to), { body: twice, headers: { "Content-Encoding": "gzip" } });
      relist(situation, { bytes: twice.length });
    },
  },
  {
    name: "what looks like very many members",
    spoil(situation) {
      const one = gzipSync("", { level: 0 }).subarray(0, 10);
      const bytes = gzipSync(Buffer.concat(Array.from({ length: 100_000 }, () => one)), { level: 0 });
      situation.to.files.set(fileOf(situation.to), bytes);
      relist(situation, { bytes: bytes.length });
    },
  },
  { name: "changes.json of the snapshot before", spoil: ({ from, to }) => to.files.set(CHANGES, at(from, CHANGES)) },
  { name: "changes.json that is none", spoil: ({ to }) => to.files.set(CHANGES, Buffer.from("[1]")) },
  { name: "changes.json that never ends", spoil: ({ answers }) => answers.set(CHANGES, { isEndless: true }) },
  { name: "changes.json that fails", spoil: ({ answers }) => answers.set(CHANGES, { status: 500 }) },
  {
    name: "a step that is somewhere else",
    spoil: (situation) => relist(situation, { file: "changes/../snapshot.json" }),
  },
  { name: "a step of no size", spoil: (situation) => relist(situation, { bytes: -1 }) },
  { name: "a step of any size", spoil: (situation) => relist(situation, { bytes: Number.MAX_SAFE_INTEGER }) },
  {
    name: "a chain that is torn",
    spoil: (situation) => relist(situation, { to: sha256("another") }),
  },
  {
    name: "a very long chain that leads nowhere",
    spoil({ to }) {
      const states = [to.state, ...Array.from({ length: 1000 }, (_, at) => sha256(`${at}`))];
      const steps = states.slice(1).map((from, index) => {
        const next = states[index] ?? "";
        return { ...stepOf(to), from, to: next, file: stepPath(from, next) };
      });
      to.files.set(CHANGES, Buffer.from(JSON.stringify({ state: to.state, steps })));
    },
  },
  {
    name: "a contract that is another",
    spoil({ to }) {
      to.files.set("contract.json", Buffer.from(to.contract.text.replace('"-score"', '"score"')));
    },
  },
  { name: "a contract that is missing", spoil: ({ answers }) => answers.set("contract.json", { status: 404 }) },
];

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
const redirect = (): Answer => ({ status: 302, headers: { Location: "/snapshot.json" } });

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
  list(situation, change(linesBetween(from.things as Thing[], to.things as Thing[])));
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
