/** Where a path that someone typed leads. */
import { isAbsolute, join } from "node:path";

/** `path` as seen from `folder`; with `.` it stays as it was typed, so that messages say what the user said. */
export function at(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}
