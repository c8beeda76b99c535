/** `rollcall serve`: runs the server, with its address, logs and signals. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { basePath, DEFAULT_PATH, isLoopback } from "../../core/contract/links.js";
import { ExitCode, hasCode, UserError, usageError } from "../../core/errors.js";
import { count } from "../../core/print/numbers.js";
import { shellWord, toJson, visible } from "../../core/print/text.js";
import { noCurrent } from "../../core/release/choose.js";
import { CURRENT, EXPLORER, explorerPath, SNAPSHOT } from "../../core/release/layout.js";
import { factsOf, type Site } from "../../core/release/site.js";
import { toListener } from "../../core/settings/kinds.js";
import { optionsOf, type Settings, settingOf } from "../../core/settings/settings.js";
import { createLogQueue } from "../../serve/access-log.js";
import type { Admin } from "../../serve/admin.js";
import { SERVER_LIMITS } from "../../serve/limits.js";
import type { HandedSocket } from "../../serve/listen.js";
import type { CountedEffects, CountedServer } from "../../serve/serve.js";
import { listenForSignals, type ServerSignals } from "../program/signals.js";
import { type Invocation, type Io, print, say, sayLines } from "../program/verb.js";
import { accessLine } from "./access-line.js";

/** Runs `rollcall serve`. @returns its exit code. @throws UserError */
export async function runServe({ settings }: Invocation, io: Io): Promise<ExitCode> {
  const log = (line: string) => say(io, `${io.date().toISOString()} ${visible(line)}`);
  const handed = findInheritedSocket(io, log);
  const signals = listenForSignals(io.signals, log);
  const admin = await openAdminServer(settings, io, log);
  try {
    await serveUntilStopped(settings, handed ?? { port: settings.port, host: settings.host }, signals, log, io, admin);
  } finally {
    signals.end();
    await admin?.close();
  }
  return ExitCode.done;
}

/** Opens the admin server, before the main one, so that an unusable address is refused first. */
async function openAdminServer({ admin }: Settings, io: Io, log: (line: string) => void): Promise<Admin | undefined> {
  if (admin === undefined) return undefined;
  const { openAdmin } = await import("../../serve/admin.js");
  return openAdmin(toListener(admin), { now: () => io.date(), log });
}

async function serveUntilStopped(
  settings: Settings,
  address: Parameters<CountedServer["listen"]>[0],
  signals: ServerSignals,
  log: (line: string) => void,
  io: Io,
  admin?: Admin,
) {
  let origin: string | undefined;
  let linkedTo: string | undefined;
  const sayLinks = (baseUrl: string, origin: string) => {
    const note = baseUrl === linkedTo ? undefined : linksNote(baseUrl, origin, settings);
    linkedTo = baseUrl;
    if (note !== undefined) log(note);
  };
  const accessLog = openAccessLog(settings, io, log, admin);
  const stopping = new AbortController();
  void signals.stopped.then(() => stopping.abort());
  const effects: CountedEffects = {
    log,
    signal: stopping.signal,
    access: accessLog?.add,
    counts: admin?.counts,
    onSwitch(site) {
      admin?.switched();
      // Before the server listens, the announcement names the release.
      if (origin === undefined) return;
      log(`now serving ${describeSite(site)}, at ${origin}${basePath(site.baseUrl)}`);
      sayLinks(site.baseUrl, origin);
    },
  };
  let server: Awaited<ReturnType<typeof open>> | undefined;
  try {
    server = await open(settings, effects);
    signals.attach(server);
    const bound = await Promise.race([server.listen(address), signals.stopped]);
    if (bound && !signals.isStopped()) {
      const { url } = bound;
      origin = new URL(url).origin;
      admin?.watch(server);
      announce(server.site, url, settings, io, admin?.url);
      sayLinks(server.site.baseUrl, origin);
      notifyReady(io, log);
      await continueWithoutLog(io, log);
    }
    await signals.stopped;
  } catch (error) {
    // Stopping aborts the opening of the release. That is not a failure.
    if (!signals.isStopped()) throw error;
  } finally {
    admin?.watch();
    // Also if it never listened, since it watches `current`.
    await server?.close();
    await accessLog?.written(SERVER_LIMITS.logMs);
    const { length } = accessLog?.take() ?? [];
    if (length > 0)
      log(`The access log lacks its last ${count(length, "line")}, which its reader did not read in time.`);
  }
}

/** Opens the access log. It drops lines if its reader is slow. */
function openAccessLog({ accessLog }: Settings, io: Io, log: (line: string) => void, admin?: Admin) {
  if (!accessLog) return undefined;
  const form = accessLog === "combined" ? "combined" : "json";
  return createLogQueue(
    SERVER_LIMITS.logBytes,
    (items, done) => io.stdout.write(items.map((item) => `${accessLine(item, form)}\n`).join(""), done),
    (isFirst) => {
      admin?.counts.add("unlogged");
      if (isFirst) log("The reader of the access log is too slow: lines are dropped and counted until it catches up.");
    },
  );
}

/** Lets the server continue if its log cannot be written, from after the announcement on. */
async function continueWithoutLog(io: Io, log: (line: string) => void): Promise<void> {
  // Until then, a failure to write the announcement ends the run.
  await new Promise((resolve) => setImmediate(resolve));
  let isSaid = false;
  io.exitsAtOnce = true;
  io.onLost = (stream, why) => {
    if (stream === "stderr" || isSaid) return;
    isSaid = true;
    log(`The access log cannot be written (${why}): lines are missing. The server continues.`);
  };
}

