/** With a public key, a copy reaches only signed states. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, test } from "vitest";
import { createMemoryStore, openListing } from "../../../src/client/index.js";
import { signatureText, trustedComment, withComment } from "../../../src/client/signature.js";
import { BASE, Host, type Release, release, type Thing } from "./release.js";

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

test("a copy applies steps only to a signed state", async () => {
  const things = (count: number): Thing[] => Array.from({ length: count }, (_, id) => ({ id, name: "a", score: id }));
  const first = signed(release(things(50)));
  const second = signed(release(things(51), { before: first }));
  const third = signed(release(things(52), { before: second }), generateKeyPairSync("ed25519").privateKey);
  const host = new Host(first);
  host.tag = () => '"a"';
  const { fetch } = host;
  const store = createMemoryStore<Thing>();
  const sync = () => openListing<Thing>(BASE, { fetch, publicKey: line, pausesMs: [1] }).sync(store);
  await sync();
  host.current = second;
  host.take();
  expect(await sync()).toMatchObject({ via: "changes", put: 1 });
  const proofs = ["snapshot.json", "SHA256SUMS", "SHA256SUMS.minisig"];
  expect(host.take()).toEqual([...proofs, "changes.json", "contract.json", second.steps[0]?.file]);
  host.current = third;
  host.take();
  await expect(sync()).rejects.toMatchObject({ code: "signature" });
  // Another key than the publisher's stays another.
  const otherKey = Buffer.concat([Buffer.from("Ed87654321"), open]).toString("base64");
  host.current = first;
  host.take();
  const reader = openListing(BASE, { fetch, publicKey: otherKey, pausesMs: [1, 1, 1] });
  await expect(reader.snapshot()).rejects.toMatchObject({ code: "signature" });
  expect(host.take()).toEqual(proofs);
  const files = openListing(BASE, { fetch, publicKey: line });
  for (const path of proofs.slice(1)) expect(Buffer.from(await files.file(path))).toEqual(first.files.get(path));
  host.current = third;
  // An unsigned state is refused, even with valid steps.
  host.current = { ...third, files: new Map([...second.files, ...third.files]) };
  for (const path of proofs.slice(1)) host.current.files.set(path, second.files.get(path) ?? Buffer.alloc(0));
  await expect(sync()).rejects.toMatchObject({ code: "mismatch" });
  expect([...store]).toEqual(second.things);
});
