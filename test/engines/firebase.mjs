/** Firebase's own server of files: node firebase.mjs FOLDER PORT, until SIGTERM. FOLDER holds firebase.json and public/. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import superstatic from "superstatic";

const [, , folder, port] = process.argv;
const config = JSON.parse(readFileSync(join(folder, "firebase.json"), "utf8")).hosting;
const serve = superstatic.default({ cwd: folder, config, compression: false });
createServer((req, res) => serve(req, res, () => res.writeHead(404).end())).listen(Number(port), "127.0.0.1");
