/** Users in, page texts out. */
import { encodePage } from "../contract/page.js";
import type { User } from "../contract/user.js";
import { UserError } from "../errors.js";
import { encodeUser } from "./encode.js";
import type { Collection } from "./pages.js";

/** The canonical texts of pages 1 to `pages`, in parts, each as soon as its users are there; an empty collection has one. */
export function* paginate(
  users: Iterable<User>,
  { pageSize, ...collection }: Collection,
): Generator<ReturnType<typeof encodePage>, void> {
  let page = 1;
  let records: string[] = [];
  let length = 0;
  for (const user of users) {
    const record = encodeUser(user);
    length += record.length;
    if (length > PAGE_LIMIT) throw tooLarge(page, pageSize);
    records.push(record);
    if (records.length === pageSize) {
      yield encodePage({ ...collection, page: page++ }, records);
      records = [];
      length = 0;
    }
  }
  if (records.length > 0 || collection.count === 0) yield encodePage({ ...collection, page }, records);
}

/** Characters of one page: half of the longest text that there can be, since readers, too, have to hold it whole. */
export const PAGE_LIMIT = 2 ** 28;

function tooLarge(page: number, pageSize: number): UserError {
  return new UserError(
    `Page ${page} would have more than ${Math.floor(PAGE_LIMIT / 1e6)} million characters; take fewer than ${pageSize} users a page with --page-size.`,
  );
}
