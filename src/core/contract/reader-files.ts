/** Names of files in a release that only some readers load, apart from `links.ts`, which every reader loads. It imports nothing. */

/** The list of views. */
export const VIEWS = "views.json";
/** The names of the records, for the explorers of listings that refer to this one. */
export const LABELS = "labels.json";
