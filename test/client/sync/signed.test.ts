/** With a public key, a copy follows the state that was signed, whatever else the host says. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, test } from "vitest";
import { createMemoryStore, openListing } from "../../../src/client/index.js";
import { signatureText, trustedComment, withComment } from "../../../src/client/signature.js";
import { type Release, release, type Thing } from "./release.js";

const BASE = "https://things.example.com/data";
const ID = Buffer.from("12345678");
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const open = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
const line = Buffer.concat([Buffer.from("Ed"), ID, open]).toString("base64");

function signed(of: Release, key: KeyObject = privateKey): Release {
  const own = sign(null, of.files.get("SHA256SUMS") ?? Buffer.alloc(0), key);
  const { id } = JSON.parse(String(of.files.get("snapshot.json")));
  const comment = trustedComment({ id, baseUrl: BASE, time: new Date() });
  const made = Buffer.concat([Buffer.from("Ed"), ID, own]);
  const text = signatureText(made, comment, sign(null, withComment(own, comment), key));
  of.files.set("SHA256SUMS.minisig", Buffer.from(text));
  return of;
}

test("a copy takes steps of what was signed, and of nothing else", async () => {
  const things = (count: number): Thing[] => Array.from({ length: count }, (_, id) => ({ id, name: "a", score: id }));
  const first = signed(release(things(50)));
  const second = signed(release(things(51), { before: first }));
  const third = signed(release(things(52), { before: second }), generateKeyPairSync("ed25519").privateKey);
  let current = first;
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const path = String(input)
      .slice(BASE.length + 1)
      .replace(/\?.*/, "");
    asked.push(path);
    const bytes = current.files.get(path);
    return bytes
      ? new Response(new Uint8Array(bytes), { headers: { etag: '"a"' } })
      : new Response("", { status: 404 });
  };
  const store = createMemoryStore<Thing>();
  const sync = () => openListing<Thing>(BASE, { fetch, publicKey: line, pausesMs: [1] }).sync(store);
  await sync();
  current = second;
  asked.length = 0;
  expect(await sync()).toMatchObject({ via: "changes", put: 1 });
  const proofs = ["snapshot.json", "SHA256SUMS", "SHA256SUMS.minisig"];
  expect(asked).toEqual([...proofs, "changes.json", "contract.json", second.steps[0]?.file]);
  current = third;
  asked.length = 0;
  await expect(sync()).rejects.toMatchObject({ code: "signature" });
  // Another key than the publisher's stays another.
  const otherKey = Buffer.concat([Buffer.from("Ed87654321"), open]).toString("base64");
  current = first;
  asked.length = 0;
  const reader = openListing(BASE, { fetch, publicKey: otherKey, pausesMs: [1, 1, 1] });
  await expect(reader.snapshot()).rejects.toMatchObject({ code: "signature" });
  expect(asked).toEqual(proofs);
  const files = openListing(BASE, { fetch, publicKey: line });
  for (const path of proofs.slice(1)) expect(Buffer.from(await files.file(path))).toEqual(first.files.get(path));
  current = third;
  // A state that nobody has signed leads nowhere, however well its steps fit.
  current = { ...third, files: new Map([...second.files, ...third.files]) };
  for (const path of proofs.slice(1)) current.files.set(path, second.files.get(path) ?? Buffer.alloc(0));
  await expect(sync()).rejects.toMatchObject({ code: "mismatch" });
  expect([...store]).toEqual(second.things);
});
