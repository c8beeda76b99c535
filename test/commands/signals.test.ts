import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { hearSignals } from "../../src/commands/program/signals.js";

function hearing(reload = async () => {}) {
  const signals = new EventEmitter();
  const logged: string[] = [];
  const calls: string[] = [];
  const host = {
    reload() {
      calls.push("reload");
      return reload();
    },
  };
  return { signals, logged, calls, host, heard: hearSignals(signals, (line) => logged.push(line)) };
}

test.each(["SIGINT", "SIGTERM"])("%s stops once, then both have their usual effect again", async (name) => {
  const { signals, heard, logged } = hearing();
  expect(heard.isStopped()).toBe(false);
  signals.emit(name);
  await heard.stopped;
  expect(heard.isStopped()).toBe(true);
  expect(signals.eventNames(), "a second one ends at once; SIGHUP does not").toEqual(["SIGHUP"]);
  expect(logged).toEqual(["Finishing what is in flight; a second signal ends at once."]);
  heard.end();
  expect(signals.eventNames()).toEqual([]);
});

test("SIGHUP reloads, as often as it comes, once there is something to look at", () => {
  const { signals, heard, host, calls } = hearing();
  signals.emit("SIGHUP");
  expect(calls).toEqual([]);
  heard.attach(host);
  signals.emit("SIGHUP");
  signals.emit("SIGHUP");
  expect(calls).toEqual(["reload", "reload"]);
});

test("a reload that fails is logged, and the host goes on", async () => {
  const { signals, heard, host, logged, calls } = hearing(() => Promise.reject(new Error("broken")));
  heard.attach(host);
  signals.emit("SIGHUP");
  await new Promise(setImmediate);
  expect(logged).toEqual(["broken"]);
  expect(calls).toEqual(["reload"]);
  expect(heard.isStopped()).toBe(false);
});

test("what is not stopped lets go of every signal at its end", () => {
  const { signals, heard } = hearing();
  heard.end();
  expect(signals.eventNames()).toEqual([]);
});
