/** A thread that digests a source's file while others are at work. */
import { follow } from "../workers/follow.js";
import { digestFile } from "./source-digest.js";

follow(() => digestFile);
