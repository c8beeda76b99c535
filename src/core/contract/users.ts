/** The built-in contract: a directory of users, data/users.contract.json. No file in `src` but user.ts names a field of it. */

import { readFileSync } from "node:fs";
import { packageFile } from "../package.js";
import { contractOf } from "./contract.js";

export type { User } from "./user.js";

/** It needs no check. */
export const USERS_CONTRACT = contractOf(JSON.parse(readFileSync(packageFile("data/users.contract.json"), "utf8")));

export const USERS = USERS_CONTRACT.file;
