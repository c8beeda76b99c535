/** The table of damages: a change of a release, and the checks of `verify` that find it. Tests loop over it. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { encodeChanges } from "../../src/build/artifacts/steps.js";
import { CONTRACT, RECORDS, SNAPSHOT, SUMS } from "../../src/core/release/layout.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import type { Finding } from "../../src/verify/verdict.js";
import {
  BASE_URL,
  changeBytes,
  changeChanges,
  changeLines,
  edit,
  type Kind,
  linesOf,
  PART,
  page,
  partText,
  put,
  putStep,
  readChanges,
  readSnapshot,
  remake,
  reseal,
  setBulk,
  writePart,
  writeParts,
} from "./damage.js";
import { userId } from "./database.js";
import { ENTRIES } from "./entries.js";

type Make = (folder: string) => void;

export interface Damage {
  what: string;
  /** The kind of release that is damaged. */
  of: Kind;
  /** Changes the release. With `isSealed`, all digests are updated, like by a malicious publisher. */
  make: Make;
  isSealed: boolean;
  /** The checks of `verify` that differ on disk. */
  rows: readonly string[];
  /** The text of one finding, see `saidBy`: these fragments, in this order. */
  found: readonly string[];
}

/** Fragments in this order, separated by `…`. */
type Line = [make: Make, rows: string, found: string];

function damages(of: Kind, isSealed: boolean, lines: Record<string, Line>): Damage[] {
  return Object.entries(lines).map(([what, [change, rows, found]]) => ({
    what,
    of,
    isSealed,
    rows: rows.split(" "),
    found: found.split("…"),
    make(folder) {
      change(folder);
      // A step is listed in SHA256SUMS, and does not count in the id.
      if (isSealed && of !== "steps") reseal(folder);
    },
  }));
}

export function saidBy({ check, path, url, page, id, found, expected }: Finding): string {
  return `${check} ${path ?? url ?? ""}${page ? ` page ${page}` : ""}${id === undefined ? "" : ` ${id}`}: ${found}; ${expected}`;
}

/** Whether a finding has the expected text of a damage. */
export function isSaid({ found }: Damage, finding: Finding): boolean {
  const said = saidBy(finding);
  let at = 0;
  return found.every((part) => {
    const begin = said.indexOf(part, at);
    at = begin + part.length;
    return begin >= 0;
  });
}

const gone = (path: string) => (f: string) => rmSync(join(f, path), { recursive: true });
const wrote = (path: string, content: string | Buffer) => (f: string) => {
  mkdirSync(dirname(join(f, path)), { recursive: true });
  writeFileSync(join(f, path), content);
};
const large = (path: string, size: number) => (f: string) => truncateSync(join(f, path), size);
const replaced = (path: string, from: string | RegExp, to: string) => (f: string) =>
  edit(f, path, (text) => text.replace(from, to));
const cut = (path: string, to: number) => (f: string) => edit(f, path, (text) => text.slice(0, to));
/** Changes a page, its compressed forms and the list of records. */
const onPage = (number: number, from: string | RegExp, to: string) => recorded(replaced(page(number), from, to));
const onEntries = (number: number, from: string | RegExp, to: string) =>
  recorded(replaced(`log/entries/pages/${number}.json`, from, to));
const recorded = (make: Make) => (f: string) => {
  make(f);
  remake(f);
};
const snapshot = (change: object) => (f: string) =>
  writeFileSync(join(f, SNAPSHOT), `${JSON.stringify({ ...readSnapshot(f), ...change })}\n`);
const linked = (path: string) => (f: string) => {
  const elsewhere = join(f, "..", `elsewhere-${path.replaceAll("/", "-")}`);
  renameSync(join(f, path), elsewhere);
  symlinkSync(elsewhere, join(f, path));
};
const otherDigit = (path: string) => (f: string) =>
  edit(f, path, (text) => text.replace(/^./, (digit) => (digit === "0" ? "1" : "0")));
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const SWAP = /\n([^\n]*),\n([^\n]*),\n/;
const SWAPPED = "\n$2,\n$1,\n";
const first = userId(0);

const OTHER = (path: string) => `${path}: other bytes, …, as the records make it`;
const plainOf = (file: string) => `${file}: … plain bytes of …, as in the pages`;

