/** Netlify: an edge function, since its own rules for headers leave Allow out. */
import { writeAnswer } from "./edge.js";
import { type Adapter, banner } from "./rules/adapter.js";
import type { Deployment } from "./rules/deployment.js";

export const netlify: Adapter = {
  name: "netlify",
  title: "Netlify",
  claims: {
    query: "edge function",
    headers: "all",
    options: "204",
    refusal: "405, JSON",
    missing: "404, JSON",
    compression: "compresses by itself",
    tested: "the function in Deno, by Netlify's own npm packages",
  },
  siblings: [],
  compresses: true,
  limits: { filesInFolder: 54_000, source: "docs.netlify.com/site-deploys/overview" },
  steps: [
    "Build without --compress; then netlify deploy --prod --dir dist/current, where netlify.toml is.",
    "The function is asked for every request, which plans count.",
  ],
  files(site) {
    const goes = "Goes into the project's folder netlify/edge-functions, beside netlify.toml.";
    const settings = "Goes into the project's folder, which the published one may be in.";
    return [
      {
        path: "netlify/edge-functions/rollcall.js",
        goes,
        text: banner("//", "The edge function", site, goes) + edge(site),
      },
      {
        path: "netlify.toml",
        goes: settings,
        text: banner("#", "Netlify's settings", site, settings) + toml(site),
      },
    ];
  },
};

/** A file comes from what would answer without the function, so reading one asks no function again. */
function edge(site: Deployment): string {
  return `${writeAnswer(site)}
export default (request, context) =>
  answer(request, (path) => context.next(new Request(new URL(\`/\${path}\`, request.url))));

export const config = { path: "/*" };
`;
}

function toml({ root }: Deployment): string {
  return `[build]\npublish = ${JSON.stringify(root)}\ncommand = ""\n`;
}
