/**
 * What rollcall/client promises, asked of it in whichever runtime this is loaded in: Node, Deno, Bun, a worker or a
 * browser. It uses nothing but what all of them have. A case is given the client, a host that serves one of two
 * releases, and a control that switches it; what is wrong is an error.
 */

const FIRST = "first";
const SECOND = "second";

/** Cases for every host of a signed release. Each begins with the first release. */
const SIGNED = {
  async "a walk by pages hands out one whole release"({ open, host }) {
    const listing = open();
    equal(listing.proof, undefined);
    const walk = listing.records();
    isRelease(host.releases[FIRST], await all(walk));
    equal(listing.proof, "signature");
    equal(walk.restarts, 0);
  },

  async "a walk by bulk hands out the same records"({ open, host }) {
    const listing = open();
    isRelease(host.releases[FIRST], await all(listing.records({ via: "bulk" })));
    equal(listing.proof, "signature");
  },

  async "a walk through stale pages reads what is current"({ open, host, control }) {
    // Caches between here and the host now have pages of the first release.
    isRelease(host.releases[FIRST], await all(open().records()));
    await control("switch", SECOND);
    isRelease(host.releases[SECOND], await all(open().records()));
    await control("switch", FIRST);
    isRelease(host.releases[FIRST], await all(open().records()));
  },

  async "a copy is brought from one release to the next by its step, and read anew where there is none"({
    open,
    store,
    host,
    control,
  }) {
    const { [FIRST]: first, [SECOND]: second } = host.releases;
    await control("switch", SECOND);
    const [copy, listing] = [store(), open()];
    equal((await listing.sync(copy)).via, "bulk");
    isRelease(second, [...copy]);
    equal((await listing.sync(copy)).via, "nothing");
    await control("switch", FIRST);
    const { from, state, via } = await listing.sync(copy);
    equal([from, state, via], [second.state, first.state, "changes"]);
    isRelease(first, [...copy]);
    equal(copy.get(first.ids[7]).id, first.ids[7]);
    await control("switch", SECOND);
    equal((await open().sync(copy)).via, "bulk");
    isRelease(second, [...copy]);
  },

  async "a record is looked up by its key, with three requests at most"({ open, host, control }) {
    const { ids, marks } = host.releases[FIRST];
    for (const at of [0, 7, 133, ids.length - 1]) {
      const listing = open();
      await listing.snapshot();
      await control("requests");
      equal(markOf(JSON.stringify(await listing.get(ids[at]))), marks[at], ids[at]);
      const asked = await control("requests");
      equal(asked.length <= 3, true, `${asked}`);
    }
    const listing = open();
    for (const other of ["", "nobody", ids[7].slice(0, -1), `${ids[7]}0`])
      equal(await listing.get(other), undefined, `the key ${JSON.stringify(other)}`);
  },

  async "records are found by names and by beginnings of keys, in order, and from where another left off"({
    open,
    host,
  }) {
    const release = host.releases[FIRST];
    const wanted = release.ids.filter((id) => nameOf(id).startsWith("user12"));
    const walk = open().find("USER12");
    const records = await some(walk, 3);
    const after = JSON.parse(JSON.stringify(walk.position));
    records.push(...(await all(open().find("USER12", { after }))));
    equal(idsOf(records), wanted);
    for (const record of records)
      equal(markOf(JSON.stringify(record)), release.marks[release.ids.indexOf(record.id)], record.id);
    const beginning = release.ids[30].slice(0, -1);
    const byKey = await all(open().find(beginning, { by: "key" }));
    equal(
      idsOf(byKey),
      release.ids.filter((id) => id.startsWith(beginning)),
    );
    equal(await all(open().find("user12 nobody")), []);
    equal(await all(open().find("")), []);
  },

  async "a signal ends a walk, a page and a listing, with its reason"({ open, host }) {
    const reason = new Error("enough");
    const [ofListing, ofWalk, before] = [new AbortController(), new AbortController(), new AbortController()];
    const listing = open({ signal: ofListing.signal });
    const [one, other] = [listing.records({ signal: ofWalk.signal }), listing.records()];
    await some(one, 15);
    ofWalk.abort(reason);
    equal(await failure(rest(one)), reason);
    isRelease(host.releases[FIRST], await all(other));
    before.abort(reason);
    equal(await failure(listing.page(2, { signal: before.signal })), reason);
    const third = listing.pages();
    await some(third, 1);
    ofListing.abort(reason);
    equal(await failure(rest(third)), reason);
    equal(await failure(listing.snapshot()), reason);
  },
};