const FILES = damages("plain", false, {
  "a page is gone": [gone(page(2)), "files count", "files api/users/pages/2.json page 2: no such file"],
  "a compressed page is gone": [gone(`${page(2)}.br`), "files", "2.json.br page 2: no such file"],
  "records.sha256 is gone": [gone(RECORDS), "files record-list", "files records.sha256: no such file"],
  "a file too many": [wrote("notes.txt", ""), "files", "notes.txt: a file; none, since SHA256SUMS does not list it"],
  "a page too many": [wrote(page(4), ""), "files", "4.json page 4: a file"],
  "a page that is no page's name": [wrote("api/users/pages/01.json", ""), "files", "api/users/pages/01.json"],
  "a file in a folder of its own": [wrote("a/b/c", ""), "files", "a/b/c"],
  "a hidden file": [wrote(".DS_Store", ""), "files", ".DS_Store"],
  "a link in place of a page": [linked(page(2)), "files count", "2.json…a link or a special file; a plain file"],
  "a link in place of the pages' folder": [linked("api"), "files count", "files api: a link"],
  "one byte of a page": [
    replaced(page(2), "user4", "user5"),
    "digests compressed record-list",
    "digests …2.json page 2",
  ],
  "a page cut short": [large(page(2), 300), "digests pages count compressed", "digests …page 2"],
  "one byte of a compressed page": [
    (f) => {
      const bytes = readFileSync(join(f, `${page(3)}.gz`));
      bytes[20] = (bytes[20] ?? 0) ^ 1;
      writeFileSync(join(f, `${page(3)}.gz`), bytes);
    },
    "digests compressed",
    "digests …3.json.gz page 3",
  ],
  "the image": [(f) => appendFileSync(join(f, "avatar.svg"), " "), "digests", "digests avatar.svg"],
  "a line of records.sha256": [otherDigit(RECORDS), "digests record-list", "digests records.sha256"],
  "snapshot.json": [snapshot({ skipped: 1 }), "digests snapshot", "digests snapshot.json"],
  "a digest": [otherDigit(SUMS), "digests snapshot", "digests …1.json page 1"],
  "a line of SHA256SUMS is gone": [
    replaced(SUMS, /.*pages\/2\.json\n/, ""),
    "sums",
    "SHA256SUMS: a file that lists 8 page files, not 9",
  ],
  "a line of SHA256SUMS twice": [
    replaced(SUMS, /.*avatar.svg\n/, "$&$&"),
    "sums",
    "SHA256SUMS: a file that lists avatar.svg twice",
  ],
  "a line that sha256sum would not read": [
    replaced(SUMS, "  avatar.svg", " avatar.svg"),
    "sums",
    "sums SHA256SUMS…64 hexadecimal digits, two spaces and a path",
  ],
  "a path that leads out of the release": [
    (f) => appendFileSync(join(f, SUMS), `${"0".repeat(64)}  ../../../etc/passwd\n`),
    "sums",
    "sums ",
  ],
  "SHA256SUMS without its last newline": [cut(SUMS, -1), "sums", "no newline at its end"],
  "SHA256SUMS is gone": [gone(SUMS), "sums", "sums SHA256SUMS: no file; a plain file"],
  "snapshot.json is gone": [gone(SNAPSHOT), "snapshot", "snapshot snapshot.json: no file; a plain file"],
  "snapshot.json is not JSON": [wrote(SNAPSHOT, "{"), "snapshot", "snapshot snapshot.json: {"],
  "snapshot.json has no base URL": [snapshot({ base_url: undefined }), "snapshot", "snapshot "],
  "snapshot.json speaks of pages without end": [
    snapshot({ pages: 999_999_999 }),
    "sums",
    "SHA256SUMS: a file that is too short for 2999999997 page files",
  ],
  "more pages than have numbers": [snapshot({ pages: Number.MAX_SAFE_INTEGER }), "snapshot", "snapshot snapshot.json"],
  "a coding a million times": [
    snapshot({ encodings: Array(1_000_000).fill("br") }),
    "snapshot",
    "snapshot snapshot.json",
  ],
  "snapshot.json that is nested too deep for any stack": [
    replaced(SNAPSHOT, /"warnings":{}/, `"warnings":${"[".repeat(200_000)}`),
    "snapshot",
    "snapshot snapshot.json",
  ],
  "a page of a terabyte": [large(page(2), 2 ** 40), "pages count", "2.json…a file that is too large"],
  "SHA256SUMS of a terabyte": [large(SUMS, 2 ** 40), "sums", "sums SHA256SUMS: a file that has no newline at its end"],
});

