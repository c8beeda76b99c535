import type { Page, Row } from "./envelope.js";
import { type Answer, header } from "./raw.js";
import type { Session } from "./session.js";

/** A page of the walk, with the answer it came in. */
export interface Seen extends Page {
  answer: Answer;
}

export function checkSizes(session: Session, pages: Seen[], pageSize: number | undefined): void {
  const size = pageSize ?? pages[0]?.rows.length ?? 0;
  const count = pages.reduce((sum, page) => sum + page.rows.length, 0);
  session.check(pages.length === 1 || (size >= 1 && size <= 1000), "page size", `${size} users on page 1`);
  pages.forEach((page, at) => {
    const whole = at + 1 < pages.length;
    const { length } = page.rows;
    const good = whole ? length === size : length <= size && (length > 0 || count === 0);
    session.check(good, "page size", `${page.answer.name}: ${length} users, where a page has ${size}`);
    session.check(page.count === count, "count", `${page.answer.name}: says ${page.count}, the walk has ${count}`);
  });
  const tags = new Set(pages.map(({ answer }) => header(answer, "etag")));
  session.check(tags.size === pages.length, "etag", `${pages.length} pages have ${tags.size} tags`);
}

export function checkOrder(session: Session, pages: Seen[]): void {
  const ids = new Map<string, string>();
  let before: Row | undefined;
  for (const { answer, rows } of pages) {
    for (const row of rows) {
      const twin = ids.get(row.id);
      session.check(twin === undefined, "unique ids", `${answer.name}: ${row.id} is also in ${twin}`);
      ids.set(row.id, answer.name);
      const good = before === undefined || before.date > row.date || (before.date === row.date && before.id < row.id);
      session.check(good, "order", `${answer.name}: ${row.date} ${row.id} after ${before?.date} ${before?.id}`);
      before = row;
    }
  }
}
