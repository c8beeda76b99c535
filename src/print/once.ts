/** Puts off what takes milliseconds to make until it is needed: most runs need none of it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