const PAGES = damages("plain", true, {
  "a status that nobody knows": [
    onPage(1, '"kyc_status":"VERIFIED"', '"kyc_status":"none"'),
    "records",
    `page 1 ${first}: kyc_status "none"…must be one of NONE`,
  ],
  "a field too many": [
    onPage(2, '"wac_status":0', '"wac_status":0,"x_password":"secret"'),
    "records",
    `page 2 ${userId(3)}: x_password "secret"…is not a field of the contract`,
  ],
  "ten thousand fields too many": [
    onPage(
      2,
      '"wac_status":0',
      `"wac_status":0${Array.from({ length: 10_000 }, (_, at) => `,"x${at}":"secret"`).join("")}`,
    ),
    "records",
    `page 2 ${userId(3)}: x0 "secret"…is not a field of the contract`,
  ],
  "a field too few": [onPage(2, '"bio":"Notes.",', ""), "records", "page 2…bio nothing"],
  "a nested field": [onPage(3, '"tokens":4', '"tokens":-1'), "records", "off_chain.tokens -1; must not be negative"],
  "a day that is none": [
    onPage(1, /"created_at":"[^"]*"/, '"created_at":"2026-02-29T00:00:00.000000Z"'),
    "records",
    'off_chain.created_at "2026-02-29T00:00:00.000000Z"',
  ],
  "half a surrogate pair": [
    onPage(1, '"bio":"Notes."', '"bio":"\\ud800"'),
    "records",
    'page 1…bio "\\ud800"; must be text in valid UTF-8',
  ],
  "bytes that are no UTF-8": [
    recorded((f) => {
      const bytes = readFileSync(join(f, page(1)));
      bytes[bytes.indexOf("user0")] = 0xff;
      writeFileSync(join(f, page(1)), bytes);
    }),
    "records",
    "page 1…one record as JSON in UTF-8",
  ],
  "a record that is no JSON": [onPage(1, '"bio":"Notes."', '"bio":'), "records", "page 1…one record as JSON in UTF-8"],
  "a number beyond 2^53": [
    onPage(1, '"referrals_count":0', '"referrals_count":9007199254740993'),
    "records",
    `page 1 ${first}`,
  ],
  "keys out of order": [
    onPage(1, '"bio":"Notes.","circles":[]', '"circles":[],"bio":"Notes."'),
    "canonical",
    `page 1 ${first}`,
  ],
  "white space in a record": [onPage(1, '"bio":"Notes."', '"bio": "Notes."'), "canonical", `page 1 ${first}: …bio`],
  "an escape that need not be": [
    onPage(1, '"username":"user0"', '"username":"\\u0075ser0"'),
    "canonical",
    `page 1 ${first}`,
  ],
  "a fraction that is none": [onPage(1, '"wac_status":0', '"wac_status":0.0'), "canonical", "page 1"],
  "a key twice": [onPage(1, '"wac_status":0', '"wac_status":0,"wac_status":0'), "canonical", "page 1"],
  "white space in the envelope": [replaced(page(1), '"count":7', '"count": 7'), "pages compressed", "pages …page 1"],
  "no final newline": [replaced(page(2), /\n$/, ""), "pages compressed", "pages …page 2"],
  "two records in a line": [replaced(page(2), "},\n{", "},{"), "records count page-size compressed", "records …page 2"],
  "a page that is HTML": [
    wrote(page(2), "<!doctype html>"),
    "pages count compressed",
    "pages …page 2: a file that is HTML; a page",
  ],
  "two users out of order": [onPage(2, SWAP, SWAPPED), "order", `page 2 ${userId(3)}: …; -date_joined, id`],
  "two pages out of order": [
    recorded((f) => {
      const [one = [], two = []] = [1, 2].map((number) => readFileSync(join(f, page(number)), "utf8").split("\n"));
      writeFileSync(join(f, page(1)), [one[0], ...two.slice(1)].join("\n"));
      writeFileSync(join(f, page(2)), [two[0], ...one.slice(1)].join("\n"));
    }),
    "order",
    `page 2 ${first}`,
  ],
  "an id twice on a page": [
    onPage(1, `"id":"${userId(1)}"`, `"id":"${first}"`),
    "unique-keys",
    `page 1 ${first}: 2 times, on page 1; once`,
  ],
  "an id on two pages": [
    onPage(3, `"id":"${userId(6)}"`, `"id":"${first}"`),
    "unique-keys",
    `page 1 ${first}: 2 times, on pages 1 to 3`,
  ],
  "count on one page": [onPage(2, '"count":7', '"count":8'), "count", "page 2: count 8; 7, as in snapshot.json"],
  "count in snapshot.json": [snapshot({ count: 8 }), "count page-size", "7 users on all pages; 8, as in snapshot.json"],
  "page_size in snapshot.json": [
    snapshot({ page_size: 4 }),
    "snapshot page-size",
    "snapshot …pages 3; 2, for count 7, 4 a page",
  ],
  "a user too few on a page": [onPage(2, /\n[^\n]*,\n/, "\n"), "count page-size", "page-size …page 2: records 2; 3"],
  "next leads elsewhere": [
    onPage(1, "page=2", "page=3"),
    "links",
    `page 1: next "${BASE_URL}/api/users/?format=api&page=3"`,
  ],
  "previous of page 1": [
    onPage(1, '"previous":null', '"previous":"https://x.example/"'),
    "links",
    'page 1: previous "https://x.example/"; null',
  ],
  "no end of the chain": [
    onPage(3, '"next":null', `"next":"${BASE_URL}/api/users/?format=api&page=4"`),
    "links",
    "page 3…; null",
  ],
  "links of another base URL": [
    snapshot({ base_url: "https://other.example" }),
    "links",
    `page 1: next "${BASE_URL}/api/users/?format=api&page=2"`,
  ],
  "a base URL that is none": [snapshot({ base_url: "ftp://x" }), "snapshot links", "base_url ftp://x"],
  "warnings that nobody gives": [snapshot({ warnings: { circles: 2 } }), "snapshot", "circles 2; 0, as there are"],
  "a user that is nested too deep for any stack": [
    onPage(1, '"circles":[]', `"circles":[${deep(200_000)}]`),
    "records",
    "page 1…, which is nested deeper than 320 levels",
  ],
  "a warning by a name that every object has": [
    snapshot({ warnings: { constructor: 2 } }),
    "snapshot",
    "constructor 2; 0, as there are",
  ],
  "another version of the contract": [snapshot({ contract: 99 }), "snapshot", "contract 99"],
  "other bytes under gzip": [
    (f) => writeFileSync(join(f, `${page(2)}.gz`), readFileSync(join(f, `${page(1)}.gz`))),
    "compressed",
    "2.json.gz page 2",
  ],
  "what is no Brotli": [wrote(`${page(2)}.br`, "hello"), "compressed", "2.json.br…not br"],
  "a bomb": [wrote(`${page(2)}.gz`, gzipSync(Buffer.alloc(50_000_000))), "compressed", "more bytes"],
  "a user's digest": [otherDigit(RECORDS), "record-list", OTHER(RECORDS)],
  "records.sha256 in another order": [replaced(RECORDS, /(.*\n)(.*\n)/, "$2$1"), "record-list", OTHER(RECORDS)],
  "records.sha256 is too short": [cut(RECORDS, -71), "record-list", OTHER(RECORDS)],
  "records.sha256 is too long": [(f) => appendFileSync(join(f, RECORDS), "x"), "record-list", OTHER(RECORDS)],
});

