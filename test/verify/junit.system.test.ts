/** A strict parser reads the JUnit XML, whatever hosts and releases contain. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { visible } from "../../src/print/text.js";
import { toJunit } from "../../src/verify/junit.js";
import type { Finding, Row } from "../../src/verify/verdict.js";
import { isMissing } from "../support/installed.js";

/** Every code point, and every lone surrogate. */
const EVERY = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));

const HOSTILE: [string, string][] = [
  ["controls of both sets", EVERY.slice(0, 0xa0).join("")],
  ["noncharacters", EVERY.filter((_, code) => (code & 0xfffe) === 0xfffe).join("")],
  ["noncharacters within a plane", EVERY.slice(0xfdd0, 0xfdf0).join("")],
  ["halves of pairs in the wrong order", "\udfff\ud800\udfff\ud800"],
  ["what overrides directions", "\u202e\u2066\u200f\ufeff"],
  ["an end of what it stands in", `]]></failure><x a='"'>--><![CDATA[`],
  ["entities", "&#0;&#xffff;&lt;&unknown;&"],
  ["lines", "a\r\nb\u0085c\u2028d\n\n"],
  ["nothing", ""],
];

function read(xml: string, xpath: string): string {
  const { status, stdout, stderr } = spawnSync("xmllint", ["--huge", "--xpath", `string(${xpath})`, "-"], {
    input: xml,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  expect({ status, stderr: stderr.slice(0, 500) }).toEqual({ status: 0, stderr: "" });
  return stdout.replace(/\n$/, "");
}

/** The text as XML has it: unchanged if XML allows it, otherwise escaped; line ends may differ. */
const shownAs = (text: string) => text.split("\n").map(visible).join("\n");

describe.skipIf(isMissing("xmllint"))("in every place with text of others,", () => {
  test.each(HOSTILE)("%s", (_name, text) => {
    const whole = { name: "pages", rule: text, request: text, received: text, count: 1, note: text };
    const found: Finding = {
      check: "pages",
      path: text,
      url: text,
      page: 1,
      id: text,
      found: text,
      expected: text,
    };
    const rows: Row[] = (["differs", "allowed", "skipped", "noted", "passed"] as const).map((outcome) => ({
      ...whole,
      outcome,
      findings: [found, { ...found, path: "", page: 2 }],
    }));
    const xml = toJunit({ subject: text, words: [text, text], rows });
    const shown = shownAs(text);
    const attribute = shown.replaceAll("\n", " ");
    expect(read(xml, "/testsuites/@name")).toBe(`rollcall verify ${attribute}`);
    expect(read(xml, "//testcase[1]/@name")).toBe(`pages: ${attribute}`);
    expect(read(xml, "//testcase[1]/failure/@message")).toBe(`${attribute}: ${attribute}`);
    expect(read(xml, "//testcase[2]/skipped/@message")).toBe(`allowed: ${attribute}: ${attribute}`);
    expect(read(xml, "//testcase[3]/skipped/@message")).toBe(attribute);
    expect(read(xml, "//testcase[4]/system-out")).toBe(shown);
    expect(read(xml, "//testcase[1]/failure")).toContain(`found ${shown}; expected ${shown}`);
    expect(read(xml, "count(//testcase)")).toBe("5");
  });
});
