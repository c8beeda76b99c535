/** Where the pages of a listing of users are in a release. */
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { PagePaths } from "../../src/core/release/layout.js";

export const USER_PAGES = new PagePaths(USERS_CONTRACT.listing.path);
