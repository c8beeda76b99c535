/** Hosts that run a JavaScript module in front of their files. All share one module, with an entry point for each host. */
import type { Deployment, HostedSite } from "./deployment.js";
import { type FileSource, type Host, limitedBy } from "./host.js";
import { type Rules, readScript, scriptRules } from "./rules.js";

/** A Worker in front of static assets: a Worker, or Pages in advanced mode. */
export const cloudflare: Host = {
  name: "cloudflare",
  title: "Cloudflare Worker",
  query: "Worker",
  compression: "itself",
  tested: "the Worker in workerd",
  limits: {
    files: 20_000,
    bytesInFile: 25 * 1024 * 1024,
    source: "developers.cloudflare.com/workers/platform/limits, free plan; paid: 100,000 files",
  },
  limitations: {
    ...limitedBy("It compresses by itself, so Vary is Accept", ["br-vary", "gzip-vary"]),
    ...limitedBy("It compresses by itself and keeps the plain page's ETag", ["br-tag", "gzip-tag"]),
  },
  steps: [
    "Build with --adapt cloudflare, without --compress; then npx wrangler deploy, or npx wrangler pages deploy dist/current.",
    "The Worker runs for every request; the free plan has 100,000 a day.",
  ],
  files: (deployment, site) => [
    {
      path: "wrangler.jsonc",
      what: "Cloudflare's settings",
      instructions: "Put it where you run wrangler; its assets are the published folder, which contains _worker.js.",
      text: `${JSON.stringify(wranglerSettings(deployment, site), null, 2)}\n`,
    },
  ],
  published: workerFiles,
};

/** An edge function, since Netlify's header rules cannot set Allow. */
export const netlify: Host = {
  name: "netlify",
  title: "Netlify",
  query: "edge function",
  compression: "itself",
  tested: "the function in Deno",
  limits: { filesInFolder: 54_000, source: "docs.netlify.com/site-deploys/overview" },
  limitations: { "head-length": "It sends Content-Length: 0 for HEAD" },
  steps: [
    "Build without --compress; then netlify deploy --prod --dir dist/current, where netlify.toml is.",
    "The function runs for every request, and plans count these.",
  ],
  files: (deployment) => [
    {
      path: "netlify/edge-functions/rollcall.js",
      what: "The edge function",
      instructions: "Put it into the project's folder netlify/edge-functions, beside netlify.toml.",
      text: writeModule(deployment) + EDGE_FUNCTION,
    },
    {
      path: "netlify.toml",
      what: "Netlify's settings",
      instructions: "Put it into the project's folder; the published folder may be inside it.",
      text: `[build]\npublish = ${JSON.stringify(deployment.folder)}\ncommand = ""\n`,
    },
  ],
};

function workerFiles(rules: Rules): FileSource[] {
  return [
    {
      path: "_worker.js",
      what: "The Worker",
      instructions: "Goes into the published folder; it answers before the files do.",
      text: writeModule(rules) + WORKER,
    },
    {
      path: ".assetsignore",
      instructions: "Goes beside _worker.js; it keeps both from being served as files.",
      text: "_worker.js\n.assetsignore\n",
    },
  ];
}

function wranglerSettings({ folder }: Deployment, { serverName }: HostedSite) {
  const name = serverName
    .replace(/[^a-z0-9-]+/gi, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase();
  return {
    name: name || "rollcall",
    main: `${folder}/_worker.js`,
    compatibility_date: "2026-01-01",
    assets: {
      directory: folder,
      binding: "ASSETS",
      run_worker_first: true,
      html_handling: "none",
      not_found_handling: "none",
    },
  };
}

/** The Worker reads the release's files from the static assets. */
const WORKER = `
export default {
  fetch(request, env) {
    return answer(request, (path) => env.ASSETS.fetch(new URL(\`/\${path}\`, request.url)));
  },
};
`;

/** `context.next` reads the release's files without calling the function again. */
const EDGE_FUNCTION = `
export default (request, context) =>
  answer(request, (path) => context.next(new Request(new URL(\`/\${path}\`, request.url))));

export const config = { path: "/*" };
`;

/** Writes the module with `answer`, which entry points call. */
function writeModule(rules: Rules): string {
  const declaration = `const RULES = ${JSON.stringify(scriptRules(rules), null, 2)};`;
  return readScript(new URL("./edge-answer.js", import.meta.url), declaration);
}