/** Replaces the whole text of the part. */
const part = (change: (text: string) => string | Buffer) => (f: string) => writePart(f, gzipSync(change(partText(f))));
const packed = (change: (bytes: Buffer) => Buffer) => (f: string) => writePart(f, change(readFileSync(join(f, PART))));
const behind = (bytes: Buffer | string) => packed((all) => Buffer.concat([all, Buffer.from(bytes)]));
const parts = (change: (text: string) => string) => (f: string) => writeParts(f, change(partText(f)));
const LAST_LINE = /[^\n]*\n$/;

const BULK = damages("full", true, {
  "a part that is cut": [
    packed((all) => all.subarray(0, -20)),
    "bulk",
    "1.ndjson.gz: a file that is not complete gzip (Z_BUF_ERROR); one whole gzip",
  ],
  "an empty part": [packed(() => Buffer.alloc(0)), "bulk", "not complete gzip (Z_BUF_ERROR)"],
  "a part that is no gzip": [packed(() => Buffer.from("<!doctype html>")), "bulk", "not complete gzip (Z_DATA_ERROR)"],
  "garbage behind a part": [behind("garbage"), "bulk", "not complete gzip (Z_DATA_ERROR)"],
  "zeros behind a part, which gunzip leaves out in silence": [
    behind(Buffer.alloc(1_000_000)),
    "bulk",
    "a file that has 1000000 bytes after its gzip data",
  ],
  "a part without its last record": [part((text) => text.replace(LAST_LINE, "")), "bulk", plainOf("1.ndjson.gz")],
  "a part with a record more": [
    part((text) => `${text}{}\n`),
    "bulk",
    "1.ndjson.gz: more plain bytes; …, as in the pages",
  ],
  "a part with one byte of a record changed": [
    part((text) => text.replace('"user4"', '"user5"')),
    "bulk",
    plainOf("1.ndjson.gz"),
  ],
  "two records of a part in each other's place": [
    parts((text) => text.replace(/^(.*\n)(.*\n)/, "$2$1")),
    "bulk",
    plainOf("1.ndjson.gz"),
  ],
  "one record of a part twice": [
    parts((text) => text.replace(/^(.*\n)(.*\n)/, "$1$1")),
    "bulk",
    plainOf("1.ndjson.gz"),
  ],
  "a record of a part that goes on behind its end": [
    parts((text) => text.replace("}\n", "} \n")),
    "bulk",
    "1.ndjson.gz: more plain bytes",
  ],
  "a part that is counted too low, in both places": [
    parts((text) => text.replace(LAST_LINE, "")),
    "bulk",
    "bulk.json: count 6; 7, as in snapshot.json",
  ],
  "a part of another size": [
    (f) => setBulk(f, (bulk) => ({ ...bulk, parts: bulk.parts.map((one) => ({ ...one, bytes: 3 })) })),
    "bulk",
    "1.ndjson.gz: …; 3, as in bulk.json",
  ],
  "members of a part that begin elsewhere": [
    (f) =>
      setBulk(f, (bulk) => ({ ...bulk, parts: bulk.parts.map((one) => ({ ...one, members: [9, one.bytes - 9] })) })),
    "bulk",
    "1.ndjson.gz: a file that is not complete gzip (Z_BUF_ERROR); one whole gzip",
  ],
  "a bulk.json of another version, without members": [
    (f) => setBulk(f, (bulk) => ({ ...bulk, parts: bulk.parts.map(({ members: _, ...one }) => one) })),
    "bulk",
    "bulk.json: a file that …members…; the parts that hold all records",
  ],
  "a part of another digest": [
    (f) => setBulk(f, (bulk) => ({ ...bulk, parts: bulk.parts.map((one) => ({ ...one, sha256: sha256("") })) })),
    "bulk",
    `bulk.json: sha256 ${sha256("")} of ${PART}`,
  ],
  "a missing part": [gone(PART), "bulk", "1.ndjson.gz: no such file; a part"],
  "a part too many": [
    wrote("bulk/2.ndjson.gz", gzipSync("")),
    "bulk",
    "2.ndjson.gz: a file; none, since bulk.json has no such part",
  ],
  "no bulk.json": [
    gone("bulk.json"),
    "bulk",
    "bulk.json: a file that is not readable; the parts that hold all records",
  ],
  "a bulk.json that is none": [wrote("bulk.json", "[]\n"), "bulk", "bulk.json: …; the parts that hold all records"],
  "a bulk.json of another form": [
    replaced("bulk.json", '"count":', '"count": '),
    "bulk",
    "bulk.json: …; keys sorted, no white space, one final newline",
  ],
  "a bulk.json that leads out of the release": [
    replaced("bulk.json", PART, "../../etc/passwd"),
    "bulk",
    `bulk.json: a file that has a parts.0.file that does not fit: must be ${PART}`,
  ],
  "a part said to be larger than any may be": [
    replaced("bulk.json", /"bytes":\d+/, '"bytes":24000001'),
    "bulk",
    "bulk.json",
  ],
});

