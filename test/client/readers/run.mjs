/**
 * Runs a function of cases.mjs in Node, Deno or Bun: its name and the client's URL are arguments, what it is given
 * comes on standard input, and what it returns goes to standard output, each as JSON.
 */
import process from "node:process";
import { text } from "node:stream/consumers";
import { run } from "./cases.mjs";

const [, , name, client] = process.argv;
const result = await run(name, await import(client), JSON.parse(await text(process.stdin)));
process.stdout.write(JSON.stringify(result), () => process.exit(0));
