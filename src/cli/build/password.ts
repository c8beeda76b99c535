/** Reads the password of the secret key from its environment variable, or from the terminal without echo. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { usageError } from "../../core/errors.js";
import { visible } from "../../core/print/text.js";
import { PASSWORD_VARIABLE } from "../../core/settings/names.js";
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

/** Asks on the terminal. Readline edits the line; it prints into nothing, so that no letter is echoed. */
async function ask(prompt: string, stdin: Input, stderr: Io["stderr"]): Promise<Uint8Array> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Before the prompt, since from here on the terminal does not echo.
  const lines = createInterface({ input: stdin, output: silent, terminal: true, historySize: 0 });
  stderr.write(prompt);
  try {
    return await new Promise((resolve, reject) => {
      lines.on("line", (line) => resolve(Buffer.from(line)));
      lines.on("SIGINT", () => reject(stopped("SIGINT")));
      lines.on("close", () => reject(usageError("No password was typed; nothing was built.")));
    });
  } finally {
    lines.close();
    stderr.write("\n");
  }
}