const CSV = damages("full", true, {
  "a cell of the CSV file": [
    (f) => {
      const plain = String(gunzipSync(readFileSync(join(f, "records.csv.gz"))));
      writeFileSync(join(f, "records.csv.gz"), gzipSync(plain.replace("user4", "user5")));
    },
    "csv",
    plainOf("records.csv.gz"),
  ],
  "a CSV file that is cut": [large("records.csv.gz", 50), "csv", "not complete gzip (Z_BUF_ERROR)"],
});

const KEYS = "lookup/keys/1.txt";
const WORDS = "lookup/words/1.txt";
const INDEX = "lookup/index.json";
const SUMMARY = "explorer/summary.json";
const FACETS = "explorer/facets/1.txt";
const keller = (to: string) => replaced(WORDS, "keller\tgi", to);

const LOOKUP = damages("full", true, {
  "a word is missing": [replaced(WORDS, /^keller\t.*\n/m, ""), "lookup", OTHER(WORDS)],
  "a word is made up": [replaced(WORDS, /^keller\t/m, "evil\tg\n$&"), "lookup", OTHER(WORDS)],
  "a word is made up behind all others": [
    (f) => appendFileSync(join(f, WORDS), "\u{10fffe}\tg\n"),
    "lookup",
    OTHER(WORDS),
  ],
  "the last word is missing": [replaced(WORDS, LAST_LINE, ""), "lookup", OTHER(WORDS)],
  // Anna Keller and Björn Keller are records 1 and 3.
  "a record stands under another one's word": [keller("keller\tgj"), "lookup", OTHER(WORDS)],
  "a file is cut": [large(WORDS, 30), "lookup", OTHER(WORDS)],
  "a file is empty": [large(KEYS, 0), "lookup", OTHER(KEYS)],
  "a file has megabytes behind it": [large(KEYS, 2 ** 22), "lookup", OTHER(KEYS)],
  "a file is missing": [gone(KEYS), "lookup", "keys/1.txt: no such file; one, as the records make it"],
  "a file of the look-up is one too many": [
    wrote("lookup/words/2.txt", "zz\tg\n"),
    "lookup",
    "words/2.txt: a file; none, since the records make no such file",
  ],
  "a file of another name lies there": [wrote("lookup/notes.txt", ""), "lookup", "lookup/notes.txt: a file"],
  "index.json is missing": [gone(INDEX), "lookup", "index.json: no such file; one, as the records make it"],
  "index.json says that a file begins elsewhere": [
    replaced(INDEX, '"words":["7', '"words":["8'),
    "lookup",
    OTHER(INDEX),
  ],
  "index.json names other fields": [replaced(INDEX, '["display_name"]', '["bio"]'), "lookup", OTHER(INDEX)],
  "index.json has another form": [replaced(INDEX, '"version":', '"version": '), "lookup", OTHER(INDEX)],
  "index.json is deep": [wrote(INDEX, `${deep(50_000)}\n`), "lookup", INDEX],
});

