/** Hosts that run a JavaScript module in front of their files. All share one module, with an entry point for each host. */
import { type HostKind, limitedBy } from "./kind.js";
import { readScript } from "./rules.js";

const SCRIPT = {
  name: "edge-answer.js",
  entry: "answer",
  dispatch: `function answer(request, read) {
  const part = partOf(new URL(request.url).pathname);
  return part.answer(request, (path) => read(part.folder + path));
}
`,
};

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

/** A Worker in front of static assets: a Worker, or Pages in advanced mode. */
export const cloudflare: HostKind = {
  name: "cloudflare",
  title: "Cloudflare Worker",
  query: "Worker",
  compression: "itself",
  tested: "the Worker in workerd",
  sizeLimits: {
    files: 20_000,
    bytesInFile: 25 * 1024 * 1024,
    source: "developers.cloudflare.com/workers/platform/limits, free plan; paid: 100,000 files",
  },
  unmetChecks: {
    ...limitedBy("It compresses by itself, so Vary is Accept", ["br-vary", "gzip-vary"]),
    ...limitedBy("It compresses by itself and keeps the plain page's ETag", ["br-tag", "gzip-tag"]),
  },
  steps: ["build --adapt cloudflare without --compress, then npx wrangler deploy"],
  inRelease: [
    {
      path: "_worker.js",
      what: "The Worker",
      instructions: "Goes into the published folder.",
      text: (rules) => readScript(SCRIPT, rules.parts) + WORKER,
    },
    {
      path: ".assetsignore",
      instructions: "Goes beside _worker.js.",
      text: () => "_worker.js\n.assetsignore\n",
    },
  ],
};

/** An edge function, since Netlify's header rules cannot set Allow. */
export const netlify: HostKind = {
  name: "netlify",
  title: "Netlify",
  query: "edge function",
  compression: "itself",
  tested: "the function in Deno",
  sizeLimits: { filesInFolder: 54_000, source: "docs.netlify.com/site-deploys/overview" },
  unmetChecks: limitedBy("It sends Content-Length: 0 for HEAD", ["head-length", "head-file"]),
  steps: ["build without --compress, then netlify deploy --prod"],
  files: [
    {
      path: "netlify/edge-functions/rollcall.js",
      what: "The edge function",
      instructions: "Put it into the project, beside netlify.toml.",
      text: ({ rules }) => readScript(SCRIPT, rules.parts) + EDGE_FUNCTION,
    },
  ],
};
