/** Lets at most so many of something go on at once. Who begins waits for a turn, in order, and ends once. */
export interface AtMost {
  begin(): Promise<void>;
  end(): void;
}

export function atMost(most: number): AtMost {
  const waiting: (() => void)[] = [];
  let going = 0;
  return {
    async begin() {
      if (going >= most) return new Promise<void>((resolve) => waiting.push(resolve));
      going++;
    },
    end() {
      const next = waiting.shift();
      if (next) next();
      else going--;
    },
  };
}
