/** The table of verbs, with their help. The code of a verb is loaded on demand. */
import { CONFIG_FILE, CONTRACT_FILE, SAMPLE_FILE } from "../../settings/file.js";
import { SOURCE_KEYS } from "../../settings/settings.js";
import type { Verb } from "./verb.js";

const DIST = "as --dist";

/** In the order of help. */
export const VERBS: Readonly<Record<string, Verb>> = {
  init: {
    summary: `Write a starter ${CONFIG_FILE}, for a database of yours or for sample users`,
    examples: [
      ["rollcall init", `${CONFIG_FILE} and ${SAMPLE_FILE}, never over other files`],
      ["rollcall init && rollcall build && rollcall serve", "the sample users, published and served"],
      [
        "rollcall init --from people.sqlite --table people && rollcall build && rollcall serve",
        `a table of your own: looks at every row, and writes ${CONTRACT_FILE} without what seems to be secret`,
      ],
      [
        "rollcall init --from people.sqlite --query people.sql",
        "what a SELECT makes of it: a key for tables without one, times in our form",
      ],
    ],
    isUnconfigured: true,
    load: async () => (await import("../init.js")).runInit,
  },
  schema: {
    summary: "Print the contract of the records, a table that satisfies it, or a type of them",
    arguments: {
      "[release]": "the contract of this release instead: an id or its beginning, current, previous, or a folder",
    },
    examples: [
      ["rollcall schema --format sql | sqlite3 new.sqlite", "a table for records of the contract"],
      ["rollcall schema current --format typescript > record.ts", "the type of the records that are published"],
    ],
    load: async () => (await import("../schema.js")).runSchema,
  },
  build: {
    summary: "Make a release of the records in a SQLite file, and make it current",
    examples: [
      ["rollcall build --db users.sqlite --base-url https://directory.example.com", "make a release in dist"],
      ["rollcall build --compress br,gzip --problems problems.ndjson", "with the rest from rollcall.config.json"],
      ["rollcall build --shard 3/8 --parts parts", "on one of eight machines, 0 to 7, make an eighth of the pages"],
      ["rollcall build --join parts", "make the release of what all of them made"],
    ],
    load: async () => (await import("../build/build.js")).runBuild,
  },
  diff: {
    summary: "Show what changed between two snapshots, record by record",
    arguments: {
      "[old]":
        "a release's id or its beginning, current, previous, a release's folder, git:REV:PATH, a base URL, or a file of records (default: previous)",
      "[new]": "the same (default: current; a file of records alone is compared with current)",
    },
    examples: [
      ["rollcall diff", "the previous release against the current one"],
      ["rollcall diff data/users.sqlite", "what publishing this source would change"],
      ["rollcall diff git:main:dist/current current --format markdown --output diff.md", "for a pull request"],
      ["rollcall diff https://directory.example.com current --max-removed 1%", "exit 3 when more would go"],
    ],
    reads: SOURCE_KEYS,
    load: async () => (await import("../diff.js")).runDiff,
  },
  verify: {
    summary: "Prove that a release, or what a host answers, is what it says it is",
    arguments: {
      "[what]":
        "a release's id or its beginning, current, previous, a release's folder, or a base URL (default: current)",
    },
    examples: [
      ["rollcall verify", "every byte and every record of the current release"],
      ["rollcall verify https://directory.example.com", "all that readers of a host get, against the current release"],
      ["rollcall verify https://directory.example.com --adapt nginx", "without what nginx cannot do"],
      ["rollcall verify https://directory.example.com --key minisign.pub --max-age 2d", "who has signed it, and when"],
      ["rollcall verify https://directory.example.com --sample 30", "some pages, in some 250 requests"],
    ],
    load: async () => (await import("../verify.js")).runVerify,
  },
  dev: {
    summary: "Build and serve while one works, again whenever the source, the contract or the config changes",
    arguments: { "[db]": "SQLite file to read (default: what db is set to)" },
    examples: [
      ["rollcall dev users.sqlite", "the page for people and the listing, on http://127.0.0.1:8080"],
      ["rollcall dev --port 0 --json", "on any free port, with a line of JSON for each build"],
    ],
    reads: ["baseUrl"],
    load: async () => (await import("../dev/dev.js")).runDev,
  },
  serve: {
    summary: "Serve the current release, and each later one as soon as it is current",
    arguments: { "[dist]": DIST },
    examples: [
      ["rollcall serve", "on http://127.0.0.1:8080"],
      ["rollcall serve --host 0.0.0.0 --port 80 --access-log", "to everyone, with a line for each request"],
      ["rollcall serve --processes 4 --admin 127.0.0.1:9090", "from four processes, with /healthz and /metrics beside"],
    ],
    load: async () => (await import("../serve.js")).runServe,
  },
  host: {
    aliases: ["adapt"],
    summary: "Write what another host needs to answer as the contract says",
    arguments: {
      "[name]": "nginx, apache, cloudflare, ...; without it, the table of all",
      "[dist]": DIST,
    },
    examples: [
      ["rollcall host", "every host, and what each can do"],
      ["rollcall host nginx --write /etc/nginx/conf.d", "nginx's configuration for the current release"],
      ["rollcall host netlify --check", "whether the current release is small enough for Netlify"],
    ],
    load: async () => (await import("../host.js")).runHost,
  },
  publish: {
    summary: "Make a folder or a bucket equal to a release, for a host to serve",
    arguments: {
      "<target>": "a folder, which need not be there yet, or s3://BUCKET/PREFIX",
      "[dist]": DIST,
    },
    examples: [
      ["rollcall publish ../site", "make the folder equal to the current release"],
      ["rollcall publish ../site --dry-run", "only say what would be written and removed"],
      ["rollcall publish s3://my-bucket/directory --purge-list purge.txt", "upload what changed, and list its URLs"],
      [
        "rollcall publish s3://my-bucket/directory --shard 3/8",
        "on one of eight machines, 0 to 7, upload an eighth of the pages",
      ],
    ],
    load: async () => (await import("../publish.js")).runPublish,
  },
  mirror: {
    summary: "Keep a copy of a published listing in a SQLite file, by what has changed",
    arguments: {
      "<url>": "base URL of the listing, as in https://directory.example.com",
      "<file>": "SQLite file that is a mirror already, or is not there yet",
    },
    examples: [
      ["rollcall mirror https://directory.example.com users.sqlite", "make the copy, or bring it up to date"],
      [
        "rollcall mirror https://directory.example.com users.sqlite --every 60s",
        "and again every minute, until stopped",
      ],
      [
        "rollcall mirror https://directory.example.com users.sqlite --key minisign.pub",
        "only what that key has signed",
      ],
    ],
    load: async () => (await import("../mirror.js")).runMirror,
  },
  releases: {
    aliases: ["list", "ls"],
    summary: "List the releases, newest first",
    arguments: { "[dist]": DIST },
    examples: [["rollcall releases", "id, time, records, pages and size of each, and which is current"]],
    load: async () => (await import("../releases.js")).runReleases,
  },
  forget: {
    summary: "Remove kept releases for good, and print the URLs that caches have to forget",
    arguments: { "<id...>": "ids of releases or the beginnings of them, previous, or others: all but the current one" },
    examples: [
      ["rollcall forget 1f6a 77b0c2", "remove two releases; the URLs of what only they had are on stdout"],
      ["rollcall forget others > purge.txt", "remove all but the current one"],
    ],
    load: async () => (await import("../forget.js")).runForget,
  },
  use: {
    summary: "Make another release current",
    arguments: {
      "<id>": "the release's id or the beginning of it, or previous",
      "[dist]": DIST,
    },
    examples: [
      ["rollcall use 1f6a", "switch to the release whose id begins with 1f6a"],
      ["rollcall use previous", "back to the one that was current before"],
    ],
    load: async () => (await import("../use.js")).runUse,
  },
};
