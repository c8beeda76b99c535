import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { untilStopped } from "../../src/commands/signals.js";

function running({ reload = async () => {}, close = async () => {} } = {}) {
  const signals = new EventEmitter();
  const calls: string[] = [];
  const logged: string[] = [];
  const host = {
    reload() {
      calls.push("reload");
      return reload();
    },
    close() {
      calls.push("close");
      return close();
    },
  };
  const stopped = untilStopped(host, signals, (line) => logged.push(line));
  return { signals, calls, logged, stopped };
}

test.each(["SIGINT", "SIGTERM"])(
  "%s closes once, then signals have their usual effect again",
  async (name) => {
    let finish = () => {};
    const { signals, calls, stopped } = running({
      close: () => new Promise((resolve) => (finish = resolve)),
    });
    signals.emit(name);
    await Promise.resolve();
    expect(calls).toEqual(["close"]);
    expect(
      signals.listenerCount("SIGINT") + signals.listenerCount("SIGTERM"),
      "a second one ends at once",
    ).toBe(0);
    finish();
    await stopped;
    expect(calls).toEqual(["close"]);
    expect(signals.eventNames()).toEqual([]);
  },
);

test("SIGHUP reloads, as often as it comes", async () => {
  const { signals, calls, stopped } = running();
  signals.emit("SIGHUP");
  signals.emit("SIGHUP");
  expect(calls).toEqual(["reload", "reload"]);
  signals.emit("SIGTERM");
  await stopped;
});

test("a reload that fails is logged, and the host goes on", async () => {
  const { signals, logged, calls, stopped } = running({ reload: () => Promise.reject(new Error("broken")) });
  signals.emit("SIGHUP");
  await new Promise(setImmediate);
  expect(logged).toEqual(["broken"]);
  expect(calls).toEqual(["reload"]);
  signals.emit("SIGTERM");
  await stopped;
});
