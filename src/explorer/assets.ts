/** What the page for people is made of beside itself, as it was compiled with the package. */
import { readFileSync } from "node:fs";
import { EXPLORER_FOLDER } from "../release/layout.js";

const NAMES = ["app.js", "icon.svg", "style.css"];

/** Each file's path in a release, and its bytes. */
export function explorerAssets(): [path: string, bytes: Buffer][] {
  return NAMES.map((name) => [
    `${EXPLORER_FOLDER}/${name}`,
    // Compiled where it is run from `src`, too.
    readFileSync(new URL(`../../lib/${EXPLORER_FOLDER}/${name}`, import.meta.url)),
  ]);
}
