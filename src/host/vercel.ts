/** Vercel: routes in vercel.json. They cannot answer methods other than GET. */
import type { HostKind } from "./kind.js";
import { PAGE_NUMBER } from "./patterns.js";
import type { Headers, Section, SiteRules } from "./rules.js";

export const vercel: HostKind = {
  name: "vercel",
  title: "Vercel",
  query: "has",
  answers: {
    headers: "all but Snapshot-Id; ETag is its own",
    options: "as its edge does",
    refusal: "as its edge does",
    missing: "404, its own page",
  },
  compression: "itself",
  tested: "vercel.json by its router's compiler",
  sizeLimits: { files: 15_000, source: "its API, for an upload; --archive=tgz lifts it" },
  steps: ["Build with --adapt vercel, without --compress; then npx vercel deploy --prod dist/current."],
  inRelease: [
    {
      path: "vercel.json",
      instructions: "Goes into the published folder.",
      text: (rules) => `${JSON.stringify(routesOf(rules), null, 2)}\n`,
    },
  ],
};

function routesOf({ parts, last }: SiteRules) {
  const all = parts.map((part) => routesOfPart(part, last.base));
  return {
    redirects: all.flatMap(({ redirects }) => redirects),
    rewrites: all.flatMap(({ rewrites }) => rewrites),
    headers: all.flatMap(({ headers }) => headers),
  };
}

/** @param root the URL path of the site, below which files have the paths of the release if it is empty. */
function routesOfPart({ folder: own, hasPages, rules }: Section, root: string) {
  const { listing, pages, pageFolder, base, headers, page, redirects, files, routes, families } = rules;
  const list = (of: Headers) => Object.entries(of).map(([key, value]) => ({ key, value }));
  const query = { type: "query", key: "page" };
  const toPage = (name: string) => `/${own}${pageFolder}/${name}`;
  const below = [
    ...(hasPages ? [{ source: `${path(pages)}:file`, destination: toPage(":file") }] : []),
    ...families.map(({ folder, names }) => ({
      source: `${path(`${base}/${folder}/`)}:file(${names})`,
      destination: `/${own}${folder}/:file`,
    })),
    ...[...routes].map(([route, name]) => ({ source: path(route), destination: `/${own}${name}` })),
  ];
  const ofFiles = [...routes].map(([route, name]) => ({
    source: path(route),
    headers: list({ ...headers, ...files.get(name) }),
  }));
  const ofListing = [
    {
      source: path(listing),
      has: [{ ...query, value: `(?<page>${PAGE_NUMBER})` }],
      destination: toPage(":page.json"),
    },
    { source: path(listing), has: [{ ...query, value: "" }], destination: toPage("1.json") },
    { source: path(listing), missing: [query], destination: toPage("1.json") },
  ];
  const ofFamilies = families.map(({ folder, names, headers: its }) => ({
    source: `${path(`${base}/${folder}/`)}(${names})`,
    headers: list({ ...headers, ...its }),
  }));
  return {
    redirects: [...redirects].map(([bare, to]) => ({ source: path(bare), destination: to, statusCode: 301 })),
    rewrites: [...(hasPages ? ofListing : []), ...(root === "" ? [] : below)],
    headers: [
      ...(hasPages ? [{ source: `${path(listing)}(.*)`, headers: list({ ...headers, ...page }) }] : []),
      ...ofFiles,
      ...ofFamilies,
    ],
  };
}

/** Escapes a path for Vercel's patterns. */
function path(text: string): string {
  return text.replace(/[.+*?^${}()|[\]\\:]/g, "\\$&");
}
