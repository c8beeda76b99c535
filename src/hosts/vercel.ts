/** Vercel: routes in vercel.json. They cannot answer methods other than GET. */
import type { Host } from "./host.js";
import { PAGE_NUMBER } from "./patterns.js";
import type { Headers, Rules } from "./rules.js";

export const vercel: Host = {
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
  limits: { files: 15_000, source: "its API, for an upload; --archive=tgz lifts it" },
  steps: ["Build with --adapt vercel, without --compress; then npx vercel deploy --prod dist/current."],
  published: (rules) => [
    {
      path: "vercel.json",
      instructions: "Goes into the published folder.",
      text: `${JSON.stringify(routes(rules), null, 2)}\n`,
    },
  ],
};

function routes({ listing, pages, pageFolder, base, headers, page, redirects, files, routes, families }: Rules) {
  const list = (of: Headers) => Object.entries(of).map(([key, value]) => ({ key, value }));
  const query = { type: "query", key: "page" };
  const below = [
    { source: `${path(pages)}:file`, destination: `/${pageFolder}/:file` },
    ...families.map(({ folder, names }) => ({
      source: `${path(`${base}/${folder}/`)}:file(${names})`,
      destination: `/${folder}/:file`,
    })),
    ...[...routes].map(([route, name]) => ({ source: path(route), destination: `/${name}` })),
  ];
  const own = [...routes].map(([route, name]) => ({
    source: path(route),
    headers: list({ ...headers, ...files.get(name) }),
  }));
  const ofFamilies = families.map(({ folder, names, headers: its }) => ({
    source: `${path(`${base}/${folder}/`)}(${names})`,
    headers: list({ ...headers, ...its }),
  }));
  return {
    redirects: [...redirects].map(([bare, to]) => ({ source: path(bare), destination: to, statusCode: 301 })),
    rewrites: [
      {
        source: path(listing),
        has: [{ ...query, value: `(?<page>${PAGE_NUMBER})` }],
        destination: `/${pageFolder}/:page.json`,
      },
      { source: path(listing), has: [{ ...query, value: "" }], destination: `/${pageFolder}/1.json` },
      { source: path(listing), missing: [query], destination: `/${pageFolder}/1.json` },
      ...(base === "" ? [] : below),
    ],
    headers: [{ source: `${path(listing)}(.*)`, headers: list({ ...headers, ...page }) }, ...own, ...ofFamilies],
  };
}

/** Escapes a path for Vercel's patterns. */
function path(text: string): string {
  return text.replace(/[.+*?^${}()|[\]\\:]/g, "\\$&");
}
