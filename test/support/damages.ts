/** The table of damages: what is changed in a release, and which checks of `verify` find it. Each consumer loops over it. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { encodeChanges } from "../../src/artifacts/steps.js";
import { CONTRACT, OPENAPI, RECORDS, SNAPSHOT, SUMS } from "../../src/release/layout.js";
import { sha256 } from "../../src/release/plain-files.js";
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
  /** Changes the release. Where `isSealed`, all digests fit afterwards: a publisher who signs anything. */
  make: Make;
  isSealed: boolean;
  /** The checks of `verify` that differ on disk. */
  rows: readonly string[];
  /** What one finding says, as `saidBy` puts it: these texts, in this order. */
  found: readonly string[];
}

/** What a finding says, with `…` between its parts, and the rows that differ where the table's own is not the only one. */
type Line = [make: Make, found: string, rows?: string];

function damages(of: Kind, isSealed: boolean, row: string, lines: Record<string, Line>): Damage[] {
  return Object.entries(lines).map(([what, [change, found, rows = row]]) => ({
    ...{ what, of, isSealed, rows: rows.split(" "), found: found.split("…") },
    make(folder) {
      change(folder);
      // A step is listed in SHA256SUMS, and is no part of the id.
      if (isSealed && of !== "steps") reseal(folder);
    },
  }));
}

export function saidBy({ check, path, url, page, id, found, expected }: Finding): string {
  return `${check} ${path ?? url ?? ""}${page ? ` page ${page}` : ""}${id === undefined ? "" : ` ${id}`}: ${found}; ${expected}`;
}

/** Whether a finding says what a damage is to be found by. */
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
const [SWAP, SWAPPED] = [/\n([^\n]*),\n([^\n]*),\n/, "\n$2,\n$1,\n"] as const;
const first = userId(0);

const NOT_OURS = (what: string) =>
  `${what}…what this version of Rollcall writes; what another version wrote is not verified`;

const FILES = damages("plain", false, "", {
  "a page is gone": [gone(page(2)), "files api/users/pages/2.json page 2: no such file", "files count"],
  "a compressed page is gone": [gone(`${page(2)}.br`), "2.json.br page 2: no such file", "files"],
  "records.sha256 is gone": [gone(RECORDS), "files records.sha256: no such file", "files record-list"],
  "a file too many": [wrote("notes.txt", ""), "notes.txt: a file; none, since SHA256SUMS does not list it", "files"],
  "a page that is no page's name": [wrote("api/users/pages/01.json", ""), "api/users/pages/01.json", "files"],
  "a link in place of a page": [linked(page(2)), "2.json…a symbolic link; a plain file", "files count"],
  "a link in place of the pages' folder": [linked("api"), "files api: a symbolic link", "files count"],
  "one byte of a page": [
    replaced(page(2), "user4", "user5"),
    "digests …2.json page 2",
    "digests compressed record-list",
  ],
  "a page cut short": [large(page(2), 300), "digests …page 2", "digests pages count compressed"],
  "one byte of a compressed page": [
    (f) => {
      const bytes = readFileSync(join(f, `${page(3)}.gz`));
      bytes[20] = (bytes[20] ?? 0) ^ 1;
      writeFileSync(join(f, `${page(3)}.gz`), bytes);
    },
    "digests …3.json.gz page 3",
    "digests compressed",
  ],
  "a line of records.sha256": [otherDigit(RECORDS), "digests records.sha256", "digests record-list"],
  "snapshot.json": [snapshot({ skipped: 1 }), "digests snapshot.json", "digests snapshot"],
  "a line of SHA256SUMS is gone": [replaced(SUMS, /.*pages\/2\.json\n/, ""), "2.json…not listed", "sums"],
  "a line of SHA256SUMS twice": [replaced(SUMS, /.*avatar.svg\n/, "$&$&"), "avatar.svg: listed twice", "sums"],
  "a line that sha256sum would not read": [
    replaced(SUMS, "  avatar.svg", " avatar.svg"),
    "sums SHA256SUMS…64 hexadecimal digits, two spaces and a path",
    "sums files",
  ],
  "a path that leads out of the release": [
    (f) => appendFileSync(join(f, SUMS), `${"0".repeat(64)}  ../../../etc/passwd\n`),
    "sums ",
    "sums",
  ],
  "SHA256SUMS without its last newline": [cut(SUMS, -1), "no newline at its end", "sums"],
  "SHA256SUMS is gone": [gone(SUMS), "sums SHA256SUMS: no file to read", "sums files"],
  "snapshot.json is gone": [gone(SNAPSHOT), "snapshot snapshot.json: no file to read", "files snapshot"],
  "snapshot.json is not JSON": [wrote(SNAPSHOT, "{"), "snapshot snapshot.json: {", "digests snapshot"],
  "snapshot.json has no base URL": [snapshot({ base_url: undefined }), "snapshot ", "digests snapshot"],
  "snapshot.json speaks of pages without end": [
    snapshot({ pages: 999_999_999 }),
    "pages 999999999; 3, for count 7, 3 a page",
    "sums files digests snapshot links",
  ],
  "a coding a million times": [
    snapshot({ encodings: Array(1_000_000).fill("br") }),
    "snapshot snapshot.json",
    "digests snapshot",
  ],
  "snapshot.json that is nested too deep for any stack": [
    replaced(SNAPSHOT, /"warnings":{}/, `"warnings":${"[".repeat(200_000)}`),
    "snapshot snapshot.json",
    "digests snapshot",
  ],
  "a page of a terabyte": [large(page(2), 2 ** 40), "2.json…a file that is too large", "pages count"],
  "SHA256SUMS of a terabyte": [large(SUMS, 2 ** 40), "sums SHA256SUMS: no newline at its end", "sums"],
});

