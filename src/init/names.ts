/** What names tell: words, fields, paths, and what is better not published. */
import { TAKEN_NAMES } from "../contract/file/listing-rules.js";

/** `userEmail2`, `user-email 2` and `USER_EMAIL_2` are all `user`, `email`, `2`. */
export function wordsOf(name: string): string[] {
  const parted = withoutMarks(name)
    .replace(/IPv(?=[46])/gi, "ip ")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/(\p{L})(?=[0-9])/gu, "$1 ")
    .replace(/([0-9])(?=\p{L})/gu, "$1 ");
  return parted.toLowerCase().match(/\p{L}+|[0-9]+/gu) ?? [];
}

function withoutMarks(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "");
}

interface Telling {
  /** Why a column of such a name is better not published. */
  why: string;
  /** Words that say so wherever they stand as a word of their own, the commonest of some other languages, too. */
  words: ReadonlySet<string>;
  /** Texts long enough to say so within a word, as in `userpassword`; `ip` would be found in `shipping`. */
  within: RegExp;
  /** Words that say so only together: a `key` may be anything, an `api_key` not. */
  together: RegExp;
}

const TELLING: readonly Telling[] = [
  {
    why: "a secret",
    words:
      words(`password passwd pwd pass passphrase passcode hash salt pepper token secret session cookie csrf xsrf jwt otp
      totp hotp mfa pin puk cvv cvc credential nonce pw passwort kennwort contrasena senha wachtwoord losenord`),
    within: /password|passwd|passphrase|secret(?!ar)|apikey|^session|^auth.*key$|(?:token|hash)$/,
    together:
      / (?:(?:api|private|secret|access|auth|encryption|signing|recovery|activation) key|(?:recovery|backup|activation|verification|reset|confirmation|security) (?:code|answer)) /,
  },
  {
    why: "contact data",
    words:
      words(`email mail phone telephone tel mobile cellphone fax address addr street zip zipcode postcode postal postalcode
      whatsapp sms msisdn adresse direccion indirizzo strasse straße calle rue plz telefon telefono handy correo courriel`),
    within: /email|(?<!head|micro|mega|saxo|xylo|vibra)phone|address|^mobile|^street/,
    together: / (?:house number|e mail) /,
  },
  {
    why: "personal data",
    words:
      words(`ip ipaddr ssn passport iban bic card birth birthday birthdate dob born gender sex religion ethnicity salary
      income diagnosis imei geburtsdatum geburtstag nacimiento naissance nascita gehalt sueldo`),
    within: /creditcard|birth|(?:last|login|client|remote|signup|user)ip$/,
    together: / (?:(?:tax|national|social|insurance|security) (?:id|number|security)|user agent|account number) /,
  },
];

function words(text: string): Set<string> {
  return new Set(text.split(/\s+/));
}

/** What a column of this name seems to hold that is not for everybody, if anything: `contact data`. */
export function findPrivacy(column: string): string | undefined {
  const isTelling = (word: string) => TELLING.some(({ words }) => words.has(word));
  const parts = wordsOf(column).map((word) => (isTelling(word) ? word : singular(word)));
  for (const part of parts) {
    const found = TELLING.find(({ words }) => words.has(part)) ?? TELLING.find(({ within }) => within.test(part));
    if (found) return found.why;
  }
  const joined = ` ${parts.join(" ")} `;
  return TELLING.find(({ together }) => together.test(joined))?.why;
}

const FLAGS = words("is has can was are should flag active enabled disabled deleted verified public visible");

/** Whether 0 and 1 in a column are no and yes, by its name or its type, which is `NUM` for a view's `CAST(... AS BOOLEAN)`. */
export function isFlag(column: string, declared: string): boolean {
  if (/^(?:bool(?:ean)?|num|bit|tinyint\s*\(\s*1\s*\))$/i.test(declared)) return true;
  const parts = wordsOf(column);
  return FLAGS.has(parts[0] ?? "") || FLAGS.has(parts.at(-1) ?? "");
}

const TIMES =
  words(`at on date time datetime timestamp ts created updated modified joined login seen expires expiry since until
  published registered epoch start started end ended begin began opened closed last`);

/** Whether numbers in a column may be times, by its declared type or its name. */
export function isTimeName(column: string, declared: string): boolean {
  return /date|time/i.test(declared) || wordsOf(column).some((word) => TIMES.has(word));
}

/** A column's name where every program can write it, as `openSince`; otherwise its words, as `open_since` for `Open Since`. */
export function fieldOf(column: string, taken: ReadonlySet<string>): string {
  if (/^[A-Za-z][A-Za-z0-9_]*$/.test(column) && !taken.has(column) && !(column in {})) return column;
  const ascii = wordsOf(column).map((word) => word.replace(/[^a-z0-9]/g, ""));
  const name = ascii.join("_") || "field";
  const base = /^[a-z]/.test(name) && !(name in {}) ? name : `field_${name}`;
  let free = base;
  for (let number = 2; taken.has(free); number++) free = `${base}_${number}`;
  return free;
}

const IRREGULAR: Readonly<Record<string, string>> = {
  ...{ people: "person", children: "child", men: "man", women: "woman", staff: "staff", news: "news" },
  ...{ series: "series", species: "species", data: "data", media: "media", indices: "index", movies: "movie" },
};

/** One and many of what a table holds: `auth_users` is `auth user` and `auth users`. */
export function wordsForRecords(table: string): readonly [one: string, many: string] {
  const parts = wordsOf(table);
  const last = parts.pop() ?? "record";
  const one = singular(last);
  const many = one === last ? plural(last) : last;
  return [[...parts, one].join(" "), [...parts, many].join(" ")];
}

function singular(word: string): string {
  if (Object.hasOwn(IRREGULAR, word)) return IRREGULAR[word] ?? word;
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, "y");
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.replace(/es$/, "");
  return /[^suia]s$|[^glnvi]as$/.test(word) ? word.slice(0, -1) : word;
}

function plural(word: string): string {
  const [found] = Object.entries(IRREGULAR).find(([, one]) => one === word) ?? [];
  if (found !== undefined) return found;
  if (/[^aeiou]y$/.test(word)) return word.replace(/y$/, "ies");
  return /(?:s|x|ch|sh|z)$/.test(word) ? `${word}es` : `${word}s`;
}

const LONGEST_PATH = 100;

/** The listing's path: `/people/`, where no other file of a release has that name. */
export function pathOf(table: string): string {
  const safe = withoutMarks(table)
    .toLowerCase()
    .slice(0, LONGEST_PATH)
    .replace(/[^a-z0-9_~-]+/g, "-")
    .replace(/^[-_~]+|[-_~]+$/g, "");
  return TAKEN_NAMES.includes(safe) ? `/${safe}-list/` : `/${safe || "records"}/`;
}
