/**
 * Downloads: all records in one gzip file for spreadsheets and programs. From a row here come the setting of its name, the name that
 * no listing may have, headers, rules of other hosts, openapi.json, the explorer's link and the row of `verify`.
 * What makes each one is listed in artifacts/artifacts.ts.
 */
export const DOWNLOADS = {
  csv: { path: "records.csv.gz", format: "CSV", what: "all records as one compressed CSV file, for spreadsheets" },
} as const;

export type DownloadName = keyof typeof DOWNLOADS;
export const DOWNLOAD_NAMES = Object.keys(DOWNLOADS) as DownloadName[];
export const DOWNLOAD_PATHS: readonly string[] = DOWNLOAD_NAMES.map((name) => DOWNLOADS[name].path);

/** Which downloads settings ask for. */
export function chosenDownloads(settings: { readonly [Name in DownloadName]?: boolean | undefined }) {
  const chosen = DOWNLOAD_NAMES.map((name) => [name, settings[name] ?? false]);
  return Object.fromEntries(chosen) as Record<DownloadName, boolean>;
}