/** Shorter than the client's own, since much here is meant to be refused in the end. */
const PAUSES_MS = [50, 200, 1000];

/** Does what another process asks for by its name. */
export function run(name, client, given) {
  return (name === "runCases" ? runCases : runPart)(client, given);
}

/**
 * Runs the cases of every host of a job, one after the other.
 * @returns a row a case: its host, its name, what was wrong with it if anything was.
 */
async function runCases({ openListing, createMemoryStore }, { control: address, hosts }) {
  const rows = [];
  for (const host of hosts) {
    const control = async (verb, ...more) => {
      const answer = await fetch(`${address}/${[host.name, verb, ...more].map(encodeURIComponent).join("/")}`);
      if (!answer.ok) throw new Error(`The control answers ${answer.status}: ${await answer.text()}`);
      return answer.json();
    };
    const open = (options) => openListing(host.baseUrl, { publicKey: host.publicKey, pausesMs: PAUSES_MS, ...options });
    for (const [name, run] of Object.entries(SIGNED)) {
      let wrong;
      try {
        await control("switch", FIRST);
        await run({ open, store: createMemoryStore, host, control });
      } catch (error) {
        wrong = `${error?.stack ?? error}`;
      }
      rows.push({ host: host.name, name, wrong });
    }
  }
  return rows;
}

/** Goes on with a walk for some records, where another process ended. */
async function runPart({ openListing }, { host, after, count }) {
  const walk = openListing(host.baseUrl, { publicKey: host.publicKey }).records(after && { after });
  const records = await some(walk, count);
  return { texts: records.map((record) => JSON.stringify(record)), after: walk.position };
}

async function all(walk) {
  const read = [];
  for await (const one of walk) read.push(one);
  return read;
}

/** Some of a walk, which can go on: a loop that is left would end it. */
async function some(walk, count) {
  const read = [];
  while (read.length < count) {
    const { done, value } = await walk.next();
    if (done) return read;
    read.push(value);
  }
  return read;
}

/** Reads the rest of a walk. */
async function rest(walk) {
  for (;;) if ((await walk.next()).done) return;
}

async function failure(promise) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`Nothing was refused, but came ${JSON.stringify(value)?.slice(0, 200)}`);
}

/** What the user of an id is called. */
function nameOf(id) {
  return `user${Number(id.slice(-12))}`;
}

function idsOf(records) {
  return records.map(({ id }) => id);
}

function isRelease(release, records) {
  equal(records.length, release.count, "records");
  isPrefix(release, records);
}

/** Whether these are the first records of a release, by their texts' digests. */
function isPrefix(release, records) {
  const marks = records.map((record) => markOf(JSON.stringify(record)));
  equal(marks, release.marks.slice(0, marks.length), "the records of the release");
}

/** A number of 53 bits that tells a text from others, without waiting for WebCrypto (cyrb53). */
export function markOf(text) {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2654435761);
    other = Math.imul(other ^ code, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return 4294967296 * (2097151 & other) + (one >>> 0);
}

function equal(received, expected, what = "value") {
  const [one, other] = [received, expected].map((value) => (value instanceof Error ? value : JSON.stringify(value)));
  if (one === other) return;
  throw new Error(`${what}: expected ${short(other)}, received ${short(one)}`, { cause: received });
}

function short(value) {
  const text = value instanceof Error ? `${value.name}: ${value.message}` : String(value);
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}
