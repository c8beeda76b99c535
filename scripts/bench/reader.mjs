// Reads a whole listing in one of several ways and looks at every record: reader.mjs HOW BASE_URL [PUBLIC_KEY [MODULE_OF_GOT]]
import { openListing } from "../../lib/client/index.js";

const [, , how, baseUrl, publicKey, helper] = process.argv;
const first = `${baseUrl}/api/users/`;

/** What one would write first: nothing tells whether all pages are of one listing. */
async function* byFetch() {
  for (let url = first; url !== null; ) {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    const { next, results } = await answer.json();
    yield* results;
    url = next;
  }
}

async function* byGot() {
  const { default: got } = await import(helper);
  yield* got.paginate(first, {
    pagination: {
      transform: ({ body }) => JSON.parse(body).results,
      paginate: ({ response }) => {
        const { next } = JSON.parse(response.body);
        return next ? { url: new URL(next) } : false;
      },
    },
  });
}

const client = (via) => () => openListing(baseUrl, { publicKey }).records({ via });
const WAYS = { pages: client("pages"), bulk: client("bulk"), fetch: byFetch, got: byGot };

let records = 0;
const ids = new Set();
for await (const { id } of WAYS[how]()) {
  records++;
  ids.add(id);
}
if (ids.size !== records) throw new Error(`${records} records, ${ids.size} of them different`);
