/** Compiles src to lib before any test, so that tests of the real command never run an old one. */
import { execFileSync } from "node:child_process";

export default function compile(): void {
  execFileSync("npm", ["run", "--silent", "compile"], { stdio: "inherit" });
}
