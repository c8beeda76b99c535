/** Marks the words in a text that a search found it by. */
import { foldedWords, isAmong, isUnspaced, type WantedWord } from "../../contract/lookup.js";
import { element } from "../../markup/page/element.js";
import { visibleText } from "../../markup/page/text.js";

/** What is searched for; nothing of a text without words. */
export type SearchedWords = readonly WantedWord[];

/** Whether any word of a text is among what is searched for. */
export function hasWanted(text: string, wanted: SearchedWords): boolean {
  return piecesOf(text, wanted).some(({ isMarked }) => isMarked);
}

/** A text in which each such word is marked. */
export function markedText(text: string, wanted: SearchedWords): Node[] {
  const runs: Piece[] = [];
  for (const { text: piece, isMarked } of piecesOf(text, wanted)) {
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

/** Characters that are looked at to know a word by: more than any has that is not a line by itself. */
const MOST_SHOWN = 64;

interface Piece {
  text: string;
  isMarked: boolean;
}

/** Words and what is between them. Where writing puts no spaces between words, each character with its marks. */
function piecesOf(text: string, wanted: SearchedWords): Piece[] {
  if (wanted.length === 0) return [{ text, isMarked: false }];
  const runs = text.match(/[\p{L}\p{N}\p{M}\p{So}]+|[^\p{L}\p{N}\p{M}\p{So}]/gu) ?? [];
  return runs.flatMap((run) => {
    const words = foldedWords(run);
    return words.some(isUnspaced) ? charactersOf(run, wanted) : { text: run, isMarked: words.some(isWantedBy(wanted)) };
  });
}

function isWantedBy(wanted: SearchedWords) {
  return (word: string) => wanted.some((one) => isAmong(one, [word]));
}

/** Characters of a run of which some are of writing without spaces. A word that is found is marked from its first to its last. */
function charactersOf(run: string, wanted: SearchedWords): Piece[] {
  const characters = run.match(/.\p{M}*/gsu) ?? [];
  let marked = 0;
  let isBegun = false;
  return characters.map((text, at) => {
    const [word = ""] = foldedWords(characters.slice(at, at + MOST_SHOWN).join(""));
    const isAlone = isUnspaced(word);
    if (isAlone || !isBegun)
      for (const one of wanted)
        if (isAmong(one, [word])) marked = Math.max(marked, Array.from(isAlone ? one.word : word).length);
    isBegun = !isAlone;
    return { text, isMarked: marked-- > 0 };
  });
}
