/** What a setting's value may be: how its text is read, its schema, and the words for what is allowed. */
import { z } from "zod";
import { FIELD_PATHS, matchingPaths } from "../contract/field-paths.js";
import { ENCODINGS, type Encoding } from "../contract/headers.js";
import { isLimit, parseFieldLimit } from "../contract/limits.js";
import { basePath, isPublishableUrl, LINK_STYLES, parseBaseUrl } from "../contract/links.js";
import { UserError } from "../errors.js";

/** How a flag's or a variable's text is read, and whether the value is a path (relative to where it was given). */
export type SettingKind = "text" | "path" | "number" | "boolean" | "list";

/** Whether a text can be a path; what is written like a URL is none that anybody means. */
export function isPath(text: string): boolean {
  return text !== "" && !text.includes("\0") && !/^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** The part of a setting that says what is allowed; `allowed` completes "must be ...". */
export const path = {
  kind: "path",
  schema: z.string().refine(isPath),
  allowed: "a path on this machine",
} as const;

export const yesOrNo = {
  kind: "boolean",
  schema: z.boolean(),
  allowed: "true or false",
  default: false,
} as const;

export function whole(min: number, max: number) {
  const allowed = `a whole number from ${min} to ${max}`;
  return { kind: "number", schema: z.int().min(min).max(max), allowed, placeholder: "<number>" } as const;
}

export function text(allowed: string) {
  return { kind: "text", schema: z.string().min(1), allowed } as const;
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
} as const;

export const publicUrl = {
  kind: "text",
  schema: z.string().refine(isPublishableUrl),
  allowed: "an absolute http(s) URL",
} as const;

/** A store's own URL; one with a secret in it is not repeated. */
export const endpoint = {
  kind: "text",
  schema: z.string().refine((value) => /^https?:\/\/[^\s/?#@\\]+\/?$/i.test(value) && URL.canParse(value), {
    error: "Must be an http(s) URL without path, query and credentials, as in https://s3.example.com.",
  }),
} as const;

export const linkStyle = {
  kind: "text",
  schema: z.enum(LINK_STYLES),
  allowed: LINK_STYLES.join(" or "),
  placeholder: `<${LINK_STYLES.join("|")}>`,
} as const;

export function oneOf<const Names extends readonly [string, ...string[]]>(...names: Names) {
  const allowed = `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  return { kind: "text", schema: z.enum(names), allowed, placeholder: `<${names.join("|")}>` } as const;
}

/** A file may have a number for a number. */
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

const names = Object.keys(ENCODINGS) as Encoding[];
export const encodings = {
  kind: "list",
  schema: z.array(z.enum(names)).refine((list) => new Set(list).size === list.length),
  allowed: `a list of ${names.join(" and ")}, each at most once`,
  placeholder: `<${names.join(",")}>`,
} as const;

/** Names of checks; which there are is the verb's to know. */
export const checks = {
  kind: "list",
  schema: z.array(z.string().min(1)),
  allowed: "a list of names of checks",
  placeholder: "<check,...>",
} as const;

/** A folder on another machine: nothing here can say whether it is there. */
export const onHost = {
  kind: "text",
  schema: z.string().regex(/^\/[^\p{Cc}]*$/u),
  allowed: "an absolute path without control characters",
} as const;

export const hostName = {
  kind: "text",
  schema: z.string().regex(/^[A-Za-z0-9.*_:[\]-]+$/),
  allowed: "a host name or an address",
} as const;

export const urlPath = {
  kind: "text",
  schema: z
    .string()
    .regex(/^(\/[^\s\p{Cc}?#\\]*)?$/u)
    .transform((value) => basePath(parseBaseUrl(`http://host${value}`))),
  allowed: "a path like /directory, or nothing",
} as const;

export const headerValue = {
  kind: "text",
  schema: z.string().regex(/^[!-~]([ -~]*[!-~])?$/),
  allowed: "one line of ASCII",
} as const;
