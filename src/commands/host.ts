/** `rollcall host`: the table of hosts, the files of one, or a release measured against what it takes. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Settings } from "../config/settings.js";
import { ExitCode, UserError } from "../errors.js";
import { type Excess, findExcess, type Measures, measure } from "../hosts/check.js";
import { misfits } from "../hosts/misfits.js";
import { openSite } from "../hosts/site.js";
import type { HostFile, Target } from "../hosts/target.js";
import { targetOf } from "../hosts/targets.js";
import { count, number, size } from "../print/numbers.js";
import { align, painter } from "../print/style.js";
import { toJson } from "../print/text.js";
import { openChosen } from "../release/choose.js";
import type { Release } from "../release/open.js";
import { explainWrite } from "../release/refusals.js";
import { describeHosts, hostRows } from "./host-table.js";
import { type Io, print, say } from "./io.js";
import type { Given, Verb } from "./verb.js";

export const host: Verb = {
  name: "host",
  summary: "Write what another host needs to answer as the contract says",
  arguments: {
    "[name]": "nginx, apache, cloudflare, ...; without it, the table of all",
    "[dist]": "folder of the releases (default: dist, or what out is set to)",
  },
  examples: [
    ["rollcall host", "every host, and what each can do"],
    ["rollcall host nginx --out /etc/nginx/conf.d", "nginx's configuration for the current release"],
    ["rollcall host netlify --check", "whether the current release is small enough for Netlify"],
  ],
  configured: true,
  run: runHost,
};

async function runHost({ settings, arguments: { name } }: Given, io: Io): Promise<ExitCode> {
  if (name === undefined) {
    print(io, settings.json ? toJson(hostRows()) : describeHosts(painter(io.stdout, io.env)));
    return ExitCode.done;
  }
  const target = targetOf(name);
  const release = await openChosen(settings.out, settings.release, io.cwd);
  if (settings.check) return check(target, release, settings, io);
  const folder = settings.written === undefined ? undefined : resolve(settings.written);
  const site = await openSite(release, target.siblings, { ...optionsOf(settings), folder });
  const files = target.files(site);
  if (folder !== undefined) await write(folder, files);
  report({ target, release, files, folder }, settings, io);
  return ExitCode.done;
}

function optionsOf({ root, serverName, basePath, address, listenPort, origin, cacheControl }: Settings) {
  return { root, serverName, basePath, address, port: listenPort, origin, cacheControl };
}

async function write(folder: string, files: readonly HostFile[]): Promise<void> {
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  } catch (error) {
    throw explainWrite(folder, error);
  }
}

interface Written {
  target: Target;
  release: Release;
  files: readonly HostFile[];
  /** Where they were written; undefined when they are printed. */
  folder: string | undefined;
}

function report({ target, release, files, folder }: Written, settings: Settings, io: Io): void {
  const notes = misfits(target, release.snapshot);
  if (settings.json) {
    const shown = files.map(({ path, goes, text }) => ({
      path,
      goes,
      ...(folder === undefined && { text }),
    }));
    print(
      io,
      toJson({ host: target.name, id: release.snapshot.id, files: shown, steps: target.steps, notes }),
    );
    return;
  }
  if (folder === undefined) print(io, joined(files));
  const lines = [
    ...files.map(({ path, goes }) => ({ verb: "file", value: path, detail: goes.replaceAll("\n", " ") })),
    ...target.steps.map((step) => ({ verb: "then", value: step })),
    ...notes.map((note) => ({ verb: "note", value: note, loud: true })),
  ];
  say(io, align(lines, painter(io.stderr, io.env)));
}

/** One file as it is; several with their names between. */
function joined(files: readonly HostFile[]): string {
  const [only, ...others] = files;
  if (only && others.length === 0) return only.text.trimEnd();
  return files
    .map(({ path, text }) => `==> ${path} <==\n${text.trimEnd()}\n`)
    .join("\n")
    .trimEnd();
}

async function check(target: Target, release: Release, settings: Settings, io: Io): Promise<ExitCode> {
  const measures = await measure(release);
  const excess = findExcess(measures, target);
  const { source } = target.limits;
  if (settings.json) print(io, toJson({ host: target.name, id: release.snapshot.id, ...measures, excess }));
  if (excess.length > 0) throw tooLarge(target, excess, release);
  const value = `${count(measures.files, "file")}, ${size(measures.bytes)}`;
  const detail =
    source === undefined ? `${target.title} sets no limit` : `within ${target.title}'s limits: ${source}`;
  if (!settings.json) say(io, align([{ verb: "fits", value, detail }], painter(io.stderr, io.env)));
  return ExitCode.done;
}

const WORDS: Record<keyof Measures, (value: number) => string> = {
  files: (value) => count(value, "file"),
  filesInFolder: (value) => `${count(value, "file")} in one folder`,
  bytesInFile: (value) => `a file of ${size(value)}`,
  bytes: (value) => `${size(value)} in all`,
  upload: (value) => `${count(value, "file")} to upload at once`,
};

function tooLarge({ title }: Target, excess: readonly Excess[], { snapshot }: Release): UserError {
  const parts = excess.map(({ limit, has, may }) => {
    const most = limit.startsWith("bytes") ? size(may) : number(may);
    return `${WORDS[limit](has)}, where ${title} takes ${most}`;
  });
  const larger = excess.some(({ limit }) => limit === "bytesInFile") ? "smaller" : "larger";
  const ways = [
    // Pages of another size hold the same users.
    ...(excess.some(({ limit }) => limit !== "bytes")
      ? [`${larger} pages (--page-size, now ${snapshot.page_size})`]
      : []),
    ...(snapshot.encodings.length > 0 ? ["no compressed copies (no --compress)"] : []),
    'another host ("rollcall host" lists them)',
  ];
  return new UserError(`Release ${snapshot.id} has ${parts.join("; ")}. Ways out: ${ways.join(", ")}.`);
}
