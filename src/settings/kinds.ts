/** What a setting's value may be: how its text is read, its schema, the words for what is allowed, and its placeholder. */
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { parseBaseUrl } from "../contract/base-url.js";
import { isFieldPattern, isLimit, isShare, splitFieldLimit } from "../contract/field-limits.js";
import type { ContractFile } from "../contract/file/form.js";
import { ENCODINGS, type Encoding } from "../contract/headers.js";
import { isObject } from "../contract/json.js";
import { basePath, canParse, isPublishableUrl } from "../contract/links.js";
import { UserError } from "../errors.js";

/** How the text of a flag or a variable is read. A path is relative to the folder where it was given. */
/** `keys`: a list whose items are public keys, or paths of their files. */
export type SettingKind = "text" | "path" | "number" | "boolean" | "list" | "keys";

export interface Setting {
  kind: SettingKind;
  schema: z.ZodType;
  /** Completes "must be ..."; absent where the schema's own message is a sentence. */
  allowed?: string;
  default?: unknown;
  verbs: readonly string[];
  /** Whether it decides what the pages and artifacts of a release hold. */
  decidesData?: true;
  placeholder?: string;
  help: string;
  /** The heading of help that it stands under. */
  group: string;
}

/** @param verbs those that have it as a flag. */
export function row<Kind extends object>(kind: Kind, verbs: readonly string[], help: string) {
  return { ...kind, verbs, help };
}

/** A setting that decides what the pages and artifacts of a release hold. */
export function dataRow<Kind extends object>(kind: Kind, verbs: readonly string[], help: string) {
  return { ...row(kind, verbs, help), decidesData: true } as const;
}

/** Puts rows under a heading of help. */
export function group<Rows extends Record<string, object>>(heading: string, rows: Rows) {
  const grouped = Object.entries(rows).map(([key, one]) => [key, { ...one, group: heading }]);
  return Object.fromEntries(grouped) as { [K in keyof Rows]: Rows[K] & { group: string } };
}

/** Whether a text can be a path. What is written like a URL is no path that anybody means. */
export function isPath(text: string): boolean {
  return text !== "" && !text.includes("\0") && !hasScheme(text);
}

/** Whether a text has the form of a URL, as `s3://bucket` does, so that it is not a path. */
export function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** `path` as seen from `folder`. From `.` it stays as it was typed, so that messages repeat what the user typed. */
export function at(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

export function path(placeholder: string) {
  return { kind: "path", schema: z.string().refine(isPath), allowed: "a path on this machine", placeholder } as const;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time like `90m`, as `toMilliseconds` reads it. */
export const age = ofText(z.string().regex(/^[1-9]\d{0,5}[smhd]$/), "a time like 90m, 36h or 2d", "<time>");

/** How long to wait before something is done again: timers wait no longer than 24 days. */
export const pause = {
  ...age,
  schema: age.schema.refine((text) => toMilliseconds(text) <= 86_400_000),
  allowed: "a time like 60s, 15m or 12h, at most 1d",
};

/** @param text of a span: `36h`. */
export function toMilliseconds(text: string): number {
  return Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? Number.NaN);
}

/** The file of a contract, or the contract as a program or a config file gives it. `readContract` says what is wrong inside. */
export const contract = {
  ...path("<file>"),
  schema: z.union([z.string().refine(isPath), z.custom<ContractFile>(isObject)]),
  allowed: "the path of a contract's file, or the contract itself as an object",
} as const;

/** Lines of the server's own form, of the combined form of Apache and nginx, or none. */
export const accessLog = {
  kind: "boolean",
  schema: z.union([z.boolean(), z.literal("combined")]),
  allowed: "combined, true or false (a folder stands before the flag)",
  default: false,
  placeholder: "[combined]",
} as const;

export const yesOrNo = { kind: "boolean", schema: z.boolean(), allowed: "true or false", default: false } as const;

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

export function text(placeholder: string, allowed: string) {
  return ofText(z.string().min(1), allowed, placeholder);
}

/** A word for one record and one for many. */
export const words = {
  kind: "list",
  schema: z.tuple([z.string().min(1), z.string().min(1)]),
  allowed: "a word for one record and one for many, like station,stations",
  placeholder: "<one,many>",
} as const;

/** One of several words; the first is the default. */
export function oneOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  const allowed = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return { ...ofText(z.enum(words), allowed, `<${words.join("|")}>`), default: words[0] as Words[0] };
}

