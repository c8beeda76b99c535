/** Several pieces of bytes in one, each after its length: what collectors hand to mergers. */
const LENGTH = 4;

export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = pieces.reduce((sum, piece) => sum + LENGTH + piece.length, 0);
  const joined = Buffer.from(new ArrayBuffer(bytes));
  let at = 0;
  for (const piece of pieces) {
    at = joined.writeUInt32LE(piece.length, at);
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** @returns views of the same memory */
export function splitPieces({ buffer, byteOffset, length }: Uint8Array): Buffer[] {
  const joined = Buffer.from(buffer, byteOffset, length);
  const pieces: Buffer[] = [];
  for (let at = 0; at < length; ) {
    const begin = at + LENGTH;
    at = begin + joined.readUInt32LE(at);
    pieces.push(joined.subarray(begin, at));
  }
  return pieces;
}
