/** Vercel: routes in vercel.json. They cannot answer methods other than GET. */
import { VIEWS_FOLDER } from "../core/release/layout.js";
import type { HostKind } from "./kind.js";
import { PAGE_NUMBER } from "./patterns.js";
import { type Headers, type Section, type SiteRules, VIEW_SEGMENT } from "./rules.js";

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
  const { listing, pages, pageFolder, views, base, headers, page, redirects, files, routes, families } = rules;
  const list = (of: Headers) => Object.entries(of).map(([key, value]) => ({ key, value }));
  const query = { type: "query", key: "page" };
  /** A rewrite of the pages of a view, which has one segment or two. */
  const toFile = (source: string, to: string) => ({
    source: path(views) + source,
    destination: `/${own}${VIEWS_FOLDER}/${to.replaceAll(`(${VIEW_SEGMENT})`, "")}`,
  });
  const ofViews = VIEW_PATHS.flatMap((view) => [
    { ...toFile(view, `${view}pages/:page.json`), has: [{ ...query, value: `(?<page>${PAGE_NUMBER})` }] },
    { ...toFile(view, `${view}pages/1.json`), has: [{ ...query, value: "" }] },
    { ...toFile(view, `${view}pages/1.json`), missing: [query] },
  ]);
  const toPage = (name: string) => `/${own}${pageFolder}/${name}`;
  const below = [
    ...(hasPages ? [{ source: `${path(pages)}:file`, destination: toPage(":file") }] : []),
    ...(hasPages ? VIEW_PATHS.map((view) => toFile(`${view}pages/:file`, `${view}pages/:file`)) : []),
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
    rewrites: [...(hasPages ? [...ofListing, ...ofViews] : []), ...(root === "" ? [] : below)],
    headers: [
      ...(hasPages
        ? [`${path(listing)}(.*)`, `${path(views)}(.+)/(.*)`].map((source) => ({
            source,
            headers: list({ ...headers, ...page }),
          }))
        : []),
      ...ofFiles,
      ...ofFamilies,
    ],
  };
}

/** The paths of a view without values, and of a value. */
const VIEW_PATHS = [`:view(${VIEW_SEGMENT})/`, `:view(${VIEW_SEGMENT})/:value(${VIEW_SEGMENT})/`];

/** Escapes a path for Vercel's patterns. */
function path(text: string): string {
  return text.replace(/[.+*?^${}()|[\]\\:]/g, "\\$&");
}
