/** Derives words, field names, paths and hints about private data from names of tables and columns. */
import { dirname, parse, resolve } from "node:path";
import { mistakesInNames, TAKEN_NAMES } from "../core/contract/listing-names.js";
import { capital } from "../core/print/text.js";
import { RECORDS_WORDS } from "../core/release/site.js";
import type { SourcePath } from "../core/source/text-format.js";

/** Splits a name into lower-case words: `userEmail2`, `user-email 2` and `USER_EMAIL_2` give `user`, `email`, `2`. */
export function wordsOf(name: string): string[] {
  const parted = withoutMarks(name)
    .replace(/IPv(?=[46])/gi, "ip ")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/(\p{L})(?=[0-9])/gu, "$1 ")
    .replace(/([0-9])(?=\p{L})/gu, "$1 ");
  return parted.toLowerCase().match(/\p{L}+|[0-9]+/gu) ?? [];
}

/** The title of a site, by the name of its file or folder; of several files, by that of their folder: `Shop orders`. */
export function titleOf(source: SourcePath): string | undefined {
  const path = typeof source === "string" ? source : dirname(source[0] ?? "");
  // A file such as towns.csv.gz has two endings.
  const words = parse(parse(resolve(path)).name)
    .name.split(/[\s_-]+/)
    .join(" ")
    .trim();
  return words === "" ? undefined : capital(words);
}

function withoutMarks(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "");
}

interface SensitiveNames {
  /** Kind of private data: `contact data`. */
  why: string;
  /** Whole words that indicate it, in English and some other languages. */
  words: ReadonlySet<string>;
  /** Parts of words that indicate it, as in `userpassword`. Short ones would cause false matches, such as `ip` in `shipping`. */
  within: RegExp;
  /** Combinations of words that indicate it: `api key`, but not `key`. */
  together: RegExp;
}

