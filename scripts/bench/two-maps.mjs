/** A simple diff: users of both releases in maps by id, with every field compared. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [old, now] = process.argv.slice(2).map(readUsers);
const changes = [];
for (const [id, user] of now) {
  const before = old.get(id);
  if (before === undefined) changes.push({ kind: "added", id, user });
  else if (JSON.stringify(before) !== JSON.stringify(user)) changes.push({ kind: "changed", id, old: before, user });
}
for (const [id, user] of old) if (!now.has(id)) changes.push({ kind: "removed", id, user });
for (const change of changes) process.stdout.write(`${JSON.stringify(change)}\n`);

function readUsers(release) {
  const users = new Map();
  const pages = join(release, "api/users/pages");
  for (const name of readdirSync(pages)) {
    for (const user of JSON.parse(readFileSync(join(pages, name), "utf8")).results) users.set(user.id, user);
  }
  return users;
}
