/** SHA-256 of bytes that come one after the other, which WebCrypto has no way to make. */

const BLOCK = 64;

/** The first 32 bits behind the point of the square roots and the cube roots of the first primes. */
const START = constants(Math.sqrt);
const ROUNDS = constants(Math.cbrt);

/** Of the block that is compressed now. Nobody else runs meanwhile. */
const w = new DataView(new ArrayBuffer(4 * BLOCK));

/** A digest that is still being made. */
export class Sha256 {
  readonly #state = new DataView(START.buffer.slice(0, 32));
  readonly #rest = new Uint8Array(BLOCK);
  /** Bytes until now. */
  #length = 0;

  update(bytes: Uint8Array): this {
    const held = this.#length % BLOCK;
    this.#length += bytes.length;
    let at = 0;
    if (held > 0) {
      at = Math.min(BLOCK - held, bytes.length);
      this.#rest.set(bytes.subarray(0, at), held);
      if (held + at < BLOCK) return this;
      this.#compress(new DataView(this.#rest.buffer), 0);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.#compress(view, at);
    this.#rest.set(bytes.subarray(at));
    return this;
  }

  /** In hexadecimal. Nothing can be added behind it. */
  digest(): string {
    const length = this.#length;
    const end = new Uint8Array(((119 - (length % BLOCK)) % BLOCK) + 9);
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(end.length - 8, length / 2 ** 29);
    view.setUint32(end.length - 4, length << 3);
    this.update(end);
    let hex = "";
    for (let at = 0; at < 32; at += 4) hex += this.#state.getUint32(at).toString(16).padStart(8, "0");
    return hex;
  }

  /** Names are those of FIPS 180-4. */
  #compress(block: DataView, from: number): void {
    const state = this.#state;
    for (let t = 0; t < 64; t += 4) w.setInt32(t, block.getInt32(from + t));
    for (let t = 64; t < 256; t += 4) {
      const x = w.getInt32(t - 60);
      const y = w.getInt32(t - 8);
      const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
      const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
      w.setInt32(t, (w.getInt32(t - 64) + s0 + w.getInt32(t - 28) + s1) | 0);
    }
    let a = state.getInt32(0);
    let b = state.getInt32(4);
    let c = state.getInt32(8);
    let d = state.getInt32(12);
    let e = state.getInt32(16);
    let f = state.getInt32(20);
    let g = state.getInt32(24);
    let h = state.getInt32(28);
    for (let t = 0; t < 256; t += 4) {
      const sum1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const t1 = (h + sum1 + ((e & f) ^ (~e & g)) + ROUNDS.getInt32(t) + w.getInt32(t)) | 0;
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
    add(state, 0, a);
    add(state, 4, b);
    add(state, 8, c);
    add(state, 12, d);
    add(state, 16, e);
    add(state, 20, f);
    add(state, 24, g);
    add(state, 28, h);
  }
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function add(state: DataView, at: number, word: number): void {
  state.setInt32(at, (state.getInt32(at) + word) | 0);
}

function constants(root: (prime: number) => number): DataView<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(4 * BLOCK));
  for (let [prime, at] = [2, 0]; at < 4 * BLOCK; prime++) {
    if (!isPrime(prime)) continue;
    view.setInt32(at, (root(prime) % 1) * 2 ** 32);
    at += 4;
  }
  return view;
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor < number; divisor++) if (number % divisor === 0) return false;
  return true;
}
