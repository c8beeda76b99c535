/** A bucket on a real S3-compatible server for one test, behind a proxy that makes faults. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { CreateBucketCommand, DeleteObjectCommand, PutBucketPolicyCommand, S3Client } from "@aws-sdk/client-s3";
import { onTestFinished, TestRunner } from "vitest";
import { scratch } from "../support/files.js";
import { engine, isMissing, loadEngine } from "../support/installed.js";
import { type Ceph, startCeph } from "./ceph.js";
import { createProxy, type Fault, READER } from "./proxy.js";

export const BUCKET = "bucket";
/** The credentials of s3rver, also used for Ceph, and no warning about the version of Node. */
export const STORE_ENV = {
  AWS_ACCESS_KEY_ID: "S3RVER",
  AWS_SECRET_ACCESS_KEY: "S3RVER",
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
};

export interface StoreServer {
  /** Of the proxy. */
  endpoint: string;
  /** All requests but the reader's, in order: `PUT dir/snapshot.json`. */
  seen: string[];
  /** Decides about a fault for each request, by method and path: `PUT`, `dir/snapshot.json`. */
  fault: (method: string, key: string) => Fault;
  /** Moves the store's own time on. */
  wait(milliseconds: number): void;
  /** An object as a reader gets it; undefined if it does not exist. */
  read(key: string): Promise<{ text: string; headers: Headers } | undefined>;
  /** Puts or removes an object, without Rollcall. */
  change(key: string, text: string | undefined): Promise<void>;
  keys(): Promise<string[]>;
}

/** The used part of s3rver. */
type S3rver = new (options: object) => { run(): Promise<{ port: number }>; close(): Promise<void> };

/** An open bucket. */
interface Backend {
  port: number;
  close(): Promise<void>;
}

let ceph: Ceph | undefined;
let isOnCeph = false;

/** Makes the tests of this file use buckets of Ceph, which is started once. */
export async function useCeph(): Promise<void> {
  isOnCeph = true;
  ceph = await startCeph({ accessKey: STORE_ENV.AWS_ACCESS_KEY_ID, secretKey: STORE_ENV.AWS_SECRET_ACCESS_KEY });
}

export function closeCeph(): void {
  ceph?.close();
}

/** Skips a test of a feature that s3rver lacks. */
export function needsCeph(why: string): void {
  if (!isOnCeph) TestRunner.getCurrentTest()?.context.skip(why);
}

/** An empty public bucket, so that readers need not sign. */
async function openCeph(): Promise<Backend> {
  if (!ceph) return TestRunner.getCurrentTest()?.context.skip("Ceph is not installed") as never;
  const { port } = ceph;
  const credentials = {
    accessKeyId: STORE_ENV.AWS_ACCESS_KEY_ID,
    secretAccessKey: STORE_ENV.AWS_SECRET_ACCESS_KEY,
  };
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({ endpoint, credentials, region: "us-east-1", forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const everything = { Effect: "Allow", Principal: "*", Action: "s3:*" };
  const resource = ["", "/*"].map((end) => `arn:aws:s3:::${BUCKET}${end}`);
  const policy = { Version: "2012-10-17", Statement: [{ ...everything, Resource: resource }] };
  await client.send(new PutBucketPolicyCommand({ Bucket: BUCKET, Policy: JSON.stringify(policy) }));
  for (let keys = await keysAt(endpoint); keys.length > 0; keys = await keysAt(endpoint))
    await Promise.all(keys.map((Key) => client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }))));
  client.destroy();
  return { port, close: async () => {} };
}

/** The first thousand keys. */
async function keysAt(endpoint: string): Promise<string[]> {
  const answer = await fetch(`${endpoint}/${BUCKET}/?max-keys=1000`, { headers: { [READER]: "1" } });
  return [...(await answer.text()).matchAll(/<Key>([^<]*)</g)].map(([, key = ""]) => key);
}

async function openS3rver(): Promise<Backend> {
  if (isMissing(engine("s3rver"))) TestRunner.getCurrentTest()?.context.skip("s3rver is not installed");
  const s3 = new (loadEngine<S3rver>("s3rver"))({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: scratch(),
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await s3.run();
  return { port, close: () => s3.close() };
}

/**
 * Skips the test that asks for it where the store is not installed.
 * @param conditions whether the store heeds If-Match and If-None-Match of a PUT.
 */
export async function startStore({ conditions = true } = {}): Promise<StoreServer> {
  if (!conditions && isOnCeph) TestRunner.getCurrentTest()?.context.skip("Ceph heeds conditions");
  const { port, close } = await (isOnCeph ? openCeph() : openS3rver());
  const ask = (key: string, init: RequestInit = {}) =>
    fetch(`${store.endpoint}/${BUCKET}/${key}`, { ...init, headers: { [READER]: "1" } });
  let waited = 0;
  const store: StoreServer = {
    endpoint: "",
    seen: [],
    fault: () => undefined,
    wait(milliseconds) {
      waited += milliseconds;
    },
    async read(key) {
      const answer = await ask(key);
      const text = await answer.text();
      if (answer.status === 404) return undefined;
      if (!answer.ok) throw new Error(`${key}: ${answer.status} ${text}`);
      return { text, headers: answer.headers };
    },
    async change(key, text) {
      const answer = await ask(key, text === undefined ? { method: "DELETE" } : { method: "PUT", body: text });
      if (!answer.ok) throw new Error(`${key}: ${answer.status}`);
    },
    keys: () => keysAt(store.endpoint),
  };
  const proxy = createProxy({
    port,
    conditions,
    isComplete: isOnCeph,
    ahead: () => waited,
    fault(method, path) {
      const key = path.slice(`/${BUCKET}/`.length);
      store.seen.push(`${method} ${key}`);
      return store.fault(method, key);
    },
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  store.endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    await close();
  });
  return store;
}
