/** Users in, page texts out. */
import { encodePage } from "../contract/page.js";
import type { User } from "../contract/user.js";
import { encodeUser } from "./encode.js";
import type { Collection } from "./pages.js";

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
