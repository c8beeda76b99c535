/** A copy with twice the room. */
export function larger<Numbers extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(numbers: Numbers): Numbers {
  const made =
    numbers instanceof Uint32Array ? new Uint32Array(2 * numbers.length) : new Uint8Array(2 * numbers.length);
  made.set(numbers);
  return made as Numbers;
}
