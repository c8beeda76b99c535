/** Signatures are checked like minisign does, in one form only, with minisign's own keys and signatures. */
import { afterEach, expect, test, vi } from "vitest";
import {
  checkSignature,
  checkTrustedComment,
  parsePublicKey,
  SignatureError,
  signatureText,
  trustedComment,
} from "../../src/client/signature.js";
import { seeded } from "../support/random.js";

const KEY = "RWRp0OvCtaYHsJ4UeCtLxQfDKJ36LwBn7ectFnxFbFfrEasxXK/gKQ5S";
const FILE = `untrusted comment: minisign public key B007A6B5C2EBD069\n${KEY}\n`;
const OTHER_KEY = "RWTbNvgnrRjOVqDbvYKIhSRh+MuLRstpQqtrbkrIcjBoX+D0hbkcq9GC";

const sums = Buffer.from(
  ["api/users/pages/1.json", "contract.json", "snapshot.json"]
    .map((path, at) => `${"abc"[at]?.repeat(64)}  ${path}\n`)
    .join(""),
);
const SAID = {
  id: "0123456789ab",
  baseUrl: "https://directory.example.com",
  time: new Date("2026-11-22T09:30:00.000Z"),
};

/** `minisign -S -l -m SHA256SUMS -t ... -c "signature of SHA256SUMS by rollcall"`, with each of the keys. */
const SIGNATURE = text(
  "RWRp0OvCtaYHsPpvQBLnEP8N1t13YLZ/U8RLX3sv5SkwbjtWLiZ40zc8V8ukcG099dwWRtD48oV/exs7Y9t2398TzV1v2PIzNw0=",
  trustedComment(SAID),
  "Mmkhi5psvp2icERfwhg2zjSjWW03Fl3DJKrdgWo5qK2UweNYA+iQSW3T9FTMlXsOUTUmA2uN3Eg83QEWYfVTDQ==",
);
const OTHER_MADE =
  "RWTbNvgnrRjOVqMKEZPwio4JtvdKOA9zpq1SBDvvTWcC6mS49JVJKRscjVxYonIL48+6nPnBfAkLfc/pPVFgAMjpwz00Uid8Kwg=";
const OTHER_SIGNATURE = text(
  OTHER_MADE,
  trustedComment(SAID),
  "A5D+GFbQLKxj5EMbS38KHwHm7sgwUXrFZwTYvFsgCK/jv67HS7wOF58F3LMM7lIf8GhS8tqMkv4i/J9xp4npAw==",
);

const check = (signature: string, keys = [KEY], bytes: Uint8Array = sums) =>
  checkSignature({ sums: bytes, signature, keys: keys.map(parsePublicKey) });

test("the trusted comment has a fixed form", () => {
  expect(trustedComment(SAID)).toBe(
    "rollcall id:0123456789ab base_url:https://directory.example.com time:2026-11-22T09:30:00.000Z",
  );
});

test.each([
  ["its own key", SIGNATURE, [KEY]],
  ["a key without a password", OTHER_SIGNATURE, [OTHER_KEY]],
  ["any of several keys", SIGNATURE, [OTHER_KEY, KEY]],
])("accepts a signature with %s", async (_, signature, keys) => {
  expect(await check(signature, keys)).toEqual(SAID);
});

test("the id of a key is that of minisign", () => {
  expect(parsePublicKey(KEY).id).toBe("B007A6B5C2EBD069");
  expect(parsePublicKey(KEY).bytes.length).toBe(32);
});

test.each([
  ["the file of minisign -G", FILE],
  ["one from Windows", FILE.replaceAll("\n", "\r\n")],
  ["one without its last newline", FILE.trim()],
  ["a line", KEY],
  ["a line with white space around it", ` ${KEY}\n`],
])("parses a public key from %s", (_, text) => {
  expect(parsePublicKey(text)).toEqual(parsePublicKey(KEY));
});

test.each([
  ["nothing", ""],
  ["a cut key", KEY.slice(0, -1)],
  ["a longer key", `${KEY}A`],
  ["two keys", `${KEY}\n${OTHER_KEY}`],
  ["another algorithm", KEY.replace("RW", "RU")],
  ["almost this algorithm", KEY.replace("RWR", "RWV")],
  ["letters of no key", KEY.replace("p0", "_0")],
  ["a secret key", `untrusted comment: minisign encrypted secret key\nRWRTY0Iy${"QUJD".repeat(51)}`],
])("refuses %s as a key, without repeating it", (_, text) => {
  const refusal = catchError(() => parsePublicKey(text));
  expect(refusal).toBeInstanceOf(SignatureError);
  expect(refusal.message).toBe("is not a minisign public key (56 characters, RW first)");
});