const SENSITIVE: readonly SensitiveNames[] = [
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

/** Words of columns that are private only where records are about people. */
const PRIVATE_OF_PEOPLE =
  words(`address addr street zip zipcode postcode postal postalcode adresse direccion indirizzo strasse straße calle rue
  plz hash born birth`);

const OF_PEOPLE =
  words(`user person people member customer employee patient student contact client subscriber staff guest passenger
  player voter applicant surname firstname lastname fullname username password email birthday birthdate gender`);
const OF_THINGS =
  words(`file path size byte checksum mime lat latitude lon lng longitude coordinate geo station stop airport port park
  tree building city town village place location site venue museum school hospital restaurant region county country
  company firm organisation organization business vendor supplier brand ticker vat package release commit repository`);

/** Whether records seem to be about places, files or firms rather than people, by the names of the table and its columns. */
export function isAboutThings(table: string, columns: readonly string[]): boolean {
  const all = [table, ...columns].flatMap(wordsOf).map((word) => (OF_PEOPLE.has(word) ? word : singular(word)));
  const joined = ` ${columns.map((column) => wordsOf(column).join(" ")).join(" | ")} `;
  if (all.some((word) => OF_PEOPLE.has(word)) || / (?:first|last|full) name /.test(joined)) return false;
  return all.some((word) => OF_THINGS.has(word));
}

/** The kind of private data that a column's name indicates, if any: `contact data`. */
export function findPrivacy(column: string, ofThings = false): string | undefined {
  const isTelling = (word: string) => SENSITIVE.some(({ words }) => words.has(word));
  const parts = wordsOf(column)
    .map((word) => (isTelling(word) ? word : singular(word)))
    .filter((word) => !(ofThings && PRIVATE_OF_PEOPLE.has(word)));
  for (const part of parts) {
    const found = SENSITIVE.find(({ words }) => words.has(part)) ?? SENSITIVE.find(({ within }) => within.test(part));
    if (found) return found.why;
  }
  const joined = ` ${parts.join(" ")} `;
  return SENSITIVE.find(({ together }) => together.test(joined))?.why;
}

const FLAGS = words("is has can was are should flag active enabled disabled deleted verified public visible");

/** Whether 0 and 1 in a column seem to be booleans, by its name or type. */
export function isFlag(column: string, declared: string): boolean {
  if (/^(?:bit|tinyint\s*\(\s*1\s*\))$/i.test(declared)) return true;
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

/**
 * The field name of a column: its own name if it is an identifier; otherwise its letters and digits of any alphabet in lower
 * case: `open_since` for `Open Since`, `straße` for `Straße`. Names that become equal are numbered.
 */
export function fieldOf(column: string, taken: ReadonlySet<string>): string {
  if (/^[A-Za-z][A-Za-z0-9_]*$/.test(column) && !taken.has(column) && !(column in {})) return column;
  const parts =
    column
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const name = parts.join("_") || "field";
  const base = /^\p{L}/u.test(name) && !(name in {}) ? name : `field_${name}`;
  let free = base;
  for (let number = 2; taken.has(free); number++) free = `${base}_${number}`;
  return free;
}

const IRREGULAR: Readonly<Record<string, string>> = {
  people: "person",
  children: "child",
  men: "man",
  women: "woman",
  staff: "staff",
  news: "news",
  series: "series",
  species: "species",
  data: "data",
  media: "media",
  indices: "index",
  movies: "movie",
};

/** Singular and plural of a table's records: `auth_users` gives `auth user` and `auth users`. */
export function wordsForRecords(table: string): readonly [one: string, many: string] {
  const parts = wordsOf(table);
  const last = parts.pop() ?? "record";
  const one = singular(last);
  const many = one === last ? plural(last) : last;
  return [[...parts, one].join(" "), [...parts, many].join(" ")];
}

/**
 * The title of a contract, and its words for messages. A name with letters beyond ASCII is of another language than English, whose
 * plurals are unknown: its records are `records`.
 */
export function wordingOf(table: string): { title: string; words: readonly [one: string, many: string] } {
  if (/\P{ASCII}/u.test(table)) return { title: capital(table), words: RECORDS_WORDS };
  const words = wordsForRecords(table);
  return { title: capital(words[0]), words };
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

/**
 * Whether a column is named as a table in singular or plural, with or without the name of the table's key: `country`,
 * `countries` and `country_code` for the table countries with the key code, `trip_id` for trips with the key trip_id.
 */
export function isNamedAfter(column: string, table: string, key: string): boolean {
  const name = wordsOf(column).join("");
  const noun = wordsOf(table).join("");
  const keyWords = wordsOf(key);
  // The key may have the name of its table in front.
  const ends = keyWords.map((_, at) => ({ before: keyWords.slice(0, at).join(""), end: keyWords.slice(at).join("") }));
  const own = ends.filter(({ before }) => before === "" || isSameNoun(before, noun)).map(({ end }) => end);
  return ["", ...own].some((end) => name.endsWith(end) && isSameNoun(name.slice(0, name.length - end.length), noun));
}

/** Whether two words are the same, or one is the plural of the other. */
function isSameNoun(one: string, other: string): boolean {
  const pluralsOf = (word: string) => [word, `${word}s`, `${word}es`, word.replace(/y$/, "ies")];
  return pluralsOf(one).includes(other) || pluralsOf(other).includes(one);
}

const LONGEST_PATH = 100;

/** Proposes the listing's path: `/people/`, avoiding names of a release's own files. */
export function proposePath(table: string): string {
  const safe = segmentOf(table);
  return TAKEN_NAMES.includes(safe) ? `/${safe}-list/` : `/${safe}/`;
}

/** How letters are written in ASCII that are more than a letter with a mark, or that German writes with two letters. */
const IN_ASCII: Readonly<Record<string, string>> = {
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "oe",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ŧ: "t",
  ŋ: "ng",
  ı: "i",
};

function segmentOf(table: string): string {
  const letters = table
    .normalize("NFC")
    .toLowerCase()
    .replace(/\p{L}/gu, (letter) => IN_ASCII[letter] ?? letter);
  const safe = withoutMarks(letters)
    .replace(/[^a-z0-9_~-]+/g, "-")
    .slice(0, LONGEST_PATH)
    .replace(/^[-_~]+|[-_~]+$/g, "");
  return safe || "records";
}

/**
 * Proposes the names of the listings of a site: `order-items` for `Order Items`. A table that needs another name never takes
 * that of another table.
 * @returns a name for each table
 */
export function listingNamesOf(tables: readonly string[]): string[] {
  const own = new Set(tables.map((table) => table.toLowerCase()));
  const taken = new Set<string>();
  return tables.map((table) => {
    const safe = segmentOf(table).replaceAll("~", "-");
    const base = mistakesInNames([safe]).length > 0 ? `${safe}-list` : safe;
    const isFree = (name: string) => !taken.has(name) && (name === table.toLowerCase() || !own.has(name));
    let name = base;
    for (let number = 2; !isFree(name); number++) name = `${base}-${number}`;
    taken.add(name);
    return name;
  });
}

/** Words of tables that record what happened. */
const OF_LOGS = words("log changelog audit history trail");

/** Whether a table seems to be a log, by its name. */
export function isLog(table: string): boolean {
  return wordsOf(table).some((word) => OF_LOGS.has(word) || OF_LOGS.has(singular(word)));
}
