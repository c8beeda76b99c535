// Asks for random pages at a constant rate, whatever the answers take: a request that finds no free connection waits, and
// the wait counts. argv: file of requests (a line each, `path<TAB>header<TAB>value`), port, rate, seconds, connections.
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const [, , file, port, ...figures] = process.argv;
const [rate, seconds, connections] = figures.map(Number);

const requests = readFileSync(file, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => {
    const [path, name, value] = line.split("\t");
    return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${name ? `${name}: ${value}\r\n` : ""}\r\n`);
  });

const total = rate * seconds;
const delays = new Float64Array(total);
const idle = [];
let sent = 0;
let done = 0;
let began = 0;

for (let at = 0; at < connections; at++) open();

function open() {
  let due = 0;
  let left = 0;
  const socket = connect({
    port: Number(port),
    host: "127.0.0.1",
    noDelay: true,
    onread: { buffer: Buffer.alloc(1 << 17), callback: take },
  });
  socket.on("error", fail).on("close", () => fail(new Error("A connection ended")));
  socket.on("connect", () => {
    idle.push(send);
    if (idle.length === connections) start();
  });

  function send(time) {
    due = time;
    socket.write(requests[Math.floor(Math.random() * requests.length)]);
  }

  function take(length, buffer) {
    if (left === 0) {
      const head = buffer.latin1Slice(0, Math.min(length, 2048));
      const end = head.indexOf("\r\n\r\n");
      const isKnown = head.startsWith("HTTP/1.1 304");
      const size = isKnown ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
      if (end === -1 || !(isKnown || head.startsWith("HTTP/1.1 200")) || Number.isNaN(size))
        fail(new Error(`Unexpected answer: ${head}`));
      left = end + 4 + size;
    }
    left -= length;
    if (left > 0) return true;
    delays[done++] = performance.now() - began - due;
    idle.push(send);
    if (done === total) finish();
    return true;
  }
}

function start() {
  began = performance.now();
  tick();
}

/** Spins, since a timer's milliseconds would be in every figure. */
function tick() {
  const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * rate));
  while (sent < due && idle.length > 0) idle.shift()((sent++ / rate) * 1000);
  if (done < total) setImmediate(tick);
}

function finish() {
  const elapsed = (performance.now() - began) / 1000;
  delays.sort();
  const at = (part) => delays[Math.floor((total - 1) * part)];
  console.log(`RESULT ${JSON.stringify({ rate: total / elapsed, p50: at(0.5), p99: at(0.99), max: at(1) })}`);
  process.exit(0);
}

function fail(error) {
  console.error(error.stack);
  process.exit(1);
}
