/** nginx prints no warnings about Rollcall's configuration, for any number of files. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { writeRelease } from "../server/release.js";
import { scratch } from "../support/files.js";
import { findProgram, isMissing } from "../support/installed.js";
import { filesFor } from "./servers.js";

test.skipIf(isMissing("nginx"))("nginx -t is silent at 10,000 pages", async () => {
  const folder = scratch();
  const release = await writeRelease(join(folder, "dist"), { count: 10_000, pageSize: 1, baseUrl: "http://localhost" });
  for (const [path, text] of await filesFor("nginx", release, { folder })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const check = (http: string) => {
    writeFileSync(join(folder, "nginx.conf"), `pid ${folder}/pid;\nevents {}\nhttp {\n${http}\n}\n`);
    const nginx = `${findProgram("nginx")} -t -q -e stderr -c ${join(folder, "nginx.conf")} 2>&1`;
    return execFileSync("sh", ["-c", nginx], { encoding: "utf8" });
  };
  expect(check(`include ${folder}/rollcall*.conf;`)).toBe("");
  expect(check(`include ${folder}/rollcall.conf;`)).toContain("could not build optimal map_hash");
});
