/** Who is told how far reading a side has come. */
export type OnPagesRead = (done: { users: number; total: number }) => void;

/** Who watches while a side is read, and may stop it. */
export interface Watch {
  onProgress: OnPagesRead;
  signal: AbortSignal | undefined;
}