const HOSTS = damages("hosts", true, "hosts", {
  "a rule of nginx": [
    (f) => appendFileSync(join(f, "adapters/nginx.conf"), "add_header X-Evil 1;\n"),
    "adapters/nginx.conf: in line …",
  ],
  "a host's file that Rollcall does not write": [wrote("adapters/evil.conf", ""), "adapters/evil.conf: a file"],
  "a rule of .htaccess": [replaced(".htaccess", "RewriteEngine On", "RewriteEngine Off"), ".htaccess: in line …"],
});

const PAGES = damages("plain", true, "", {
  "a status that nobody knows": [
    onPage(1, '"kyc_status":"VERIFIED"', '"kyc_status":"none"'),
    `page 1 ${first}: kyc_status "none"…must be one of NONE`,
    "records",
  ],
  "a field too many": [
    onPage(2, '"wac_status":0', '"wac_status":0,"x_password":"secret"'),
    `page 2 ${userId(3)}:…must have no other fields than the contract's, got x_password`,
    "records",
  ],
  "a nested field": [onPage(3, '"tokens":4', '"tokens":-1'), "off_chain.tokens -1; must not be negative", "records"],
  "a day that is none": [
    onPage(1, /"created_at":"[^"]*"/, '"created_at":"2026-02-29T00:00:00.000000Z"'),
    'off_chain.created_at "2026-02-29T00:00:00.000000Z"',
    "records",
  ],
  "half a surrogate pair": [
    onPage(1, '"bio":"Notes."', '"bio":"\\ud800"'),
    'page 1…bio "\\ud800"; must be text in valid UTF-8',
    "records",
  ],
  "bytes that are no UTF-8": [
    recorded((f) => {
      const bytes = readFileSync(join(f, page(1)));
      bytes[bytes.indexOf("user0")] = 0xff;
      writeFileSync(join(f, page(1)), bytes);
    }),
    "page 1…one record as JSON in UTF-8",
    "records",
  ],
  "a record that is no JSON": [onPage(1, '"bio":"Notes."', '"bio":'), "page 1…one record as JSON in UTF-8", "records"],
  "a number beyond 2^53": [
    onPage(1, '"referrals_count":0', '"referrals_count":9007199254740993'),
    `page 1 ${first}`,
    "records",
  ],
  "keys out of order": [
    onPage(1, '"bio":"Notes.","circles":[]', '"circles":[],"bio":"Notes."'),
    `page 1 ${first}`,
    "canonical",
  ],
  "white space in a record": [onPage(1, '"bio":"Notes."', '"bio": "Notes."'), `page 1 ${first}: …bio`, "canonical"],
  "an escape that need not be": [
    onPage(1, '"username":"user0"', '"username":"\\u0075ser0"'),
    `page 1 ${first}`,
    "canonical",
  ],
  "a key twice": [onPage(1, '"wac_status":0', '"wac_status":0,"wac_status":0'), "page 1", "canonical"],
  "white space in the envelope": [replaced(page(1), '"count":7', '"count": 7'), "pages …page 1", "pages compressed"],
  "two records in a line": [replaced(page(2), "},\n{", "},{"), "records …page 2", "records count page-size compressed"],
  "a page that is HTML": [
    wrote(page(2), "<!doctype html>"),
    "pages …page 2: a file that is HTML; a page",
    "pages count compressed",
  ],
  "two users out of order": [onPage(2, SWAP, SWAPPED), `page 2 ${userId(3)}: …; -date_joined, id`, "order"],
  "two pages out of order": [
    recorded((f) => {
      const [one = [], two = []] = [1, 2].map((number) => readFileSync(join(f, page(number)), "utf8").split("\n"));
      writeFileSync(join(f, page(1)), [one[0], ...two.slice(1)].join("\n"));
      writeFileSync(join(f, page(2)), [two[0], ...one.slice(1)].join("\n"));
    }),
    `page 2 ${first}`,
    "order",
  ],
  "ties by id, descending": [
    recorded((f) =>
      edit(f, page(1), (text) =>
        text.replace(SWAP, SWAPPED).replaceAll(/"date_joined":"[^"]*"/g, '"date_joined":"2026-01-01T00:00:00.000000Z"'),
      ),
    ),
    `page 1 ${first}: id "${first}" after "${userId(1)}", of equal date_joined`,
    "order",
  ],
  "an id twice on a page": [
    onPage(1, `"id":"${userId(1)}"`, `"id":"${first}"`),
    `page 1 ${first}: 2 times, on page 1; once`,
    "unique-keys",
  ],
  "an id on two pages": [
    onPage(3, `"id":"${userId(6)}"`, `"id":"${first}"`),
    `page 1 ${first}: 2 times, on pages 1 to 3`,
    "unique-keys",
  ],
  "count on one page": [onPage(2, '"count":7', '"count":8'), "page 2: count 8; 7, as in snapshot.json", "count"],
  "count in snapshot.json": [snapshot({ count: 8 }), "7 users on all pages; 8, as in snapshot.json", "count page-size"],
  "page_size in snapshot.json": [
    snapshot({ page_size: 4 }),
    "snapshot …pages 3; 2, for count 7, 4 a page",
    "snapshot page-size",
  ],
  "a user too few on a page": [onPage(2, /\n[^\n]*,\n/, "\n"), "page-size …page 2: records 2; 3", "count page-size"],
  "next leads elsewhere": [
    onPage(1, "page=2", "page=3"),
    `page 1: next "${BASE_URL}/api/users/?format=api&page=3"`,
    "links",
  ],
  "previous of page 1": [
    onPage(1, '"previous":null', '"previous":"https://x.example/"'),
    'page 1: previous "https://x.example/"; null',
    "links",
  ],
  "links of another base URL": [
    snapshot({ base_url: "https://other.example" }),
    `page 1: next "${BASE_URL}/api/users/?format=api&page=2"`,
    "description links",
  ],
  "a base URL that is none": [snapshot({ base_url: "ftp://x" }), "base_url ftp://x", "snapshot description links"],
  "an openapi.json that says that another version wrote it": [
    replaced(OPENAPI, '"x-form": 1', '"x-form": 99'),
    NOT_OURS("openapi.json: x-form 99"),
    "description",
  ],
  "an openapi.json that ends too soon": [cut(OPENAPI, -3), "openapi.json: in line …", "description"],
  "no avatar where one is described": [gone("avatar.svg"), OPENAPI, "description"],
  "warnings that nobody gives": [snapshot({ warnings: { circles: 2 } }), "circles 2; 0, as there are", "snapshot"],
  "a user that is nested too deep for any stack": [
    onPage(1, '"circles":[]', `"circles":[${deep(200_000)}]`),
    "page 1…, which is nested deeper than 320 levels",
    "records",
  ],
  "a warning by a name that every object has": [
    snapshot({ warnings: { constructor: 2 } }),
    "constructor 2; 0, as there are",
    "snapshot",
  ],
  "a warning that is not counted": [
    onPage(1, '"tokens":4', '"tokens":5'),
    "tokens_do_not_add_up 0; 1, as there are",
    "snapshot",
  ],
  "another version of the contract": [snapshot({ contract: 99 }), "contract 99", "snapshot"],
  "other bytes under gzip": [
    (f) => writeFileSync(join(f, `${page(2)}.gz`), readFileSync(join(f, `${page(1)}.gz`))),
    "2.json.gz page 2",
    "compressed",
  ],
  "what is no Brotli": [wrote(`${page(2)}.br`, "hello"), "2.json.br…not br", "compressed"],
  "a bomb": [wrote(`${page(2)}.gz`, gzipSync(Buffer.alloc(50_000_000))), "more bytes", "compressed"],
  "a user's digest": [otherDigit(RECORDS), `page 1 ${first}`, "record-list"],
  "records.sha256 in another order": [replaced(RECORDS, /(.*\n)(.*\n)/, "$2$1"), `page 1 ${first}`, "record-list"],
  "records.sha256 is too short": [cut(RECORDS, -71), `page 3 ${userId(6)}: no line`, "record-list"],
  "records.sha256 is too long": [
    (f) => appendFileSync(join(f, RECORDS), "x"),
    "records.sha256: bytes behind the last record; a line for each record",
    "record-list",
  ],
});

