/** The process that holds a lock, as a file beside the lock and messages name it. The types of the library lead here. */
import { hostname } from "node:os";
import * as z from "zod";
import { parseAs } from "../contract/json.js";
import { codeOf } from "../errors.js";
import { readPlain } from "./plain-files.js";

/** A process that holds a lock. */
export const processSchema = z.object({ pid: z.int(), machine: z.string(), since: z.string() });
export type Process = z.infer<typeof processSchema>;

/** Describes this process, as the holder of a lock since `now`. */
export function thisProcess(now: Date): Process {
  return { pid: process.pid, machine: hostname(), since: now.toISOString() };
}

/** Words for a process in messages. */
export function describeProcess({ pid, machine, since }: Process): string {
  return `process ${pid} on ${machine} since ${since}`;
}

/** Reads the file that names the holder of a lock. @returns undefined if it is not written yet, or this user may not read it. */
export function readHolder(file: string): Process | undefined {
  try {
    return parseAs(processSchema, String(readPlain(file)));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