const HTML = "index.html";
const EXPLORER = damages("full", true, {
  "it counts other records": [
    replaced(SUMMARY, '"count":7,"facets"', '"count":8,"facets"'),
    "explorer",
    OTHER(SUMMARY),
  ],
  "a value is counted wrong": [
    replaced(SUMMARY, '"count":4,"value":"VERIFIED"', '"count":3,"value":"VERIFIED"'),
    "explorer",
    OTHER(SUMMARY),
  ],
  "summary.json is missing": [gone(SUMMARY), "explorer", "summary.json: no such file; one, as the records make it"],
  "a sorted file is cut": [large(FACETS, 12), "explorer", OTHER(FACETS)],
  "a sorted file is missing": [gone(FACETS), "explorer", "facets/1.txt: no such file; one, as the records make it"],
  "index.html is missing": [gone(HTML), "explorer", "index.html: no such file; the explorer"],
});

/** Changes the contract of a release, and nothing else. */
const contract = (change: (file: Record<string, unknown>) => object) => (f: string) => {
  const file = JSON.parse(readFileSync(join(f, CONTRACT), "utf8"));
  writeFileSync(join(f, CONTRACT), JSON.stringify(change(file), null, 2));
};
const listing = (change: object) =>
  contract((file) => ({ ...file, "x-listing": { ...ENTRIES["x-listing"], ...change } }));

