/** Runs before each test file: sets the seed of fast-check. */
import fc from "fast-check";
import { draws, SEED } from "./random.js";

fc.configureGlobal({ seed: SEED, numRuns: draws(300) });
