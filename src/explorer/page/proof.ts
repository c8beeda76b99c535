/** Shows how the records are verified. */
import { element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";
import type { ListingFacts } from "./reader.js";

/** Makes the section. */
export function createProof() {
  const line = element("p", { class: "proof", role: "status" }, "Not verified yet.");
  const details = element("details", {}, element("summary", {}, "How it is verified"), element("p", {}, HOW));
  return {
    element: element("section", { class: "proved", "aria-label": "Verification" }, line, details),
    /** Shows that the data was verified. */
    show({ snapshot }: ListingFacts): void {
      const id = element("code", {}, visibleText(snapshot.id));
      line.className = "proof good";
      line.replaceChildren("Verified by digests: records and facets of snapshot ", id, ".");
    },
    /** Shows that the data could not be verified. */
    fail(why: string): void {
      line.className = "proof bad";
      line.replaceChildren("Not verified: ", visibleText(why));
    },
  };
}

const HOW =
  "All records and facet counts shown here match their digests in SHA256SUMS. This detects damage and files of different snapshots. " +
  "The overview below is part of this page and not verified. It is shown only with the snapshot that it was written for. " +
  "To verify the publisher too, run rollcall verify with --key, or read with the client and a public key.";
