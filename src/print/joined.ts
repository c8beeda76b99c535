/**
 * Where the invisible joiners U+200C and U+200D change how a text looks, so that they belong to it: in emoji that Unicode
 * recommends, between letters of Arabic script that would join without them, and between letters of India's scripts after
 * the sign that joins them (UAX 31, UTS 46). Everywhere else, such as at the edge of a word, between Latin letters or
 * twice in a row, they only make two equal-looking texts differ.
 */

/** Whether a text may have something that is joined. Tags are in the flags of England, Scotland and Wales. */
export const JOINER = /\u200c|\u200d|\u{e007f}/u;

/** The letters that join the next one: Unicode's Joining_Type D in the blocks of Arabic. */
const DUAL =
  "\\u0620\\u0626\\u0628\\u062a-\\u062e\\u0633-\\u063f\\u0641-\\u0647\\u0649\\u064a\\u066e\\u066f\\u0678-\\u0687\\u069a-\\u06bf\\u06c1\\u06c2\\u06cc\\u06ce\\u06d0\\u06d1\\u06fa-\\u06fc\\u06ff\\u0750-\\u0758\\u075c-\\u076a\\u076d-\\u0770\\u0772\\u0775-\\u0777\\u077a-\\u077f";
/** Letters of Arabic script, of which all but two join the one before. */
const ARABIC = "[[\\p{Script=Arabic}&&\\p{Letter}]--[\\u0621\\u0674]]";

/** Scripts of India and Sri Lanka, with the sign that joins two consonants. */
const VIRAMAS = {
  Devanagari: "\\u094d",
  Bengali: "\\u09cd",
  Gurmukhi: "\\u0a4d",
  Gujarati: "\\u0acd",
  Oriya: "\\u0b4d",
  Tamil: "\\u0bcd",
  Telugu: "\\u0c4d",
  Kannada: "\\u0ccd",
  Malayalam: "\\u0d4d",
  Sinhala: "\\u0dca",
};

/** One letter, then a joiner and another letter once or several times, each of them with a few marks at most. */
function chain(letter: string, joiner: string, last = letter): string {
  const marks = "\\p{Nonspacing_Mark}{0,3}?";
  return `${letter}${marks}(?:${joiner}${marks}${letter}${marks}){0,9}${joiner}${marks}${last}`;
}

/** The source of a pattern with the flag `v`; it takes the letters at both sides of a joiner as well. */
export const JOINED = [
  "\\p{RGI_Emoji_ZWJ_Sequence}",
  "\\p{RGI_Emoji_Tag_Sequence}",
  chain(`[${DUAL}]`, "\\u200c", ARABIC),
  ...Object.entries(VIRAMAS).map(([script, virama]) =>
    chain(`[\\p{Script=${script}}&&\\p{Letter}]`, `${virama}[\\u200c\\u200d]`),
  ),
].join("|");
