/** Runs before each unit test file: makes opening a socket, or starting a process or thread, an error that names the right tier. */
import childProcess from "node:child_process";
import cluster from "node:cluster";
import dgram from "node:dgram";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import threads from "node:worker_threads";

const refuse = (what: string) =>
  function refused(): never {
    throw new Error(`A unit test must not ${what}. Name its file *.system.test.ts.`);
  };

net.Server.prototype.listen = refuse("listen on a socket");
net.Socket.prototype.connect = refuse("open a socket");
Object.assign(dgram, { createSocket: refuse("open a socket") });
Object.assign(cluster, { fork: refuse("start a process") });
for (const name of ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"] as const) {
  Object.assign(childProcess, { [name]: refuse("start a process") });
}
Object.assign(threads, { Worker: refuse("start a thread") });
syncBuiltinESMExports();
