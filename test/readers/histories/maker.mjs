// Builds, switches and publishes in a process of its own, from the compiled library, one deed a message: it can be killed in
// the middle of any. argv: a folder, in which the releases are.
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adapt, build, openRelease, publish, useRelease, verify } from "../../../lib/index.js";

const [, , disk] = process.argv;
const dist = join(disk, "dist");
const elsewhere = join(disk, "elsewhere");
const filler = join(disk, "filler");

const deeds = {
  look() {},
  build: ({ options, time }) => build({ ...options, out: dist }, clock(time)),
  /** As a job that builds where no release is, or only those of its own, and delivers a copy. */
  async deliver({ options, time, isFresh }) {
    if (isFresh) rmSync(elsewhere, { recursive: true, force: true });
    const { name } = await build({ ...options, out: elsewhere }, clock(time));
    const [aside, folder] = [join(dist, "aside"), join(dist, "releases", name)];
    rmSync(aside, { recursive: true, force: true });
    cpSync(join(elsewhere, "releases", name), aside, { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(aside, folder);
    await useRelease(dist, name, clock(time));
  },
  use: ({ word, time }) => useRelease(dist, word, clock(time)),
  lose() {
    for (const folder of [dist, elsewhere]) rmSync(folder, { recursive: true, force: true });
  },
  /** What happens to a file of the current release's steps: one byte is another, its end is missing, or all of it is. */
  damage({ how, at }) {
    const folder = join(dist, "current/changes");
    const files = readdirSync(folder).sort();
    const file = join(folder, files[at % files.length]);
    const bytes = readFileSync(file);
    unlinkSync(file);
    if (how === "missing") return;
    if (how === "changed") bytes[at % bytes.length] ^= 1 << (at % 8);
    writeFileSync(file, how === "cut" ? bytes.subarray(0, at % bytes.length) : bytes);
  },
  publish: ({ options }) => publish({ ...options, dist }),
  /** What is wrong with the current release. */
  async verify() {
    const { rows } = await verify({ dist, workers: 0 });
    return rows.flatMap(({ findings = [] }) => findings);
  },
  adapt: ({ name, options }) => adapt(name, { ...options, dist }),
};

process.on("message", async ({ deed, leaves, ...given }) => {
  const told = {};
  try {
    if (leaves !== undefined) fill(leaves);
    told.result = await deeds[deed](given);
  } catch (error) {
    told.error = { name: error.constructor.name, code: error.code, message: error.message };
  }
  rmSync(filler, { force: true });
  process.send({ ...told, current: await look() });
});
rmSync(filler, { force: true });

/** Takes the disk but for so many bytes. */
function fill(leaves) {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leaves)));
}

function clock(time) {
  return { now: () => new Date(time) };
}

/** The current release; undefined where there is none that is whole. */
async function look() {
  try {
    const { folder, snapshot, sums } = await openRelease(join(dist, "current"));
    const read = (file) => readFileSync(join(folder, file), "utf8");
    const { state } = snapshot;
    const records = read("records.sha256");
    if (sha256(records) !== state) throw new Error(`The state of ${folder} is not that of its records.`);
    const digests = [...records.matchAll(/^([0-9a-f]{32}) {2}/gm)].map(([, digest]) => digest);
    const steps = sums.others.has("changes.json") ? JSON.parse(read("changes.json")).steps : undefined;
    return { folder, id: snapshot.id, state, digests, steps, contract: sha256(read("contract.json")) };
  } catch (error) {
    if (error.constructor.name === "UserError") return undefined;
    throw error;
  }
}

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}
