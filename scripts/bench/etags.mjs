// Brings a folder of pages to those that a host has now, asking for each one with the tag that it had: etags.mjs BASE_URL FOLDER
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const AT_ONCE = 8;

const [, , baseUrl, folder] = process.argv;
const listed = join(folder, "etags.json");
const tags = existsSync(listed) ? JSON.parse(readFileSync(listed, "utf8")) : {};

const { pages } = await (await fetch(`${baseUrl}/snapshot.json`)).json();
let next = 1;
async function walk() {
  for (let page = next++; page <= pages; page = next++) {
    const headers = tags[page] === undefined ? {} : { "If-None-Match": tags[page] };
    const answer = await fetch(`${baseUrl}/api/users/pages/${page}.json`, { headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.status === 304) continue;
    if (!answer.ok) throw new Error(`page ${page}: ${answer.status}`);
    writeFileSync(join(folder, `${page}.json`), bytes);
    tags[page] = answer.headers.get("etag");
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, walk));
for (const name of readdirSync(folder)) if (Number.parseInt(name, 10) > pages) rmSync(join(folder, name));
writeFileSync(listed, JSON.stringify(Object.fromEntries(Object.entries(tags).filter(([page]) => page <= pages))));
