/** The files of small releases in memory, for tests without a build. */
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Encoding } from "../../src/core/contract/headers.js";
import { pagesFor } from "../../src/core/contract/links.js";
import { encodePage } from "../../src/core/contract/page.js";
import { CONTRACT, PagePaths, RECORDS, SNAPSHOT, SUMS } from "../../src/core/release/layout.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { contentDigest, encodeSnapshot, snapshotId } from "../../src/core/release/snapshot.js";
import { encodeSums, PageDigests } from "../../src/core/release/sums.js";

const COMPRESS = { br: brotliCompressSync, gzip: gzipSync, identity: (bytes: Buffer) => bytes } as const;

interface Content {
  texts: readonly string[];
  /** As records.sha256 has them. */
  keys: readonly string[];
  contract: string;
  path: string;
  pageSize: number;
  baseUrl: string;
  links: "query" | "path";
  /** Records of a part; there are no parts without. */
  partSize?: number | undefined;
  encodings?: readonly Encoding[];
  /** Additional files, which may depend on the state. */
  more: (state: string) => Iterable<readonly [path: string, content: string | Buffer]>;
}

/** All files of a release by path, with matching digests. */
export function filesOf(content: Content) {
  const { texts, keys, contract, path, pageSize, baseUrl, links, partSize, encodings = [], more } = content;
  const [count, pages] = [texts.length, pagesFor(texts.length, pageSize)];
  const paths = new PagePaths(path);
  const digests = new PageDigests(pages, ["identity", ...encodings]);
  const files = new Map<string, Buffer>();
  for (let page = 1; page <= pages; page++) {
    const position = { page, pages, count, baseUrl, path, links };
    const some = texts.slice((page - 1) * pageSize, page * pageSize);
    const plain = Buffer.from(encodePage(position, some).join(""));
    for (const variant of digests.variants) {
      const bytes = COMPRESS[variant](plain);
      digests.set(page, variant, sha256(bytes));
      files.set(paths.path(page, variant), bytes);
    }
  }
  const list = texts.map((text, at) => `${sha256(text).slice(0, 32)}  ${keys[at]}\n`).join("");
  const state = sha256(list);
  const others = new Map<string, string | Buffer>([
    [CONTRACT, contract],
    [RECORDS, list],
    ...(partSize === undefined ? [] : partsOf(texts, partSize)),
    ...more(state),
  ]);
  const listed = () => {
    const all = [...others].map(([name, bytes]) => [name, sha256(bytes)] as const);
    return { paths, pages: digests, others: new Map(all.sort()) };
  };
  const facts = {
    ...{ contract: 1, count, pages, page_size: pageSize, base_url: baseUrl, links },
    ...{ encodings: [...encodings], skipped: 0, state, warnings: {} },
  };
  const id = snapshotId(contentDigest(facts, listed()));
  others.set(SNAPSHOT, encodeSnapshot({ id, ...facts }));
  others.set(SUMS, [...encodeSums(listed())].join(""));
  for (const [name, bytes] of others) files.set(name, Buffer.from(bytes));
  return { id, state, paths, files };
}

/** Parts of two gzip members each, as a build writes them, and their list. */
function partsOf(texts: readonly string[], partSize: number): [path: string, content: string | Buffer][] {
  const lines = texts.map((text) => `${text}\n`);
  const files: [string, Buffer][] = [];
  const parts: object[] = [];
  for (let at = 0; at === 0 || at < lines.length; at += partSize) {
    const some = lines.slice(at, at + partSize);
    const half = Math.ceil(some.length / 2);
    const members = [some.slice(0, half), some.slice(half)].map((half) => gzipSync(half.join("")));
    const bytes = Buffer.concat(members);
    const file = `bulk/${parts.length + 1}.ndjson.gz`;
    files.push([file, bytes]);
    parts.push({
      file,
      count: some.length,
      bytes: bytes.length,
      members: members.map(({ length }) => length),
      sha256: sha256(some.join("")),
    });
  }
  const list = JSON.stringify({ count: texts.length, sha256: sha256(lines.join("")), parts });
  return [...files, ["bulk.json", list]];
}
