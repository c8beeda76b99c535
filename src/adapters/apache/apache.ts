/** Apache httpd 2.4. */
import { join } from "node:path";
import { type Adapter, type AdapterFile, banner } from "../rules/adapter.js";
import type { Rules } from "../rules/rules.js";
import { REFUSAL_FILE, REFUSAL_TEXT, writeHtaccess } from "./htaccess.js";
import { writeTagMap, writeVirtualHost } from "./virtual-host.js";

const TAGS = "rollcall-tags.txt";
const VHOST_REFUSAL = "rollcall-errors/405.json";

export const apache: Adapter = {
  name: "apache",
  title: "Apache httpd",
  claims: {
    query: "mod_rewrite",
    headers: "all",
    options: "204",
    refusal: "405, JSON",
    missing: "404, JSON",
    compression: "chooses .br and .gz files",
    tested: "Apache of Debian, as a virtual host and by .htaccess",
  },
  siblings: ["br", "gzip"],
  compresses: false,
  limits: {},
  steps: [
    "Needs mod_rewrite, mod_headers, mod_setenvif, mod_env, mod_alias and mod_dir.",
    "Where only a folder is yours: build --adapt apache puts a .htaccess into the release, which needs AllowOverride All.",
  ],
  files(site) {
    const goes =
      "Goes where virtual hosts are, as /etc/apache2/sites-enabled/rollcall.conf does; then apachectl graceful.\n" +
      "It names one release: write it again after each build, with the files beside it.";
    const files = { tags: join(site.folder, TAGS), refusal: join(site.folder, VHOST_REFUSAL) };
    const text = banner("#", "Apache, as the virtual host", site, goes) + writeVirtualHost(site, files);
    return [
      { path: "rollcall.conf", goes, text },
      {
        path: TAGS,
        goes: `The digests, which rollcall.conf reads from ${files.tags}.`,
        text: writeTagMap(site),
      },
      {
        path: VHOST_REFUSAL,
        goes: `The body of a 405, which rollcall.conf reads from ${files.refusal}.`,
        text: REFUSAL_TEXT,
      },
      ...besides(site).map((file) => ({ ...file, path: `published/${file.path}` })),
    ];
  },
  published: besides,
};

/** For a folder of a server that is not one's own. */
function besides(rules: Rules): AdapterFile[] {
  const goes =
    "Goes into the published folder, which needs AllowOverride All; it is instead of a virtual host.\n" +
    "TraceEnable off can only be said by the server.";
  return [
    {
      path: ".htaccess",
      goes,
      text: banner("#", "Apache, as the folder", undefined, goes) + writeHtaccess(rules),
    },
    { path: REFUSAL_FILE, goes: "The body of a 405, beside .htaccess.", text: REFUSAL_TEXT },
  ];
}
