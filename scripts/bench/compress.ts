/** `--compress br,gzip` against copying the tree and running `brotli` and `gzip` over it, one after the other. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import { isInstalled } from "./machine.js";
import { measure } from "./measure.js";
import { rollcall } from "./programs.js";
import { OUTCOME_HEAD, outcomeCells, race, timesOf } from "./race.js";
import { fixed } from "./report.js";

const TOOLS = ["brotli", "gzip"];

export const benchCompress: Part = async ({ isQuick, users, rounds, sources, folder, say }) => {
  const size = users?.[0] ?? (isQuick ? 2_000 : 100_000);
  const missing = TOOLS.filter((tool) => !isInstalled(tool)).map((tool) => `${tool}: install it to compare with`);
  const db = sources.take(size);
  const [plain, dist, copy] = ["plain", "dist", "copy"].map((name) => join(folder, name)) as [string, string, string];
  const clear = () => {
    for (const path of [dist, copy]) rmSync(path, { recursive: true, force: true });
  };
  await rollcall(db, plain);
  const pages = join(plain, "current", "api/users/pages");
  const script =
    'cp -r "$1" "$2" && find "$2" -name "*.json" | sort >"$2.list"' +
    ' && xargs brotli -q 5 -k <"$2.list" && xargs gzip -6 -k <"$2.list"';
  const tools = {
    name: "cp -r, brotli -q 5, gzip -6",
    prepare: clear,
    run: () => measure("sh", ["-c", script, "sh", pages, copy]),
  };
  say(`compress: ${size.toLocaleString("en")} users`);
  const outcomes = await race(
    [
      {
        name: "rollcall build --compress br,gzip",
        prepare: clear,
        run: () => rollcall(db, dist, "--compress", "br,gzip"),
      },
      ...(missing.length === 0 ? [tools] : []),
    ],
    rounds ?? (isQuick ? 1 : 3),
    say,
  );
  clear();
  rmSync(plain, { recursive: true });
  const [own, other] = outcomes;
  return {
    tables: [
      {
        title: `Compressing ${size.toLocaleString("en")} users' pages`,
        head: ["program", "time / rollcall", ...OUTCOME_HEAD],
        rows: outcomes.map((one) => [one.name, fixed(timesOf(one, own)), ...outcomeCells(one)]),
      },
    ],
    verdicts: [
      {
        what: "--compress br,gzip: of the time of cp -r, brotli and gzip",
        atMost: 0.6,
        measured: timesOf(own, other),
      },
    ],
    missing,
    figures: outcomes,
  };
};
