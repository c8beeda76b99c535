/** The access log: one line a request, whatever the request holds. */

import { toJson, visible } from "../print/text.js";
import type { AccessEntry } from "../server/access-log.js";

/** `2026-11-21T03:40:00.000Z 127.0.0.1 GET /api/users/?page=1 200 34567 1.2ms 1f6a9c0d2b7e`, or the same as JSON. */
export function accessLine(entry: AccessEntry, asJson: boolean): string {
  if (asJson) return toJson(entry);
  const { time, remote, method, url, status, bytes, ms, release } = entry;
  // A space would shift the fields behind it.
  const words = [time.toISOString(), remote, method, url, status, bytes, `${ms.toFixed(1)}ms`, release];
  return words.map((word) => visible(String(word)).replaceAll(" ", "%20") || "-").join(" ");
}
