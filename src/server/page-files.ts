/** Reads the files of one release's pages: proved once for what each is on disk, or each time. */
import { readIntoSync, sha256 } from "../release/files.js";
import type { Variant } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { createLender, Loan } from "./memory.js";
import type { FileProof, PageCache } from "./page-cache.js";
import { isSettled, Proofs } from "./proofs.js";

/** What is remembered of all pages in one variant, once one is asked for. */
interface Remembered {
  proofs: Proofs;
  /** When each was read last, in the cache's count. */
  readAt: Uint8Array;
}

export interface Proving {
  /** Whether a proof counts for later reads, too. */
  isOnce: boolean;
  /** How long a file must have been what it is, in milliseconds. */
  settleMs: number;
}

/** @param lend memory for pages that are sent and not kept */
export function createPageFiles(
  { folder, paths, sums }: Release,
  cache: PageCache,
  { isOnce, settleMs }: Proving,
  lend: ReturnType<typeof createLender>,
) {
  const remembered = new Map<Variant, Remembered>();
  const pace = createPace();
  const recall = (variant: Variant): Remembered => {
    let known = remembered.get(variant);
    if (!known) {
      const { pages } = sums.pages;
      known = { proofs: new Proofs(isOnce ? pages : 0), readAt: new Uint8Array(pages) };
      remembered.set(variant, known);
    }
    return known;
  };
  const pathOf = (page: number, variant: Variant) => `${folder}/${paths.path(page, variant)}`;
  const proofOf = (page: number, proofs: Proofs): FileProof => ({
    hold: (state) => isOnce && proofs.hold(page, state),
    keep(state, began) {
      if (isOnce && isSettled(state, began, settleMs)) proofs.keep(page, state);
    },
  });

  return {
    /** A page at once, hashed unless it was proved before. Undefined where it is to be loaded: to spare others, or to say what is wrong. */
    readNow(page: number, variant: Variant, digest: string): Loan | undefined {
      if (pace.isSlow()) return undefined;
      const { proofs, readAt } = recall(variant);
      const file = pathOf(page, variant);
      const began = Date.now();
      const read = pace.measure(() => readIntoSync(file, lend, proofs.sizeOf(page)));
      if (!read) return undefined;
      const { memory, state } = read;
      const proof = proofOf(page, proofs);
      if (!proof.hold(state)) {
        if (sha256(memory.bytes) !== digest) {
          memory.giveBack();
          return undefined;
        }
        cache.noteWhole(file);
        proof.keep(state, began);
      }
      if (cache.admits(readAt, page - 1, memory.bytes.length)) cache.keep(digest, copy(memory.bytes));
      return memory;
    },
    /** Undefined, after a line in the log, if the file's bytes are not those of `digest`. */
    async load(page: number, variant: Variant, digest: string): Promise<Buffer | undefined> {
      const { proofs, readAt } = recall(variant);
      const body = await cache.load(pathOf(page, variant), digest, proofOf(page, proofs));
      if (body && cache.admits(readAt, page - 1, body.length)) cache.keep(digest, body);
      return body;
    },
  };
}

function copy(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** A read that takes longer may have waited for the disk, and everybody else has waited with it. */
const SLOW_MS = 1;
/** For so many times as long, others read: so at most a twentieth of the time is lost. */
const REST = 20;

/**
 * What the system has in memory is read at once, in a tenth of the time that another thread would take. It does not say what
 * it has, so a read that was slow sends those after it to other threads for a while; if this process has read from a disk
 * since the last slow one, that is: on a busy machine, it may only have waited for its core.
 */
function createPace() {
  let restsUntil = 0;
  let readFromDisk = process.resourceUsage().fsRead;
  return {
    isSlow: () => restsUntil > 0 && performance.now() < restsUntil,
    measure<T>(read: () => T): T {
      const began = performance.now();
      const found = read();
      const ended = performance.now();
      if (ended - began > SLOW_MS) {
        const { fsRead } = process.resourceUsage();
        if (fsRead > readFromDisk) restsUntil = ended + (ended - began) * REST;
        readFromDisk = fsRead;
      }
      return found;
    },
  };
}
