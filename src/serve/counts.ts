/** What a server counts, for its metrics. */
import type { Variant } from "../core/release/layout.js";

/** The labels of a counted response: the class of its status, such as `2xx`, and its encoding. */
export type AnswerKind = { readonly status: string; readonly encoding: Variant };

export type CountedEvent = "cacheHits" | "cacheReads" | "damaged" | "switches" | "refused" | "unlogged";

/** Counts responses and events. */
export interface Counts {
  /** Counts a response. @param bytes the length of the sent body. */
  answer(kind: AnswerKind, bytes: number): void;
  add(event: CountedEvent): void;
}
