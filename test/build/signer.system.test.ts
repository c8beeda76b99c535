/** Reads secret keys as minisign writes them, and never repeats them in messages. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSigner } from "../../src/build/signer.js";
import { checkSignature, parsePublicKey } from "../../src/client/signature.js";
import { UserError } from "../../src/core/errors.js";
import { scratch } from "../support/files.js";
import { keyBytes, keyText, writeKey } from "../support/minisign.js";

const SAID = { id: "0123456789ab", baseUrl: "https://directory.example.com", time: new Date("2026-11-22T09:30:00Z") };
const sums = Buffer.from(`${"a".repeat(64)}  contract.json\n`);

/** Changes some bytes of a key. */
function changed(change: (bytes: Buffer) => Buffer | undefined): string {
  const { secret } = keyBytes();
  return keyText(change(secret) ?? secret);
}

test("a signature verifies with the public key", async () => {
  const key = writeKey(scratch(), "ours");
  const signature = (await openSigner(key.secret, undefined)).sign(sums, SAID);
  expect(await checkSignature({ sums, signature, keys: [parsePublicKey(key.line)] })).toEqual(SAID);
});

test("reads a key through a link, and one from Windows", async () => {
  const folder = scratch();
  const { secret } = writeKey(folder, "ours");
  symlinkSync(secret, join(folder, "linked"));
  await openSigner(join(folder, "linked"), undefined);
  const windows = join(folder, "windows.key");
  writeFileSync(windows, keyText(keyBytes().secret).replaceAll("\n", "\r\n"));
  await openSigner(windows, undefined);
});

const scrypt = (ops: bigint, memory: bigint) =>
  changed((bytes) => {
    bytes.write("Sc", 2);
    bytes.writeBigUInt64LE(ops, 38);
    bytes.writeBigUInt64LE(memory, 46);
    return bytes;
  });

test.each([
  ["nothing", "", "is empty"],
  ["any text", "Hello\n", "is not in minisign's format"],
  ["a key of OpenSSH", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\n", "is not in minisign's format"],
  ["a comment without a newline", "untrusted comment: x", "is truncated, or not a key"],
  ["other letters", changed(() => undefined).replace("RW", "R!"), "is truncated, or not a key"],
  ["a cut key", changed((bytes) => bytes.subarray(0, -1)), "is truncated, or not a key"],
  ["a public key", `untrusted comment: x\n${keyBytes().line}\n`, "is a public key"],
  ["a signature", changed((bytes) => bytes.subarray(0, 74)), "is a signature"],
  ["another algorithm", changed((bytes) => bytes.fill("Rs", 0, 2)), "is not an Ed25519 key"],
  ["another protection", changed((bytes) => bytes.fill("Ar", 2, 4)), "is not encrypted with minisign's scrypt"],
  ["another checksum", changed((bytes) => bytes.fill("S2", 4, 6)), "does not have minisign's BLAKE2b checksum"],
  ["a seed that was changed", changed((bytes) => bytes.fill(7, 62, 63)), "the file is damaged"],
  ["twice the operations", scrypt(2n ** 26n, 2n ** 30n), "has scrypt limits that minisign does not use"],
  ["no work at all", scrypt(0n, 0n), "has scrypt limits that minisign does not use"],
])("%s is refused", async (_, text, why) => {
  const path = join(scratch(), "the.key");
  writeFileSync(path, text);
  const refusal = await openSigner(path, "secret").catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UserError);
  const { message } = refusal as Error;
  expect(message).toContain(`${path} `);
  expect(message).toContain(why);
  expect(message).not.toContain("\n");
  for (const line of text.split("\n").slice(1)) if (line.length > 8) expect(message).not.toContain(line.slice(0, 8));
});

test("refuses anything but a regular file", async () => {
  const folder = scratch();
  mkdirSync(join(folder, "folder"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  symlinkSync("loop", join(folder, "loop"));
  writeFileSync(join(folder, "large"), Buffer.alloc(4097));
  const why = async (name: string) =>
    openSigner(join(folder, name), undefined).then(
      () => "",
      (error: Error) => error.message.replace(`${folder}/`, ""),
    );
  const purpose = "--sign-key names the file of a secret key that minisign -G has made.";
  expect(await why("folder")).toBe(`folder is a folder; ${purpose}`);
  expect(await why("pipe")).toBe(`pipe is not a plain file; ${purpose}`);
  expect(await why("loop")).toBe(`loop is a symbolic link to itself; ${purpose}`);
  expect(await why("large")).toBe(`large has 4097 bytes, more than a minisign key; ${purpose}`);
  expect(await why("none")).toBe(`There is no file none; ${purpose}`);
});
