/** A real S3-compatible server for one test, behind a proxy that makes faults. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished, TestRunner } from "vitest";
import { scratch } from "../support/files.js";
import { engine, isMissing, loadEngine } from "../support/installed.js";
import { createProxy, type Fault, READER } from "./proxy.js";

export const BUCKET = "bucket";
/** The only credentials that s3rver takes, and silence about the version of Node. */
export const STORE_ENV = {
  AWS_ACCESS_KEY_ID: "S3RVER",
  AWS_SECRET_ACCESS_KEY: "S3RVER",
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
};

export interface StoreServer {
  /** Of the proxy. */
  endpoint: string;
  /** Every request but a reader's: `PUT dir/snapshot.json`, in order. */
  seen: string[];
  /** Decides over each of them, as `PUT` and `dir/snapshot.json`. */
  fault: (method: string, key: string) => Fault;
  /** An object as a reader gets it, or undefined where there is none. */
  read(key: string): Promise<{ text: string; headers: Headers } | undefined>;
  /** Puts an object by other hands than Rollcall's, or removes it. */
  change(key: string, text: string | undefined): Promise<void>;
  keys(): Promise<string[]>;
}

/** As much of s3rver as is used here. */
type S3rver = new (options: object) => { run(): Promise<{ port: number }>; close(): Promise<void> };

/**
 * Skips the test that asks for it where s3rver is not installed.
 * @param conditions whether the store heeds If-Match and If-None-Match of a PUT.
 */
export async function startStore({ conditions = true } = {}): Promise<StoreServer> {
  if (isMissing(engine("s3rver"))) TestRunner.getCurrentTest()?.context.skip("s3rver is not installed");
  const s3 = new (loadEngine<S3rver>("s3rver"))({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: scratch(),
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await s3.run();
  const ask = (key: string, init: RequestInit = {}) =>
    fetch(`${store.endpoint}/${BUCKET}/${key}`, { ...init, headers: { [READER]: "1" } });
  const store: StoreServer = {
    endpoint: "",
    seen: [],
    fault: () => undefined,
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
    async keys() {
      const text = await (await ask("?max-keys=1000")).text();
      return [...text.matchAll(/<Key>([^<]*)</g)].map(([, key = ""]) => key);
    },
  };
  const proxy = createProxy({
    port,
    conditions,
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
    await s3.close();
  });
  return store;
}
