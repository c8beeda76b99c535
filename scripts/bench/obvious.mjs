/**
 * A simple build: better-sqlite3's iterate, zod, fast-json-stable-stringify, writeFileSync. It writes the
 * same pages, without digests, releases or links. Usage: node obvious.mjs DB FOLDER BASE_URL PAGE_SIZE
 */
import { writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import stringify from "fast-json-stable-stringify";
import { userSchema } from "./obvious-user.mjs";

const [, , file, folder, baseUrl, pageSize] = process.argv;
const size = Number(pageSize);
const db = new Database(file, { readonly: true });
const count = db.prepare("SELECT count(*) FROM users").pluck().get();
const pages = Math.max(1, Math.ceil(count / size));

let page = 0;
let results = [];
for (const row of db.prepare("SELECT * FROM users ORDER BY date_joined DESC, id").iterate()) {
  results.push(userSchema.parse(toUser(row)));
  if (results.length === size) writePage();
}
if (results.length > 0 || count === 0) writePage();

function writePage() {
  page++;
  const link = (to) => (to < 1 || to > pages ? null : `${baseUrl}/api/users/?format=api&page=${to}`);
  const records = results.map((user) => stringify(user));
  const envelope = stringify({ count, next: link(page + 1), previous: link(page - 1) }).slice(0, -1);
  writeFileSync(`${folder}/${page}.json`, `${envelope},"results":[\n${records.join(",\n")}\n]}\n`);
  results = [];
}

function toUser(row) {
  const user = { off_chain: { liveness_config: {} } };
  for (const [name, value] of Object.entries(row)) {
    if (name === "off_chain_liveness_tier") user.off_chain.liveness_tier = value;
    else if (name.startsWith("off_chain_liveness_")) user.off_chain.liveness_config[name.slice(19)] = value;
    else if (name.startsWith("off_chain_")) user.off_chain[name.slice(10)] = value;
    else user[name] = value;
  }
  const config = user.off_chain.liveness_config;
  config.require_head_movement = Boolean(config.require_head_movement);
  user.circles = JSON.parse(user.circles);
  user.languages = JSON.parse(user.languages);
  user.username ??= user.id;
  user.image_url ??= `${baseUrl}/avatar.svg`;
  user.off_chain.next_mining_at ??= "1970-01-01T00:00:00";
  user.display_name ??=
    user.first_name === "" && user.last_name === "" ? user.id : `${user.first_name} ${user.last_name}`.trim();
  return user;
}
