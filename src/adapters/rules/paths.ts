/** Hosts that cannot map a query: releases linked by path work there, with what each can say beside the bytes. */

import type { Adapter, AdapterFile, AdapterLimits, Claims } from "./adapter.js";
import type { Headers, Rules } from "./rules.js";

interface Facts extends Pick<Adapter, "name" | "title" | "steps"> {
  claims: Omit<Claims, "query">;
  limits: AdapterLimits;
  siblings?: Adapter["siblings"];
  compresses?: boolean;
  published?(rules: Rules): AdapterFile[];
  beside?(rules: Rules): AdapterFile[];
}

const GB = 1_000_000_000;
const MIB = 1024 * 1024;
const JSON_NOTE = "It is JSON, which has no comments. To check it: rollcall verify URL.";

function byPath({
  name,
  title,
  steps,
  claims,
  limits,
  siblings = [],
  compresses = true,
  published,
  beside,
}: Facts): Adapter {
  return {
    name,
    title,
    claims: { query: "no", ...claims },
    siblings,
    compresses,
    limits,
    steps: [
      `Build with --links path${published ? ` --adapt ${name}` : ""}${siblings.length > 0 ? "" : ", without --compress"}.`,
      ...steps,
    ],
    files: (site) => [
      ...(beside?.(site) ?? []),
      ...(published?.(site) ?? []).map((file) => ({ ...file, path: `published/${file.path}` })),
    ],
    ...(published && { published }),
  };
}

const NONE = { options: "no", refusal: "no", missing: "HTML" } as const;
const UNSEEN = "not run: it can only be had online";

export const githubPages = byPath({
  name: "github-pages",
  title: "GitHub Pages",
  claims: {
    ...NONE,
    headers: "Content-Type, ETag; 10 minutes of caching",
    compression: "compresses by itself",
    tested: UNSEEN,
  },
  limits: {
    bytes: GB,
    bytesInFile: 100 * MIB,
    source: "docs.github.com/pages/getting-started-with-github-pages/github-pages-limits; files: of a repository",
  },
  steps: [
    "Publish the release's folder to the branch that Pages shows; its base URL is https://NAME.github.io/REPOSITORY.",
  ],
  published: () => [
    {
      path: ".nojekyll",
      goes: "Goes into the published folder: files are served as they are. It is empty.",
      text: "",
    },
  ],
});

export const gitlabPages = byPath({
  name: "gitlab-pages",
  title: "GitLab Pages",
  claims: {
    ...NONE,
    headers: "Content-Type, ETag",
    compression: "chooses .br and .gz files",
    tested: UNSEEN,
  },
  limits: { files: 200_000, bytes: GB, source: "GitLab.com: gitlab.com/gitlab-org/gitlab/-/issues/405048" },
  siblings: ["br", "gzip"],
  compresses: false,
  steps: ["Publish the release's folder as the artifact public/ of a job that is called pages."],
  beside: () => [
    {
      path: ".gitlab-ci.yml",
      goes: "Goes into the project, whose folder public/ is the release's.",
      text: "# GitLab's job, written by Rollcall. Goes into the project. To check it: rollcall verify URL\npages:\n  script: [ls public/snapshot.json]\n  artifacts: { paths: [public] }\n",
    },
  ],
});

export const s3Website = byPath({
  name: "s3-website",
  title: "S3 website",
  claims: {
    ...NONE,
    headers: "Content-Type, Cache-Control, ETag",
    compression: "no",
    tested: "uploads, by the tests of rollcall publish",
  },
  limits: {
    bytesInFile: 5 * GB,
    source: "docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html, one request",
  },
  compresses: false,
  steps: [
    "rollcall publish s3://BUCKET; each object has the Content-Type and Cache-Control that it is uploaded with.",
    "Where the base URL has a path, that is the prefix: s3://BUCKET/PATH.",
  ],
});

export const firebase = byPath({
  name: "firebase",
  title: "Firebase Hosting",
  claims: {
    headers: "all; ETag is its own",
    options: "200 with the file",
    refusal: "200 with the file",
    missing: "404, HTML",
    compression: "compresses by itself",
    tested: "superstatic, its own server",
  },
  limits: {
    bytesInFile: 2 * GB,
    source: "firebase.google.com/docs/hosting/reference/rest/v1beta1/sites.versions/populateFiles",
  },
  steps: [
    "firebase deploy --only hosting, where firebase.json is and public/ is the release's folder.",
    "Where the base URL has a path, the release lies in the folder of that name in public/.",
  ],
  beside: ({ headers, page, files }) => [
    {
      path: "firebase.json",
      goes: `Goes into the project, beside public/. ${JSON_NOTE}`,
      text: json({
        hosting: {
          public: "public",
          ignore: ["firebase.json", "**/.*"],
          headers: [
            { source: "**", headers: list(headers) },
            { source: "**/api/users/pages/*.json", headers: list(page) },
            ...[...files].map(([name, own]) => ({ source: `**/${name}`, headers: list(own) })),
          ],
        },
      }),
    },
  ],
});

export const azureStaticWebApps = byPath({
  name: "azure-static-web-apps",
  title: "Azure Static Web Apps",
  claims: {
    headers: "all; ETag is its own",
    options: "no",
    refusal: "no",
    missing: "404, HTML",
    compression: "compresses by itself",
    tested: UNSEEN,
  },
  limits: {
    files: 15_000,
    bytes: 250 * MIB,
    source: "learn.microsoft.com/azure/static-web-apps/quotas, free plan; standard: twice the bytes",
  },
  steps: [
    "/api belongs to its functions: give the base URL a path, and publish the release into a folder of that name.",
    "swa deploy, with the folder that holds both that one and staticwebapp.config.json.",
  ],
  beside: ({ base, headers, page, files }) => [
    {
      path: "staticwebapp.config.json",
      goes: `Goes into the folder that is deployed, beside the one of the release. ${JSON_NOTE}`,
      text: json({
        globalHeaders: headers,
        routes: [
          { route: `${base}/api/users/pages/*`, headers: page },
          ...[...files].map(([name, own]) => ({ route: `${base}/${name}`, headers: own })),
        ],
      }),
    },
  ],
});

export const gcs = byPath({
  name: "gcs",
  title: "Google Cloud Storage",
  claims: { ...NONE, headers: "Content-Type, Cache-Control, ETag", compression: "no", tested: UNSEEN },
  limits: { bytesInFile: 5 * 1024 ** 4, source: "cloud.google.com/storage/quotas" },
  compresses: false,
  steps: [
    "gcloud storage rsync --recursive dist/current gs://BUCKET --cache-control='public, max-age=60'.",
    "Where the base URL has a path, that is the prefix: gs://BUCKET/PATH.",
  ],
});

function list(headers: Headers): { key: string; value: string }[] {
  return Object.entries(headers).map(([key, value]) => ({ key, value }));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
