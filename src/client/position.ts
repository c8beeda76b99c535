/** Where a walk is, in a form that another process can go on from. */

/** Where a walk is: plain JSON, which another process can give as `after` to go on. */
export interface Position {
  /**
   * Which records the listing holds: the SHA-256 of records.sha256. Where the host has none, another name of the snapshot,
   * and empty before the first answer.
   */
  state: string;
  /** The page of the record that was handed out last; 1 before the first. */
  page: number;
  /** How many records of this page were handed out. */
  index: number;
  /** Records a page, so that a position means the same where equal records are published with another page size. */
  pageSize?: number | undefined;
}
