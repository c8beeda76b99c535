/** Hosts that run a JavaScript module before their files: one module answers for all, and each host has an entry to it. */
import { readFileSync } from "node:fs";
import { type Adapter, type FileSource, limitedBy } from "../rules/adapter.js";
import type { Deployment } from "../rules/deployment.js";
import type { Rules } from "../rules/rules.js";
import { readScript, scriptRules } from "../rules/script.js";

/** A Worker before static assets, as a Worker or as Pages in advanced mode. */
export const cloudflare: Adapter = {
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
    ...limitedBy("It compresses on the way, and not by the release's files: Vary says Accept", [
      "br-vary",
      "gzip-vary",
    ]),
    ...limitedBy("It compresses on the way, under the tag of the plain page", ["br-tag", "gzip-tag"]),
    compressed: "It compresses on the way, under the tag of the plain page, and HEAD says the plain length",
    malformed: "What its parser refuses is answered before the Worker is asked",
    "method-unknown": "It answers 501 to a method that it does not know",
    "options-of-server": "OPTIONS * has no URL, so no Worker is asked",
    connect: "CONNECT has no URL, so no Worker is asked",
  },
  steps: [
    "Build with --adapt cloudflare, and without --compress: then npx wrangler deploy, or npx wrangler pages deploy dist/current.",
    "A Worker is asked for every request, which the free plan counts: 100,000 a day.",
  ],
  files: (deployment) => [
    {
      path: "wrangler.jsonc",
      what: "Cloudflare's settings",
      instructions: "Beside where wrangler is called; its assets are the published folder, which holds _worker.js.",
      text: `${JSON.stringify(wranglerSettings(deployment), null, 2)}\n`,
    },
  ],
  published: workerFiles,
};

/** An edge function, since Netlify's own rules for headers leave Allow out. */
export const netlify: Adapter = {
  name: "netlify",
  title: "Netlify",
  query: "edge function",
  compression: "itself",
  tested: "the function in Deno, by Netlify's own npm packages",
  limits: { filesInFolder: 54_000, source: "docs.netlify.com/site-deploys/overview" },
  limitations: {
    "head-length": "Its engine sends bodies as they come, and says Content-Length: 0 of HEAD",
    trace: "A request of its engine cannot be TRACE, so no function is asked",
  },
  steps: [
    "Build without --compress; then netlify deploy --prod --dir dist/current, where netlify.toml is.",
    "The function is asked for every request, which plans count.",
  ],
  files: ({ release, root, ...rules }) => [
    {
      path: "netlify/edge-functions/rollcall.js",
      what: "The edge function",
      instructions: "Goes into the project's folder netlify/edge-functions, beside netlify.toml.",
      text: writeModule(new URL("./edge-function.js", import.meta.url), rules),
    },
    {
      path: "netlify.toml",
      what: "Netlify's settings",
      instructions: "Goes into the project's folder, which the published one may be in.",
      text: `[build]\npublish = ${JSON.stringify(root)}\ncommand = ""\n`,
    },
  ],
};

function workerFiles(rules: Rules): FileSource[] {
  return [
    {
      path: "_worker.js",
      what: "The Worker",
      instructions: "Goes into the published folder, before which it answers.",
      text: writeModule(new URL("./worker.js", import.meta.url), rules),
    },
    {
      path: ".assetsignore",
      instructions: "Beside _worker.js, which it keeps from being read.",
      text: "_worker.js\n.assetsignore\n",
    },
  ];
}

function wranglerSettings({ serverName, root }: Deployment) {
  const name = serverName
    .replace(/[^a-z0-9-]+/gi, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase();
  return {
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
}

/** @param entry the module that the host calls; what it imports takes the place of the import. */
function writeModule(entry: URL, rules: Rules): string {
  const declaration = `const RULES = ${JSON.stringify(scriptRules(rules), null, 2)};`;
  const answer = readScript(new URL("./answer.js", import.meta.url), declaration);
  const [, rest = ""] = readFileSync(entry, "utf8").split('from "./answer.js";\n');
  return answer + rest;
}
