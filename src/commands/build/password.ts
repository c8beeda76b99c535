/** The password of the key that signs: from its variable, or typed on a terminal that does not show it. */
import { usageError } from "../../errors.js";
import { visible } from "../../print/text.js";
import { PASSWORD_VARIABLE } from "../../settings/names.js";
import { stopped } from "../program/signals.js";
import type { Input, Io } from "../program/verb.js";

/**
 * Takes the variable out of the environment at once, so that no thread and no other process inherits it.
 * @param key the path of the file that the password is of.
 * @returns what asks for the password, where there is no variable.
 */
export function passwordOf(key: string | undefined, io: Io): () => Uint8Array | Promise<Uint8Array> {
  const given = io.env[PASSWORD_VARIABLE];
  Reflect.deleteProperty(io.env, PASSWORD_VARIABLE);
  return () => {
    if (given) return Buffer.from(given);
    const { stdin, stderr } = io;
    if (stdin?.isTTY && stderr.isTTY) return ask(`Password of ${visible(key ?? "")}: `, stdin, stderr);
    throw usageError(
      `${key} has a password, and nobody can be asked for it here: set ${PASSWORD_VARIABLE}, or run this on a terminal.`,
    );
  };
}

/** What a terminal sends for keys that are no letters. */
const KEYS = { interrupt: 0x03, end: 0x04, back: 0x08, newline: 0x0a, enter: 0x0d, clear: 0x15, erase: 0x7f } as const;
/** As many as minisign reads. */
const MOST_BYTES = 1024;

/** The terminal is set back before anything else happens; where a signal ends the process, Node does that. */
function ask(prompt: string, stdin: Input, stderr: Io["stderr"]): Promise<Uint8Array> {
  const typed = Buffer.alloc(MOST_BYTES);
  let length = 0;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      stdin.off("data", take);
      stdin.off("end", leave);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
      settle();
      typed.fill(0);
    };
    const leave = () => end(() => reject(usageError("No password was typed; nothing was built.")));
    const take = (keys: Buffer) => {
      try {
        read(keys);
      } finally {
        keys.fill(0);
      }
    };
    const read = (keys: Buffer) => {
      for (const key of keys) {
        if (key === KEYS.interrupt) return end(() => reject(stopped("SIGINT")));
        if (key === KEYS.end && length === 0) return leave();
        if (key === KEYS.enter || key === KEYS.newline)
          return end(() => resolve(Uint8Array.from(typed.subarray(0, length))));
        if (key === KEYS.clear) length = 0;
        else if (key === KEYS.back || key === KEYS.erase) length = beforeLast(typed, length);
        else if (length < MOST_BYTES) typed[length++] = key;
      }
    };
    // Before anybody is asked, so that not even the first letter is shown.
    stdin.setRawMode(true);
    stderr.write(prompt);
    stdin.on("data", take);
    stdin.on("end", leave);
    stdin.resume();
  });
}

/** Where the last character begins, which may have several bytes. */
function beforeLast(typed: Buffer, length: number): number {
  let at = Math.max(0, length - 1);
  while (at > 0 && ((typed[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}
