/** openapi.json: what a release answers, for machines. It is a function of the contract and of what the release is. */
import type { Contract } from "../../contract/contract.js";
import { MAX_PAGES } from "../../contract/links.js";
import { BULK, CHANGES } from "../../release/layout.js";
import { answerComponents, pathItem } from "./answers.js";
import { exampleOf, examplePage } from "./examples.js";
import { filePaths } from "./files.js";
import { headerComponents } from "./headers.js";
import { type Described, hasRanges, hasSorted, type Part, ref } from "./parts.js";
import { schemaComponents } from "./schemas.js";

/**
 * Move with whatever is written here, so that `verify` knows which descriptions it can make again. A release without steps
 * is described as it was before there were any, and so is one without a look-up, so that those who knew of none still can.
 */
const FORMS = { plain: 1, withSteps: 2, withLookup: 3 } as const;

/** The text of openapi.json. Equal arguments give equal bytes: nothing in it comes from the clock, the machine or a version. */
export function describeApi(contract: Contract, described: Described): string {
  const { file, listing } = contract;
  const record = exampleOf({ type: "object", properties: file.properties });
  const example = record === undefined ? undefined : examplePage(contract, described, record);
  const document = {
    openapi: "3.1.0",
    info: infoOf(contract, described),
    servers: [{ url: described.baseUrl }],
    security: [],
    tags: [
      { name: "pages", description: `All ${listing.words[1]}, page by page.` },
      { name: "files", description: "What else the snapshot holds." },
    ],
    paths: { ...pagePaths(contract), ...filePaths(described) },
    components: {
      schemas: schemaComponents(contract, described),
      headers: headerComponents(described),
      parameters: parameterComponents(described),
      responses: answerComponents(described, example !== undefined),
      ...(example && { examples: { Page: { summary: "The second page of three", value: example } } }),
    },
    "x-form": formOf(described),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function formOf(described: Described): number {
  if (hasSorted(described)) return FORMS.withLookup;
  return described.files.includes(CHANGES) ? FORMS.withSteps : FORMS.plain;
}

function infoOf({ file, listing }: Contract, { baseUrl, links }: Described): Part {
  const [one, many] = listing.words;
  const order = listing.order.map((entry) => (entry.startsWith("-") ? `${entry.slice(1)} (descending)` : entry));
  const sentences = [
    ...(file.description ? [file.description] : []),
    `One snapshot of all ${many}, in pages. They are ordered by ${order.join(", then ")}, and ${listing.key} names each ${one}.`,
    links === "query"
      ? "Follow `next` until it is null. The same pages can be asked for by path."
      : "Follow `next` until it is null. It leads to pages by path; a host that can map a query has the same pages by query.",
    "Every path answers GET, HEAD and OPTIONS, and any other method with 405.",
    `The schemas here are a reader's. They allow further fields, since a later snapshot may have some. The publisher's is contract.json, by which each ${one} was checked. It allows none.`,
  ];
  return {
    title: many.replace(/^./u, (first) => first.toUpperCase()),
    version: `${listing.version}`,
    description: sentences.join("\n\n"),
    contact: { url: baseUrl },
    license: { name: "The publisher's terms", url: baseUrl },
  };
}

function pagePaths({ listing }: Contract): Part {
  const [, many] = listing.words;
  const paged = (name: string, summary: string, ...parameters: string[]) =>
    pathItem({
      name,
      summary,
      tag: "pages",
      parameters: [...parameters, "IfNoneMatch"].map((parameter) => ref("parameters", parameter)),
      get: {
        200: ref("responses", "Page"),
        304: ref("responses", "PageNotModified"),
        404: ref("responses", "InvalidPage"),
      },
      head: {
        200: ref("responses", "PageHead"),
        304: ref("responses", "PageNotModified"),
      },
    });
  return {
    [listing.path]: paged("Page", `A page of ${many}`, "Page", "Format"),
    [listing.path.slice(0, -1)]: pathItem({
      name: "Listing",
      summary: "The listing's path without its final slash",
      tag: "pages",
      get: { 301: ref("responses", "Moved") },
      head: { 301: ref("responses", "Moved") },
    }),
    [`${listing.path}pages/{page}.json`]: paged("PageByPath", `A page of ${many}, by path`, "PageInPath"),
  };
}

function parameterComponents(described: Described): Part {
  const { files } = described;
  const number = { type: "integer", minimum: 1, maximum: MAX_PAGES };
  const page = { name: "page", description: "Which page, by its number in decimal form.", schema: number, example: 2 };
  return {
    Page: {
      ...page,
      in: "query",
      description: "Which page, by its number in decimal form. Without it, or where it is empty, the first.",
    },
    PageInPath: { ...page, in: "path", required: true },
    Format: {
      name: "format",
      in: "query",
      description: "Does not matter: the answer is always JSON.",
      schema: { type: "string" },
      example: "api",
    },
    IfNoneMatch: {
      name: "If-None-Match",
      in: "header",
      description: "The ETag of what the client has.",
      schema: { type: "string" },
    },
    ...(files.includes(BULK) && {
      Part: {
        name: "part",
        in: "path",
        required: true,
        description: "Which part, from 1.",
        schema: number,
        example: 1,
      },
    }),
    ...(hasSorted(described) && {
      Number: {
        ...{ name: "number", in: "path", required: true, schema: number, example: 1 },
        description: "Which file, from 1.",
      },
    }),
    ...(files.includes(CHANGES) && {
      Step: {
        name: "step",
        in: "path",
        required: true,
        description: "Which step, by the first digits of the states that it leads from and to.",
        schema: { type: "string", pattern: "^[0-9a-f]{12}-[0-9a-f]{12}$" },
        example: "0f3a91c2d4e5-77b0c2d91a3f",
      },
    }),
    ...(hasRanges(described) && {
      Range: {
        name: "Range",
        in: "header",
        description: "Which bytes, so that a client need not begin again: bytes=1000-. Not every host offers it.",
        schema: { type: "string" },
      },
    }),
  };
}
