import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { listenForSignals } from "../../../src/cli/program/signals.js";

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
  return { signals, logged, calls, host, heard: listenForSignals(signals, (line) => logged.push(line)) };
}

test.each(["SIGINT", "SIGTERM"])("%s stops once, then both have their default effect", async (name) => {
  const { signals, heard, logged } = hearing();
  expect(heard.isStopped()).toBe(false);
  signals.emit(name);
  await heard.stopped;
  expect(heard.isStopped()).toBe(true);
  expect(signals.eventNames(), "a second one ends at once; SIGHUP does not").toEqual(["SIGHUP"]);
  expect(logged).toEqual(["Finishing open requests; a second signal ends the process at once."]);
  heard.end();
  expect(signals.eventNames()).toEqual([]);
});

test("every SIGHUP reloads an attached server, and a failed reload is logged", async () => {
  const { signals, heard, host, logged, calls } = hearing(() => Promise.reject(new Error("broken")));
  signals.emit("SIGHUP");
  expect(calls).toEqual([]);
  heard.attach(host);
  signals.emit("SIGHUP");
  signals.emit("SIGHUP");
  await new Promise(setImmediate);
  expect(calls).toEqual(["reload", "reload"]);
  expect(logged).toEqual(["broken", "broken"]);
  expect(heard.isStopped()).toBe(false);
});
