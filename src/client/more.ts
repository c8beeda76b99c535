/** All but a walk by pages: one file of a bundle, which is loaded when any of it is asked for first. */

export * from "./lookup/find.js";
export * from "./proof/signed.js";
export * from "./single.js";
export * from "./sources.js";
export * from "./sync/sync.js";
export { unprovedView } from "./unproved.js";
