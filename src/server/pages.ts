/** Responses to requests for pages of a release, for the fast path and Node's server. */
import { etagOf } from "../contract/headers.js";
import type { Variant } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { Answers, ServerAnswer } from "./answers.js";
import { createNegotiation, isFresh } from "./negotiate.js";
import type { Store } from "./page-cache.js";
import type { Proofs } from "./proofs.js";

/** The request headers that select a response. */
export interface Preferences {
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
}

/** Makes a function that returns the response for a page (from 1). */
export function createPages(
  { folder, paths, snapshot, sums }: Release,
  answers: Answers,
  store: Store,
  createProofs: (files: number) => Proofs,
) {
  const choose = createNegotiation(snapshot.encodings);
  const { pages } = sums.pages;
  const proved = new Map<Variant, Proofs>();

  /** The response; undefined if the page does not exist. */
  return (page: number, { acceptEncoding, ifNoneMatch }: Preferences): ServerAnswer | undefined => {
    const variant = choose(acceptEncoding);
    const digest = sums.pages.get(page, variant);
    if (digest === undefined) return undefined;
    const etag = etagOf(digest);
    if (isFresh(ifNoneMatch, etag)) return answers.pageNotModified(variant, etag);
    const cached = store.find(digest);
    if (cached) return answers.page(variant, etag, cached);
    let proofs = proved.get(variant);
    if (!proofs) {
      proofs = createProofs(pages);
      proved.set(variant, proofs);
    }
    const stored = store.read(`${folder}/${paths.path(page, variant)}`, digest, proofs, page - 1);
    return stored ? answers.page(variant, etag, stored) : answers.error(500);
  };
}
