/**
 * Finds where the invisible joiners U+200C and U+200D are legitimate: in emoji that Unicode recommends, between Arabic
 * letters that would otherwise join, and between letters of Indic scripts after a virama (UAX 31, UTS 46). Everywhere else,
 * such as between Latin letters, they only make two equal-looking texts differ.
 */

/** Matches texts that may have joined sequences. U+E007F ends the flags of England, Scotland and Wales. */
export const JOINER = /\u200c|\u200d|\u{e007f}/u;

/** Arabic letters that join the next one: Unicode's Joining_Type D. */
const DUAL =
  "\\u0620\\u0626\\u0628\\u062a-\\u062e\\u0633-\\u063f\\u0641-\\u0647\\u0649\\u064a\\u066e\\u066f\\u0678-\\u0687\\u069a-\\u06bf\\u06c1\\u06c2\\u06cc\\u06ce\\u06d0\\u06d1\\u06fa-\\u06fc\\u06ff\\u0750-\\u0758\\u075c-\\u076a\\u076d-\\u0770\\u0772\\u0775-\\u0777\\u077a-\\u077f";
/** Arabic letters that join the one before: all but two. */
const ARABIC = "[[\\p{Script=Arabic}&&\\p{Letter}]--[\\u0621\\u0674]]";

/** Indic scripts with their virama, the sign that joins two consonants. */
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

/** A letter, then a joiner and a letter, one to ten times, each with at most three marks. */
function chain(letter: string, joiner: string, last = letter): string {
  const marks = "\\p{Nonspacing_Mark}{0,3}?";
  return `${letter}${marks}(?:${joiner}${marks}${letter}${marks}){0,9}${joiner}${marks}${last}`;
}

/** Pattern source (flag `v`) of joined sequences, including the letters on both sides of a joiner. */
export const JOINED = [
  "\\p{RGI_Emoji_ZWJ_Sequence}",
  "\\p{RGI_Emoji_Tag_Sequence}",
  chain(`[${DUAL}]`, "\\u200c", ARABIC),
  ...Object.entries(VIRAMAS).map(([script, virama]) =>
    chain(`[\\p{Script=${script}}&&\\p{Letter}]`, `${virama}[\\u200c\\u200d]`),
  ),
].join("|");
