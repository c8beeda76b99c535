/** Links between the explorers of a site's listings: from a reference to its record, and from a record to those that refer to it. */
import type { AnyRecord } from "../../core/contract/contract.js";
import type { FieldSchema } from "../../core/contract/file/form.js";
import type { Referrer } from "../../core/contract/references.js";
import { capital } from "../../core/print/text.js";
import { element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";
import { referenceOf } from "../meaning.js";
import { addressOf, BEGINNING, type Chosen } from "./address.js";
import type { ListingFacts } from "./reader.js";
import { namesOf } from "./values.js";

/** The URL of another listing's explorer, relative to this one; undefined outside of a site. */
function explorerOf({ snapshot }: Pick<ListingFacts, "snapshot">, name: string): string | undefined {
  const { site, base_url } = snapshot;
  if (site === undefined || !base_url.startsWith(`${site}/`)) return undefined;
  const own = base_url.slice(site.length + 1);
  return `${"../".repeat(own.split("/").length)}${name}/index.html`;
}

/** Makes a value with `x-references` a link to the record with this key; returns any other value as it is. */
export function linkedReference(known: ListingFacts, schema: FieldSchema, value: unknown, shown: Node): Node {
  const to = referenceOf({ schema });
  if (to === undefined || (typeof value !== "string" && typeof value !== "number")) return shown;
  const explorer = explorerOf(known, to);
  if (explorer === undefined) return shown;
  const href = `${explorer}${addressOf({ key: String(value) })}`;
  // Links do not nest.
  return element("a", { href }, shown instanceof HTMLAnchorElement ? visibleText(String(value)) : shown);
}

/** The section with links to the records that refer to this one; empty if no field that is a facet does. */
export function referringRecords(
  record: AnyRecord,
  known: ListingFacts,
  referrers: readonly Referrer[],
): HTMLElement[] {
  const { id } = namesOf(record, known);
  const key: Chosen = known.contract.key.kind === "text" ? id : Number(id);
  const rows = referrers.flatMap(({ from, path, words }) => {
    const explorer = explorerOf(known, from);
    if (explorer === undefined) return [];
    const href = `${explorer}${addressOf({ ...BEGINNING, where: new Map([[path, [key]]]) })}`;
    const link = element("a", { href }, visibleText(`${capital(words[1])} with this ${path}`));
    return [element("li", {}, link)];
  });
  if (rows.length === 0) return [];
  const title = element("h3", { id: "referring-title" }, "What refers to it");
  return [element("section", { class: "origin", "aria-labelledby": title.id }, title, element("ul", {}, ...rows))];
}
