/** A user's canonical text: keys sorted at every depth, no white space (contract part 2). */
import stringify from "fast-json-stable-stringify";
import type { User } from "../contract/user.js";

/**
 * The canonical text of a user whose keys are in published order. Only circles can hold objects whose keys are not;
 * everybody else's text comes from JSON.stringify, which is the same and four times as fast.
 */
export function encodeUser(user: User): string {
  return user.circles.length === 0 ? JSON.stringify(user) : stringify(user);
}
