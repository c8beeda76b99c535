/** What init finds in one table, view, query or text file, and the contract that it proposes for it. */
import { checkContract } from "../core/contract/file/parse.js";
import { UserError } from "../core/errors.js";
import { type Proposal, propose } from "./propose.js";
import type { Subject, SurveyOptions } from "./subject.js";
import type { Survey } from "./tally.js";

export interface Found extends Proposal, Pick<Subject, "name" | "kind" | "note" | "notes"> {
  rows: number;
}

export interface FoundListing {
  /** The name of the listing in a site; empty for a plain release. */
  name: string;
  /** What the table seems to be for: `table`, `join table`, `log table`, `view`. */
  role: string;
  found: Found;
}

/** Proposes a contract. @throws UserError if there is no key, or it exceeds limits of contracts, for example with a thousand columns */
export function findIn(survey: Survey, options: SurveyOptions): Found {
  const { name, kind, rows, note, notes } = survey;
  const proposal = propose(survey, options);
  const read = checkContract(proposal.contract);
  if (!("mistakes" in read)) return { name, kind, rows, note, notes, ...proposal };
  const message = `The ${kind} ${name} does not fit into a contract. Select columns in a query, and pass it with --query FILE:`;
  throw new UserError(message, { details: read.mistakes });
}
