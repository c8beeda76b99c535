/** Every link from one page of the documentation to another leads to a file that is there, and to a heading that it has. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DOCS = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => join(ROOT, "docs", name));
const PAGES = [
  ...readdirSync(ROOT)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(ROOT, name)),
  ...DOCS,
];

/** The names of a page's headings, as GitHub makes them. */
function headingsOf(page: string): string[] {
  const text = readFileSync(page, "utf8").replace(/^```.*?^```/gms, "");
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test.each(PAGES.map((page) => relative(ROOT, page)))("%s", (page) => {
  const text = readFileSync(join(ROOT, page), "utf8").replace(/^```.*?^```/gms, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  const wrong = links
    .filter((link) => !/^(https?|mailto):/.test(link))
    .filter((link) => {
      const [path = "", heading] = link.split("#");
      const file = path === "" ? join(ROOT, page) : join(ROOT, dirname(page), path);
      return !existsSync(file) || (heading !== undefined && !headingsOf(file).includes(heading));
    });
  expect(wrong).toEqual([]);
});

test("docs/README.md links to every page of docs", () => {
  const index = readFileSync(join(ROOT, "docs/README.md"), "utf8");
  const names = DOCS.map((page) => relative(join(ROOT, "docs"), page)).filter((name) => name !== "README.md");
  expect(names.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});
