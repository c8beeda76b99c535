/** Kinds of settings: how the text of a value is parsed, its schema, the message for a wrong value, and its placeholder. */
import { isAbsolute, join } from "node:path";
import * as z from "zod";
import { parseBaseUrl } from "../contract/base-url.js";
import { isFieldPattern, isLimit, isShare, splitFieldLimit, splitListingLimit } from "../contract/field-limits.js";
import type { ContractFile } from "../contract/file/form.js";
import { ENCODINGS, type Encoding } from "../contract/headers.js";
import { isObject } from "../contract/json.js";
import { basePath, canParse, isPublishableUrl } from "../contract/links.js";
import { MOST_VALUES, VIEW_PARTS, type ViewPart } from "../contract/views.js";
import { UserError } from "../errors.js";
import { number } from "../print/numbers.js";
import { isShard } from "../shards.js";

/**
 * How the text of a flag or a variable is parsed. `input` is a path or several, or `-` for standard input; `keys` is a list of public keys
 * or paths of their files; `gates` is a list to which a higher level adds;
 * `decimals` is a list of decimal marks, one of which is a comma; `references` is a list, or a flag without a value.
 */
export type SettingKind =
  | "text"
  | "path"
  | "input"
  | "number"
  | "boolean"
  | "list"
  | "keys"
  | "gates"
  | "decimals"
  | "references"
  | "files"
  | "views"
  | "listings";

/** Whether the text of a kind is a list, which several flags may also give. */
export function isList(kind: SettingKind): boolean {
  return ["list", "keys", "gates", "decimals", "references", "views"].includes(kind);
}

/** The verbs of the command line, in the order of help. */
export type VerbName =
  | "init"
  | "schema"
  | "build"
  | "diff"
  | "verify"
  | "dev"
  | "serve"
  | "host"
  | "publish"
  | "mirror"
  | "releases"
  | "forget"
  | "use";

export interface Setting extends Marks {
  kind: SettingKind;
  schema: z.ZodType;
  /** Completes "must be ..."; undefined if the schema's own message is a sentence. */
  allowed?: string;
  default?: unknown;
  /** The verbs that have it as a flag. */
  verbs: readonly VerbName[];
  placeholder?: string;
  help: string;
  /** Its heading in help. */
  group: string;
}

interface Marks {
  /** Whether it changes the content of pages or artifacts. */
  decidesData?: true;
  /** Whether only the command line has it, and the library does not. */
  isOfCommand?: true;
  /** The verbs that read it from variables and the config file, and have no flag for it. */
  readBy?: readonly VerbName[];
}

/** Marks of a setting that changes the content of pages or artifacts. */
export const DATA = { decidesData: true } as const;

/** Marks of a setting of how a source is read: a diff with a source reads it, too. */
export const SOURCE = { readBy: ["diff"] } as const;

/** Marks of a setting that does both. */
export const SOURCE_DATA = { ...DATA, ...SOURCE } as const;

/** Marks of a setting of the command line alone. */
export const COMMAND = { isOfCommand: true } as const;

/** Makes a setting. @param verbs the verbs that have it as a flag. */
export function row<
  Kind extends object,
  const Verbs extends readonly VerbName[],
  const More extends Marks = Record<never, never>,
>(kind: Kind, verbs: Verbs, help: string, marks?: More) {
  return { ...kind, verbs, help, ...(marks as More) };
}

/** Adds a heading of help to settings. */
export function group<Rows extends Record<string, object>>(heading: string, rows: Rows) {
  const grouped = Object.entries(rows).map(([key, one]) => [key, { ...one, group: heading }]);
  return Object.fromEntries(grouped) as { [K in keyof Rows]: Rows[K] & { group: string } };
}

/** Whether a text can be a path. A text with a URL scheme is refused. */
export function isPath(text: string): boolean {
  return text !== "" && !text.includes("\0") && !hasScheme(text);
}

