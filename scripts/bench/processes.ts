/** What a process and all below it cost, as Linux tells; where there is no /proc, nothing is known of it. */
import { readFileSync } from "node:fs";

/** Bytes that no file backs, now. */
export function anonymousMemory(pid: number): number {
  return sum(pid, (id) => kilobytes(id, "RssAnon") * 1024);
}

/** Bytes resident, now. */
export function residentMemory(pid: number): number {
  return sum(pid, (id) => kilobytes(id, "VmRSS") * 1024);
}

/** The most bytes that were ever resident, each process for itself. */
export function peakMemory(pid: number): number {
  return sum(pid, (id) => kilobytes(id, "VmHWM") * 1024);
}

const TICKS_A_SECOND = 100;

/** CPU seconds used so far, by it, by all below it, and by those of them that it has seen end. */
export function cpuSeconds(pid: number): number {
  return sum(pid, (id) => {
    const fields = procText(id, "stat")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / TICKS_A_SECOND;
  });
}

function sum(pid: number, of: (pid: number) => number): number {
  return family(pid).reduce((total, id) => total + of(id), 0);
}

/** A process and its descendants; only main threads start others here. */
function family(pid: number): number[] {
  const children = procText(pid, `task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return [pid, ...children.flatMap(family)];
}

function kilobytes(pid: number, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(procText(pid, "status"))?.[1] ?? 0);
}

/** Empty where the process has ended. */
function procText(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
