/** `rollcall serve`: the server with its address, its logs and its signals. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { basePath, isLoopback } from "../contract/links.js";
import { ExitCode, hasCode, UserError, usageError } from "../errors.js";
import { count } from "../print/numbers.js";
import { shellWord, toJson, visible } from "../print/text.js";
import { noCurrent } from "../release/choose.js";
import { CURRENT, EXPLORER, SNAPSHOT } from "../release/layout.js";
import { createLogQueue } from "../server/access-log.js";
import type { Admin } from "../server/admin.js";
import type { ClusterEffects } from "../server/cluster/cluster.js";
import type { HandedSocket } from "../server/connections/listen.js";
import { writeWithoutWaiting } from "../server/connections/node-internals.js";
import { SERVER_LIMITS } from "../server/limits.js";
import type { CountedServer, ServedRelease } from "../server/server.js";
import { toListener } from "../settings/kinds.js";
import { type Settings, settingOf } from "../settings/settings.js";
import { accessLine } from "./access.js";
import { hearSignals, type ServerSignals } from "./program/signals.js";
import { type Given, type Io, print, say, sayLines } from "./program/verb.js";

export async function runServe({ settings }: Given, io: Io): Promise<ExitCode> {
  const log = (line: string) => say(io, `${io.date().toISOString()} ${visible(line)}`);
  for (const stream of [io.stdout, io.stderr]) writeWithoutWaiting(stream);
  const handed = findHanded(io, log);
  const signals = hearSignals(io.signals, log);
  if (handed === undefined) refuseOnePort(settings);
  const admin = await openSecond(settings, io, log);
  try {
    await serveUntilStopped(settings, handed ?? { port: settings.port, host: settings.host }, signals, log, io, admin);
  } finally {
    signals.end();
    await admin?.close();
  }
  return ExitCode.done;
}

function refuseOnePort({ admin, port, host }: Settings): void {
  if (admin === undefined || port === 0) return;
  const second = toListener(admin);
  const isEvery = [second.host, host].some((name) => name === "0.0.0.0" || name === "::");
  if (second.port === port && (isEvery || second.host === host))
    throw usageError(`--admin and --port are both ${port}; choose another --admin.`);
}

/** Before anything else, so that an address that cannot be had is refused before there is a server. */
async function openSecond({ admin }: Settings, io: Io, log: (line: string) => void): Promise<Admin | undefined> {
  if (admin === undefined) return undefined;
  const { openAdmin } = await import("../server/admin.js");
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
  let fail = (_error: UserError) => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  let linkedTo: string | undefined;
  const sayLinks = (baseUrl: string, origin: string) => {
    const note = baseUrl === linkedTo ? undefined : linksNote(baseUrl, origin, settings);
    linkedTo = baseUrl;
    if (note !== undefined) log(note);
  };
  const accessLog = openAccessLog(settings, io, log, admin);
  const stopping = new AbortController();
  void signals.stopped.then(() => stopping.abort());
  const effects: Parameters<typeof open>[1] = {
    log,
    signal: stopping.signal,
    access: accessLog?.add,
    counts: admin?.counts,
    onSwitch({ snapshot, contract }) {
      admin?.switched();
      // Before the server listens, there is nothing to tell: the announcement names the release. Its path may be another one.
      if (origin === undefined) return;
      log(`now serving ${describeSnapshot({ snapshot, contract })}, at ${origin}${basePath(snapshot.base_url)}`);
      sayLinks(snapshot.base_url, origin);
    },
    onFailure: (error) => fail(error),
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
      announce(server.release, url, settings, io, admin?.url);
      sayLinks(server.release.snapshot.base_url, origin);
      tellReady(io, log);
      await goOnWithoutLog(io, log);
    }
    await Promise.race([signals.stopped, failed]);
  } catch (error) {
    // A signal to a whole group also ends the processes of a cluster that is starting, which is no failure then.
    if (!signals.isStopped()) throw error;
  } finally {
    admin?.watch();
    // Also if the port is taken, since a server that never listened looks at `current` all the same.
    await server?.close();
    const { length } = accessLog?.take() ?? [];
    if (length > 0) log(`The access log lacks its last ${count(length, "line")}, which its reader had not taken.`);
  }
}

/** Prints a line for each answer, as fast as they are read. */
function openAccessLog({ accessLog, json }: Settings, io: Io, log: (line: string) => void, admin?: Admin) {
  if (!accessLog) return undefined;
  const form = accessLog === "combined" ? "combined" : json ? "json" : "words";
  return createLogQueue(
    SERVER_LIMITS.logBytes,
    (items, done) => io.stdout.write(items.map((item) => `${accessLine(item, form)}\n`).join(""), done),
    (isFirst) => {
      admin?.counts.add("unlogged");
      if (isFirst) log("The reader of the access log is behind: lines are dropped and counted until it has caught up.");
    },
  );
}

/** After the announcement, the server goes on even if its log cannot be written: its readers matter more. */
async function goOnWithoutLog(io: Io, log: (line: string) => void): Promise<void> {
  // Until then, a failure to write the announcement is reported, and ends the run.
  await new Promise((resolve) => setImmediate(resolve));
  let isSaid = false;
  io.leavesOutput = true;
  io.onLost = (stream, why) => {
    if (stream === "stderr" || isSaid) return;
    isSaid = true;
    log(`The access log cannot be written (${why}): lines are missing, and the server goes on.`);
  };
}

