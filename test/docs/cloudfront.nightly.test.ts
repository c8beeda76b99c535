/** docs/guides/cloudfront.md: its commands run word for word, with s3rver as the bucket and a stand-in for `aws`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createDistribution } from "../host/cloudfront.js";
import { READER } from "../publish/proxy.js";
import { BUCKET, STORE_ENV, startStore } from "../publish/store.js";
import { whenEnded } from "../support/command.js";
import { docPage, readerEnvironment } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { block } = docPage("docs/guides/cloudfront.md");

/** Keeps the code of one function: `development` with its tag, and `live` once it is published. */
const AWS = `#!/bin/bash
set -eu
cd "$(dirname "$0")"
code=; match=; verb=$2
while [ $# -gt 0 ]; do
  case $1 in
    --function-code) code=\${2#fileb://} ;;
    --if-match) match=$2 ;;
  esac
  shift
done
tag() { sha256sum development | cut -c 1-12; }
if [ -n "$match" ]; then [ "$match" = "$(tag)" ] || { echo "InvalidIfMatchVersion" >&2; exit 254; }; fi
case $verb in
  create-function | update-function) cp "$OLDPWD/$code" development ;;
  describe-function) tag ;;
  publish-function) cp development live ;;
  *) echo "unknown $verb" >&2; exit 252 ;;
esac
`;

test("from a file to CloudFront, and another release with more pages", { timeout: 300_000 }, async () => {
  const store = await startStore();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const cwd = scratch();
  const bin = scratch();
  writeFileSync(join(bin, "aws"), AWS);
  chmodSync(join(bin, "aws"), 0o755);
  const reader = readerEnvironment();
  const env = {
    ...reader,
    ...STORE_ENV,
    AWS_REGION: "us-east-1",
    ROLLCALL_ENDPOINT: store.endpoint,
    PATH: `${bin}:${reader["PATH"]}`,
  };
  const local = (text: string) =>
    text.replaceAll("https://d111111abcdef8.cloudfront.net", url).replaceAll("s3://my-stations", `s3://${BUCKET}`);
  const type = async (text: string) => {
    const child = spawn("bash", ["-e", "-c", local(text)], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = await whenEnded(child);
    expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 0 });
    return ended.stdout;
  };

  copyFileSync(join(ROOT, "data/stations.csv"), join(cwd, "stations.csv"));
  await type(block("Once"));
  const config = join(cwd, "rollcall.config.json");
  writeFileSync(config, readFileSync(config, "utf8").replace("http://127.0.0.1:8080", url));
  await type(block("Once", "sh", 1));
  writeFileSync(join(cwd, "release.sh"), local(block("Each release", "bash")));
  await type("sh release.sh");
  const code = () => readFileSync(join(bin, "live"), "utf8");
  const distribution = createDistribution(code, `${store.endpoint}/${BUCKET}`, { [READER]: "1" });
  distribution.listen(port, "127.0.0.1");
  await once(distribution, "listening");
  onTestFinished(() => void distribution.close());

  const count = async (page: number) => {
    const answer = await fetch(`${url}/stations/?page=${page}`);
    return answer.ok ? ((await answer.json()) as { results: unknown[] }).results.length : answer.status;
  };
  expect([await count(1), await count(2)]).toEqual([4, 404]);
  const others = Array.from({ length: 100 }, (_, at) => `X${at},Other,XX,2000-01-01,${at}\n`);
  appendFileSync(join(cwd, "stations.csv"), others.join(""));
  await type("sh release.sh");
  expect([await count(1), await count(2), await count(3)]).toEqual([100, 4, 404]);
  await type(block("Each release"));
});