/** Replaces the whole text of the part. */
const part = (change: (text: string) => string | Buffer) => (f: string) => writePart(f, gzipSync(change(partText(f))));
const packed = (change: (bytes: Buffer) => Buffer) => (f: string) => writePart(f, change(readFileSync(join(f, PART))));
const behind = (bytes: Buffer | string) => packed((all) => Buffer.concat([all, Buffer.from(bytes)]));
const parts = (change: (text: string) => string) => (f: string) => writeParts(f, change(partText(f)));
const LAST_LINE = /[^\n]*\n$/;

const BULK = damages("full", true, "bulk", {
  "a part that is cut": [
    packed((all) => all.subarray(0, -20)),
    "1.ndjson.gz: a file that is not gzip to its end (Z_BUF_ERROR); one whole gzip",
  ],
  "an empty part": [packed(() => Buffer.alloc(0)), "not gzip to its end (Z_BUF_ERROR)"],
  "garbage behind a part": [behind("garbage"), "not gzip to its end (Z_DATA_ERROR)"],
  "zeros behind a part, which gunzip leaves out in silence": [
    behind(Buffer.alloc(1_000_000)),
    "a file that has 1000000 bytes behind its gzip",
  ],
  "a part without its last record": [
    part((text) => text.replace(LAST_LINE, "")),
    "an end 1 records too early; as many as bulk.json counts",
  ],
  "a part with a record more": [
    part((text) => `${text}{}\n`),
    "1.ndjson.gz: more records; no more than bulk.json counts",
  ],
  "a part with one byte of a record changed": [
    part((text) => text.replace('"user4"', '"user5"')),
    `1.ndjson.gz page 2 ${userId(4)}: …; the record of its page, byte for byte`,
  ],
  "two records of a part in each other's place": [
    parts((text) => text.replace(/^(.*\n)(.*\n)/, "$2$1")),
    `1.ndjson.gz page 1 ${first}`,
  ],
  "a part that is counted too low, in both places": [
    parts((text) => text.replace(LAST_LINE, "")),
    "bulk.json: count 6; 7, as in snapshot.json",
  ],
  "a part of another size": [
    (f) => setBulk(f, (bulk) => ({ ...bulk, parts: bulk.parts.map((one) => ({ ...one, bytes: 3 })) })),
    "1.ndjson.gz: …; 3, as in bulk.json",
  ],
  "a part of another digest": [
    (f) => setBulk(f, (bulk) => ({ ...bulk, parts: bulk.parts.map((one) => ({ ...one, sha256: sha256("") })) })),
    `bulk.json: sha256 ${sha256("")} of ${PART}`,
  ],
  "a bulk.json of another digest": [
    (f) => setBulk(f, (bulk) => ({ ...bulk, sha256: sha256("") })),
    `bulk.json: sha256 ${sha256("")}`,
  ],
  "a part too many": [
    wrote("bulk/2.ndjson.gz", gzipSync("")),
    "2.ndjson.gz: a file; none, since bulk.json has no such part",
  ],
  "no bulk.json": [
    gone("bulk.json"),
    "bulk.json: a file that is no file to read; the parts that hold all records",
    "description bulk explorer",
  ],
  "a bulk.json that is none": [wrote("bulk.json", "[]\n"), "bulk.json: …; the parts that hold all records"],
  "a bulk.json of another form": [
    replaced("bulk.json", '"count":', '"count": '),
    "bulk.json: …; keys sorted, no white space, one final newline",
  ],
  "a bulk.json that leads out of the release": [
    replaced("bulk.json", PART, "../../etc/passwd"),
    `bulk.json: a file that has a parts.0.file that does not fit: must be ${PART}`,
  ],
  "a part said to be larger than any may be": [replaced("bulk.json", /"bytes":\d+/, '"bytes":24000001'), "bulk.json"],
  "a page that has no records to compare with": [
    wrote(page(2), "nothing\n"),
    "bulk …page 2: …; what its page has, which cannot be read",
    "pages count bulk",
  ],
});

