/** The table of verbs, with their help. The code of a verb is loaded on demand. */

import type { VerbName } from "../../core/settings/kinds.js";
import { CONFIG_FILE, CONTRACT_FILE, SAMPLE_FILE } from "../../core/settings/names.js";
import type { Verb } from "./verb.js";

const DIST = "same as --dist";

/** In the order of help. */
export const VERBS: Readonly<Record<VerbName, Verb>> = {
  init: {
    summary: `Write a starter ${CONFIG_FILE}, with sample users or for your table`,
    details: `With --from, reads every row and writes a ${CONTRACT_FILE} that leaves out columns that look secret. \
Never overwrites a file, but with --update adds new columns of the source that \
${CONFIG_FILE} names to its contract, raises the version, and prints the diff; all else in the contract stays as it is.`,
    examples: [
      ["rollcall init", `write ${CONFIG_FILE} and ${SAMPLE_FILE}`],
      ["rollcall init --from people.sqlite && rollcall build && rollcall serve", "publish and serve your own table"],
      ["rollcall init --from shop.db --all", "write a contract for each table, in contracts"],
      ["rollcall init --from data/ --all", "write a contract for each text file in a folder"],
      ["rollcall init --update", "add new columns to the contract"],
    ],
    isUnconfigured: true,
    load: async () => (await import("../init.js")).runInit,
  },
  schema: {
    summary: "Print the contract as JSON Schema, SQL or TypeScript",
    arguments: {
      "[release]": "print the contract of this release: an id or its beginning, current, previous, or a folder",
    },
    examples: [
      ["rollcall schema --format sql | sqlite3 new.sqlite", "create an empty table that fits the contract"],
      ["rollcall schema current --format typescript > record.ts", "write the type of a published record"],
    ],
    load: async () => (await import("../schema.js")).runSchema,
  },
  build: {
    summary: "Make a release from a SQLite or text file, and make it current",
    details:
      "Checks every record against the contract. An invalid record or an exceeded limit leaves the current release as it is. Unchanged data makes no new release.",
    examples: [
      ["rollcall build --db users.sqlite --base-url https://directory.example.com", "make a release in dist"],
      ["rollcall build --compress br,gzip --max-removed 1%", `take the other settings from ${CONFIG_FILE}`],
      ["rollcall build --shard 3/8 --parts parts", "on one of eight machines, make an eighth of the pages"],
      ["rollcall build --join parts", "then make the release from all the parts"],
    ],
    load: async () => (await import("../build/build.js")).runBuild,
  },
  diff: {
    summary: "Show what changed between two snapshots, record by record",
    arguments: {
      "[old]":
        "an id or its beginning, current, previous, a release's folder, git:REV:PATH, a base URL, or a source file (default: previous)",
      "[new]": "the same (default: current; a source file alone is compared with current)",
    },
    examples: [
      ["rollcall diff", "compare the previous release with the current one"],
      ["rollcall diff data/users.sqlite", "preview what building this source would change"],
      [
        "rollcall diff git:main:dist/current current --format markdown --output diff.md",
        "write a report for a pull request",
      ],
    ],
    load: async () => (await import("../diff.js")).runDiff,
  },
  verify: {
    summary: "Verify a release on disk, or what a host serves",
    details:
      "On disk, checks every byte and every record. By URL, requests every page and file, compares them with the release, and checks HTTP behaviour.",
    arguments: {
      "[what]": "an id or its beginning, current, previous, a release's folder, or a base URL (default: current)",
    },
    examples: [
      ["rollcall verify", "verify the current release"],
      ["rollcall verify https://directory.example.com", "verify a host against the current release"],
      ["rollcall verify https://directory.example.com --adapt nginx", "allow what nginx cannot do"],
      ["rollcall verify https://directory.example.com --key minisign.pub --max-age 2d", "require a fresh signature"],
    ],
    load: async () => (await import("../verify.js")).runVerify,
  },
  dev: {
    summary: "Serve a preview, rebuilt when the source, the contract or the config changes",
    details: "Builds into a temporary folder and serves on 127.0.0.1 only; dist is not touched.",
    arguments: { "[db...]": "same as --db" },
    examples: [
      ["rollcall dev users.sqlite", "serve the explorer and the listing on http://127.0.0.1:8080"],
      ["rollcall dev shop.db", "serve each table that has a key"],
      ["rollcall dev data/", "serve each CSV, TSV and NDJSON file in a folder"],
    ],
    load: async () => (await import("../dev/dev.js")).runDev,
  },
  serve: {
    summary: "Serve the current release, and switch as soon as another is current",
    arguments: { "[dist]": DIST },
    examples: [
      ["rollcall serve", "serve on http://127.0.0.1:8080"],
      ["rollcall serve --host 0.0.0.0 --port 80 --access-log", "serve to the network, and log requests"],
      ["rollcall serve --admin 127.0.0.1:9090", "serve, with health checks and metrics"],
    ],
    load: async () => (await import("../serve/serve.js")).runServe,
  },
  host: {
    summary: "Write the configuration for nginx, Apache, Cloudflare and other hosts",
    arguments: {
      "[name]": "nginx, apache, cloudflare, ... (default: list all hosts)",
      "[dist]": DIST,
    },
    examples: [
      ["rollcall host", "list the hosts and what each can do"],
      ["rollcall host nginx --write /etc/nginx/conf.d", "write nginx's configuration"],
    ],
    load: async () => (await import("../host.js")).runHost,
  },
  publish: {
    summary: "Make a folder or an S3 bucket equal to a release",
    details: "Writes only what changed. Leaves files alone that Rollcall did not write.",
    arguments: {
      "<target>": "a folder, or s3://BUCKET/PREFIX",
      "[dist]": DIST,
    },
    examples: [
      ["rollcall publish ../site", "make the folder equal to the current release"],
      ["rollcall publish s3://my-bucket/directory --purge-list purge.txt", "upload what changed, and list its URLs"],
    ],
    load: async () => (await import("../publish.js")).runPublish,
  },
  mirror: {
    summary: "Copy a published listing or site to a SQLite file, or update that copy",
    details:
      "Downloads only what changed if the release has the steps (build --changes). A site has a table for each listing.",
    arguments: {
      "<url>": "base URL of the listing or the site",
      "<file>": "SQLite file of the mirror; created if it does not exist",
    },
    examples: [
      ["rollcall mirror https://directory.example.com users.sqlite", "create or update the copy"],
      ["rollcall mirror https://directory.example.com users.sqlite --key minisign.pub", "accept signed releases only"],
    ],
    load: async () => (await import("../mirror.js")).runMirror,
  },
  releases: {
    summary: "List the releases, newest first",
    arguments: { "[dist]": DIST },
    examples: [["rollcall releases", "print id, time, records, pages and size of each release in dist"]],
    load: async () => (await import("../releases.js")).runReleases,
  },
  forget: {
    summary: "Delete old releases, and print the URLs to purge from caches",
    arguments: { "<id...>": "ids or their beginnings, previous, or others (all but the current release)" },
    examples: [
      ["rollcall forget 1f6a 77b0c2", "delete two releases; print the URLs that only they had"],
      ["rollcall forget others > purge.txt", "delete all releases but the current one"],
    ],
    load: async () => (await import("../forget.js")).runForget,
  },
  use: {
    summary: "Make another release current",
    details: "Checks every byte of it first.",
    arguments: {
      "<id>": "an id or its beginning, or previous",
      "[dist]": DIST,
    },
    examples: [
      ["rollcall use 1f6a", "switch to the release whose id begins with 1f6a"],
      ["rollcall use previous", "switch back"],
    ],
    load: async () => (await import("../use.js")).runUse,
  },
};