const ENTRY_PAGES = damages("entries", true, {
  "a value of another type": [
    onEntries(2, /"is_open":true/, '"is_open":1'),
    "records",
    "log/entries/pages/2.json page 2…is_open 1",
  ],
  "a field that the contract lacks": [onEntries(1, '{"closed"', '{"also":0,"closed"'), "records", "page 1"],
  "an integer with a fraction": [onEntries(3, /"level":(-?\d+)/, '"level":$1.0'), "canonical", "canonical …page 3"],
  "two entries out of order": [onEntries(2, SWAP, SWAPPED), "order", "order …page 2…; topic, -level, seq"],
  "an entry with another's key": [
    onEntries(6, /"seq":-?\d+/, '"seq":0'),
    "unique-keys",
    " 0: 2 times, on pages 1 to 6",
  ],
  "a digest in the list of records": [otherDigit(RECORDS), "record-list", OTHER(RECORDS)],
  "a key in the list of records": [replaced(RECORDS, /\d+\n$/, "1\n"), "record-list", OTHER(RECORDS)],
  "a line of the list is gone": [replaced(RECORDS, LAST_LINE, ""), "record-list", OTHER(RECORDS)],
  "a list without newlines": [wrote(RECORDS, "0".repeat(1000)), "record-list", OTHER(RECORDS)],
  "a warning of a field that is not counted": [
    onEntries(1, /"level":(-?\d+)/, '"level":101'),
    "snapshot",
    "level 0; 1, as there are",
  ],
  "the version in snapshot.json": [snapshot({ contract: 1 }), "snapshot", "contract 1"],
  "a contract with a narrower field": [
    contract((file) => ({
      ...file,
      properties: { ...(file["properties"] as object), level: { type: "integer", minimum: 0 } },
    })),
    "records",
    "level -19; must not be negative",
  ],
  "a contract with another order": [listing({ order: ["topic", "level", "seq"] }), "order", "topic, level, seq"],
  "a contract of another version": [listing({ version: 4 }), "snapshot", "contract 3; 4, the version of contract.json"],
  "a contract with another key": [
    listing({ key: "level", order: ["level"] }),
    "order unique-keys record-list",
    "order ",
  ],
  "a contract with another path": [
    listing({ path: "/other/" }),
    "sums",
    "sums SHA256SUMS: a file that has the line …other/pages/1.json",
  ],
});

/** Lines of the newest step, which put user 1 and user 3; of the older one with 1. */
const stepped =
  (change: (lines: string[], folder: string) => readonly string[], at = 0) =>
  (f: string) =>
    changeLines(f, at, (lines) => change(lines, f));
const eachLine = (from: string | RegExp, to: string, at = 0) =>
  stepped((lines) => lines.map((line) => line.replace(from, to)), at);
const more = (line: string) => stepped((lines) => [...lines, line]);
const bytes = (change: (bytes: Buffer) => Buffer) => (f: string) => changeBytes(f, change);
const newest = (f: string) => {
  const [step] = readChanges(f).steps;
  if (!step) throw new Error("There is no step");
  return step;
};
/** Changes the newest step in changes.json. */
const saidOfStep = (change: object) => (f: string) =>
  changeChanges(f, ({ state, steps: [step, ...older] }) => ({ state, steps: [{ ...step, ...change }, ...older] }));
const form = (from: string, to: string) => (f: string) =>
  put(f, "changes.json", readFileSync(join(f, "changes.json"), "utf8").replace(from, to));