/** Opens the server. If there are releases but none is current, the error says how to choose one. */
async function open(settings: Settings, effects: CountedEffects) {
  try {
    const { createListingServer } = await import("../../serve/serve.js");
    return await createListingServer(optionsOf("serve", settings), effects);
  } catch (error) {
    const { dist } = settings;
    if (!(error instanceof UserError) || existsSync(join(dist, CURRENT))) throw error;
    throw noCurrent(dist, error);
  }
}

function announce(site: Site, url: string, settings: Settings, io: Io, admin: string | undefined): void {
  const { folder, id, listings } = site;
  const [{ name = "", release } = {}] = listings;
  const path = release?.paths.listing ?? DEFAULT_PATH;
  const listing = `${url}${name === "" ? "" : `/${name}`}${path}?format=api&page=1`;
  const explorer = existsSync(join(folder, EXPLORER)) ? url + explorerPath(site.top ? "" : path) : null;
  if (settings.json) {
    const { words: _, ...figures } = factsOf(site);
    print(io, toJson({ url, listing, explorer, admin: admin ?? null, id, name: basename(folder), ...figures }));
    return;
  }
  sayLines(io, [
    { verb: "serve", value: url, detail: describeSite(site) },
    ...(explorer === null ? [] : [{ verb: "explorer", value: explorer }]),
    ...(admin === undefined ? [] : [{ verb: "admin", value: `${admin}/healthz`, detail: "and /metrics" }]),
    { verb: "try", value: `curl ${shellWord(listing)}` },
  ]);
}

function describeSite(site: Site): string {
  const { words, records, pages, listings } = factsOf(site);
  const where = listings ? `of ${count(Object.keys(listings).length, "listing")}` : `on ${count(pages, "page")}`;
  return `${site.id}: ${count(records, words)} ${where}`;
}

/**
 * The note if links lead elsewhere, with the build that corrects it. A server that other machines can reach is assumed to be
 * behind a proxy with the base URL, so a base URL of another machine gets no note.
 */
function linksNote(baseUrl: string, origin: string, { host, dist }: Settings): string | undefined {
  const base = new URL(baseUrl);
  const here = new URL(origin);
  const isEverywhere = here.hostname === "0.0.0.0" || here.hostname === "[::]";
  const isForHere = base.protocol === "http:" && isLoopback(base.hostname);
  if (!isForHere && !isLoopback(here.hostname)) return undefined;
  const isNamed = base.hostname === here.hostname || base.hostname === host || base.hostname === "localhost";
  if (isForHere && base.port === here.port && isNamed && isLoopback(here.hostname)) return undefined;

  const target = isEverywhere ? `http://ADDRESS${here.port && `:${here.port}`}` : origin;
  // No --dist for the default folder, or for a single release's folder, into which a build cannot write.
  const isUsual = dist === settingOf("dist").default || existsSync(join(dist, SNAPSHOT));
  const distFlag = isUsual ? [] : ["--dist", shellWord(dist)];
  const build = ["rollcall build --base-url", shellWord(`${target}${basePath(baseUrl)}`), ...distFlag].join(" ");
  // Only a loopback base URL can be replaced without --force.
  if (!isForHere) return `Links lead to ${baseUrl}, as behind a proxy. For links that lead here: "${build} --force".`;
  const where = isEverywhere ? "which readers on other machines cannot follow" : "where this server does not listen";
  const how = isEverywhere ? ", with your address for ADDRESS" : "";
  return `Links lead to ${baseUrl}, ${where}. For links that lead here: "${build}"${how}.`;
}

/** The first inherited descriptor (sd_listen_fds): after standard input, output and error. */
const FIRST = 3;

/**
 * Finds the listening socket that systemd passed to this process, if any. LISTEN_PID must be this process, since children
 * inherit the variables.
 * @param log called with the note that the socket overrides `--port` and `--host`.
 * @throws UserError (usage) if several sockets were passed.
 */
function findInheritedSocket(
  { env, pid }: Pick<Io, "env" | "pid">,
  log: (line: string) => void,
): HandedSocket | undefined {
  const { LISTEN_PID, LISTEN_FDS = "0" } = env;
  if (LISTEN_PID !== String(pid) || LISTEN_FDS === "0") return undefined;
  if (LISTEN_FDS !== "1")
    throw usageError(
      `serve listens on one socket, but LISTEN_FDS is ${JSON.stringify(LISTEN_FDS)}. Use one ListenStream= in the .socket unit, and one .socket unit for the service.`,
    );
  log("Listening on the inherited socket (LISTEN_FDS); --port and --host are ignored.");
  return { fd: FIRST };
}

/**
 * Tells the service manager that the server is ready (NOTIFY_SOCKET). Node has no datagram sockets of Unix, so systemd-notify
 * sends the message.
 */
function notifyReady({ env }: Pick<Io, "env">, log: (line: string) => void): void {
  if (!env["NOTIFY_SOCKET"]) return;
  execFile("systemd-notify", ["--ready"], { env: { ...env } }, (cause) => {
    if (!cause) return;
    const why = hasCode(cause, "ENOENT")
      ? "systemd-notify is not installed"
      : cause.message.trim().replaceAll("\n", " ");
    log(`Cannot notify the service manager that the server is ready: ${why}.`);
  });
}
