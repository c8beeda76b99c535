/** Runs `rollcall dev` as a process, and collects its output. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { CLI } from "../support/command.js";
import { plainRows, type Row, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { eventually } from "../support/until.js";

/** Timeout: events come within moments, but later on a busy machine. */

export interface Event {
  event: "listening" | "built" | "trouble";
  url: string;
  files: string[];
  id: string;
  records: number;
  pages: number;
  error: string;
  serving: boolean;
  problems: { records: number } | null;
  diff: { contract: boolean; added: number; removed: number; changed: number; fields: object } | null;
}

/** A folder to work in, and one for temporary files. */
export function workplace(rows: readonly Row[] = plainRows(5)) {
  const [cwd, temporary] = [scratch(), scratch()];
  const db = writeUsers(join(cwd, "users.sqlite"), rows);
  return { cwd, temporary, db };
}

/** Starts it on any free port. @param line more arguments: `--json users.sqlite`. */
export function develop({ cwd, temporary }: { cwd: string; temporary: string }, line: string, port = "--port 0") {
  const words = `dev ${port} ${line}`.split(" ").filter(Boolean);
  const env = { ...process.env, TMPDIR: temporary, TZ: "UTC" };
  const child = spawn(process.execPath, [CLI, ...words], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: collect(child.stdout), stderr: collect(child.stderr) };
  let taken = 0;
  return {
    child,
    ended,
    /** Where its releases are. */
    releases: () => readdirSync(temporary).filter((name) => name.startsWith("rollcall-dev-")),
    said: () => said.stderr.text,
    /** Everything on stderr, without what differs between runs. */
    text: () => tidy(said.stderr.text),
    /** The next event of `--json`. */
    async next(): Promise<Event> {
      const lines = () => said.stdout.text.split("\n").slice(0, -1);
      await eventually(() => expect(lines().length, said.stderr.text).toBeGreaterThan(taken));
      return JSON.parse(lines()[taken++] ?? "");
    },
    /** Whether there is an event that was not taken yet. */
    isQuiet: () => said.stdout.text.split("\n").length - 1 === taken,
    /** Waits until stderr holds this. */
    shown: (text: string) => eventually(() => expect(tidy(said.stderr.text)).toContain(text)),
    async stop(signal: NodeJS.Signals = "SIGINT"): Promise<number | string> {
      child.kill(signal);
      return ended;
    },
  };
}

function collect(stream: ChildProcess["stdout"]): { text: string } {
  const all = { text: "" };
  stream?.setEncoding("utf8").on("data", (text: string) => {
    all.text += text;
  });
  return all;
}

function tidy(text: string): string {
  return text
    .replaceAll(/^\d\d:\d\d:\d\d /gm, "TIME ")
    .replaceAll(/\b[\d.]+ s\b/g, "SECONDS")
    .replaceAll(/127\.0\.0\.1:\d+/g, "HOST")
    .replaceAll(/ {3,}/g, "   ");
}
