/** Runs `rollcall serve` as a real process. */
import { expect, onTestFinished } from "vitest";
import { start } from "../support/command.js";
import { LITTLE_GARBAGE } from "../support/memory.js";
import { eventually } from "../support/until.js";

export interface ServeProcess {
  child: ReturnType<typeof start>["child"];
  ended: ReturnType<typeof start>["ended"];
  port: number;
  /** Lines of stdout, from the announcement on. */
  out: string[];
  err: string[];
}

/** Starts `rollcall serve` and waits until it is announced, or has ended. It ends with the test. */
export async function startServe(dist: string, ...args: string[]): Promise<ServeProcess> {
  const env = { ...process.env, NODE_OPTIONS: LITTLE_GARBAGE };
  const { child, ended } = start(["serve", dist, "--port", "0", "--json", ...args], { env });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const out: string[] = [];
  const err: string[] = [];
  child.stdout?.on("data", (chunk) => out.push(...`${chunk}`.trimEnd().split("\n")));
  child.stderr?.on("data", (chunk) => err.push(...`${chunk}`.trimEnd().split("\n")));
  await eventually(() => expect(out.length + (child.exitCode ?? 0)).toBeGreaterThan(0));
  const { port } = new URL(JSON.parse(out[0] ?? "").url);
  return { child, ended, port: Number(port), out, err };
}

/** Lines of a server's stderr without those that depend on the machine. */
export function complaintsIn(err: readonly string[]): string[] {
  return err.filter((line) => line !== "" && !/Z (?:Links lead to |Finishing open requests|now serving )/.test(line));
}
