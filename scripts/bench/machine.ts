/** What this machine is, and what it has. */
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { availableParallelism, cpus, release } from "node:os";
import { delimiter, join } from "node:path";

/** For whoever reads the figures elsewhere. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const memory = `${Math.round(memoryInfo("MemTotal") / 1e9)} GB`;
  return `${availableParallelism()} cores of ${model}, ${memory}, ${process.platform} ${release()}, Node ${process.version}`;
}

/** Whether a program is found as a shell would, or where Debian keeps those that only root looks for. */
export function isInstalled(program: string): boolean {
  return programFolders().some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export function programFolders(): string[] {
  return [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
}

const TMPFS = 0x01021994;

export function isMemory(folder: string): boolean {
  return statfsSync(folder).type === TMPFS;
}

/** Bytes that can be written to a folder: in memory, no more than the memory that is free. */
export function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  const room = bavail * bsize;
  return isMemory(folder) ? Math.min(room, memoryInfo("MemAvailable")) : room;
}

export function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    rmSync(mkdtempSync(join(folder, "rollcall-")), { recursive: true });
    return true;
  } catch {
    return false;
  }
}

/** Bytes; nothing where there is no /proc. */
function memoryInfo(name: string): number {
  try {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync("/proc/meminfo", "utf8"));
    return Number(found?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
