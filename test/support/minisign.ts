/** Keys in minisign's format, made here or by minisign itself. */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Key {
  /** The paths of both files. */
  secret: string;
  public: string;
  /** `RW...` */
  line: string;
}

/** The bytes of a secret key without a password, and its public key's line. */
export function keyBytes(): { secret: Buffer; line: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(-32);
  const open = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const id = randomBytes(8);
  const head = Buffer.concat([Buffer.from("Ed\0\0B2"), Buffer.alloc(48)]);
  const line = Buffer.concat([Buffer.from("Ed"), id, open]).toString("base64");
  return { secret: Buffer.concat([head, id, seed, open, Buffer.alloc(32)]), line };
}

/** Writes a secret key without a password, and its public key. */
export function writeKey(folder: string, name: string): Key {
  const { secret: bytes, line } = keyBytes();
  const [secret, open] = [join(folder, `${name}.key`), join(folder, `${name}.pub`)];
  writeFileSync(secret, keyText(bytes), { mode: 0o600 });
  writeFileSync(open, `untrusted comment: minisign public key\n${line}\n`);
  return { secret, public: open, line };
}

export function keyText(bytes: Buffer): string {
  return `untrusted comment: minisign encrypted secret key\n${bytes.toString("base64")}\n`;
}

/** Types a text whenever a terminal asks for a password, prints the terminal's output, and ends with the program. */
const TYPIST = `
import os, pty, sys
typed = os.fsencode(sys.argv[1])
pid, screen = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown, asked = b"", 0
while True:
    try:
        some = os.read(screen, 4096)
    except OSError:
        break
    if not some:
        break
    shown += some
    line = shown.rsplit(b"\\n", 1)[-1]
    if shown.count(b"assword") > asked and b"assword" in line and line.rstrip().endswith(b":"):
        asked = shown.count(b"assword")
        os.write(screen, typed)
sys.stdout.buffer.write(shown)
status = os.waitpid(pid, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
`;

/** The command line that runs a program on a terminal, where keys are typed when it asks for a password. */
export function onTerminal(typed: string, program: string, ...args: readonly string[]): [string, string[]] {
  return ["/usr/bin/python3", ["-c", TYPIST, typed, program, ...args]];
}

/** A key made by minisign; a password is typed on a terminal. */
export function generateKey(folder: string, name: string, password?: string): Key {
  const [secret, open] = [join(folder, `${name}.key`), join(folder, `${name}.pub`)];
  const args = ["-G", "-s", secret, "-p", open];
  const said =
    password === undefined
      ? execFileSync("minisign", [...args, "-W"], { stdio: "pipe" })
      : execFileSync(...onTerminal(`${password}\n`, "minisign", ...args), { stdio: "pipe" });
  return { secret, public: open, line: /RW[\w+/]{54}/.exec(String(said))?.[0] ?? "" };
}
