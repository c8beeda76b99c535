/** Other tools read openapi.json: a linter with all rules, and a generator of types. */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { describeApi, describeSiteApi, OPTIONAL_FILES } from "../../../../src/build/artifacts/openapi/openapi.js";
import { type Contract, contractOf } from "../../../../src/core/contract/contract.js";
import type { LinkStyle } from "../../../../src/core/contract/links.js";
import { toTypeScript } from "../../../../src/core/contract/typescript.js";
import { USERS_CONTRACT } from "../../../../src/core/contract/users.js";
import { scratch } from "../../../support/files.js";
import { FOREIGN } from "../../../support/foreign.js";
import { engine, isMissing } from "../../../support/installed.js";
import { SHOP } from "../../../support/shop.js";
import { reading } from "./described.js";

const REDOCLY = engine("@redocly/cli/bin/cli.js");
const TYPES = engine("openapi-typescript/bin/cli.js");
const TSC = new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url).pathname;
const ROOT = new URL("../../../..", import.meta.url).pathname;

const CONTRACTS: [string, Contract][] = [
  ["users", USERS_CONTRACT],
  ...FOREIGN.map(({ contract }): [string, Contract] => [contract["x-listing"].words[1], contractOf(contract)]),
];

/** With all that a release may have, or with the least. */
function textOf(contract: Contract, isFull = true, links: LinkStyle = "query"): string {
  const encodings = isFull ? (["br", "gzip"] as const) : [];
  return describeApi(contract, {
    baseUrl: "https://listing.test/data",
    links,
    encodings,
    files: isFull ? OPTIONAL_FILES : [],
  });
}

/** Runs a program of Node's in a folder; its status and all that it printed. */
async function run(program: string, args: readonly string[], cwd: string) {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };
  const ended = promisify(execFile)(process.execPath, [program, ...args], { cwd, env, maxBuffer: 2 ** 26 });
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

/** What Redocly reports by its recommended rules: a line for each. */
async function redocly(text: string): Promise<string[]> {
  const cwd = scratch();
  writeFileSync(join(cwd, "openapi.json"), text);
  const { stdout } = await run(REDOCLY, ["lint", "--extends=recommended", "--format=json", "openapi.json"], cwd);
  const { problems } = JSON.parse(stdout.slice(stdout.indexOf("{")));
  return problems.map(
    ({ ruleId, location }: { ruleId: string; location: [{ pointer: string }] }) => `${ruleId} ${location[0].pointer}`,
  );
}

const escaped = (path: string) => path.replaceAll("~", "~0").replaceAll("/", "~1");

describe.skipIf(isMissing(REDOCLY))("Redocly", () => {
  test.each(CONTRACTS)("reports only the trailing slash of %s", async (_, contract) => {
    const path = escaped(contract.listing.path);
    for (const text of [textOf(contract), textOf(contract, false, "path")])
      expect(await redocly(text)).toEqual([`no-path-trailing-slash #/paths/${path}`]);
  });

  test("reports the same of the listings of a site", async () => {
    const listings = Object.entries(SHOP).map(([name, { contract }]) => ({
      name,
      contract: contractOf(contract),
      described: {
        baseUrl: `https://shop.test/${name}`,
        links: "query" as const,
        encodings: [],
        files: OPTIONAL_FILES,
        isInSite: true,
      },
    }));
    const expected = Object.keys(SHOP).map((name) => `no-path-trailing-slash #/paths/~1${name}~1`);
    expect((await redocly(describeSiteApi({ baseUrl: "https://shop.test" }, listings))).sort()).toEqual(
      expected.sort(),
    );
  });

  test("finds a broken reference, and an example that does not fit", async () => {
    const broken = textOf(USERS_CONTRACT).replace("#/components/schemas/Snapshot", "#/components/schemas/Snapshots");
    expect(await redocly(broken)).toContainEqual(expect.stringMatching(/^no-unresolved-refs /));
    const wrong = textOf(USERS_CONTRACT).replace('"detail": "Invalid page."', '"detail": 3');
    expect(await redocly(wrong)).toContainEqual(expect.stringMatching(/^no-invalid-media-type-examples /));
  });
});

describe.skipIf(isMissing(TYPES))("openapi-typescript", () => {
  /** Whether a file compiles beside the types that are made of a description; what the compiler says. */
  async function compile(contract: Contract, files: Record<string, string>): Promise<string> {
    const cwd = join(scratch(), "types");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "openapi.json"), textOf(contract));
    const made = await run(TYPES, ["openapi.json", "--output", "made.ts"], cwd);
    expect(made.code, made.stderr).toBe(0);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const options = "--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2023".split(" ");
    const { stdout } = await run(TSC, [...options, "--skipLibCheck", "--types", "", "check.ts"], cwd);
    return stdout;
  }

  const both = (ours: string, record: string) => `
import type { components } from "./made.js";
${ours}
type Theirs = components["schemas"]["${record}"];
declare const ours: Ours;
declare const theirs: Theirs;
export const one: Theirs = ours;
export const other: Ours = theirs;
`;

  test("its type of a user and the exported one are assignable both ways", async () => {
    const library = join(ROOT, "lib/index.js");
    const imported = `import type { User as Ours, Page } from ${JSON.stringify(library)};`;
    const page = `
declare const page: components["schemas"]["Page"];
export const ourPage: Page = page;
export const theirPage: components["schemas"]["Page"] = ourPage;`;
    expect(await compile(USERS_CONTRACT, { "check.ts": both(imported, "User") + page })).toBe("");
    const wrong = "export const wrong: Theirs = { ...ours, country: 1 };\n";
    expect(await compile(USERS_CONTRACT, { "check.ts": both(imported, "User") + wrong })).toContain("TS2322");
  });

  test.each(CONTRACTS)(
    "its type of %s and that of `rollcall schema` are assignable both ways",
    async (_name, contract) => {
      const { record } = reading(textOf(contract));
      const text = toTypeScript(contract);
      const [, name = ""] = /export interface (\S+)/.exec(text) ?? [];
      const ours = `import type { ${name} as Ours } from "./ours.js";`;
      expect(await compile(contract, { "ours.ts": text, "check.ts": both(ours, record) })).toBe("");
    },
  );
});
