import type { Answer } from "./raw.js";
import type { Session } from "./session.js";

/** Page 1 and one more, as they were first seen, and the number of pages. */
export interface Known {
  first: Answer;
  second: Answer;
  last: number;
}

/** Checks that an answer has the bytes and headers of a page that was read before. */
export function same(session: Session, answer: Answer, page: Answer): void {
  if (!session.status(answer, 200)) return;
  session.check(answer.body.equals(page.body), "same page", `${answer.name}: not the bytes of ${page.name}`);
  sameHeaders(session, answer, page);
}

const OF_THE_CONNECTION = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];

export function sameHeaders(session: Session, answer: Answer, model: Answer, ...but: string[]): void {
  const list = ({ headers }: Answer) =>
    headers
      .filter(([key]) => ![...OF_THE_CONNECTION, ...but].includes(key))
      .map((pair) => pair.join(": "))
      .sort();
  const [mine, other] = [list(answer), list(model)];
  const differ = [...mine.filter((line) => !other.includes(line)), ...other.filter((line) => !mine.includes(line))];
  session.check(differ.length === 0, "same headers", `${answer.name}: unlike ${model.name} in ${differ.join(" | ")}`);
}