const [KEYS, WORDS, INDEX] = ["lookup/keys/1.txt", "lookup/words/1.txt", "lookup/index.json"];
const [SUMMARY, FACETS] = ["explorer/summary.json", "explorer/facets/1.txt"];
const keller = (to: string) => replaced(WORDS, "keller\tgi", to);

const CSP = /<meta http-equiv="Content-Security-Policy"[^>]*>\n/;

const LOOKUP = damages("full", true, "lookup", {
  "it says that another version wrote it": [replaced(INDEX, '"version":2', '"version":3'), "index.json: version 3; 2"],
  "a word is missing": [replaced(WORDS, /^keller\t.*\n/m, ""), "words/1.txt: in line 6: lovelace …; keller gi"],
  "a word is made up": [replaced(WORDS, /^keller\t/m, "evil\tg\n$&"), "words/1.txt: in line 6: evil g; keller gi"],
  "the last word is missing": [replaced(WORDS, LAST_LINE, ""), "words/1.txt: in line …: an end; "],
  // Anna Keller and Björn Keller are records 1 and 3.
  "a record stands under another one's word": [keller("keller\tgj"), "words/1.txt: in line 6: keller gj; keller gi"],
  "a key is that of no record": [replaced(KEYS, /^./, "!"), "keys/1.txt: in line 1: !…; 0"],
  "a file has megabytes behind it": [large(KEYS, 2 ** 22), "keys/1.txt: in line 8: …; an end"],
  "a file is missing": [gone(KEYS), "keys/1.txt: no such file; one, as the records make it"],
  "a file of the look-up is one too many": [
    wrote("lookup/words/2.txt", "zz\tg\n"),
    "words/2.txt: a file; none, since this version of Rollcall makes no such file",
  ],
  "index.json is missing": [gone(INDEX), "index.json: no such file; one, as the records make it", "description lookup"],
  "index.json names other fields": [
    replaced(INDEX, '["display_name"]', '["bio"]'),
    'index.json: fields.….0 "bio"; "display_name"',
  ],
  "index.json has another form": [
    replaced(INDEX, '"version":', '"version": '),
    "index.json: another form; keys sorted, no white space, one final newline",
  ],
  "index.json is deep": [wrote(INDEX, `${deep(50_000)}\n`), INDEX],
});

