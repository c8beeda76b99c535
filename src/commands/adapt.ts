/** `rollcall adapt`: the table of hosts, the files of one, or a release measured against what it takes. */

import { type Adapted, adapt, checkLimits, type Fit, listAdapters } from "../adapters/adapt.js";
import { adapterOf } from "../adapters/adapters.js";
import type { Measures } from "../adapters/check.js";
import type { AdapterFile } from "../adapters/rules/adapter.js";
import { ExitCode, UserError } from "../errors.js";
import { count, number, size } from "../print/numbers.js";
import { align, painter } from "../print/style.js";
import { toJson } from "../print/text.js";
import type { Settings } from "../settings/settings.js";
import { describeAdapters } from "./adapt-table.js";
import { type Given, type Io, print, say, type Verb } from "./program/verb.js";

export const adaptVerb: Verb = {
  name: "adapt",
  summary: "Write what another host needs to answer as the contract says",
  arguments: {
    "[name]": "nginx, apache, cloudflare, ...; without it, the table of all",
    "[dist]": "folder of the releases (default: dist, or what out is set to)",
  },
  examples: [
    ["rollcall adapt", "every host, and what each can do"],
    ["rollcall adapt nginx --write /etc/nginx/conf.d", "nginx's configuration for the current release"],
    ["rollcall adapt netlify --check", "whether the current release is small enough for Netlify"],
  ],
  configured: true,
  run: runAdapt,
};

async function runAdapt({ settings, arguments: { name } }: Given, io: Io): Promise<ExitCode> {
  if (name === undefined) {
    print(io, settings.json ? toJson(listAdapters()) : describeAdapters(painter(io.stdout, io.env)));
    return ExitCode.done;
  }
  const { out: dist, release, write, listenPort } = settings;
  const { root, serverName, basePath, address, origin, cacheControl } = settings;
  if (settings.check) return check(await checkLimits(name, { dist, release }, { cwd: io.cwd }), settings, io);
  const placement = { root, serverName, basePath, address, listenPort, origin, cacheControl };
  report(await adapt(name, { dist, release, write, ...placement }, { cwd: io.cwd }), settings, io);
  return ExitCode.done;
}

function report({ files, steps, notes, ...facts }: Adapted, { write, json }: Settings, io: Io): void {
  if (json) {
    const shown = files.map(({ path, goes, text }) => ({
      path,
      goes,
      ...(write === undefined && { text }),
    }));
    print(io, toJson({ ...facts, files: shown, steps, notes }));
    return;
  }
  if (write === undefined) print(io, joined(files));
  const lines = [
    ...files.map(({ path, goes }) => ({ verb: "file", value: path, detail: goes.replaceAll("\n", " ") })),
    ...steps.map((step) => ({ verb: "then", value: step })),
    ...notes.map((note) => ({ verb: "note", value: note, loud: true })),
  ];
  say(io, align(lines, painter(io.stderr, io.env)));
}

/** One file as it is; several with their names between. */
function joined(files: readonly AdapterFile[]): string {
  const [only, ...others] = files;
  if (only && others.length === 0) return only.text.trimEnd();
  return files
    .map(({ path, text }) => `==> ${path} <==\n${text.trimEnd()}\n`)
    .join("\n")
    .trimEnd();
}

function check(fit: Fit, { json }: Settings, io: Io): ExitCode {
  const { host: name, snapshot, measures, excess } = fit;
  if (json) print(io, toJson({ host: name, id: snapshot.id, ...measures, excess }));
  const { title, limits } = adapterOf(name);
  if (excess.length > 0) throw tooLarge(title, fit);
  const value = `${count(measures.files, "file")}, ${size(measures.bytes)}`;
  const { source } = limits;
  const detail = source === undefined ? `${title} sets no limit` : `within ${title}'s limits: ${source}`;
  if (!json) say(io, align([{ verb: "fits", value, detail }], painter(io.stderr, io.env)));
  return ExitCode.done;
}

const WORDS: Record<keyof Measures, (value: number) => string> = {
  files: (value) => count(value, "file"),
  filesInFolder: (value) => `${count(value, "file")} in one folder`,
  bytesInFile: (value) => `a file of ${size(value)}`,
  bytes: (value) => `${size(value)} in all`,
  upload: (value) => `${count(value, "file")} to upload at once`,
};

function tooLarge(title: string, { excess, snapshot }: Fit): UserError {
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
    'another host ("rollcall adapt" lists them)',
  ];
  return new UserError(`Release ${snapshot.id} has ${parts.join("; ")}. Ways out: ${ways.join(", ")}.`);
}
