/** Members as one machine hands them to another, which joins them to parts: a part may hold pages of several machines. */
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { UserError } from "../errors.js";
import type { Release } from "../release/open.js";
import { PiecesFile, readPieces } from "../release/pieces.js";
import type { BulkMember } from "./members.js";
import { MembersInTurn, type WrittenBulk } from "./turn.js";
import { BulkWriter } from "./writer.js";

const MEMBERS = "bulk.members";
/** What stands in front of a member's bytes: how many lines it has. */
const COUNT = 4;

/** What takes the members of a build; undefined where none are wanted. @param previous the release to link parts from. */
export function bulkFor(
  { folder, bulk, isPart }: { folder: string; bulk: boolean; isPart: boolean },
  previous: Release | undefined,
): MembersInTurn | undefined {
  if (!bulk) return undefined;
  return isPart ? new BulkHandOver(folder) : new BulkWriter(folder, previous);
}

class BulkHandOver extends MembersInTurn {
  readonly #file: PiecesFile;

  constructor(folder: string) {
    super();
    this.#file = new PiecesFile(join(folder, MEMBERS));
  }

  override finish(): WrittenBulk {
    return { files: [[MEMBERS, this.#file.finish()]], text: "" };
  }

  override close(): void {
    super.close();
    this.#file.close();
  }

  protected override write({ bytes, count }: BulkMember): void {
    const piece = Buffer.allocUnsafe(COUNT + bytes.length);
    piece.writeUInt32LE(count);
    piece.set(bytes, COUNT);
    this.#file.add(piece);
  }
}

/**
 * Gives a writer what was handed over. @param digests of the files in this folder, by their names.
 * @param next the turn of the first member. @returns the turn behind the last one.
 */
export function takeMembers(
  writer: MembersInTurn,
  { folder, digests }: { folder: string; digests: ReadonlyMap<string, string> },
  next: number,
): number {
  let turn = next;
  for (const piece of readPieces(join(folder, MEMBERS), digests.get(MEMBERS) ?? "")) {
    const bytes = piece.subarray(COUNT);
    const member = { bytes, plain: unpacked(bytes, folder), memory: new ArrayBuffer(0), count: piece.readUInt32LE() };
    writer.add(turn++, 1, [member]);
  }
  return turn;
}

function unpacked(bytes: Buffer, folder: string): Buffer {
  try {
    return gunzipSync(bytes);
  } catch (cause) {
    throw new UserError(`${join(folder, MEMBERS)} is not as it was written`, { cause });
  }
}
