/** The inputs of artifact mergers, with a sink in memory. */
import type { MergeContext } from "../../src/build/artifacts/artifact.js";
import type { Contract } from "../../src/core/contract/contract.js";

export function mergeContext(
  contract: Contract,
  count: number,
  put: (path: string, bytes: Buffer) => unknown,
): MergeContext {
  const baseUrl = "https://people.example.org/directory";
  const collection = { count, pages: 1, pageSize: 100, baseUrl, path: contract.listing.path, links: "query" } as const;
  const sink: MergeContext["sink"] = {
    digestOf: () => undefined,
    put: (path, bytes) => void put(path, bytes),
    create: (path) => {
      throw new Error(`${path} is not expected`);
    },
  };
  return { contract, collection, sink };
}
