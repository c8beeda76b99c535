/** Runs before each test file: whatever fast-check draws follows from one seed. */
import fc from "fast-check";
import { draws, SEED } from "./random.js";

fc.configureGlobal({ seed: SEED, numRuns: draws(300) });
