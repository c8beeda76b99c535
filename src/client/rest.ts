/** All but a walk by pages: one file of a bundle, which is loaded when any of it is asked for first. */
export * from "./courses.js";
export * from "./lookup/find.js";
export * from "./proof/signed.js";
export * from "./seldom.js";
export * from "./sync/sync.js";
export { unprovedGround } from "./unproved.js";
