import type { Person } from "./person.js";
import type { Fault } from "./reference.js";

/** What is wrong, the fault, and how the line that names it begins. */
export type Seeded = [string, Fault, string];

const people = (change: (person: Person, at: number) => object): Fault => ({
  people: (all) => all.map((person, at) => ({ ...person, ...change(person, at) })),
});
const text = (from: string | RegExp, to: string, only?: number): Fault => ({
  text: (page, number) => (only === undefined || only === number ? page.replace(from, to) : page),
});
const nested = (change: object) => people((person) => ({ off_chain: { ...Object(person["off_chain"]), ...change } }));

export const IN_PAGES: Seeded[] = [
  [
    "two users out of order",
    { people: ([a, b, c, d, ...rest]) => [a, b, d, c, ...rest].flatMap((p) => p ?? []) },
    "order: ",
  ],
  ["ties by id, descending", { people: ([a, b, ...rest]) => [b, a, ...rest].flatMap((p) => p ?? []) }, "order: "],
  ["an id twice", people((_, at) => (at === 4 ? { id: "00000000-0000-4000-8000-000000000003" } : {})), "unique ids: "],
  ["a wrong count", text('"count":7', '"count":8'), "count: "],
  ["a count that changes", text('"count":7', '"count":6', 2), "count: "],
  ["count as text", text('"count":7', '"count":"7"', 2), "envelope: "],
  ["a fourth user on a page", text(/(\{"bio".*),\n/, "$1,\n$1,\n", 2), "page size: "],
  ["links in the other order", text("format=api&page=2", "page=2&format=api", 1), "links: "],
  ["a link to another host", text(/127\.0\.0\.1/, "localhost", 2), "links: "],
  ["previous on page 1", text('"previous":null', '"previous":"http://127.0.0.1/"', 1), "links: "],
  ["an end too early", text(/"next":"[^"]*"/, '"next":null', 2), "count: "],
  ["a loop", text("page=3", "page=1", 2), "links: "],
  ["an unknown field", people(() => ({ x_password: "secret" })), "user: "],
  ["a missing field", people(() => ({ bio: undefined })), "user: "],
  ["a day that is none", people((_, at) => (at === 6 ? { date_joined: "2025-02-29T00:00:00.000000Z" } : {})), "user: "],
  ["an hour that is none", nested({ created_at: "2026-01-01T24:00:00.000000Z" }), "user: "],
  ["three fraction digits", nested({ last_withdrawn_at: "2026-01-01T00:00:00.000Z" }), "user: "],
  ["nothing scheduled as null", nested({ next_mining_at: null }), "user: "],
  ["a negative counter", nested({ tokens: -1 }), "user: "],
  ["a status nobody knows", people(() => ({ kyc_status: "Unknown" })), "user: "],
  ["a country in small letters", people(() => ({ country: "gb" })), "user: "],
  ["an id in capitals", people((_, at) => ({ id: `0000000A-0000-4000-8000-00000000000${at}` })), "user: "],
  ["a short wallet", people(() => ({ default_wallet: "0x12" })), "user: "],
  ["a counter beyond 2^53", text('"referrals_count":0', '"referrals_count":9007199254740993'), "user: "],
  ["an integer with a fraction", text('"wac_status":0', '"wac_status":0.0'), "JSON text: "],
  ["keys out of order", text('"username":"ada","wac_status":0', '"wac_status":0,"username":"ada"'), "JSON text: "],
  ["a key twice", text('"wac_status":0', '"wac_status":0,"wac_status":0'), "JSON text: "],
  ["white space in a record", text('"country":"GB"', '"country": "GB"'), "JSON text: "],
  ["a record over two lines", text('"country":"GB",', '"country":"GB",\n'), "JSON text: "],
  ["two records in a line", text("},\n", "},"), "JSON text: "],
  ["no final newline", text(/\n$/, ""), "JSON text: "],
  ["two final newlines", text(/\n$/, "\n\n"), "JSON text: "],
  ["a byte order mark", text(/^/, "\ufeff"), "envelope: "],
];
