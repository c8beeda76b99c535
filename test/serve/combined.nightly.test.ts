/** Operators' programs parse every line of `--access-log combined`, even of hostile clients. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accessLine } from "../../src/cli/serve/access-line.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { seeded } from "../support/random.js";
import { until } from "../support/until.js";
import { broken, pipelined } from "./hostile-requests.js";
import { sendAndClose, serving } from "./running.js";

const LINES = 20_000;
const AGENTS = [
  '" 200 1 "-" "',
  '\\"\\',
  "a\tb",
  "\xc3\xa9\xe2\x80\xae \xff\xfe \x80",
  "<script> $%7Bjndi%7D %{}i %s%n",
];
const TARGETS = ["/api/users/?page=1", '/"GET%20/"%20200%201%20"-"', '/\\"\\\\x0a%0a\\u0000', `/${"a".repeat(9_000)}`];

test.skipIf(isMissing("goaccess", "fail2ban-regex"))(
  `${LINES} lines of hostile requests are read by goaccess and fail2ban-regex, each of them`,
  { timeout: 600_000 },
  async () => {
    const random = seeded();
    const { port, entries } = await serving();
    const agents = AGENTS.flatMap((agent) => TARGETS.map((target) => [target, agent] as const))
      .map(
        ([target, agent]) => `GET ${target} HTTP/1.1\r\nHost: a\r\nUser-Agent: ${agent}\r\nReferer: ${agent}\r\n\r\n`,
      )
      .join("");
    const client = async () => {
      while (entries.length < LINES)
        for (const text of [broken(random).text, pipelined(random, 25).text, agents.repeat(5)])
          await sendAndClose(port, text);
    };
    await Promise.all(Array.from({ length: 16 }, client));
    await until(() => entries.length >= LINES);
    const lines = entries.map((entry) => accessLine(entry, "combined"));
    for (const needed of [/\\x22/, /\\x5C/, /\\x09/, /\\xC3/, /"-" 4\d\d/, /\.\.\. HTTP/])
      expect(lines.filter((line) => needed.test(line)).length, `${needed}`).toBeGreaterThan(10);

    const [log, report, unread] = ["access.log", "report.json", "unread.log"].map((name) => join(scratch(), name));
    writeFileSync(`${log}`, lines.map((line) => line.replace(/\n?$/, "\n")).join(""), "latin1");
    const options = ["--log-format=COMBINED", "--no-global-config", "--no-progress", `--invalid-requests=${unread}`];
    execFileSync("goaccess", [`${log}`, ...options, "-o", `${report}`], { stdio: "pipe" });
    expect(readFileSync(`${unread}`, "latin1")).toBe("");
    const { general } = JSON.parse(readFileSync(`${report}`, "utf8"));
    expect(general).toMatchObject({ total_requests: lines.length, valid_requests: lines.length, failed_requests: 0 });
    const line = String.raw`^<ADDR> - - \[\] "(?:-|[!-~]+ [ -~]+ HTTP/\d\.\d)" \d{3} \d+ "[ !#-~]+" "[ !#-~]+"$`;
    const found = execFileSync("fail2ban-regex", [`${log}`, line], { encoding: "utf8", maxBuffer: 1 << 28 });
    expect(found).toContain(`Lines: ${lines.length} lines, 0 ignored, ${lines.length} matched, 0 missed`);
  },
);
