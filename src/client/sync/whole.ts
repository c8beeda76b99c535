/** Everything that a snapshot holds: in parts where it has them, else by its pages. */
import type { ContractFile } from "../../contract/file/form.js";
import { pageUrl } from "../../contract/links.js";
import { bulkCourse } from "../bulk/bulk.js";
import { textOf } from "../checked.js";
import { ListingError } from "../errors.js";
import type { Host } from "../proof/files.js";
import type { Ground } from "../proof/ground.js";
import type { Bytes } from "../transfer.js";
import type { Course } from "../walk.js";
import type { RecordKeeper } from "./records.js";
import type { KeptRecord } from "./store.js";

/** The course of a walk by pages. */
export type ByPages = <R>(ground: Ground, items: Course<R>["items"]) => Course<R>;

/** What is read, and the course of a walk that reads it. */
export interface Whole<T> {
  via: "bulk" | "pages";
  course: Course<KeptRecord<T>>;
}

/** @param contract that of the snapshot, as `reader` has it. */
export async function wholeOf<T>(
  { ground, host, byPages }: { ground: Ground; host: Host; byPages: ByPages },
  contract: ContractFile,
  { read }: RecordKeeper<T>,
  signal: AbortSignal | undefined,
): Promise<Whole<T>> {
  const { baseUrl } = host;
  try {
    return { via: "bulk", course: await bulkCourse(ground, baseUrl, signal, read) };
  } catch (error) {
    if (!(error instanceof ListingError) || error.code !== "usage") throw error;
  }
  const { links, page_size } = ground.snapshot;
  const place = { baseUrl, path: contract["x-listing"].path, links };
  const course = byPages<KeptRecord<T>>(ground, function* (number, bytes, records) {
    const url = pageUrl(place, number);
    const before = (number - 1) * page_size;
    for (const [index, text] of textsOf(bytes, url).entries())
      if (before + index >= records) yield [read(text, url), before + index + 1];
  });
  return { via: "pages", course };
}

/** The canonical texts of a page's records, which stand on a line each. */
function textsOf(page: Bytes, url: string): string[] {
  const lines = textOf(page, url).split("\n").slice(1, -2);
  return lines.map((line) => line.replace(/,$/, ""));
}
