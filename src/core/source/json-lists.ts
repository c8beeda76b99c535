/** Finds the lists of objects in a JSON object, to name the commands that make a file of each. */
import { createScanner } from "jsonc-parser";
import { shellWord } from "../print/text.js";

/** Bytes of a file in which lists are looked for. */
export const MOST_JSON = 32 << 20;
const MOST_LISTS = 20;
/** Maximum number of objects around a list. */
const DEEPEST = 4;

/** The command for each list of objects in a JSON object; none if there is no list, or more than one object. @param file its path */
export function commandsForLists(text: string, file: string): string[] {
  return listsIn(text)
    .slice(0, MOST_LISTS)
    .map((path) => commandFor(path, file));
}

/** The names on the way to a list: `["data", "items"]`. */
type Path = readonly string[];

function listsIn(text: string): Path[] {
  const scanner = createScanner(text, true);
  const lists: Path[] = [];
  // For each open object, the name of the member that is read. In a list, there is none.
  const open: (string | undefined)[] = [];
  let name = "";
  let begun: Path | undefined;
  let isOver = false;
  const next = () => {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    return text.slice(offset, offset + scanner.getTokenLength());
  };
  for (let token = next(); token !== ""; token = next()) {
    if (isOver) return [];
    if (begun && token === "{") lists.push(begun);
    begun = undefined;
    if (token === "[") {
      const path = open.length <= DEEPEST ? open.filter((one) => one !== undefined) : [];
      if (path.length > 0 && path.length === open.length) begun = path;
      open.push(undefined);
    } else if (token === "{") open.push("");
    else if (token === "}" || token === "]") {
      open.pop();
      isOver = open.length === 0;
    } else if (token === ":") open[open.length - 1] = name;
    else if (token.startsWith('"')) name = scanner.getTokenValue();
  }
  return lists;
}

function commandFor(path: Path, file: string): string {
  const filter = path.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `.${JSON.stringify(name)}`)).join("");
  const [last = ""] = path.slice(-1);
  const name = last
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, "-")
    .replace(/^-|-$/g, "");
  return `jq -c '${filter.replaceAll("'", "'\\''")}[]' ${shellWord(file)} > ${shellWord(`${name || "records"}.ndjson`)}`;
}
