/** Imports one text file, for tests of how its text is read. */
import { type ImportAs, type ImportEffects, type Imported, importTexts } from "../../src/core/source/text-file.js";
import { findTextFiles } from "../../src/core/source/text-files.js";
import type { TextSettings } from "../../src/core/source/text-format.js";

/** @param to the path of the SQLite file */
export async function importFile(
  path: string,
  settings: TextSettings,
  to: string,
  as: ImportAs,
  effects?: ImportEffects,
): Promise<Imported> {
  const find = () => {
    const files = findTextFiles(path, settings)?.files ?? [];
    return { imports: files.map((file) => ({ file, table: file.table, as })) };
  };
  const { tables } = await importTexts(path, find, to, effects);
  return tables[0] as Imported;
}
