/** What init finds in one table, view, query or text file, and the contract that it proposes for it. */
import { checkContract } from "../contract/file/parse.js";
import { UserError } from "../errors.js";
import { type Proposal, propose } from "./propose.js";
import type { Subject, SurveyOptions } from "./subject.js";
import type { Survey } from "./tally.js";

export interface Found extends Proposal, Pick<Subject, "name" | "kind" | "note"> {
  rows: number;
}

export interface FoundListing {
  /** The name of the listing in a site; empty for a plain release. */
  name: string;
  /** What the table seems to be for: `table`, `join table`, `log table`, `view`. */
  role: string;
  found: Found;
}

/** Proposes a contract. @throws UserError if there is no key, or there are too many columns for a contract */
export function findIn(survey: Survey, options: SurveyOptions): Found {
  const { name, kind, rows, note } = survey;
  const found = { name, kind, rows, note, ...propose(survey, options) };
  requireContract(found);
  return found;
}

/** Checks the proposed contract. @throws UserError if it exceeds limits, for example with a thousand columns */
function requireContract({ kind, name, contract }: Found): void {
  const read = checkContract(contract);
  if (!("mistakes" in read)) return;
  const message = `The ${kind} ${name} does not fit into a contract. Select columns in a query, and pass it with --query FILE:`;
  throw new UserError(message, { details: read.mistakes });
}
