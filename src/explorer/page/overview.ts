/** The heading, figures and descriptions of index.html. They are shown only with the snapshot that they were written for. */
import { count } from "../../core/print/numbers.js";
import { capital } from "../../core/print/text.js";
import { element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";
import { createNotice } from "./notice.js";
import type { ListingFacts } from "./reader.js";
import type { Facts } from "./search.js";

/**
 * Controls the overview. @param about the header of the page. @param section the part below the records.
 * @param onOther called if index.html was written for another snapshot.
 */
export function createOverview(
  { about, section }: Readonly<Record<"about" | "section", Element>>,
  { from }: Facts,
  onOther: () => void,
) {
  const written = [...about.children];
  const below = [...section.children];
  const [product = ""] = written;
  const notice = createNotice();
  let isWhole = true;
  return {
    /** Shows the overview if it was written for this snapshot, and otherwise a notice. */
    show({ snapshot, contract, digests }: ListingFacts): void {
      if (digests.contract !== from.contract || digests.summary !== from.summary) {
        const { title, words } = contract.listing;
        isWhole = false;
        notice.say(OTHER, { "Reload the page": () => location.reload() });
        const heading = element("h1", {}, visibleText(title ?? capital(words[1])));
        about.replaceChildren(product, heading, element("p", { class: "since" }, count(snapshot.count, words)));
        section.replaceChildren(notice.element);
        onOther();
        return;
      }
      if (isWhole) return;
      isWhole = true;
      about.replaceChildren(...written);
      section.replaceChildren(...below);
    },
  };
}

const OTHER = "The overview was written for another snapshot, so it is not shown.";
