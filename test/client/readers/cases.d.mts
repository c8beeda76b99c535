/** The types of cases.mjs, which every runtime loads uncompiled. */
import type { Host } from "./hosts.js";

export interface Row {
  host: string;
  name: string;
  /** What was wrong, if anything was. */
  wrong?: string;
  ms: number;
}

export interface Job {
  /** Where the hosts are controlled. */
  control: string;
  hosts: Host[];
}

export interface Part {
  host: Host;
  /** A position, as text can carry it. */
  after?: unknown;
  count: number;
}

export function run(name: string, client: unknown, given: unknown): Promise<unknown>;
export function markOf(text: string): number;
