/** Incremental SHA-256, which WebCrypto does not have. */

const BLOCK = 64;

/** The first 32 bits of the fractional parts of the square and cube roots of the first primes. */
const START = constants(Math.sqrt);
const ROUNDS = constants(Math.cbrt);

/** Scratch memory of `compress`, which is synchronous. */
const w = new Int32Array(BLOCK);
const as = new Int32Array(BLOCK + 4);
const es = new Int32Array(BLOCK + 4);

/** An incremental SHA-256. */
export class Sha256 {
  readonly #state = START.slice(0, 8);
  readonly #block = new Uint8Array(BLOCK);
  /** Bytes so far. */
  #length = 0;

  update(bytes: Uint8Array): this {
    const held = this.#length % BLOCK;
    this.#length += bytes.length;
    let at = 0;
    if (held > 0) {
      at = Math.min(BLOCK - held, bytes.length);
      this.#block.set(bytes.subarray(0, at), held);
      if (held + at < BLOCK) return this;
      compress(this.#state, this.#block, 0);
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) compress(this.#state, bytes, at);
    this.#block.set(bytes.subarray(at));
    return this;
  }

  /** Ends the digest. @returns it in hexadecimal */
  digest(): string {
    const length = this.#length;
    const end = new Uint8Array(((119 - (length % BLOCK)) % BLOCK) + 9);
    end[0] = 0x80;
    new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(length) * 8n);
    this.update(end);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }
}

/** The compression function of FIPS 180-4. Round t has a, b, c, d in `as` and e, f, g, h in `es`, at t + 3 down to t. */
function compress(state: Int32Array, bytes: Uint8Array, from: number): void {
  const block = new DataView(bytes.buffer, bytes.byteOffset + from);
  for (let t = 0; t < 4; t++) {
    as[3 - t] = state[t] as number;
    es[3 - t] = state[4 + t] as number;
  }
  for (let t = 0; t < BLOCK; t++) {
    if (t < 16) w[t] = block.getInt32(4 * t);
    else {
      const x = w[t - 15] as number;
      const y = w[t - 2] as number;
      const s0 = rotateRight(x, 7) ^ rotateRight(x, 18) ^ (x >>> 3);
      const s1 = rotateRight(y, 17) ^ rotateRight(y, 19) ^ (y >>> 10);
      w[t] = (w[t - 16] as number) + s0 + (w[t - 7] as number) + s1;
    }
    const a = as[t + 3] as number;
    const b = as[t + 2] as number;
    const c = as[t + 1] as number;
    const e = es[t + 3] as number;
    const sum1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const choice = (e & (es[t + 2] as number)) ^ (~e & (es[t + 1] as number));
    const t1 = (es[t] as number) + sum1 + choice + (ROUNDS[t] as number) + (w[t] as number);
    const sum0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    es[t + 4] = (as[t] as number) + t1;
    as[t + 4] = t1 + sum0 + ((a & b) ^ (a & c) ^ (b & c));
  }
  for (let t = 0; t < 4; t++) {
    state[t] = (state[t] as number) + (as[BLOCK + 3 - t] as number);
    state[4 + t] = (state[4 + t] as number) + (es[BLOCK + 3 - t] as number);
  }
}

function rotateRight(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function constants(root: (prime: number) => number): Int32Array {
  const primes: number[] = [];
  for (let one = 2; primes.length < BLOCK; one++) if (primes.every((prime) => one % prime)) primes.push(one);
  return Int32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}
