/** Starts real hosts on loopback, with configurations around the written files. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { basePath, type LinkStyle } from "../../src/core/contract/links.js";
import { CURRENT } from "../../src/core/release/layout.js";
import { openSiteRelease } from "../../src/core/release/site.js";
import { quoteApache } from "../../src/host/apache.js";
import { type HostOptions, hostSettingsOf, siteOf } from "../../src/host/hosted-site.js";
import { hostOf } from "../../src/host/hosts.js";
import { filesFor as writtenFor } from "../../src/host/kind.js";
import { fetchReply } from "../support/front.js";
import { engine } from "../support/installed.js";
import { findProgram } from "../support/needs.js";
import { until } from "../support/until.js";

export interface Server {
  /** As its rows in docs/reference/hosts.md are called. */
  name: string;
  /** The name of its adapter; undefined for Rollcall's own server, which needs none. */
  adapter?: string;
  needs: readonly string[];
  /** Whether `build --adapt` can put what it needs into the release. */
  built?: true;
  /** How releases for it are linked; by query unless said. */
  links?: LinkStyle;
  /** Writes the rest of the configuration into `folder`, and returns what to start in the foreground. */
  prepare(place: Place): Command[];
  /** Whether it serves what `current` leads to at each request. Other servers have to be started again. */
  follows?: true;
}

interface Command {
  program: string;
  args: string[];
  env?: Record<string, string>;
  port: number;
}

interface Place {
  /** Holds the written files, and may hold anything else. */
  folder: string;
  /** The release that is served, and its folder of releases. */
  release: string;
  dist: string;
  port: number;
  base: string;
}

/** What an adapter writes for the site of a release: path -> text. @param dist as in its files; the release's own by default */
export async function filesFor(
  adapter: string,
  release: string,
  {
    dist = dirname(dirname(release)),
    folder = "/etc/rollcall",
    ...options
  }: HostOptions & { dist?: string; folder?: string } = {},
): Promise<Map<string, string>> {
  const host = hostOf(adapter);
  const opened = await openSiteRelease(release);
  const settings = hostSettingsOf(opened, options);
  const site = siteOf(opened, settings, { compression: host.compression, dist, folder }, options);
  return new Map(writtenFor(host, site).map(({ path, text }) => [path, text]));
}

interface Served {
  release: string;
  /** Gets the files of the host. */
  folder: string;
  port: number;
  options?: HostOptions;
}

/** Serves what is current in the dist of a release until the test ends, or until it is stopped. */
export async function serveWith(server: Server, served: Served): Promise<() => Promise<void>> {
  await writeFor(server, served);
  return startServer(server, served);
}

