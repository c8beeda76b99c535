/** The search box. A search begins when the user pauses typing. */
import type { Field } from "../../core/contract/contract.js";
import type { Referrer } from "../../core/contract/references.js";
import { element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";
import { nameInText } from "../meaning.js";
import type { WrittenFrom } from "../summary.js";
import { allColumns } from "./columns.js";
import type { ListingFacts } from "./reader.js";
import { isSearchable } from "./values.js";

/** Facts in index.html about the listing. */
export interface Facts {
  words: readonly [one: string, many: string];
  /** The fields that are searched, in words: `display name or ID`. */
  searched: string;
  from: WrittenFrom;
  /** Fields of listings of the same site that refer to this one. */
  referrers?: readonly Referrer[];
}

/** Milliseconds between the last key press and the search. */
const DELAY = 50;
const LONGEST = 200;

/**
 * Makes the search box.
 * @param onSearch called with the text to search for.
 * @param onWithin called with the path of the only field to search in; undefined for names and keys.
 */
export function createSearch(
  { words, searched }: Facts,
  onSearch: (text: string) => void,
  onWithin: (path: string | undefined) => void,
) {
  const field = element("input", {
    id: "search",
    class: "field",
    type: "search",
    name: "q",
    maxlength: LONGEST,
    spellcheck: "false",
    autocomplete: "off",
    enterkeyhint: "search",
  });
  const name = element("label", { class: "label", for: field.id }, visibleText(`Search ${words[1]} by ${searched}`));
  const within = element("select", { class: "within", "aria-label": "Search in" });
  within.addEventListener("change", () => onWithin(within.value === "" ? undefined : within.value));
  const above = element("div", { class: "above" }, name, within);
  const form = element("form", { class: "search", role: "search", "aria-label": "Search" }, above, field);
  let fields: readonly Field[] = [];
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const search = () => {
    clearTimeout(waiting);
    onSearch(field.value);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || field.value === "") return;
    event.preventDefault();
    field.value = "";
    search();
  });
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, DELAY);
  });
  return {
    element: form,
    focus: () => field.select(),
    /** Shows the fields to search in, if records are loaded, and which is searched. */
    showFields(known: ListingFacts, path: string | undefined, isLoadable: boolean): void {
      const searchable = isLoadable ? allColumns(known).filter(isSearchable) : [];
      const isSame = fields.length === searchable.length && fields.every((field, at) => field === searchable[at]);
      if (!isSame || !within.hasChildNodes()) {
        fields = searchable;
        const options = fields.map((one) =>
          element("option", { value: one.path }, visibleText(`in ${nameInText(one)}`)),
        );
        within.replaceChildren(element("option", { value: "" }, "in names and keys"), ...options);
        within.hidden = fields.length === 0;
      }
      within.value = path ?? "";
    },
    /** Shows a text without searching for it. A search for another text that has not begun is dropped. */
    show(text: string): void {
      // Do not change text that is being typed.
      if (document.activeElement === field && field.value.trim() === text.trim()) return;
      clearTimeout(waiting);
      field.value = text;
    },
  };
}
