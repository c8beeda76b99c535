import { type Answer, header, type Request, send } from "./raw.js";

const AT_ONCE = 8;
const LINES_PER_RULE = 4;

/** Sends requests to one API, checks what every answer must have, and collects what is wrong. */
export class Session {
  readonly origin: URL;
  /** The path of the listing, `/api/users/` behind whatever path the base URL has. */
  readonly listing: string;
  /** What pages say in `Vary`: whether this build has compressed pages. */
  vary = "Accept";
  #snapshot: string | undefined;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #found = new Map<string, string[]>();

  readonly base: string;

  constructor(baseUrl: string) {
    this.base = baseUrl.replace(/\/$/, "");
    this.origin = new URL(this.base);
    if (!["127.0.0.1", "localhost", "[::1]"].includes(this.origin.hostname))
      throw new Error(`not loopback: ${baseUrl}`);
    this.listing = `${this.origin.pathname.replace(/\/$/, "")}/api/users/`;
  }

  note(rule: string, what: string): void {
    const lines = this.#found.get(rule);
    if (lines === undefined) this.#found.set(rule, [what]);
    else lines.push(what);
  }

  /** Notes `what` unless `holds`. */
  check(holds: boolean, rule: string, what: string): void {
    if (!holds) this.note(rule, what);
  }

  lines(perRule = LINES_PER_RULE): string[] {
    return [...this.#found].flatMap(([rule, found]) => {
      const shown = found.slice(0, perRule).map((what) => `${rule}: ${what}`);
      const more = found.length - shown.length;
      return more > 0 ? [...shown, `${rule}: ${more} more of this kind`] : shown;
    });
  }

  get(query: string, ...headers: [string, string][]): Promise<Answer> {
    return this.ask({ method: "GET", target: `${this.listing}${query}`, headers });
  }

  async ask(request: Request): Promise<Answer> {
    const answer = await this.#send(request);
    this.check(answer.status !== 0, "answered", `${answer.name}: ${answer.trouble.join("; ")}`);
    if (answer.status !== 0) this.#always(answer);
    return answer;
  }

  /** Like `ask`, where a server may also hang up: what is not HTTP need not be answered. */
  async provoke(name: string, verbatim: string): Promise<Answer> {
    const answer = await this.#send({ method: name, target: "", verbatim });
    if (answer.status !== 0) this.#always(answer);
    return answer;
  }

  async #send(request: Request): Promise<Answer> {
    if (this.#running >= AT_ONCE) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#running += 1;
    try {
      return await send(this.origin, request);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #always(answer: Answer): void {
    const { name } = answer;
    for (const trouble of answer.trouble) this.note("message", `${name}: ${trouble}`);
    const keys = answer.headers.map(([key]) => key);
    for (const key of new Set(keys.filter((key, at) => keys.indexOf(key) !== at))) {
      this.note("one line per header", `${name}: ${key}`);
    }
    const snapshot = header(answer, "snapshot-id");
    this.#snapshot ??= snapshot;
    this.check(snapshot !== undefined && snapshot !== "", "Snapshot-Id", `${name}: ${answer.status} without one`);
    this.check(
      snapshot === undefined || snapshot === this.#snapshot,
      "one snapshot",
      `${name}: ${snapshot} after ${this.#snapshot}`,
    );
    this.expect(answer, "x-content-type-options", "nosniff");
    this.expect(answer, "access-control-allow-origin", "*");
    // What begins with two slashes would be another host's.
    const folder = this.listing.slice(0, -"api/users/".length).replace(/^\/\//, "/.//");
    this.expect(answer, "link", `<${folder}openapi.json>; rel="service-desc"`);
    if (answer.status >= 400) this.#error(answer);
  }

  #error(answer: Answer): void {
    this.expect(answer, "allow", "GET, HEAD, OPTIONS");
    this.expect(answer, "vary", "Accept", this.vary);
    this.expect(answer, "cache-control", "no-store");
    this.expect(answer, "content-type", "application/json");
    if (!answer.name.startsWith("HEAD ")) {
      const value = json(answer.body.toString());
      const good = isRecord(value) && typeof value["detail"] === "string" && Object.keys(value).length === 1;
      this.check(good, "error body", `${answer.name}: ${answer.status} ${answer.body.toString().slice(0, 80)}`);
    }
  }

  expect(answer: Answer, name: string, ...wanted: string[]): void {
    // Space around the commas of a list says nothing.
    const tidy = (list?: string) => list?.replace(/\s*,\s*/g, ", ");
    const value = tidy(header(answer, name));
    this.check(
      value !== undefined && wanted.some((one) => tidy(one) === value),
      name,
      `${answer.name}: ${answer.status} with ${value ?? "none"}, expected ${wanted[0]}`,
    );
  }

  status(answer: Answer, ...wanted: number[]): boolean {
    const good = wanted.includes(answer.status);
    this.check(good, "status", `${answer.name}: ${answer.status}, expected ${wanted.join(" or ")}`);
    return good;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value, or undefined where the text is not JSON. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