const HTML = "index.html";
const html = (from: string | RegExp, to: string) => replaced(HTML, from, to);

const EXPLORER = damages("full", true, "explorer", {
  "a value is counted wrong": [
    replaced(SUMMARY, '"count":4,"value":"VERIFIED"', '"count":3,"value":"VERIFIED"'),
    "summary.json: facets.….values.0.count 3; 4",
  ],
  "summary.json is missing": [gone(SUMMARY), "summary.json: no such file; one, as the records make it"],
  "a value's record is another one": [
    replaced(FACETS, /^(kyc_status="NONE"\t)./m, "$1h"),
    'facets/1.txt: in line 1: kyc_status="NONE" h…; kyc_status="NONE" g',
  ],
  "index.html is missing": [
    gone(HTML),
    "index.html: no such file; one, as the records make it",
    "description explorer",
  ],
  "its script is another": [
    (f) => appendFileSync(join(f, "explorer/app.js"), "\nfetch('https://evil.example');"),
    NOT_OURS("explorer/app.js: in line …"),
  ],
  "its icon has a script": [
    replaced("explorer/icon.svg", "</svg>", "<script>alert(1)</script></svg>"),
    NOT_OURS("explorer/icon.svg: in line …"),
  ],
  "a script is one too many": [
    wrote("explorer/more.js", "\n"),
    "explorer/more.js: a file; none, since this version of Rollcall makes no such file",
  ],
  "it is larger than any": [(f) => truncateSync(join(f, HTML), 2 ** 24 + 1), NOT_OURS("html: in line …")],
  "it has no policy": [html(CSP, ""), NOT_OURS("html: in line …")],
  "the image has a script": [
    replaced("avatar.svg", "</svg>", "<script>alert(1)</script></svg>"),
    NOT_OURS("avatar.svg: in line 3: <script>alert(1)"),
    "avatar",
  ],
});

