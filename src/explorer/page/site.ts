/** Filters the listings in the overview of a site. */
import { foldedWords, matchesAny, wantedWords } from "../../core/contract/lookup.js";
import { count, number } from "../../core/print/numbers.js";
import { byId, element } from "../markup/page/element.js";

const list = byId("listings", HTMLElement);
const rows = [...list.children].filter((row) => row instanceof HTMLElement);
const words = rows.map((row) => foldedWords(row.textContent));
const field = element("input", { id: "filter", class: "field", type: "search", autocomplete: "off" });
const status = element("p", { class: "since", role: "status" });

field.addEventListener("input", () => {
  const wanted = wantedWords(field.value);
  const shown = rows.filter((row, at) => {
    row.hidden = !wanted.every((one) => matchesAny(one, words[at] ?? []));
    return !row.hidden;
  });
  status.textContent = wanted.length === 0 ? "" : `${number(shown.length)} of ${count(rows.length, "listing")}`;
});
const label = element("label", { class: "label", for: field.id }, "Filter listings");
list.before(element("div", { class: "filter", role: "search" }, label, field, status));
