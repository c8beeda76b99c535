/** Who is told how far reading a side has come. */
export type OnProgress = (done: { users: number; total: number }) => void;
