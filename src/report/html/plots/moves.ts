/** The moves of a facet, with its values as a reader sees them and in an order of their own. */
import type { Flow } from "../../../diff/change.js";
import { html, type Markup } from "../../../markup/markup.js";
import { inQuotes, type Subject } from "../../subject.js";

/** One value of a facet; the same value is the same object. */
export interface Value {
  text: string;
  /** Its place in the contract's list of values, or in the order of values. */
  place: number;
}

export interface Move {
  from: Value;
  to: Value;
  count: number;
}

/** All moves of one facet, most records first. */
export function movesOf(path: string, flow: readonly Flow[], { contract, write }: Subject): Move[] {
  const listed = contract.fields.find((field) => field.path === path)?.schema.enum ?? [];
  const place = (value: unknown) => listed.indexOf(value);
  const given = new Map(flow.flatMap(({ from, to }) => [from, to]).map((value) => [JSON.stringify(value), value]));
  const inOrder = [...given].sort(([, one], [, other]) => place(one) - place(other) || compare(one, other));
  const values = new Map(
    inOrder.map(([key, value], at): [string, Value] => [key, { text: inQuotes(write(path, value)), place: at }]),
  );
  const toValue = (value: unknown) => values.get(JSON.stringify(value)) ?? { text: "", place: 0 };
  return flow.map(({ from, to, count }) => ({ from: toValue(from), to: toValue(to), count }));
}

/** Numbers by size and before texts, which are by their characters. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const [text, otherText] = [one, other].map((value) => (typeof value === "string" ? `~${value}` : String(value)));
  return text === otherText ? 0 : (text ?? "") < (otherText ?? "") ? -1 : 1;
}

/** The values of one side, each once, in order. */
export function valuesOf(moves: readonly Move[], side: "from" | "to"): Value[] {
  return [...new Set(moves.map((move) => move[side]))].sort((one, other) => one.place - other.place);
}

/** The parts of a value between which lines may break: after each `_`. */
export function parts({ text }: Value): string[] {
  return text.split(/(?<=_)/);
}

/** A value in which lines may break. */
export function breakable(value: Value): Markup {
  return html`${parts(value).map((part, at) => html`${at === 0 ? undefined : html`<wbr>`}${part}`)}`;
}
