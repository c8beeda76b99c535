/** Hosts that cannot map a query. They need releases with `--links path`. */
import { type FileSource, type Host, limitedBy } from "./host.js";
import type { Headers } from "./rules.js";

const GB = 1_000_000_000;
const MIB = 1024 * 1024;
const NONE = { options: "no", refusal: "no", missing: "HTML" } as const;
const ONLINE_ONLY = "not run";
const AS_PREFIX = "If the base URL has a path, that is the prefix:";

const githubPages = byPath({
  name: "github-pages",
  title: "GitHub Pages",
  answers: { ...NONE, headers: "Content-Type, ETag; 10 minutes of caching" },
  compression: "itself",
  tested: ONLINE_ONLY,
  limits: {
    bytes: GB,
    bytesInFile: 100 * MIB,
    source: "docs.github.com/pages/getting-started-with-github-pages/github-pages-limits; files: of a repository",
  },
  steps: ["Publish to the branch that Pages shows; the base URL is https://NAME.github.io/REPOSITORY."],
  published: () => [
    {
      path: ".nojekyll",
      instructions: "Goes into the published folder: files are served as they are. It is empty.",
      text: "",
    },
  ],
});

const gitlabPages = byPath({
  name: "gitlab-pages",
  title: "GitLab Pages",
  answers: { ...NONE, headers: "Content-Type, ETag" },
  compression: "files",
  tested: ONLINE_ONLY,
  limits: { files: 200_000, bytes: GB, source: "GitLab.com: gitlab.com/gitlab-org/gitlab/-/issues/405048" },
  steps: ["Publish to the artifact public/ of a job named pages."],
  files: () => [
    {
      path: ".gitlab-ci.yml",
      instructions: "Put it into the project, whose folder public/ is the release.",
      text: "# GitLab's job, written by Rollcall. Goes into the project. To check it: rollcall verify URL\npages:\n  script: [ls public/snapshot.json]\n  artifacts: { paths: [public] }\n",
    },
  ],
});

const s3Website = byPath({
  name: "s3-website",
  title: "S3 website",
  answers: { ...NONE, headers: "Content-Type, Cache-Control, ETag" },
  compression: "none",
  tested: "uploads only",
  limits: {
    bytesInFile: 5 * GB,
    source: "docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html, one request",
  },
  steps: [
    "rollcall publish s3://BUCKET sets the Content-Type and Cache-Control of each object.",
    `${AS_PREFIX} s3://BUCKET/PATH.`,
    "With --explorer: aws s3 website s3://BUCKET --index-document index.html.",
  ],
});

const firebase = byPath({
  name: "firebase",
  title: "Firebase Hosting",
  answers: {
    headers: "all; ETag is its own",
    options: "200 with the file",
    refusal: "200 with the file",
    missing: "404, HTML",
  },
  compression: "itself",
  tested: "superstatic, its server",
  limits: {
    bytesInFile: 2 * GB,
    source: "firebase.google.com/docs/hosting/reference/rest/v1beta1/sites.versions/populateFiles",
  },
  limitations: {
    ...limitedBy("It cannot map a query: pages by path only", [
      ...["no-page", "other-parameters", "accept"],
      ...["missing-slash", "missing-slash-query"],
    ]),
    ...limitedBy("It answers every method as GET", [...["options", "preflight", "post"]]),
    ...limitedBy("404 is its own page, with the headers of pages", [
      ...["invalid-page", "error-caching", "error-detail"],
    ]),
    ...limitedBy("It has no ranges", ["part-range", "part-if-range"]),
    etag: "Its ETags have no quotes",
    ...limitedBy("It does not compare ETags", [...["not-modified", "not-modified-weak", "not-modified-list"]]),
  },
  steps: [
    "firebase deploy --only hosting, in the folder of firebase.json and public/.",
    "If the base URL has a path, publish to the folder of that name in public/.",
  ],
  files: ({ pageFolder, headers, page, files, routes, families }) => [
    jsonFile("firebase.json", "Put it into the project, beside public/.", {
      hosting: {
        public: "public",
        ignore: ["firebase.json", "**/.*"],
        headers: [
          { source: "**", headers: list(headers) },
          { source: `**/${pageFolder}/*.json`, headers: list(page) },
          ...[...routes].map(([path, name]) => ({
            source: path.endsWith(`/${name}`) ? `**/${name}` : path,
            headers: list(files.get(name) ?? {}),
          })),
          ...families.map(({ folder, headers: own }) => ({ source: `**/${folder}/*`, headers: list(own) })),
        ],
      },
    }),
  ],
});

const azureStaticWebApps = byPath({
  name: "azure-static-web-apps",
  title: "Azure Static Web Apps",
  answers: { ...NONE, headers: "all; ETag is its own", missing: "404, HTML" },
  compression: "itself",
  tested: ONLINE_ONLY,
  limits: {
    files: 15_000,
    bytes: 250 * MIB,
    source: "learn.microsoft.com/azure/static-web-apps/quotas, free plan; standard: twice the bytes",
  },
  steps: [
    "/api belongs to its functions: if the listing's path begins so, give the base URL a path, and publish to a folder of that name.",
    "swa deploy with the parent folder, which holds staticwebapp.config.json.",
  ],
  files: ({ base, pageFolder, headers, page, files, routes, families }) => [
    jsonFile("staticwebapp.config.json", "Put it into the deployed folder, beside the release.", {
      globalHeaders: headers,
      routes: [
        { route: `${base}/${pageFolder}/*`, headers: page },
        ...[...routes].map(([path, name]) => ({ route: path, headers: files.get(name) })),
        ...families.map(({ folder, headers: own }) => ({ route: `${base}/${folder}/*`, headers: own })),
      ],
    }),
  ],
});

const gcs = byPath({
  name: "gcs",
  title: "Google Cloud Storage",
  answers: { ...NONE, headers: "Content-Type, Cache-Control, ETag" },
  compression: "none",
  tested: ONLINE_ONLY,
  limits: { bytesInFile: 5 * 1024 ** 4, source: "cloud.google.com/storage/quotas" },
  steps: [
    "gcloud storage rsync --recursive dist/current gs://BUCKET --cache-control='public, max-age=60'.",
    "gcloud storage objects update gs://BUCKET/snapshot.json gs://BUCKET/SHA256SUMS --cache-control=no-cache.",
    `${AS_PREFIX} gs://BUCKET/PATH.`,
    "With --explorer: gcloud storage buckets update gs://BUCKET --web-main-page-suffix=index.html.",
    "gcloud storage objects update gs://BUCKET/index.html gs://BUCKET/explorer/{app.js,icon.svg,style.css,summary.json} --cache-control=no-cache.",
  ],
});

export const BY_PATH: readonly Host[] = [githubPages, gitlabPages, s3Website, firebase, azureStaticWebApps, gcs];

/** Makes a host without queries, with the steps to build. */
function byPath(host: Omit<Host, "query">): Host {
  const { name, compression, published, steps } = host;
  const build = `Build with --links path${published ? ` --adapt ${name}` : ""}`;
  return {
    ...host,
    query: "no",
    steps: [compression === "files" ? `${build}.` : `${build}, without --compress.`, ...steps],
  };
}

function jsonFile(path: string, place: string, value: unknown): FileSource {
  const instructions = `${place} JSON has no comments. To check it: rollcall verify URL.`;
  return { path, instructions, text: `${JSON.stringify(value, null, 2)}\n` };
}

function list(headers: Headers): { key: string; value: string }[] {
  return Object.entries(headers).map(([key, value]) => ({ key, value }));
}