/** The contract's own check, whose message is a whole sentence. Where the listing is below it, the verb knows. */
export const baseUrl = {
  kind: "text",
  schema: z.string({ error: "Base URL must be text." }).superRefine((value, context) => {
    try {
      parseBaseUrl(value, null);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
    }
  }),
  placeholder: "<url>",
} as const;

export const publicUrl = ofText(z.string().refine(isPublishableUrl), "an absolute http(s) URL", "<url>");

/** The URL of a store. Messages do not repeat it, since it may hold a secret. */
export const endpoint = {
  kind: "text",
  schema: z.string().refine((value) => /^https?:\/\/[^\s/?#@\\]+\/?$/i.test(value) && canParse(value), {
    error: "Must be an http(s) URL without path, query and credentials, as in https://s3.example.com.",
  }),
  placeholder: "<url>",
} as const;

/** A number or a percentage. The config file may also give a number that is no text. */
export const limit = ofText(
  z
    .union([z.int().min(0), z.string()])
    .transform(String)
    .refine(isLimit),
  "a number of records, or a percentage like 2%",
  "<number|percent>",
);

/** A limit on a part of the records that were there. */
export const shareLimit = {
  ...limit,
  schema: limit.schema.refine(isShare),
  allowed: "a number of records, or a percentage up to 100%",
};

export const fieldLimits = ofList(
  z.array(z.string().refine((value) => splitFieldLimit(value) !== undefined)),
  "a list of fields and limits, like country=10,name=5%",
  "<path=limit,...>",
);

export const fields = ofList(
  z.array(z.string().refine(isFieldPattern)).min(1),
  "a list of fields, like name,position.*",
  "<paths>",
);

const codings = Object.keys(ENCODINGS) as Encoding[];
export const encodings = ofList(
  z.array(z.enum(codings)).refine((list) => new Set(list).size === list.length),
  `a list of ${codings.join(" and ")}, each at most once`,
  `<${codings.join(",")}>`,
);

/** Names of checks or hosts. The verb knows which names there are. */
export function names(of: "check" | "host") {
  return ofList(z.array(z.string().min(1)), `a list of names of ${of}s`, `<${of},...>`);
}

/** Which of how many, from 0; `auto` where the engine that starts a run says it. */
export const shard = ofText(
  z.string().regex(/^(auto(\/[1-9]\d{0,8})?|\d{1,9}\/[1-9]\d{0,8})$/),
  "a share like 3/8, auto or auto/8",
  "<number/count>",
);

/** A folder on another machine, where nothing can be looked up. */
export const onHost = ofText(
  z.string().regex(/^\/[^\p{Cc}]*$/u),
  "an absolute path without control characters",
  "<folder>",
);

export function hostName(placeholder: string) {
  return ofText(z.string().regex(/^[A-Za-z0-9.*_:[\]-]+$/), "a host name or an address", placeholder);
}

const PATH_OF_URL = /^(\/[^\s\p{Cc}?#\\]*)?$/u;
export const urlPath = ofText(
  z
    .string()
    .regex(PATH_OF_URL)
    .transform((value) => basePath(parseBaseUrl(`http://host${value}`, null))),
  "a path like /directory, or nothing",
  "<path>",
);

/** RFC 9111, 5.2: `name`, `name=value` or `name="value"`, with commas between. */
const DIRECTIVE = /[!#$%&'*+.^`|~\w-]+(?:=(?:[!#$%&'*+.^`|~\w-]+|"[ !#-~]*"))?/.source;
export const cacheControl = ofText(
  z.string().regex(new RegExp(`^${DIRECTIVE}(?: *, *${DIRECTIVE})*$`)),
  "directives with commas between, like public, max-age=60",
  "<value>",
);

const LISTENER = /^(?:(?:\[([0-9a-f:.]+)\]|([A-Za-z0-9_.-]+)):)?(\d{1,5})$/i;

/** An address to listen on, as `127.0.0.1:9090`, `[::1]:9090` or the port alone, which is on loopback. */
export const listener = {
  ...text("<address:port>", "an address and a port, like 127.0.0.1:9090 or [::1]:9090, or a port alone"),
  schema: z.string().refine((given) => {
    const { port } = toListener(given);
    return port >= 0 && port <= 65_535;
  }),
};

/** @param given as the setting has it. The port is NaN where it has not its form. */
export function toListener(given: string): { host: string; port: number } {
  const [, six, other, port] = LISTENER.exec(given) ?? [];
  return { host: six ?? other ?? "127.0.0.1", port: Number(port) };
}