/** Whether a text begins with a URL scheme, such as `s3://`. */
export function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** Resolves a path relative to `folder`. With `.`, it stays as typed, so that messages show what the user typed. */
export function at(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

/** A path on this machine. */
export function path(placeholder: string) {
  return { kind: "path", schema: z.string().refine(isPath), allowed: "a path on this machine", placeholder } as const;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration such as `90m`; `toMilliseconds` parses it. */
export const age = ofText(z.string().regex(/^[1-9]\d{0,5}[smhd]$/), "a duration such as 90m, 36h or 2d", "<time>");

/** Parses a duration: `36h`. */
export function toMilliseconds(text: string): number {
  return Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? Number.NaN);
}

/** The path of a contract file, or the contract as an object. `loadContract` checks its content. */
export const contract = {
  ...path("<file>"),
  schema: z.union([z.string().refine(isPath), z.custom<ContractFile>(isObject)]),
  allowed: "the path of a contract file, or a contract as an object",
} as const;

/** The access log: off, in the server's own format, or in the combined format of Apache and nginx. */
export const accessLog = {
  kind: "boolean",
  schema: z.union([z.boolean(), z.literal("combined")]),
  allowed: "combined, true or false (put the folder before the flag)",
  default: false,
  placeholder: "[combined]",
} as const;

export const yesOrNo = { kind: "boolean", schema: z.boolean(), allowed: "true or false", default: false } as const;

/** A whole number within a range. */
export function whole(min: number, max: number) {
  const range = `${min} to ${max}`;
  const allowed = `a whole number from ${range}`;
  return { kind: "number", schema: z.int().min(min).max(max), allowed, range, placeholder: "<number>" } as const;
}

function ofText<Schema extends z.ZodType>(schema: Schema, allowed: string, placeholder: string) {
  return { kind: "text", schema, allowed, placeholder } as const;
}

function ofList<Schema extends z.ZodType>(schema: Schema, allowed: string, placeholder: string) {
  return { kind: "list", schema, allowed, placeholder } as const;
}

/** A text that is not empty. */
export function text(placeholder: string, allowed: string) {
  return ofText(z.string().min(1), allowed, placeholder);
}

/** The path that stands for standard input. */
export const STDIN = "-";

/** A file of records, a folder or a list of them, or `-` for standard input. */
export const input = {
  kind: "input",
  schema: z.union([z.string().refine(isPath), z.array(z.string().refine(isPath)).min(1)]),
  allowed: "a path on this machine",
  placeholder: "<file>",
} as const;

export const textFormat = ofText(z.enum(["csv", "tsv", "ndjson"]), "csv, tsv or ndjson", "<csv|tsv|ndjson>");

/** The separator of CSV: one character, or the word `tab`. */
export const separator = ofText(
  z
    .string()
    .transform((text) => (text === "tab" || text === "\\t" ? "\t" : text))
    .refine((text) => /^[^"\r\n]$/u.test(text)),
  "one character, such as ; or the word tab",
  "<character>",
);

export const quote = ofText(z.enum(["none", '"']), 'none or "', '<none|">');

/** The name of an encoding (encoding.spec.whatwg.org). */
export const encoding = ofText(
  z.string().refine((label) => {
    try {
      return new TextDecoder(label) !== undefined;
    } catch {
      return false;
    }
  }),
  "the name of an encoding that browsers know, such as windows-1252, macintosh, shift_jis or utf-16le (iconv converts others)",
  "<name>",
);

/** The settings that each of several text files may have for itself. */
export const OF_FILE = { sourceFormat: textFormat, separator, quote, encoding } as const;

/** The settings of one text file. */
export type SettingsOfFile = {
  readonly [K in keyof typeof OF_FILE]?: z.infer<(typeof OF_FILE)[K]["schema"]> | undefined;
};

/** Text files by name, each with settings of its own. */
export const files = {
  kind: "files",
  schema: z.custom<Readonly<Record<string, SettingsOfFile>>>(
    (value) => isObject(value) && Object.values(value).every(isObject),
  ),
  allowed: 'an object of files by name, such as {"people.csv": {"separator": ";"}}',
} as const;

/** Texts that mean NULL. */
export const marks = ofList(z.array(z.string().min(1)).min(1), "a list of texts, such as n/a,unknown", "<text,...>");

/** The decimal mark of numbers: of all columns, or of one. */
export const decimals = {
  kind: "decimals",
  schema: z.array(z.string().regex(/^(?:.+=)?[.,]$/su)).min(1),
  allowed: "a comma or a point, also for one column, such as , or population=,",
  placeholder: "<mark>",
} as const;

/** Parses a decimal mark: `population=,` is that of the column population. */
export function toDecimal(given: string): { column: string | undefined; mark: "." | "," } {
  return { column: given.slice(0, -2) || undefined, mark: given.endsWith(",") ? "," : "." };
}

/** References between text files: those that names show, or also others. */
export const references = {
  kind: "references",
  schema: z.union([z.boolean(), z.array(z.string().regex(/^.+[.].+=.+$/su)).min(1)]),
  allowed: "true, false or a list of columns and tables, such as orders.customer=customers",
  placeholder: "[table.column=table,...]",
} as const;

/** One of several words; the first is the default. */
export function oneOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  const allowed = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return { ...ofText(z.enum(words), allowed, `<${words.join("|")}>`), default: words[0] as Words[0] };
}

/** A base URL. The message of `parseBaseUrl` is a sentence. */
export const baseUrl = {
  kind: "text",
  schema: z.string({ error: "Base URL must be text." }).superRefine((value, context) => {
    try {
      parseBaseUrl(value);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
    }
  }),
  placeholder: "<url>",
} as const;

/** An absolute http(s) URL. */
export const publicUrl = ofText(z.string().refine(isPublishableUrl), "an absolute http(s) URL", "<url>");

/** The URL of an S3 store. Messages do not repeat it, since it may hold credentials. */
export const endpoint = {
  kind: "text",
  schema: z.string().refine((value) => /^https?:\/\/[^\s/?#@\\]+\/?$/i.test(value) && canParse(value), {
    error: "Must be an http(s) URL without path, query or credentials, such as https://s3.example.com.",
  }),
  placeholder: "<url>",
} as const;

/** Limits on records, for all listings or for one of them. The config file may also give a JSON number. */
function limits(isAllowed: (limit: string) => boolean, allowed: string) {
  const one = z
    .union([z.int().min(0), z.string()])
    .transform(String)
    .refine((text) => isAllowed(splitListingLimit(text).limit));
  const schema = z.union([one, z.array(one).min(1)]).transform((given) => [given].flat());
  return { kind: "gates", schema, allowed: `${allowed}, such as 10, 2% or orders=5%`, placeholder: "<limit>" } as const;
}

export const limit = limits(isLimit, "a number of records or a percentage");

/** A limit on a part of the previous records. */
export const shareLimit = limits(isShare, "a number of records or a percentage up to 100%");

export const fieldLimits = {
  kind: "gates",
  schema: z.array(z.string().refine((value) => splitFieldLimit(value) !== undefined)),
  allowed: "a list of fields and limits, such as country=10,name=5%",
  placeholder: "<path=limit,...>",
} as const;

export const fields = ofList(
  z.array(z.string().refine(isFieldPattern)).min(1),
  "a list of fields, such as name,position.*",
  "<paths>",
);

const codings = Object.keys(ENCODINGS) as Encoding[];
/** A list of content codings. */
export const encodings = ofList(
  z.array(z.enum(codings)).refine((list) => new Set(list).size === list.length),
  `a list of ${codings.join(" and ")}, each at most once`,
  `<${codings.join(",")}>`,
);

/** A list of names of checks or hosts. The verb checks the names. */
export function names(of: "check" | "host") {
  return ofList(z.array(z.string().min(1)), `a list of ${of} names`, `<${of},...>`);
}

/** A shard's number, from 0, and the count. */
export const shard = ofText(
  z.string().refine(isShard),
  "a shard's number from 0 and how many there are, such as 0/8 to 7/8",
  "<number/count>",
);

/** A folder on another machine. It is not checked for existence. */
export const onHost = ofText(
  z.string().regex(/^\/[^\p{Cc}]*$/u),
  "an absolute path without control characters",
  "<folder>",
);

/** The kind of a host name or an address. */
export function hostName(placeholder: string) {
  return ofText(z.string().regex(/^[A-Za-z0-9.*_:[\]-]+$/), "a host name or an address", placeholder);
}

const PATH_OF_URL = /^(\/[^\s\p{Cc}?#\\]*)?$/u;
export const urlPath = ofText(
  z
    .string()
    .regex(PATH_OF_URL)
    .transform((value) => basePath(parseBaseUrl(`http://host${value}`))),
  "a path such as /directory, or nothing",
  "<path>",
);

/** A Cache-Control directive (RFC 9111, 5.2): `name`, `name=value` or `name="value"`. */
const DIRECTIVE = /[!#$%&'*+.^`|~\w-]+(?:=(?:[!#$%&'*+.^`|~\w-]+|"[ !#-~]*"))?/.source;
export const cacheControl = ofText(
  z.string().regex(new RegExp(`^${DIRECTIVE}(?: *, *${DIRECTIVE})*$`)),
  "directives separated by commas, such as public, max-age=60",
  "<value>",
);

const LISTENER = /^(?:(?:\[([0-9a-f:.]+)\]|([A-Za-z0-9_.-]+)):)?(\d{1,5})$/i;

/** An address to listen on: `127.0.0.1:9090`, `[::1]:9090`, or only a port, on 127.0.0.1. */
export const listener = {
  ...text("<address:port>", "an address and a port, such as 127.0.0.1:9090 or [::1]:9090, or only a port"),
  schema: z.string().refine((given) => {
    const { port } = toListener(given);
    return port >= 0 && port <= 65_535;
  }),
};

/** Parses an address to listen on. The port is NaN if the form is wrong. */
export function toListener(given: string): { host: string; port: number } {
  const [, six, other, port] = LISTENER.exec(given) ?? [];
  return { host: six ?? other ?? "127.0.0.1", port: Number(port) };
}

/** The listings of a site by name, each with settings of its own. */
export const listings = {
  kind: "listings",
  schema: z.custom<Readonly<Record<string, Readonly<Record<string, unknown>>>>>(
    (value) => isObject(value) && Object.values(value).every(isObject),
  ),
  allowed: 'an object of listings by name, such as {"orders": {"contract": "orders.json"}}',
} as const;

const viewForm = z.strictObject({
  by: z.string().min(1).optional(),
  part: z.enum(Object.keys(VIEW_PARTS) as [ViewPart, ...ViewPart[]]).optional(),
  order: z.array(z.string().min(1)).min(1).optional(),
  most: z.int().min(1).max(MOST_VALUES.max).optional(),
});

/** The views of a listing: by name, or as a list of fields in the short form. `viewsOf` checks names and fields. */
export const views = {
  kind: "views",
  schema: z.union([z.array(z.string().min(1)).min(1), z.record(z.string(), viewForm)]),
  allowed: `a list such as country,opened:year,-height, or views by name with by, part (${Object.keys(VIEW_PARTS).join(" or ")}), order (a list) or most (1 to ${number(MOST_VALUES.max)}), such as {"country": {"by": "country"}}`,
  placeholder: "<field,...>",
} as const;
