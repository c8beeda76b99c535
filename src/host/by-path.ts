/** Hosts that cannot map a query, as rows of data. They need releases with `--links path`; docs/reference/hosts.md has the commands. */
import { type ANSWERS, type HostKind, limitedBy } from "./kind.js";

const GB = 1_000_000_000;
const MIB = 1024 * 1024;

const BY_PATH_ONLY = limitedBy("It cannot map a query: pages by path only", [
  "no-page",
  "other-parameters",
  "accept",
  "missing-slash",
  "missing-slash-query",
]);

const SERVES_ALL = limitedBy("It serves every file of the release", ["unserved-file"]);

/** Of hosts whose headers and errors are their own. */
const FILES_ONLY = {
  ...BY_PATH_ONLY,
  ...limitedBy("Its redirects are its own", ["missing-slash-host"]),
  ...SERVES_ALL,
  ...limitedBy("Its headers, errors and answers to other methods are its own", [
    "allow",
    "vary",
    "cache-control",
    "browsers",
    "nosniff",
    "etag-digest",
    "snapshot-id",
    "link",
    "br-tag",
    "br-vary",
    "gzip-tag",
    "gzip-vary",
    "not-modified-type",
    "file-caching",
    "explorer-caching",
    "explorer-headers",
    "range",
    "options",
    "preflight",
    "post",
    "method-detail",
    "invalid-page",
    "error-type",
    "error-caching",
    "error-vary",
    "error-browsers",
    "error-detail",
    "if-match",
    "modified-since",
    "other-site",
    "part-beyond",
  ]),
};

/** What differs from a host that tests do not run, and whose headers, errors and answers to other methods are its own. */
type Row = Pick<HostKind, "name" | "title" | "compression"> & Partial<HostKind>;

const ROWS: readonly Row[] = [
  {
    name: "github-pages",
    title: "GitHub Pages",
    compression: "itself",
    tested: "as a folder of a plain nginx",
    sizeLimits: {
      bytes: GB,
      bytesInFile: 100 * MIB,
      source: "docs.github.com/pages/getting-started-with-github-pages/github-pages-limits; files: of a repository",
    },
    unmetChecks: FILES_ONLY,
    inRelease: [
      {
        path: ".nojekyll",
        instructions: "Goes into the published folder.",
        text: () => "",
      },
    ],
  },
  {
    name: "gitlab-pages",
    title: "GitLab Pages",
    compression: "files",
    sizeLimits: { files: 200_000, bytes: GB, source: "GitLab.com: gitlab.com/gitlab-org/gitlab/-/issues/405048" },
    unmetChecks: FILES_ONLY,
  },
  {
    name: "s3-website",
    title: "S3 website",
    compression: "none",
    tested: "uploads only",
    sizeLimits: {
      bytesInFile: 5 * GB,
      source: "docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html, one request",
    },
    unmetChecks: FILES_ONLY,
  },
  {
    name: "firebase",
    title: "Firebase Hosting",
    compression: "itself",
    tested: "superstatic, its server",
    sizeLimits: {
      bytesInFile: 2 * GB,
      source: "firebase.google.com/docs/hosting/reference/rest/v1beta1/sites.versions/populateFiles",
    },
    unmetChecks: {
      ...BY_PATH_ONLY,
      ...SERVES_ALL,
      ...limitedBy("It answers every method as GET", ["options", "preflight", "post"]),
      ...limitedBy("404 is its own page, with the headers of pages", ["invalid-page", "error-caching", "error-detail"]),
      ...limitedBy("It has no ranges", ["part-range", "part-if-range"]),
      ...limitedBy("Its ETags have no quotes", ["etag"]),
      ...limitedBy("It does not compare ETags", [
        "not-modified",
        "not-modified-weak",
        "not-modified-list",
        "file-not-modified",
      ]),
      ...limitedBy("Its settings are those of any listing", ["snapshot-id", "link"]),
    },
  },
  {
    name: "azure-static-web-apps",
    title: "Azure Static Web Apps",
    compression: "itself",
    sizeLimits: {
      files: 15_000,
      bytes: 250 * MIB,
      source: "learn.microsoft.com/azure/static-web-apps/quotas, free plan; standard: twice the bytes",
    },
    unmetChecks: FILES_ONLY,
  },
  {
    name: "gcs",
    title: "Google Cloud Storage",
    compression: "none",
    sizeLimits: { bytesInFile: 5 * 1024 ** 4, source: "cloud.google.com/storage/quotas" },
    unmetChecks: FILES_ONLY,
  },
];

const OWN_ANSWERS: typeof ANSWERS = {
  headers: "its own",
  options: "its own",
  refusal: "its own",
  missing: "its own",
};

export const BY_PATH: readonly HostKind[] = ROWS.map((row) => ({
  query: "no",
  tested: "not run",
  steps: [
    `Build with --links path${row.inRelease ? ` --adapt ${row.name}` : ""}${row.compression === "files" ? "" : ", without --compress"}; docs/reference/hosts.md has the commands`,
  ],
  ...row,
  answers: { ...OWN_ANSWERS, ...row.answers },
}));
