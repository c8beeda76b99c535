/** Converts a verdict to JUnit XML for CI systems. Each row is a test; one that differs is a failure. */
import { visible } from "../print/text.js";
import type { Finding, Row, Verdict } from "./verdict.js";

/** The JUnit XML of a verdict. */
export function toJunit({ subject, words: [one], rows }: Verdict): string {
  const count = (outcome: Row["outcome"]) => rows.filter((row) => row.outcome === outcome).length;
  const totals = `tests="${rows.length}" failures="${count("differs")}" errors="0" skipped="${count("skipped") + count("allowed")}"`;
  const name = quoted(`rollcall verify ${subject}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name=${name} ${totals}>`,
    `  <testsuite name=${name} ${totals}>`,
    ...rows.map((row) => {
      const inside = describe(row, one);
      const head = `    <testcase classname="rollcall.verify" name=${quoted(`${row.name}: ${row.rule}`)}`;
      return inside === "" ? `${head}/>` : `${head}>\n      ${inside}\n    </testcase>`;
    }),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function describe({ outcome, request, received, count, findings, note }: Row, one: string): string {
  if (outcome === "passed") return "";
  if (outcome === "noted") return `<system-out>${escaped(note ?? "")}</system-out>`;
  if (outcome === "skipped") return `<skipped message=${quoted(note ?? "")}/>`;
  const message = received === undefined ? `${count} found in ${request}` : `${request}: ${received}`;
  if (outcome === "allowed") return `<skipped message=${quoted(`allowed: ${message}`)}/>`;
  const lines = [...(note === undefined ? [] : [note]), ...findings.map((finding) => describeFinding(finding, one))];
  return `<failure message=${quoted(message)}>${escaped(lines.join("\n"))}</failure>`;
}

/** A finding in words: `page 3, station EGLL: found opened "1946"; it must be a real date`. @param one the word for one record */
export function describeFinding({ path, url, page, id, found, expected }: Finding, one: string): string {
  const where = [
    path ?? (page === undefined ? url : undefined),
    page !== undefined && path === undefined && `page ${page}`,
    id && `${one} ${id}`,
  ];
  const place = where.filter(Boolean).join(", ");
  // Messages of the schema are phrased as "must be ...".
  const rule = expected.startsWith("must ") ? `it ${expected}` : `expected ${expected}`;
  return `${place === "" ? "" : `${place}: `}found ${found}; ${rule}`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** XML 1.0 cannot contain control characters and U+FFFF even escaped, so they are made visible first. */
function escaped(text: string): string {
  const lines = text.split("\n").map(visible);
  return lines.join("\n").replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

const quoted = (text: string) => `"${escaped(text)}"`;