const STEPS = damages("steps", true, {
  "a step that is cut": [bytes((all) => all.subarray(0, -20)), "changes", "not complete gzip (Z_BUF_ERROR)"],
  "an empty step": [bytes(() => Buffer.alloc(0)), "changes", "is not complete gzip"],
  "a step that is no gzip": [bytes(() => Buffer.from("<!doctype html>")), "changes", "(Z_DATA_ERROR)"],
  "a step with zeros behind its gzip": [
    bytes((all) => Buffer.concat([all, Buffer.alloc(99)])),
    "changes",
    "a file that has 99 bytes after its gzip data; one whole gzip",
  ],
  "a step of more than readers unpack": [
    bytes(() => gzipSync(Buffer.alloc(30_000_000, '{"put":'))),
    "changes",
    "more plain bytes",
  ],
  "two lines of a step in each other's place": [
    stepped(([one = "", other = ""]) => [other, one]),
    "changes",
    `"${userId(1)}"; keys in order`,
  ],
  "a line of a step twice": [
    stepped(([one = "", ...others]) => [one, one, ...others]),
    "changes",
    `"${userId(1)}"; keys in order`,
  ],
  "a record of a step that is not valid": [eachLine('"user3"', "3"), "changes", `${userId(3)}: username 3`],
  "a record of a step that is not canonical": [
    eachLine('"edited"', '"\\u0065dited"'),
    "changes",
    `${userId(3)}: …; keys sorted, no white space, each character in its shortest form`,
  ],
  "more on a line than a record": [eachLine(/}$/, ',"of":1}'), "changes", "; a JSON object"],
  "a line that does something else": [more('{"rename":"a"}'), "changes", '"{\\"rename\\":\\"a\\"}"; put or remove'],
  "a key in another form": [more(`{"remove": "${userId(4)}"}`), "changes", "; put or remove"],
  "a step without the last newline": [
    (f) => {
      const { state, steps } = readChanges(f);
      const own = putStep(f, newest(f), linesOf(f, newest(f)).join("\n"));
      put(f, "changes.json", encodeChanges({ state, steps: [own, ...steps.slice(1)] }));
    },
    "changes",
    "; complete lines in gzip",
  ],
  "a step that is counted wrongly": [saidOfStep({ put: 1 }), "changes", "[2,0]; 1 put and 0 removed"],
  "a step of another digest": [saidOfStep({ sha256: "0".repeat(64) }), "changes", `; ${"0".repeat(64)}`],
  "a step of another size": [saidOfStep({ bytes: 3 }), "changes", "; 3, as in changes.json"],
  "a missing step": [(f) => put(f, newest(f).file, undefined), "changes", "no such file; a step"],
  "a changes.json that is none": [(f) => put(f, "changes.json", "[]\n"), "changes", "a file that does not fit"],
  "an empty changes.json": [(f) => put(f, "changes.json", ""), "changes", "a file that is not JSON"],
  "no changes.json": [(f) => put(f, "changes.json", undefined), "changes", "a file that is not readable"],
  "a changes.json of another form": [form(":", ": "), "changes", "keys sorted, no white space, one final newline"],
  "a changes.json that leads out of the release": [
    (f) => form(newest(f).file, "../../etc/passwd")(f),
    "changes",
    "steps.0.file that does not fit",
  ],
  "a changes.json of another state": [
    (f) => changeChanges(f, ({ steps: [, older] }) => ({ state: older?.to, steps: [older] })),
    "changes",
    "state …, as in snapshot.json",
  ],
  "fewer steps than there are files": [
    (f) => changeChanges(f, ({ state, steps: [step] }) => ({ state, steps: [step] })),
    "changes",
    "a file; none, since changes.json has no such step",
  ],
});

export const DAMAGES: readonly Damage[] = [FILES, PAGES, BULK, CSV, LOOKUP, EXPLORER, ENTRY_PAGES, STEPS].flat();

/** The rows of the table with these names, which must be in it. */
export function damagesNamed(...names: readonly string[]): Damage[] {
  return names.map((name) => {
    const found = DAMAGES.find(({ what }) => what === name);
    if (!found) throw new Error(`There is no damage "${name}".`);
    return found;
  });
}
