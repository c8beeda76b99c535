/**
 * A listing read by two helpers that many programs page with: node paginators.mjs octokit|got URL, over and over until
 * SIGTERM. Each walk's records go to standard output as a line of JSON.
 */
import { Octokit } from "@octokit/core";
import { paginateRest } from "@octokit/plugin-paginate-rest";
import got from "got";

const WALKS = { octokit: byOctokit, got: byGot };

/** It follows `Link: <...>; rel="next"`, as GitHub sends it; here it is made from the `next` of the page. */
async function byOctokit(url) {
  const withLink = async (...asked) => {
    const answer = await fetch(...asked);
    const text = await answer.text();
    const headers = new Headers(answer.headers);
    headers.delete("content-encoding");
    const next = answer.ok && JSON.parse(text).next;
    if (next) headers.set("link", `<${next}>; rel="next"`);
    // A Response that is made by hand has no URL, which the helper logs.
    return Object.defineProperty(new Response(text, { status: answer.status, headers }), "url", { value: answer.url });
  };
  const octokit = new (Octokit.plugin(paginateRest))({ request: { fetch: withLink } });
  return octokit.paginate(`GET ${url}`, ({ data }) => data.results);
}

/** As its documentation shows for an API whose body says where the next page is. */
async function byGot(url) {
  return got.paginate.all(url, {
    pagination: {
      transform: ({ body }) => JSON.parse(body).results,
      paginate({ response }) {
        const { next } = JSON.parse(response.body);
        return next ? { url: new URL(next) } : false;
      },
    },
  });
}

const [, , helper, url] = process.argv;
for (;;) {
  const said = await WALKS[helper](url).then(
    (records) => ({ records }),
    (error) => ({ error: `${error}` }),
  );
  await new Promise((resolve) => process.stdout.write(`${JSON.stringify(said)}\n`, resolve));
  // Others read as well.
  await new Promise((resolve) => setTimeout(resolve, 100));
}
