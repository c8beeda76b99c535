/** Bios that a careless program somewhere on the way would break on; all are valid text. */
export const HARD_TEXT: readonly string[] = [
  // Quotes and what looks like another language's syntax.
  'She said "it\'s a `test`", then left \\ came back \\" and left.',
  "</script><script>alert(document.domain)</script><!-- ]]> &amp; <b>",
  "'); DROP TABLE users;--",
  '{{7*7}} #{7*7} %s %00 =1+1 {"json":[null,true,1e400]}',
  // Lines, and the characters that only some parsers take for their end.
  "One line\nanother\r\nand\ta\ttabbed one\n",
  "paragraph\u2028and\u2029more\u0085next",
  "bell\u0007 escape\u001b[31mred\u001b[0m delete\u007f unit\u001f",
  // Astral characters, and several that make one glyph.
  "👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇳🇬🇺🇦 🧑🏿‍🚀 1️⃣",
  "𝒜𝓃𝓃𝒶 𠮷野家 𐍈𐌰 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
  // Combining marks: decomposed, stacked, and a composed twin that must stay different.
  "Cafe\u0301 and Café, A\u030a and Å, Z\u0351\u036b\u0343a\u0328\u0308l\u0321\u031bg\u0308\u0300o\u0489",
  // Right to left, with marks that turn the direction around.
  "שלום abc 123 مرحبا \u202eesrever\u202c \u2067isolated\u2069 \u200f",
  // White space and nothing at all.
  "\u00a0 \u3000 \u200b \ufeff ",
  "\ufffd is the replacement character, \ufffe and \uffff are no characters",
  "a very long one: ".concat("wörd 世界 мир عالم 🌍 ".repeat(100)),
];
