/** Marks the words in a text that a search found it by. */
import { foldedWords } from "../../contract/lookup.js";
import { element } from "../../markup/page/element.js";
import { visibleText } from "../../markup/page/text.js";

/** What is searched for: whole words, the last of which may be a beginning. */
export type SearchedWords = readonly string[];

/** Nothing of a text without words. */
export const wantedBy: (text: string) => SearchedWords = foldedWords;

/** Whether any word of a text is among what is searched for. */
export function hasWanted(text: string, wanted: SearchedWords): boolean {
  return piecesOf(text).some((piece) => isWanted(piece, wanted));
}

/** A text in which each such word is marked. */
export function markedText(text: string, wanted: SearchedWords): Node[] {
  const runs: { text: string; isMarked: boolean }[] = [];
  for (const piece of wanted.length > 0 ? piecesOf(text) : [text]) {
    const isMarked = isWanted(piece, wanted);
    const last = runs.at(-1);
    if (last?.isMarked === isMarked) last.text += piece;
    else runs.push({ text: piece, isMarked });
  }
  return runs.map(({ text, isMarked }) => (isMarked ? element("mark", {}, visibleText(text)) : visibleText(text)));
}

/** A key, of which the beginning is marked where that is what is searched for. */
export function markedKey(key: string, searched: string): Node[] {
  if (searched === "" || !key.startsWith(searched)) return [visibleText(key)];
  return [element("mark", {}, visibleText(searched)), visibleText(key.slice(searched.length))];
}

function isWanted(piece: string, wanted: SearchedWords): boolean {
  const beginning = wanted.at(-1);
  if (beginning === undefined) return false;
  return foldedWords(piece).some((word) => wanted.includes(word) || word.startsWith(beginning));
}

/** `["Anna", " ", "Müller"]`. Where writing puts no spaces between words, each character is one. */
function piecesOf(text: string): string[] {
  const runs = text.match(/[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]/gu) ?? [];
  return runs.flatMap((run) => (foldedWords(run).length > 1 ? [...run] : [run]));
}