test("refuses another key by its id", async () => {
  await expect(check(SIGNATURE, [OTHER_KEY])).rejects.toThrow(
    "is by the key B007A6B5C2EBD069, but one of 56CE18AD27F836DB is required",
  );
});

test("refuses another key with the same id", async () => {
  const known = parsePublicKey(KEY);
  const keys = [{ id: known.id, bytes: parsePublicKey(OTHER_KEY).bytes }];
  await expect(checkSignature({ sums, signature: SIGNATURE, keys })).rejects.toThrow("does not match SHA256SUMS");
  expect(await checkSignature({ sums, signature: SIGNATURE, keys: [...keys, known] })).toEqual(SAID);
});

test("refuses a changed trusted comment", async () => {
  for (const changed of ["id:0123456789ac", "id:0123456789ab id:0123456789ab"])
    await expect(check(SIGNATURE.replace("id:0123456789ab", changed))).rejects.toThrow("changed trusted comment");
});

test("refuses a signed comment in another form", async () => {
  const tail = "MVmQd1kIzrzohXdEsR8elP8eAlVf77N1E7ZCICbA7fRrjV+mDCDW5JNhDgOoiH9O57HTYSDG+kH3RG9eG/74BA==";
  await expect(check(text(OTHER_MADE, "timestamp:1", tail), [OTHER_KEY])).rejects.toThrow("not in Rollcall's form");
});

test("refuses minisign's prehashed algorithm, which signify does not support", async () => {
  const made = "RUTbNvgnrRjOVmZFszPMaY/fVshxdruk4QFMaVuS/TU7PzP2FNHLxVPiNkWY6YFbsLnXIdcatEStEF08D2WWxp45hIxNm7f2uQg=";
  const tail = "8OWUJyN2AvfSSH84DMrdKOG13HLOsMROFEo8Iy3oDtT2/BxpA9IKptsak7LcVw23eh4tjoZQM+IZV+sLFJg+Cg==";
  await expect(check(text(made, trustedComment(SAID), tail), [OTHER_KEY])).rejects.toThrow("not in Rollcall's form");
});

test.each([
  ["nothing", ""],
  ["a web page", "<!doctype html><title>Not found</title>"],
  ["one without its last newline", SIGNATURE.slice(0, -1)],
  ["one with more behind it", `${SIGNATURE}\n`],
  ["one from Windows", SIGNATURE.replaceAll("\n", "\r\n")],
  ["one with another untrusted comment", SIGNATURE.replace("by rollcall", "by minisign")],
  ["one without padding", SIGNATURE.replace("=\n", "\n")],
])("refuses %s by its form", async (_, signature) => {
  await expect(check(signature)).rejects.toThrow("is damaged, or not in Rollcall's form");
});

test("refuses every truncation and every flipped bit", async () => {
  const bytes = Buffer.from(SIGNATURE);
  for (let length = 0; length < bytes.length; length++)
    await expect(check(SIGNATURE.slice(0, length))).rejects.toThrow(SignatureError);
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    await expect(check(new TextDecoder().decode(flipped)), `bit ${bit}`).rejects.toThrow(SignatureError);
  }
  const random = seeded(14);
  for (let round = 0; round < 200; round++) {
    const flipped = Buffer.from(sums);
    const bit = random.below(8 * sums.length);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    await expect(check(SIGNATURE, [KEY], flipped)).rejects.toThrow(SignatureError);
  }
});

const AT = SAID.time.getTime();
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  [
    "another base URL",
    { baseUrl: "https://other.example.com" },
    AT,
    "is of a release of https://directory.example.com",
  ],
  ["another id", { id: "ba9876543210" }, AT, "is of release 0123456789ab, not of ba9876543210"],
  ["one that is too old", { maxAgeMs: 1000 }, AT + 1001, "is of 2026-11-22T09:30:00.000Z, which is older than allowed"],
  ["one of the future", {}, AT - 300_001, "is of 2026-11-22T09:30:00.000Z, which is in the future"],
])("refuses a release for %s", (_, wrong, now, message) => {
  vi.setSystemTime(now);
  expect(() => checkTrustedComment(SAID, { ...SAID, ...wrong })).toThrow(message);
});

test.each([
  ["as old as allowed", 1000, AT + 1000],
  ["by a clock that is a little behind", 1000, AT - 300_000],
  ["years later, where no age is too old", undefined, AT + 10 * 365 * 86_400_000],
])("accepts a release %s", (_, maxAgeMs, now) => {
  vi.setSystemTime(now);
  checkTrustedComment(SAID, { ...SAID, maxAgeMs });
});

function text(made: string, comment: string, all: string): string {
  return signatureText(Buffer.from(made, "base64"), comment, Buffer.from(all, "base64"));
}

function catchError(step: () => unknown): Error {
  try {
    step();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}
