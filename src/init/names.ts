/** What names tell: words, fields, paths, and what is better not published. */
import { TAKEN_NAMES } from "../contract/file/listing-rules.js";

/** `userEmail2`, `user-email 2` and `USER_EMAIL_2` are all `user`, `email`, `2`. */
export function wordsOf(name: string): string[] {
  const parted = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/IPv(?=[46])/gi, "ip ")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/([\p{L}])(?=[0-9])/gu, "$1 ")
    .replace(/([0-9])(?=\p{L})/gu, "$1 ");
  return parted.toLowerCase().match(/[\p{L}]+|[0-9]+/gu) ?? [];
}

const SECRET = "a secret";
const CONTACT = "contact data";
const PERSONAL = "personal data";

/** Words that say so wherever they stand as a word of their own. */
const TELLING: ReadonlyMap<string, string> = new Map([
  ...each(
    SECRET,
    "password passwd pwd pass passphrase passcode hash salt pepper token secret session cookie csrf xsrf",
  ),
  ...each(SECRET, "jwt otp totp hotp mfa pin puk cvv cvc credential nonce"),
  ...each(
    CONTACT,
    "email mail phone telephone tel mobile cellphone fax address addr street zip zipcode postcode postal",
  ),
  ...each(CONTACT, "postalcode whatsapp sms msisdn"),
  ...each(PERSONAL, "ip ipaddr ssn passport iban bic card birth birthday birthdate dob born gender sex religion"),
  ...each(PERSONAL, "ethnicity salary income diagnosis imei"),
  // The commonest words of some other languages.
  ...each(SECRET, "pw passwort kennwort contrasena senha wachtwoord losenord"),
  ...each(CONTACT, "adresse direccion indirizzo strasse straße calle rue plz telefon telefono handy correo courriel"),
  ...each(PERSONAL, "geburtsdatum geburtstag nacimiento naissance nascita gehalt sueldo"),
]);

/** Words that say so only together: a `key` may be anything, an `api_key` not. */
const TOGETHER: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/ (?:api|private|secret|access|auth|encryption|signing|recovery|activation) key /, SECRET],
  [/ (?:recovery|backup|activation|verification|reset|confirmation|security) (?:code|answer) /, SECRET],
  [/ (?:tax|national|social|insurance|security) (?:id|number|security) /, PERSONAL],
  [/ (?:user agent|account number) /, PERSONAL],
  [/ (?:house number|e mail) /, CONTACT],
];

/** Texts long enough to say so within a word, as in `userpassword`; `ip` would be found in `shipping`. */
const WITHIN: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/password|passwd|passphrase|secret(?!ar)|apikey|^session|^auth.*key$|(?:token|hash)$/, SECRET],
  [/email|(?<!head|micro|mega|saxo|xylo|vibra)phone|address|^mobile|^street/, CONTACT],
  [/creditcard|birth|(?:last|login|client|remote|signup|user)ip$/, PERSONAL],
];

function each(why: string, words: string): [string, string][] {
  return words.split(" ").map((word) => [word, why]);
}

/** What a column of this name seems to hold that is not for everybody, if anything: `contact data`. */
export function findPrivacy(column: string): string | undefined {
  const words = wordsOf(column).map((word) => (TELLING.has(word) ? word : singular(word)));
  for (const word of words) {
    const why = TELLING.get(word) ?? WITHIN.find(([pattern]) => pattern.test(word))?.[1];
    if (why !== undefined) return why;
  }
  const joined = ` ${words.join(" ")} `;
  return TOGETHER.find(([pattern]) => pattern.test(joined))?.[1];
}

const FLAG = new Set(
  "is has can was are should flag active enabled disabled deleted verified public visible".split(" "),
);

/** Whether 0 and 1 in a column are no and yes, by its name or its type, which is `NUM` for a view's `CAST(... AS BOOLEAN)`. */
export function isFlag(column: string, declared: string): boolean {
  if (/^(?:bool(?:ean)?|num|bit|tinyint\s*\(\s*1\s*\))$/i.test(declared)) return true;
  const words = wordsOf(column);
  return words.length > 0 && (FLAG.has(words[0] ?? "") || FLAG.has(words.at(-1) ?? ""));
}

const TIMES =
  "at on date time datetime timestamp ts created updated modified joined login seen expires expiry since until published registered epoch start started end ended begin began opened closed last";

const TIME_WORDS = new Set(TIMES.split(" "));

/** Whether numbers in a column may be times, by its declared type or its name. */
export function isTimeName(column: string, declared: string): boolean {
  return /date|time/i.test(declared) || wordsOf(column).some((word) => TIME_WORDS.has(word));
}

/** A column's name where every program can write it, as `openSince`; otherwise its words, as `open_since` for `Open Since`. */
export function fieldOf(column: string, taken: ReadonlySet<string>): string {
  if (/^[A-Za-z][A-Za-z0-9_]*$/.test(column) && !taken.has(column) && !(column in {})) return column;
  const name =
    wordsOf(column)
      .join("_")
      .replace(/[^a-z0-9_]/g, "") || "field";
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
  const words = wordsOf(table);
  const last = words.pop() ?? "record";
  const one = singular(last);
  const many = one === last ? plural(last) : last;
  return [[...words, one].join(" "), [...words, many].join(" ")];
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
  const safe = table
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .slice(0, LONGEST_PATH)
    .replace(/[^a-z0-9_~-]+/g, "-")
    .replace(/^[-_~]+|[-_~]+$/g, "");
  return TAKEN_NAMES.includes(safe) ? `/${safe}-list/` : `/${safe || "records"}/`;
}