/** Changes the contract of a release, and nothing else. */
const contract = (change: (file: Record<string, unknown>) => object) => (f: string) => {
  const file = JSON.parse(readFileSync(join(f, CONTRACT), "utf8"));
  writeFileSync(join(f, CONTRACT), JSON.stringify(change(file), null, 2));
};
const listing = (change: object) =>
  contract((file) => ({ ...file, "x-listing": { ...ENTRIES["x-listing"], ...change } }));

const ENTRY_PAGES = damages("entries", true, "", {
  "a value of another type": [
    onEntries(2, /"is_open":true/, '"is_open":1'),
    "log/entries/pages/2.json page 2…is_open 1",
    "records",
  ],
  "a field that the contract lacks": [onEntries(1, '{"closed"', '{"also":0,"closed"'), "page 1", "records"],
  "an entry's day that is none": [onEntries(1, "2026-02-28", "2026-02-29"), 'closed "2026-02-29"', "records"],
  "an integer with a fraction": [onEntries(3, /"level":(-?\d+)/, '"level":$1.0'), "canonical …page 3", "canonical"],
  "two entries out of order": [onEntries(2, SWAP, SWAPPED), "order …page 2…; topic, -level, seq", "order"],
  "an entry with another's key": [
    onEntries(6, /"seq":-?\d+/, '"seq":0'),
    " 0: 2 times, on pages 1 to 6",
    "unique-keys",
  ],
  "a key in the list of records": [replaced(RECORDS, /\d+\n$/, "1\n"), "record-list …page 6", "record-list"],
  "a line of the list is gone": [
    replaced(RECORDS, LAST_LINE, ""),
    "records.sha256 page 6 …: no line in line 23; ",
    "record-list",
  ],
  "a list without newlines": [wrote(RECORDS, "0".repeat(1000)), "records.sha256 page 1 …: 0000000000", "record-list"],
  "a warning of a field that is not counted": [
    onEntries(1, /"level":(-?\d+)/, '"level":101'),
    "level 0; 1, as there are",
    "snapshot",
  ],
  "a warning of a condition that is counted too often": [
    snapshot({ warnings: { "open-or-closed": 2, "low-level": 3 } }),
    "open-or-closed 2; 1, as there are",
    "snapshot",
  ],
  "a condition that another value makes untrue": [
    onEntries(1, '"closed":"2026-02-28","is_open":false', '"closed":null,"is_open":false'),
    "open-or-closed 1; 2, as there are",
    "snapshot",
  ],
  "the version in snapshot.json": [snapshot({ contract: 1 }), "contract 1", "snapshot"],
  "a contract with a narrower field": [
    contract((file) => ({
      ...file,
      properties: { ...(file["properties"] as object), level: { type: "integer", minimum: 0 } },
    })),
    "level -19; must not be negative",
    "snapshot description records",
  ],
  "a contract with another order": [
    listing({ order: ["topic", "level", "seq"] }),
    "topic, level, seq",
    "description order",
  ],
  "a contract of another version": [
    listing({ version: 4 }),
    "contract 3; 4, the version of contract.json",
    "snapshot description",
  ],
  "a contract with another key": [
    listing({ key: "level", order: ["level"] }),
    "order ",
    "description order unique-keys record-list",
  ],
  "a contract with another path": [
    listing({ path: "/other/" }),
    "files other/pages/1.json…no such file",
    "sums files snapshot description count",
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
/** changes.json says something else of its newest step. */
const saidOfStep = (change: object) => (f: string) =>
  changeChanges(f, ({ state, steps: [step, ...older] }) => ({ state, steps: [{ ...step, ...change }, ...older] }));
const form = (from: string, to: string) => (f: string) =>
  put(f, "changes.json", readFileSync(join(f, "changes.json"), "utf8").replace(from, to));

/** A line that puts a user as the first release has it. */
function putLine(folder: string, number: number): string {
  const oldest = join(dirname(folder), readdirSync(dirname(folder)).sort()[0] ?? "");
  const lines = readFileSync(join(oldest, page(1)), "utf8").split("\n");
  return `{"put":${lines.find((text) => text.includes(userId(number)))?.replace(/,$/, "")}}`;
}

const STEPS = damages("steps", true, "changes", {
  "a step that is cut": [bytes((all) => all.subarray(0, -20)), "not gzip to its end (Z_BUF_ERROR)"],
  "a step with zeros behind its gzip": [
    bytes((all) => Buffer.concat([all, Buffer.alloc(99)])),
    "a file that has 99 bytes behind its gzip; one whole gzip",
  ],
  "a step of more than readers unpack": [
    bytes(() => gzipSync(Buffer.alloc(30_000_000, '{"put":'))),
    "more plain bytes",
  ],
  "two lines of a step in each other's place": [
    stepped(([one = "", other = ""]) => [other, one]),
    `${userId(1)} after ${userId(3)}, in line 2; each key once, in their order`,
  ],
  "a line of a step twice": [
    stepped(([one = "", ...others]) => [one, one, ...others]),
    `${userId(1)} after ${userId(1)}, in line 2`,
  ],
  "a step without its last line": [
    stepped((lines) => lines.slice(0, -1)),
    "no line for a record that differs; a line for each",
  ],
  "a remove of nobody": [
    more(`{"remove":"${userId(500)}"}`),
    `${userId(500)}: a remove; none, since there was no such record before`,
  ],
  "a step without the line that removes": [
    stepped((lines) => lines.filter((line) => line.startsWith('{"put"')), 1),
    "no line for a record that differs; a line for each",
  ],
  "a remove of a record that is still there": [
    stepped(([one = ""]) => [one, `{"remove":"${userId(3)}"}`]),
    `${userId(3)}: a remove; none, since the record is there afterwards`,
  ],
  "a put of a record that is the same before": [
    stepped((lines, f) => [...lines, putLine(f, 4)]),
    `${userId(4)}: a put; none, since the record was the same before`,
  ],
  "a put of a record that is gone": [
    stepped((lines, f) => lines.map((line) => line.replace(/^{"remove".*$/, putLine(f, 2))), 1),
    `${userId(2)}: …; a remove, since the record is gone afterwards`,
  ],
  "a put of a record that is on no page": [
    stepped((lines) => lines.map((line) => line.replaceAll(userId(3), userId(500)))),
    `${userId(500)}: …; a remove, since the record is gone afterwards`,
  ],
  "a put of another record": [eachLine("edited", "edit"), `${userId(3)}: a put of the record of …; the record of `],
  "a record of a step that is not valid": [eachLine('"user3"', "3"), `${userId(3)}: username 3`],
  "a record of a step that is not canonical": [
    eachLine('"edited"', '"\\u0065dited"'),
    `${userId(3)}: …; keys sorted, no white space, each character in its shortest form`,
  ],
  "more on a line than a record": [eachLine(/}$/, ',"of":1}'), "one record as JSON in UTF-8"],
  "a line that does something else": [
    more('{"rename":"a"}'),
    '"{\\"rename\\":\\"a\\"}", in line 3; {"put":a record} or {"remove":a key}',
  ],
  "a key that is none": [more('{"remove":7}'), '"7", in line 3; a key of text, as JSON'],
  "an empty line": [more(""), '"", in line 3'],
  "a step without the last newline": [
    (f) => {
      const { state, steps } = readChanges(f);
      const own = putStep(f, newest(f), linesOf(f, newest(f)).join("\n"));
      put(f, "changes.json", encodeChanges({ state, steps: [own, ...steps.slice(1)] }));
    },
    "no newline at its end, in line 2",
  ],
  "a step that is counted wrongly": [
    saidOfStep({ put: 1 }),
    "2 lines that put and 0 that remove; 1 and 0, as in changes.json",
  ],
  "a step of another digest": [saidOfStep({ sha256: "0".repeat(64) }), `${"0".repeat(64)}, as in changes.json`],
  "a step of another size": [saidOfStep({ bytes: 3 }), "; 3, as in changes.json"],
  "a missing step": [(f) => put(f, newest(f).file, undefined), "no such file; a step"],
  "a changes.json that is none": [(f) => put(f, "changes.json", "[]\n"), "a file that does not fit"],
  "no changes.json": [
    (f) => put(f, "changes.json", undefined),
    "a file that is no file to read",
    "description changes",
  ],
  "a changes.json of another form": [form(":", ": "), "keys sorted, no white space, one final newline"],
  "a changes.json that leads out of the release": [
    (f) => form(newest(f).file, "../../etc/passwd")(f),
    "steps.0.file that does not fit",
  ],
  "a changes.json of another state": [
    (f) => changeChanges(f, ({ steps: [, older] }) => ({ state: older?.to, steps: [older] })),
    "state …, the digest of records.sha256",
  ],
  "fewer steps than there are files": [
    (f) => changeChanges(f, ({ state, steps: [step] }) => ({ state, steps: [step] })),
    "a file; none, since changes.json has no such step",
  ],
});

export const DAMAGES: readonly Damage[] = [...[FILES, HOSTS, PAGES, BULK, LOOKUP, EXPLORER, ENTRY_PAGES, STEPS].flat()];
