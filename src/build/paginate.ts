/** Users in, page texts out. */
import { encodePage, type PagePosition } from "../contract/page.js";
import type { User } from "../contract/user.js";
import { encodeUser } from "./encode.js";

/** What every page of a collection has in common. */
export type Collection = Omit<PagePosition, "page"> & { pageSize: number };

/** The canonical texts of pages 1 to `pages`, each as soon as its users are there; an empty collection has one. */
export function* paginate(
  users: Iterable<User>,
  { pageSize, ...collection }: Collection,
): Generator<string, void> {
  let page = 1;
  let records: string[] = [];
  for (const user of users) {
    records.push(encodeUser(user));
    if (records.length === pageSize) {
      yield encodePage({ ...collection, page: page++ }, records);
      records = [];
    }
  }
  if (records.length > 0 || collection.count === 0) yield encodePage({ ...collection, page }, records);
}
