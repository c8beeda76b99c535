/** SHA-256 of bytes that come piece by piece, which WebCrypto cannot digest. */

const BLOCK = 64;

/** The first 32 bits behind the point of the square roots and the cube roots of the first primes. */
const START = constants(Math.sqrt);
const ROUNDS = constants(Math.cbrt);

/** Scratch memory for the block that is compressed now; nothing else runs meanwhile. */
const w = new Int32Array(BLOCK);

/** A digest that is still being made. */
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

  /** In hexadecimal. Ends the digest. */
  digest(): string {
    const length = this.#length;
    const end = new Uint8Array(((119 - (length % BLOCK)) % BLOCK) + 9);
    end[0] = 0x80;
    new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(length) * 8n);
    this.update(end);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }
}

/** Names are those of FIPS 180-4. */
function compress(words: Int32Array, bytes: Uint8Array, from: number): void {
  const block = new DataView(bytes.buffer, bytes.byteOffset + from);
  for (let t = 0; t < 16; t++) w[t] = block.getInt32(4 * t);
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15] as number;
    const y = w[t - 2] as number;
    const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[t] = (w[t - 16] as number) + s0 + (w[t - 7] as number) + s1;
  }
  const state = words as unknown as Eight;
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let t = 0; t < 64; t++) {
    const sum1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const t1 = (h + sum1 + ((e & f) ^ (~e & g)) + (ROUNDS[t] as number) + (w[t] as number)) | 0;
    const sum0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const t2 = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/** A tuple, since destructuring an array is slower than the rounds themselves. */
type Eight = [number, number, number, number, number, number, number, number];

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function constants(root: (prime: number) => number): Int32Array {
  const primes: number[] = [];
  for (let one = 2; primes.length < BLOCK; one++) if (primes.every((prime) => one % prime)) primes.push(one);
  return Int32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}
