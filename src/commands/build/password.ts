/** Reads the password of the secret key from its environment variable, or from the terminal without echo. */
import { usageError } from "../../errors.js";
import { visible } from "../../print/text.js";
import { PASSWORD_VARIABLE } from "../../settings/names.js";
import { stopped } from "../program/signals.js";
import type { Input, Io } from "../program/verb.js";

/**
 * Removes the variable from the environment at once, so that no thread or child process inherits it.
 * @param key the path of the secret key file.
 * @returns the function that returns the password, or asks for it if the variable is not set.
 */
export function passwordOf(key: string | undefined, io: Io): () => Uint8Array | Promise<Uint8Array> {
  const given = io.env[PASSWORD_VARIABLE];
  Reflect.deleteProperty(io.env, PASSWORD_VARIABLE);
  return () => {
    if (given) return Buffer.from(given);
    const { stdin, stderr } = io;
    if (stdin?.isTTY && stderr.isTTY) return ask(`Password of ${visible(key ?? "")}: `, stdin, stderr);
    throw usageError(
      `${key} needs a password, and there is no terminal to ask on. Set ${PASSWORD_VARIABLE}, or run this on a terminal.`,
    );
  };
}

/** Bytes that a terminal sends for special keys. */
const KEYS = { interrupt: 0x03, end: 0x04, back: 0x08, newline: 0x0a, enter: 0x0d, clear: 0x15, erase: 0x7f } as const;
/** The maximum of minisign. */
const MOST_BYTES = 1024;

/** Asks on the terminal. Raw mode ends before anything else happens; if a signal ends the process, Node resets it. */
function ask(prompt: string, stdin: Input, stderr: Io["stderr"]): Promise<Uint8Array> {
  const typed = Buffer.alloc(MOST_BYTES);
  let length = 0;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      stdin.off("data", onKeys);
      stdin.off("end", giveUp);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
      settle();
      typed.fill(0);
    };
    const giveUp = () => end(() => reject(usageError("No password was typed; nothing was built.")));
    const onKeys = (keys: Buffer) => {
      try {
        read(keys);
      } finally {
        keys.fill(0);
      }
    };
    const read = (keys: Buffer) => {
      for (const key of keys) {
        if (key === KEYS.interrupt) return end(() => reject(stopped("SIGINT")));
        if (key === KEYS.end && length === 0) return giveUp();
        if (key === KEYS.enter || key === KEYS.newline)
          return end(() => resolve(Uint8Array.from(typed.subarray(0, length))));
        if (key === KEYS.clear) length = 0;
        else if (key === KEYS.back || key === KEYS.erase) length = beforeLast(typed, length);
        else if (length < MOST_BYTES) typed[length++] = key;
      }
    };
    // Before the prompt, so that no letter is echoed.
    stdin.setRawMode(true);
    stderr.write(prompt);
    stdin.on("data", onKeys);
    stdin.on("end", giveUp);
    stdin.resume();
  });
}

/** The offset of the last character, which may have several bytes. */
function beforeLast(typed: Buffer, length: number): number {
  let at = Math.max(0, length - 1);
  while (at > 0 && ((typed[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}
