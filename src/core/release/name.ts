/** Names of release folders: build time and id, as in `20261121T034000Z-1f6a9c0d2b7e`. */
import { UserError } from "../errors.js";

/** The folder name of a release. @throws UserError as `requireClock` does. */
export function folderName(time: Date, id: string): string {
  requireClock(time);
  return `${time.toISOString().replace(/[-:]|\.\d+/g, "")}-${id}`;
}

/** @throws UserError for a year that does not have four digits: folder names would not sort by time. */
export function requireClock(time: Date): void {
  const year = time.getUTCFullYear();
  if (year >= 0 && year <= 9999) return;
  throw new UserError(
    `The clock says year ${year}, but the name of a release needs a year of four digits; set the clock, then run this again.`,
  );
}

/** The id in a folder name; empty for a name of another form. */
export function idOf(name: string): string {
  return parseFolderName(name)?.id ?? "";
}

/** Splits a folder name into id and build time; undefined for a name of another form. */
export function parseFolderName(name: string): { id: string; time: Date } | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-([0-9a-f]{12})$/.exec(name);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, id = ""] = match;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time.getTime()) ? undefined : { id, time };
}
