/** However a thread ends, whoever waits for it is told why, and the process goes on. */
import { expect, test } from "vitest";
import { PoolWorker } from "../../src/workers/worker.js";

const FILE = new URL("failing.mjs", import.meta.url);

test.each([
  ["at once", { name: "RangeError", message: "never begun" }],
  ["at its start", { name: "UserError", message: "a mistake at the start", exitCode: 1 }],
  ["of SQLite", { code: "SQLITE_CANTOPEN", message: "unable to open database file" }],
  ["exit", { message: "A thread ended, with 3, before it answered." }],
])("a thread that fails %s", async (way, error) => {
  const thread = new PoolWorker<number, number>(FILE, way);
  await expect(thread.ask(1)).rejects.toMatchObject(error);
  // Also whoever comes later, when there is nobody any more.
  if (way === "at once" || way === "exit") await expect(thread.ask(1)).rejects.toMatchObject(error);
  await thread.end();
});

test("a thread that ends while nobody waits for it", async () => {
  const thread = new PoolWorker<number, number>(FILE, "at once");
  await thread.end();
});

test("a thread is not ended in the middle of an order: it may be in SQLite, which would end the process", async () => {
  for (let i = 0; i < 10; i++) {
    const thread = new PoolWorker<number, number>(FILE, "");
    expect(await thread.ask(1)).toBe(1);
    const answered = thread.ask(5000);
    await thread.end();
    expect(await answered).toBe(5000);
  }
});
