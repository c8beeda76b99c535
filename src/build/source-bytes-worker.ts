/** A thread that digests a source's file while others are at work. */
import { follow } from "../threads/follow.js";
import { digestFile } from "./source-bytes.js";

follow(() => digestFile);
