/** Cloudflare: a Worker before static assets, as a Worker or as Pages in its advanced mode. */
import { writeAnswer } from "./edge.js";
import { type Adapter, type AdapterFile, banner } from "./rules/adapter.js";
import type { Rules } from "./rules/rules.js";

export const cloudflare: Adapter = {
  name: "cloudflare",
  title: "Cloudflare Worker",
  claims: {
    query: "Worker",
    headers: "all",
    options: "204",
    refusal: "405, JSON",
    missing: "404, JSON",
    compression: "compresses by itself",
    tested: "the Worker in workerd",
  },
  siblings: [],
  compresses: true,
  limits: {
    files: 20_000,
    bytesInFile: 25 * 1024 * 1024,
    source: "developers.cloudflare.com/workers/platform/limits, free plan; paid: 100,000 files",
  },
  steps: [
    "Build with --adapt cloudflare, and without --compress: then npx wrangler deploy, or npx wrangler pages deploy dist/current.",
    "A Worker is asked for every request, which the free plan counts: 100,000 a day.",
  ],
  files(site) {
    const goes = "Beside where wrangler is called; its assets are the published folder, which holds _worker.js.";
    return [
      {
        path: "wrangler.jsonc",
        goes,
        text: banner("//", "Cloudflare's settings", site, goes) + settings(site),
      },
      ...published(site).map((file) => ({ ...file, path: `published/${file.path}` })),
    ];
  },
  published,
};

function published(rules: Rules): AdapterFile[] {
  const goes = "Goes into the published folder, before which it answers.";
  const worker = `${writeAnswer(rules)}
export default {
  fetch(request, env) {
    const read = (path) => env.ASSETS.fetch(new URL(\`/\${path}\`, request.url));
    return answer(request, read);
  },
};
`;
  return [
    { path: "_worker.js", goes, text: banner("//", "The Worker", undefined, goes) + worker },
    {
      path: ".assetsignore",
      goes: "Beside _worker.js, which it keeps from being read.",
      text: "_worker.js\n.assetsignore\n",
    },
  ];
}

function settings({ serverName, root }: { serverName: string; root: string }): string {
  const name = serverName
    .replace(/[^a-z0-9-]+/gi, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase();
  const fields = {
    name: name || "rollcall",
    main: `${root}/_worker.js`,
    compatibility_date: "2026-01-01",
    assets: {
      directory: root,
      binding: "ASSETS",
      run_worker_first: true,
      html_handling: "none",
      not_found_handling: "none",
    },
  };
  return `${JSON.stringify(fields, null, 2)}\n`;
}