/** Writes the files that the server needs; the site's own file once. */
export async function writeFor(server: Server, { release, folder, options = {} }: Omit<Served, "port">): Promise<void> {
  if (server.adapter === undefined) return;
  for (const [path, text] of await filesFor(server.adapter, release, { folder, ...options })) {
    if (hostOf(server.adapter).site && existsSync(join(folder, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Serves a release with the existing files of `folder`, until the test ends or it is stopped. */
export async function startServer(server: Server, place: Omit<Place, "base" | "dist">): Promise<() => Promise<void>> {
  const opened = await openSiteRelease(place.release);
  const base = basePath(opened.baseUrl);
  const dist = dirname(dirname(opened.folder));
  const commands = server.prepare({ ...place, release: opened.folder, dist, base });
  const stops: (() => Promise<void>)[] = [];
  for (const command of commands) stops.push(await start(command, place.folder));
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

/** Runs nginx around some lines of http { }, until the test ends or it is stopped. */
export function startNginx(folder: string, port: number, lines: readonly string[]): Promise<() => Promise<void>> {
  return start(nginx(folder, port, lines), folder);
}

async function start({ program, args, env, port }: Command, cwd: string): Promise<() => Promise<void>> {
  const path = findProgram(program) ?? program;
  const child = spawn(path, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  onTestFinished(() => stop(child));
  await listening(port, child, () => said);
  return () => stop(child);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGTERM");
  await closed;
}

/** Waits for an answer, not only for a connection: an engine may accept some before it is ready, and reset them. */
async function listening(port: number, child: ChildProcess, said: () => string): Promise<void> {
  await until(() => {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${said()}`);
    return fetchReply(`${port}`, { method: "HEAD", url: "/", headers: {} }).then(
      () => true,
      () => false,
    );
  });
}

const isRoot = process.getuid?.() === 0;

const NGINX: Server = {
  name: "nginx",
  adapter: "nginx",
  needs: ["nginx"],
  prepare({ folder, port }) {
    return [nginx(folder, port, [`include ${folder}/rollcall.conf;`])];
  },
  follows: true,
};

/** nginx with a bare configuration around some lines of http { }. */
function nginx(folder: string, port: number, lines: readonly string[]): Command {
  const temps = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const conf = [
    ...(isRoot ? ["user root;"] : []),
    "daemon off; worker_processes 1; error_log stderr;",
    `pid ${folder}/nginx.pid;`,
    "events {}",
    // What another site of the same server may have said of files that end in .gz.
    "http { gzip on; gzip_types *; gzip_static on;",
    `access_log off; ${temps.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}`,
    ...lines,
    "}",
  ];
  writeFileSync(join(folder, "nginx.conf"), conf.join("\n"));
  return { program: "nginx", args: ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"], port };
}

const CADDY: Server = {
  name: "caddy",
  adapter: "caddy",
  needs: ["caddy"],
  prepare({ folder, port }) {
    const head = `{\n\tadmin unix/${folder}/admin.sock\n\tdefault_bind 127.0.0.1\n}\n`;
    writeFileSync(join(folder, "Caddyfile"), `${head}import rollcall.caddy\n`);
    const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    return [
      { port, program: "caddy", args: ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")], env },
    ];
  },
  follows: true,
};

/** The first block of code in a language in a host's section of the docs. */
function codeOf(title: string, language: string): string {
  const doc = readFileSync(new URL("../../docs/reference/hosts.md", import.meta.url), "utf8");
  const section = doc.split(/^### /m).find((text) => text.startsWith(`${title}\n`)) ?? "";
  const [, code = ""] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(section) ?? [];
  return code;
}

const MODULES = "/usr/lib/apache2/modules";

function apache(name: "apache" | "htaccess", sites: (place: Place) => string[]): Server {
  return {
    name,
    adapter: name,
    needs: ["apache2"],
    prepare(place) {
      const { folder, port, dist } = place;
      if (isRoot) for (const path of [folder, dist]) chmodSync(path, 0o755);
      const modules = ["mpm_event", "authz_core", "rewrite", "headers", "mime", "dir", "alias", "env", "setenvif"];
      const conf = [
        `ServerRoot ${folder}`,
        `PidFile ${folder}/apache.pid`,
        `ErrorLog ${folder}/error.log`,
        `Mutex file:${folder} default`,
        ...modules.map((module) => `LoadModule ${module}_module ${MODULES}/mod_${module}.so`),
        "TypesConfig /dev/null",
        "AddEncoding x-gzip .gz",
        "AddType application/x-gzip .gz",
        // As Debian's mime.conf says of Breton.
        "AddLanguage br .br",
        ...(isRoot ? ["User www-data", "Group www-data"] : []),
        "ServerName localhost",
        ...sites(place),
        "",
      ];
      writeFileSync(join(folder, "apache.conf"), conf.join("\n"));
      return [{ program: "apache2", args: ["-DFOREGROUND", "-f", join(folder, "apache.conf")], port }];
    },
    follows: true,
  };
}

/** A server with a configuration of its own, in which the release is a folder with a .htaccess. */
const HTACCESS: Server = {
  ...apache("htaccess", ({ folder, release, dist, base, port }) => {
    for (const name of [".htaccess", "405.json"])
      if (!existsSync(join(release, name))) copyFileSync(join(folder, "published", name), join(release, name));
    const current = join(dist, CURRENT);
    return [
      `Listen 127.0.0.1:${port}`,
      `DocumentRoot ${quoteApache(base === "" ? current : folder)}`,
      ...(base === "" ? [] : [`Alias ${quoteApache(decodeURIComponent(base))} ${quoteApache(current)}`]),
      `<Directory ${quoteApache(current)}>`,
      "AllowOverride All",
      "Require all granted",
      "</Directory>",
    ];
  }),
  built: true,
};

const WORKERD: Server = {
  name: "cloudflare",
  adapter: "cloudflare",
  built: true,
  needs: [engine("miniflare")],
  prepare({ folder, release, port }) {
    const worker = new URL("../engines/workerd.mjs", import.meta.url).pathname;
    const [written, built] = [join(folder, "published/_worker.js"), join(release, "_worker.js")];
    const args = [worker, existsSync(built) ? built : written, release, String(port)];
    return [{ program: process.execPath, args, port }];
  },
};

const NETLIFY: Server = {
  name: "netlify",
  adapter: "netlify",
  needs: [engine("@netlify/edge-functions-dev")],
  prepare({ folder, release, port }) {
    const args = [new URL("../engines/netlify.mjs", import.meta.url).pathname, folder, release, String(port)];
    return [{ program: process.execPath, args, port }];
  },
};

const FIREBASE: Server = {
  name: "firebase",
  adapter: "firebase",
  links: "path",
  needs: [engine("superstatic")],
  prepare({ folder, release, port, base }) {
    // It has no aliases, so the release lies where its URL says. Its command line ignores hidden files.
    const filter = (path: string) => !basename(path).startsWith(".");
    cpSync(release, join(folder, "public", decodeURIComponent(base)), { recursive: true, filter });
    writeFileSync(join(folder, "firebase.json"), codeOf("Firebase Hosting", "json"));
    const args = [new URL("../engines/firebase.mjs", import.meta.url).pathname, folder, String(port)];
    return [{ program: process.execPath, args, port }];
  },
};

const ROLLCALL: Server = {
  name: "rollcall serve",
  needs: [],
  prepare({ dist, port }) {
    const cli = new URL("../../lib/cli/cli.js", import.meta.url).pathname;
    return [{ program: process.execPath, args: [cli, "serve", dist, "--port", String(port)], port }];
  },
  follows: true,
};

const APACHE = apache("apache", ({ folder }) => [`Include ${folder}/rollcall.conf`]);

/** Servers that can answer `?page=N` and take many requests. */
export const SERVERS: readonly Server[] = [NGINX, APACHE, HTACCESS, CADDY, WORKERD];

/** Those that the tests of a change start. */
export const COMMON_SERVERS: readonly Server[] = [ROLLCALL, ...SERVERS];

/** Netlify's engine starts anew for each request. Firebase serves only by path. */
export const ALL_SERVERS: readonly Server[] = [...COMMON_SERVERS, NETLIFY, FIREBASE];
