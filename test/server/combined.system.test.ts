/** `--access-log combined`, read by the programs that operators have: not one line of hostile clients is lost to them. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { start } from "../support/command.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { type Random, seeded } from "../support/random.js";
import { eventually } from "../support/until.js";
import { broken, pipelined } from "./hostile-requests.js";
import { freshDist } from "./running.js";

const LINES = 100_000;
/** How many connections are open at once, and what one asks for. */
const OPEN = 16;
const ASKED = 100;

describe.skipIf(isMissing("goaccess", "fail2ban-regex"))("100,000 lines of hostile requests", () => {
  test("are read by goaccess and fail2ban-regex, each of them", { timeout: 600_000 }, async () => {
    const random = seeded();
    const log = join(scratch(), "access.log");
    const { port, count, stop } = await startLogged(log);
    const sources = ["127.0.0.1", "::1"];
    const client = async () => {
      while (count() < LINES) await visit(port, random.of(sources), random);
    };
    await Promise.all(Array.from({ length: OPEN }, client));
    await stop();

    const lines = readFileSync(log, "latin1").trimEnd().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(LINES);
    // What a reader would stumble over is there at all.
    for (const needed of [
      /^::1 /,
      /^::ffff:127\.0\.0\.1 /,
      /\\x22/,
      /\\x5C/,
      /\\x09/,
      /\\xC3/,
      /"-" 4\d\d/,
      /\.\.\. HTTP/,
    ])
      expect(lines.filter((line) => needed.test(line)).length, `${needed}`).toBeGreaterThan(10);

    const report = join(scratch(), "report.json");
    const unread = join(scratch(), "unread.log");
    const options = ["--log-format=COMBINED", "--no-global-config", "--no-progress", `--invalid-requests=${unread}`];
    execFileSync("goaccess", [log, ...options, "-o", report], { stdio: "pipe" });
    const { general } = JSON.parse(readFileSync(report, "utf8"));
    expect(readFileSync(unread, "latin1")).toBe("");
    expect(general).toMatchObject({ total_requests: lines.length, valid_requests: lines.length, failed_requests: 0 });

    const line = String.raw`^<ADDR> - - \[\] "(?:-|[!-~]+ [ -~]+ HTTP/\d\.\d)" \d{3} \d+ "[ !#-~]+" "[ !#-~]+"$`;
    const found = execFileSync("fail2ban-regex", [log, line], { encoding: "utf8", maxBuffer: 1 << 28 });
    expect(found).toContain(`Lines: ${lines.length} lines, 0 ignored, ${lines.length} matched, 0 missed`);
  });
});

async function startLogged(log: string) {
  const { child, ended } = start([
    "serve",
    await freshDist(),
    "--host",
    "::",
    "--port",
    "0",
    "--access-log",
    "combined",
  ]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const file = createWriteStream(log);
  child.stdout?.pipe(file);
  let lines = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 0x0a) lines++;
  });
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const announced = () => Number(/http:\/\/\[::\]:(\d+)/.exec(said)?.[1] ?? expect.fail(said));
  const port = await eventually(announced);
  const stop = async () => {
    child.kill("SIGTERM");
    await Promise.all([ended, finished(file)]);
  };
  return { port, count: () => lines, stop };
}

/** One connection: what is no HTTP at all, or requests that end with one that closes it; some leave before their answers. */
async function visit(port: number, host: string, random: Random): Promise<void> {
  const socket = connect({ port, host });
  socket.on("error", () => {}).resume();
  const gone = once(socket, "close");
  const kind = random.next();
  if (kind < 0.05) socket.end(broken(random).text, "latin1");
  else if (kind < 0.1) socket.end(pipelined(random, 12).text + LAST, "latin1");
  else if (kind < 0.2) socket.write(many(random), "latin1", () => socket.resetAndDestroy());
  else socket.end(many(random) + LAST, "latin1");
  await gone;
}

function many(random: Random): string {
  return Array.from({ length: ASKED }, () => plain(random.of(TARGETS)(random), header(random))).join("");
}

function plain(target: string, headers: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
}

const LAST = plain("/", "Connection: close\r\n");

const TARGETS: readonly ((random: Random) => string)[] = [
  (random) => `/api/users/?page=${random.below(9)}`,
  (random) => `/api/users/?page=1&${visible(random, 40)}`,
  (random) => `/"GET%20/"%20200%201%20"-"${visible(random, 9)}`,
  (random) => `/\\"\\\\x0a%0a\\u0000${visible(random, 9)}`,
  // Node's parser takes no such target.
  (random) => (random.chance(0.02) ? `/${bytes(random, 40)}` : "/%ff%00"),
  (random) => (random.chance(0.02) ? `/${"a".repeat(9_000 + random.below(5_000))}` : "/?"),
];

const AGENTS: readonly ((random: Random) => string)[] = [
  () => "",
  () => "curl/8.0",
  () => '" 200 1 "-" "',
  () => '\\"\\',
  () => "a\tb",
  (random) => bytes(random, 60),
  () => "\xc3\xa9\xe2\x80\xae \xff\xfe \x80",
  () => "<script>alert(1)</script> $%7Bjndi%7D %{}i %s%n",
];

function header(random: Random): string {
  const lines = [];
  if (random.chance(0.8)) lines.push(`User-Agent: ${random.of(AGENTS)(random)}\r\n`);
  if (random.chance(0.5)) lines.push(`Referer: ${random.of(AGENTS)(random)}\r\n`);
  return lines.join("");
}

function visible(random: Random, most: number): string {
  return bytes(random, most).replaceAll(/[^!-~]/g, "%");
}

/** Visible ASCII and what is beyond it, which Node's parser takes in values. */
function bytes(random: Random, most: number): string {
  return Array.from({ length: random.below(most) }, () =>
    String.fromCharCode(random.chance(0.5) ? 0x80 + random.below(0x80) : 0x21 + random.below(0x5e)),
  ).join("");
}
