/** Users who write at length: texts of all lengths, with what JSON escapes in many of them, and hardly one twice. */
import { makeLogins } from "./places.js";
import { type Random, seededRandom } from "./random.js";
import type { UserRow } from "./schema.js";

/** Letters of one byte, two, three and four. */
const SCRIPTS = [
  "abcdefghijklmnopqrstuvwxyz",
  "àéîöñçßæøå",
  "абвгдежзиклмнопрст",
  "世界人日本語中文字書",
  "😀🎉🌍👍🏽",
].map((letters) => [...letters]);

/** What stands between words where a text has escapes. */
const ESCAPED: readonly string[] = ['"', '" ', "\n", "\r\n", "\t", " \\ ", "\\n", "\u0007"];

const LONGEST = 2_000;

/** The same users with other texts: bios of 1 to 2,000 characters, as many short as long, and other names. */
export function* withLongTexts(users: Iterable<UserRow>, seed: number): Generator<UserRow> {
  const random = seededRandom(seed);
  const logins = makeLogins(seed);
  for (const user of users) {
    const [first_name, last_name] = [word(random, script(random)), word(random, script(random))];
    yield {
      ...user,
      username: user.username === null ? null : `${random.pick(logins)}_${random.hex(6)}`,
      first_name,
      last_name,
      display_name: user.display_name === null ? null : `${first_name} "${word(random, script(random))}" ${last_name}`,
      bio: textOf(random, Math.floor(LONGEST ** (random.below(1_000) / 1_000))),
    };
  }
}

function textOf(random: Random, length: number): string {
  const letters = script(random);
  const hasEscapes = random.chance(40);
  let text = "";
  while (text.length < length)
    text += word(random, letters) + (hasEscapes && random.chance(20) ? random.pick(ESCAPED) : " ");
  return text.trim();
}

/** Most are of ASCII letters. */
function script(random: Random): readonly string[] {
  return random.chance(60) ? (SCRIPTS[0] ?? []) : random.pick(SCRIPTS);
}

function word(random: Random, letters: readonly string[]): string {
  let text = "";
  for (let left = 2 + random.below(9); left > 0; left--) text += random.pick(letters);
  return text;
}
