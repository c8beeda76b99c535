/** What a setting's value may be: how its text is read, its schema, the words for what is allowed, and its placeholder. */
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { FIELD_PATHS, isLimit, matchingPaths, parseFieldLimit } from "../contract/fields.js";
import { ENCODINGS, type Encoding } from "../contract/headers.js";
import { basePath, isPublishableUrl, parseBaseUrl } from "../contract/links.js";
import { UserError } from "../errors.js";

/** How the text of a flag or a variable is read. A path is relative to the folder where it was given. */
export type SettingKind = "text" | "path" | "number" | "boolean" | "list";

/** A row of the table of settings. */
export interface Setting {
  kind: SettingKind;
  schema: z.ZodType;
  /** Completes "must be ..."; absent where the schema's own message is a sentence. */
  allowed?: string;
  default?: unknown;
  /** The verbs that have it as a flag. */
  verbs: readonly string[];
  /** What stands after the flag in help. */
  placeholder?: string;
  help: string;
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

export const yesOrNo = { kind: "boolean", schema: z.boolean(), allowed: "true or false", default: false } as const;

export function whole(min: number, max: number) {
  const range = `${min} to ${max}`;
  const allowed = `a whole number from ${range}`;
  return { kind: "number", schema: z.int().min(min).max(max), allowed, range, placeholder: "<number>" } as const;
}

export function text(placeholder: string, allowed: string) {
  return { kind: "text", schema: z.string().min(1), allowed, placeholder } as const;
}

/** One of several words; the first is the default. */
export function oneOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  const allowed = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  const placeholder = `<${words.join("|")}>`;
  return { kind: "text", schema: z.enum(words), allowed, placeholder, default: words[0] as Words[0] } as const;
}

/** The contract's own check, whose message is a whole sentence. */
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

export const publicUrl = {
  kind: "text",
  schema: z.string().refine(isPublishableUrl),
  allowed: "an absolute http(s) URL",
  placeholder: "<url>",
} as const;

/** The URL of a store. Messages do not repeat it, since it may hold a secret. */
export const endpoint = {
  kind: "text",
  schema: z.string().refine((value) => /^https?:\/\/[^\s/?#@\\]+\/?$/i.test(value) && URL.canParse(value), {
    error: "Must be an http(s) URL without path, query and credentials, as in https://s3.example.com.",
  }),
  placeholder: "<url>",
} as const;

/** A number or a percentage. The config file may also give a number that is no text. */
export const limit = {
  kind: "text",
  schema: z
    .union([z.int().min(0), z.string()])
    .transform(String)
    .refine((value) => isLimit(value)),
  allowed: "a number of users, or a percentage like 2%",
  placeholder: "<number|percent>",
} as const;

export const fieldLimits = {
  kind: "list",
  schema: z.array(z.string().refine((value) => parseFieldLimit(value) !== undefined)),
  allowed: "a list of a user's fields and limits, like kyc_status=10,bio=5%",
  placeholder: "<path=limit,...>",
} as const;

export const fields = {
  kind: "list",
  schema: z.array(z.string().refine((value) => matchingPaths(value).length > 0)).min(1),
  allowed: `a list of a user's fields, like bio,off_chain.*; they are ${FIELD_PATHS.join(", ")}`,
  placeholder: "<paths>",
} as const;

const codings = Object.keys(ENCODINGS) as Encoding[];
export const encodings = {
  kind: "list",
  schema: z.array(z.enum(codings)).refine((list) => new Set(list).size === list.length),
  allowed: `a list of ${codings.join(" and ")}, each at most once`,
  placeholder: `<${codings.join(",")}>`,
} as const;

/** Names of checks or hosts. The verb knows which names there are. */
export function names(of: "check" | "host") {
  const schema = z.array(z.string().min(1));
  return { kind: "list", schema, allowed: `a list of names of ${of}s`, placeholder: `<${of},...>` } as const;
}

/** A folder on another machine, where nothing can be looked up. */
export const onHost = {
  kind: "text",
  schema: z.string().regex(/^\/[^\p{Cc}]*$/u),
  allowed: "an absolute path without control characters",
  placeholder: "<folder>",
} as const;

export function hostName(placeholder: string) {
  const schema = z.string().regex(/^[A-Za-z0-9.*_:[\]-]+$/);
  return { kind: "text", schema, allowed: "a host name or an address", placeholder } as const;
}

export const urlPath = {
  kind: "text",
  schema: z
    .string()
    .regex(/^(\/[^\s\p{Cc}?#\\]*)?$/u)
    .transform((value) => basePath(parseBaseUrl(`http://host${value}`))),
  allowed: "a path like /directory, or nothing",
  placeholder: "<path>",
} as const;

export const headerValue = {
  kind: "text",
  schema: z.string().regex(/^[!-~]([ -~]*[!-~])?$/),
  allowed: "one line of ASCII",
  placeholder: "<value>",
} as const;
