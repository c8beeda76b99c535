/** docs/guides/github-pages.md: the commands of its workflow run word for word, and a plain nginx serves the folder as Pages does. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startNginx } from "../host/servers.js";
import { docPage, readerEnvironment, sh } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { runSteps, stepsOf } from "../support/workflow.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { blocks } = docPage("docs/guides/github-pages.md");
const INSTALL = "npm install git+https://git.rollcall.example/rollcall/rollcall.git";

/** Installs from the registry, and takes the last commit of this checkout for the public repository. */
function installing(): NodeJS.ProcessEnv {
  const { npm_config_offline, npm_config_cache, ...env } = readerEnvironment();
  return {
    ...env,
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: `url.file://${ROOT}.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://git.rollcall.example/rollcall/rollcall.git",
    GIT_CONFIG_KEY_1: "safe.directory",
    GIT_CONFIG_VALUE_1: "*",
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
}

test.skipIf(isMissing("nginx"))("from a file to Pages by the workflow", async () => {
  const cwd = scratch();
  const env = installing();
  const [commit = "", verify = "", ...others] = blocks("");
  const [workflow = ""] = blocks("", "yaml");
  expect(others).toEqual([]);
  expect(sh(`git init -q && cp '${ROOT}data/stations.csv' . && ${commit}`, cwd, env)).toMatchObject({ status: 0 });

  const port = await freePort();
  const url = `http://127.0.0.1:${port}/data`;
  const steps = stepsOf(workflow);
  expect(steps.find(({ name }) => name === "Install")?.run).toBe(INSTALL);
  const ended = runSteps(steps, cwd, env, () => ({ "steps.pages.outputs.base_url": url }));
  expect(ended).toEqual({ Install: 0, Build: 0, Publish: 0 });

  const root = scratch();
  symlinkSync(join(cwd, "site"), join(root, "data"));
  const types = "types { text/html html; application/json json; text/css css; text/javascript js; image/svg+xml svg; }";
  // Pages has no lists of folders, and redirects a folder's name to its slash.
  const folders = "error_page 403 =404 @missing; location @missing { return 404; }";
  const lines = `root ${root}; default_type text/plain; charset utf-8; gzip_vary on; ${types} ${folders}`;
  await startNginx(scratch(), port, [`server { listen 127.0.0.1:${port}; ${lines} }`]);
  const verified = sh(verify.replace("https://NAME.github.io/REPO", url), cwd, env);
  expect(verified.status, verified.stdout + verified.stderr).toBe(0);
});

test("README.md and the workflow of a review install in the same way", () => {
  expect(docPage("README.md").text).toContain(`\`${INSTALL}\``);
  const [review = ""] = docPage("docs/guides/review.md").blocks("In a pull request", "yaml");
  expect(stepsOf(review).find(({ name }) => name === "Install")?.run).toBe(INSTALL);
});
