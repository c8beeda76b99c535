/** How the host of Rollcall's own serves. */
import { DEFAULT_CACHE_CONTROL } from "../../contract/headers.js";
import { headerValue, text, whole, yesOrNo } from "../kinds.js";
import type { Setting } from "../setting.js";

export const SERVE = {
  port: {
    ...whole(0, 65_535),
    default: 8080,
    verbs: ["serve"],
    help: "port to listen on; 0 takes a free one",
  },
  host: {
    ...text("an address or a host name"),
    default: "127.0.0.1",
    verbs: ["serve"],
    placeholder: "<address>",
    help: "address to listen on; 0.0.0.0 is every IPv4 one",
  },
  processes: {
    ...whole(1, 64),
    default: 1,
    verbs: ["serve"],
    help: "processes that serve on the port and share --cache-mb",
  },
  cacheControl: {
    ...headerValue,
    verbs: ["serve", "verify", "publish", "adapt"],
    placeholder: "<value>",
    help: `Cache-Control of pages (default: ${DEFAULT_CACHE_CONTROL}; verify accepts any, the same on all pages)`,
  },
  cacheMb: {
    ...whole(0, 1_000_000),
    default: 256,
    verbs: ["serve"],
    help: "megabytes of pages to hold in memory",
  },
  accessLog: { ...yesOrNo, verbs: ["serve"], help: "print a line for each request on stdout" },
} satisfies Record<string, Setting>;
