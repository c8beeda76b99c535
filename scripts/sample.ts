/** `npm run sample -- --users 1000 --out data/users.sqlite`: makes a reproducible SQLite file of fictitious users. */
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { ExitCode, UserError } from "../src/core/errors.js";
import { MAX_USERS } from "./sample/times.js";
import { sampleUsers } from "./sample/users.js";
import { writeUsers } from "./sample/write.js";

const program = new Command("sample")
  .description("Writes a SQLite file of made-up users: the same bytes for the same flags, on every machine.")
  .requiredOption("--users <n>", `how many, 0 to ${MAX_USERS}`, integerUpTo(MAX_USERS))
  .requiredOption("--out <file>", "the file to write")
  .option("--seed <n>", "other users for another seed, 0 to 4294967295", integerUpTo(2 ** 32 - 1), 1)
  .option("--force", "replace the file if it exists", false)
  .exitOverride()
  .action(({ users, out, seed, force }: { users: number; out: string; seed: number; force: boolean }) => {
    const started = performance.now();
    const bytes = writeUsers(sampleUsers(users, seed), out, { force });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.error(`${out}: ${users} users, ${bytes} bytes, ${seconds} s`);
  });

try {
  program.parse();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
  } else if (error instanceof UserError) {
    console.error(error.message);
    process.exitCode = error.exitCode;
  } else {
    throw error;
  }
}

function integerUpTo(limit: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value > limit) throw new InvalidArgumentError(`Give an integer from 0 to ${limit}.`);
    return value;
  };
}