/** Opens the server. If there are releases and none is current, the error says how to choose one. */
async function open(settings: Settings, effects: ClusterEffects) {
  const { dist, processes, cacheControl, cacheMb } = settings;
  try {
    const options = { folder: dist, cacheControl, cacheMb };
    if (processes > 1)
      return await (await import("../server/cluster/cluster.js")).createCluster(options, effects, processes);
    return await (await import("../server/server.js")).createListingServer(options, effects);
  } catch (error) {
    if (!(error instanceof UserError) || existsSync(join(dist, CURRENT))) throw error;
    throw noCurrent(dist, error);
  }
}

function announce(release: ServedRelease, url: string, settings: Settings, io: Io, admin: string | undefined): void {
  const { folder, snapshot, contract } = release;
  const { id, count: records, pages } = snapshot;
  const listing = `${url}${contract.listing.path}?format=api&page=1`;
  const explorer = existsSync(join(folder, EXPLORER)) ? `${url}/` : null;
  if (settings.json)
    print(io, toJson({ url, listing, explorer, admin: admin ?? null, id, name: basename(folder), records, pages }));
  else
    sayLines(io, [
      { verb: "serve", value: url, detail: describeSnapshot(release) },
      ...(explorer === null ? [] : [{ verb: "page", value: explorer, detail: "for people" }]),
      ...(admin === undefined ? [] : [{ verb: "admin", value: `${admin}/healthz`, detail: "and /metrics" }]),
      { verb: "try", value: `curl ${shellWord(listing)}` },
    ]);
}

function describeSnapshot({ snapshot, contract }: Pick<ServedRelease, "snapshot" | "contract">): string {
  const { id, count: records, pages } = snapshot;
  return `${id}: ${count(records, contract.listing.words)} on ${count(pages, "page")}`;
}

/**
 * Where links lead, if that is not here, and the build that mends it. A server that others reach is taken to be behind what
 * has the base URL: there a base URL of another machine needs no word.
 */
function linksNote(baseUrl: string, origin: string, { host, dist }: Settings): string | undefined {
  const [base, here] = [new URL(baseUrl), new URL(origin)];
  const isEverywhere = here.hostname === "0.0.0.0" || here.hostname === "[::]";
  const isForHere = base.protocol === "http:" && isLoopback(base.hostname);
  if (!isForHere && !isLoopback(here.hostname)) return undefined;
  const isNamed = base.hostname === here.hostname || base.hostname === host || base.hostname === "localhost";
  if (isForHere && base.port === here.port && isNamed && isLoopback(here.hostname)) return undefined;

  const target = isEverywhere ? `http://ADDRESS${here.port && `:${here.port}`}` : origin;
  // Neither for the default, nor for a single release's folder, where no build can go.
  const isUsual = dist === settingOf("dist").default || existsSync(join(dist, SNAPSHOT));
  const distFlag = isUsual ? [] : ["--dist", shellWord(dist)];
  const build = ["rollcall build --base-url", shellWord(`${target}${basePath(baseUrl)}`), ...distFlag].join(" ");
  if (!isForHere)
    return `Links lead to ${baseUrl}, as behind a proxy; for a release whose links lead here: "${build}".`;
  const where = isEverywhere
    ? "which readers on other machines cannot follow"
    : "which is not where this server listens";
  const how = isEverywhere ? ", with the address that they use for ADDRESS," : "";
  return `Links lead to ${baseUrl}, ${where}; "${build}"${how} makes a release whose links lead here.`;
}

/** Descriptors that are handed over begin here, behind those of standard input, output and error. */
const FIRST = 3;

/**
 * The socket that this process was handed to listen on, if any. A descriptor that was meant for another process, such as
 * the one that started this one, does not count. So children may inherit the variables.
 * @param log hears that the socket comes before `--port` and `--host`, which have defaults and cannot be refused.
 * @throws UserError (usage) where several sockets were handed over.
 */
function findHanded({ env, pid }: Pick<Io, "env" | "pid">, log: (line: string) => void): HandedSocket | undefined {
  const { LISTEN_PID, LISTEN_FDS = "0" } = env;
  if (LISTEN_PID !== String(pid) || LISTEN_FDS === "0") return undefined;
  if (LISTEN_FDS !== "1")
    throw usageError(
      `serve listens on one socket, and was handed ${JSON.stringify(LISTEN_FDS)} (LISTEN_FDS); give the .socket unit one ListenStream=, and the service one .socket unit.`,
    );
  log("Listening on the socket that was handed over (LISTEN_FDS), whatever --port and --host say.");
  return { fd: FIRST };
}

/**
 * Tells the service manager that something whole is served now, where one wants to know (NOTIFY_SOCKET). That is one
 * datagram to a socket of a kind that Node does not have, so systemd's own program sends it.
 */
function tellReady({ env }: Pick<Io, "env">, log: (line: string) => void): void {
  if (!env["NOTIFY_SOCKET"]) return;
  execFile("systemd-notify", ["--ready"], { env: { ...env } }, (cause) => {
    if (!cause) return;
    const why = hasCode(cause, "ENOENT")
      ? "systemd-notify is not installed"
      : cause.message.trim().replaceAll("\n", " ");
    log(`The service manager cannot be told that this is ready: ${why}.`);
  });
}
