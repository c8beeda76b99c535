/** Collections for tests of the explorer, counted as in a build. */
import { ExplorerCollector, ExplorerMerger } from "../../src/build/artifacts/explorer.js";
import { type AnyRecord, type Contract, contractOf } from "../../src/core/contract/contract.js";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import { recordEncoder } from "../../src/core/contract/record/encode.js";
import { SUMMARY } from "../../src/core/release/layout.js";
import type { PublishedAt } from "../../src/explorer/html.js";
import { explorerPage } from "../../src/explorer/html.js";
import type { ExplorerSummary } from "../../src/explorer/summary.js";
import { HOSTILE, INVISIBLE } from "../support/hostile.js";
import { mergeContext } from "../support/merging.js";

export interface Written {
  summary: ExplorerSummary;
  /** By path. */
  files: Map<string, string>;
}

/** As a build does, with some threads, each of which hands over what it has after some pages. */
export async function writeFacts(
  contract: Contract,
  records: readonly AnyRecord[],
  { page = 7, threads = 1, pages = 1, isTurned = false, isReferredTo = false } = {},
): Promise<Written> {
  const encode = recordEncoder(contract);
  const collectors = Array.from({ length: threads }, () => new ExplorerCollector(contract));
  const pieces: Uint8Array[] = [];
  for (let first = 0, number = 0; first < records.length; first += page, number++) {
    const texts = records.slice(first, first + page).map((record) => encode(inOrder(record)));
    const collector = collectors[number % threads];
    const bytes = Buffer.from(texts.join(",\n"));
    collector?.collect({ first, bytes, text: bytes.toString("latin1") });
    if (collector && number % pages === 0) pieces.push(collector.take());
  }
  pieces.push(...collectors.map((collector) => collector.take()));
  const files = new Map<string, string>();
  const context = mergeContext(contract, records.length, (path, bytes) => files.set(path, `${bytes}`));
  const merger = new ExplorerMerger({ ...context, isReferredTo });
  try {
    for (const piece of isTurned ? pieces.reverse() : pieces) merger.merge(piece);
    await merger.write(undefined);
    return { summary: JSON.parse(files.get(SUMMARY) ?? ""), files };
  } finally {
    merger.close();
  }
}

/** With members as they stand in published order. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inside]) => [name, inOrder(inside)]),
  );
}

const PUBLISHED: PublishedAt = {
  ...{ baseUrl: "https://people.example.org/directory", pages: 3, pageSize: 100 },
  files: ["bulk.json"],
};

/** index.html of these records. */
export async function pageOf(
  contract: Contract,
  records: readonly AnyRecord[],
  published: Partial<PublishedAt> = {},
): Promise<string> {
  const { summary } = await writeFacts(contract, records, { page: 100 });
  return explorerPage(contract, summary, { ...PUBLISHED, ...published });
}

/** Texts that try to be more than text, without halves of surrogate pairs. */
export const TEXTS = [...HOSTILE, ...INVISIBLE.map(([text]) => text).filter((text) => !/\p{Surrogate}/u.test(text))];

/** Everything that a contract's author can write is hostile, and so is what people choose by. */
export function hostileCollection(): { contract: Contract; records: AnyRecord[] } {
  const [first = "", second = ""] = TEXTS;
  const file: ContractFile = {
    title: TEXTS[4] ?? "",
    description: TEXTS.join("\n"),
    type: "object",
    "x-listing": {
      ...{ path: "/t/", words: [first, second], key: "key", order: ["<script>alert(1)</script>", "key"] },
      ...{ label: '"><svg onload=alert(1)>', version: 1 },
    },
    properties: {
      key: { type: "integer" },
      "<script>alert(1)</script>": {
        type: "string",
        format: "date",
        title: TEXTS[5] ?? "",
        description: TEXTS[6] ?? "",
      },
      '"><svg onload=alert(1)>': { type: "string", "x-facet": true, examples: [...TEXTS] },
      __proto__x: { enum: [...TEXTS], description: TEXTS.join(" ") },
      "<b>n</b>": { type: "integer", title: "</title><script>alert(1)</script>" },
    },
    required: ["key", "<script>alert(1)</script>", '"><svg onload=alert(1)>', "__proto__x", "<b>n</b>"],
    additionalProperties: false,
  };
  const records = Array.from({ length: 60 }, (_, at) => ({
    ...{ key: at, "<script>alert(1)</script>": `2026-0${1 + (at % 9)}-01`, "<b>n</b>": at },
    '"><svg onload=alert(1)>': TEXTS[at % TEXTS.length],
    __proto__x: TEXTS[(at * 7) % TEXTS.length],
  }));
  return { contract: contractOf(file), records };
}
