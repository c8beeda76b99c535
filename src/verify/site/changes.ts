/** Proves a host's steps: each has its form and its digest, and what the newest puts and removes fits its pages. */
import { Readable } from "node:stream";
import type { Step } from "../../artifacts/steps/steps.js";
import { readFrame } from "../../contract/envelope.js";
import { AVATAR_PATH } from "../../contract/links.js";
import { recordFinder } from "../../contract/record/locate.js";
import { CHANGES, isStep, MAX_PACKED } from "../../release/layout.js";
import { recordDigest } from "../../release/record/list.js";
import { type Difference, type LineContext, lineContext, type TakeLine } from "../changes/lines.js";
import { MAX_CHANGES, readStep } from "../changes/step.js";
import { StepTable } from "../changes/table.js";
import { CHANGES_HEAD, noteUnnamed, readHead } from "../heads.js";
import type { Attempt, Place } from "./attempt.js";

/** Call `close` in the end. */
export class StepsOfSite {
  readonly #finder;
  /** The newest step, where it is whole, and its lines. */
  #newest: { file: string; lines: StepTable } | undefined;

  constructor(readonly attempt: Attempt) {
    this.#finder = recordFinder(attempt.site.first.facts.contract);
  }

  /** Asks for every step once, one at a time, so that only one is in memory. */
  async read(): Promise<void> {
    const { release } = this.attempt.site;
    if (!release?.sums.others.has(CHANGES)) return;
    const answer = await this.attempt.ask(this.#place(CHANGES), "identity", MAX_CHANGES);
    const changes = readHead(CHANGES_HEAD, answer ? String(answer.body) : { why: "did not come" }, this.#note);
    if (!changes) return;
    const { state } = release.snapshot;
    if (changes.state !== state) this.#note(CHANGES, { found: `state ${changes.state}`, expected: state });
    noteUnnamed(CHANGES_HEAD, changes.steps, [...release.sums.others.keys()].filter(isStep), this.#note);
    await this.#readSteps(changes.steps);
  }

  /** Compares the records of one page with what the newest step says of them. */
  compare(bytes: Buffer): void {
    const lines = this.#newest?.lines;
    const records = lines && readFrame(bytes)?.records;
    if (!records) return;
    const text = bytes.toString("latin1");
    for (const [begin, end] of records) {
      const key = this.#finder.find(text, begin, end)?.key;
      if (key !== undefined) lines.meet("to", key, () => recordDigest(bytes.subarray(begin, end)));
    }
  }

  /** @param isWhole whether all pages were compared, so that a record that was not met is not there. */
  finish(isWhole: boolean): void {
    if (!this.#newest) return;
    const { file, lines } = this.#newest;
    for (const flaw of lines.flaws("to", isWhole)) this.#note(file, flaw);
  }

  close(): void {
    this.#newest?.lines.close();
    this.#newest = undefined;
  }

  async #readSteps(steps: readonly Step[]): Promise<void> {
    const { contract, baseUrl, linkBase = baseUrl } = this.attempt.site.first.facts;
    const context = lineContext(contract, `${linkBase}/${AVATAR_PATH}`);
    const [newest, ...older] = steps;
    if (newest) {
      const lines = new StepTable();
      this.#newest = { file: newest.file, lines };
      const isWhole = await this.#readStep(newest, context, (key, digest) => lines.add(key, digest));
      if (!isWhole) this.close();
    }
    for (const step of older) await this.#readStep(step, context);
  }

  async #readStep(step: Step, context: LineContext, onLine: TakeLine = () => {}): Promise<boolean> {
    const { file, bytes } = step;
    const body = await this.attempt.askWhole(file, MAX_PACKED + 1);
    if (!body) return false;
    if (body.length !== bytes)
      this.#note(file, { found: `${body.length} bytes`, expected: `${bytes}, as in ${CHANGES}` });
    const packed = Readable.from([body], { objectMode: false });
    const difference = await readStep({ packed, size: body.length, step }, context, onLine);
    if (difference) this.#note(file, difference);
    return !difference;
  }

  #place(path: string): Place {
    return { check: "changes", url: `${this.attempt.site.first.facts.baseUrl}/${path}` };
  }

  readonly #note = (path: string, difference: Difference): void =>
    this.attempt.findings.add({ ...this.#place(path), ...difference });
}
