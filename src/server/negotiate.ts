/** Which stored variant of a page a client gets, by its Accept-Encoding. */
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import { ENCODINGS, type Encoding } from "../contract/headers.js";
import type { Variant } from "../release/layout.js";

/** Clients send a handful of values; longer ones than this are worked out each time, so that memory stays bounded. */
const REMEMBERED = { values: 256, length: 256 } as const;

/** The typings lack the options, where `preferred` settles equal q-values. */
interface Preferring {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
}

/** Binds the choice to what a release has. `identity` when the client names nothing that it has. */
export function createNegotiation(encodings: readonly Encoding[]): (header: string | undefined) => Variant {
  if (encodings.length === 0) return () => "identity";
  const preferred = (Object.keys(ENCODINGS) as Encoding[]).filter((coding) => encodings.includes(coding));
  const available: readonly Variant[] = [...preferred, "identity"];
  const choose = (header: string): Variant => {
    const negotiator: Preferring = new Negotiator({ headers: { "accept-encoding": header } });
    const [best] = negotiator.encodings(available, { preferred });
    return available.find((variant) => variant === best) ?? "identity";
  };
  const remembered = new LRUCache<string, Variant>({ max: REMEMBERED.values });
  return (header) => {
    if (!header) return "identity";
    if (header.length > REMEMBERED.length) return choose(header);
    const known = remembered.get(header);
    if (known) return known;
    const chosen = choose(header);
    remembered.set(header, chosen);
    return chosen;
  };
}
