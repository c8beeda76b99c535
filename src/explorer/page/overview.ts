/** The heading, figures and descriptions of index.html. They are shown only beside the snapshot that they were written for. */
import { element } from "../../markup/page/element.js";
import { visibleText } from "../../markup/page/text.js";
import { count } from "../../print/numbers.js";
import { capital } from "../../print/text.js";
import { createNotice } from "./notice.js";
import type { Basis } from "./reader.js";
import type { Facts } from "./search.js";

/**
 * @param about the header of the page. @param section what is below the records.
 * @param onOther called where index.html was written for another snapshot.
 */
export function createOverview(
  { about, section }: Readonly<Record<"about" | "section", Element>>,
  { words, from }: Facts,
  onOther: () => void,
) {
  const [written, below] = [[...about.children], [...section.children]];
  const [product = ""] = written;
  const notice = createNotice();
  let isWhole = true;
  const replace = (heading: string, ...shown: Element[]) => {
    isWhole = false;
    about.replaceChildren(product, element("h1", {}, visibleText(heading)));
    section.replaceChildren(...shown);
  };
  return {
    /** Shows what index.html says if it was written from the files of this snapshot, and otherwise that it was not. */
    show({ snapshot, contract, digests }: Basis): void {
      if (digests.contract !== from.contract || digests.summary !== from.summary) {
        notice.say(OTHER, { "Reload the page": () => location.reload() });
        replace(count(snapshot.count, contract.listing.words), notice.element);
        onOther();
        return;
      }
      if (isWhole) return;
      isWhole = true;
      about.replaceChildren(...written);
      section.replaceChildren(...below);
    },
    /** Nothing of it, as long as it is not known whether a key has signed it. */
    hide: () => replace(capital(words[1])),
  };
}

const OTHER = "The overview was written for another snapshot than the one that is read, so it is not shown.";
