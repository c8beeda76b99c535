/** 1,000 restarts under load on sockets that are kept: no connection is refused, and every request has its answer. */
import { expect, test } from "vitest";
import { isMissing } from "../support/installed.js";
import { draws } from "../support/random.js";
import { pause } from "../support/time.js";
import { ask, freshDist } from "./running.js";
import { keepService, SERVICE_NEEDS } from "./service.js";

/** Several at once, since starting one takes longer than all else here. */
const SERVICES = 4;
const RESTARTS = draws(1_000);
const CLIENTS = 4;
/** Answers of each service between two restarts, at least. */
const ANSWERS = 5;
/** Between two requests of a client, so that servers and this test share two cores. */
const THINK_MS = 10;

test.skipIf(isMissing(...SERVICE_NEEDS))(
  "a restart refuses no connection and loses no request",
  { timeout: 1_800_000 },
  async () => {
    const dist = await freshDist();
    const failures: string[] = [];
    const counts = { lives: 0, answers: 0 };

    const service = async () => {
      const { port, start, told, kill, ended, said } = await keepService([dist]);
      let answers = 0;
      let isOver = false;
      const client = async () => {
        // A connection for each request, which a server that is starting finds waiting.
        for (; !isOver; await pause(THINK_MS)) {
          try {
            const { status, body } = await ask(port, "/api/users/?format=api&page=1");
            if (status !== 200 || JSON.parse(`${body}`).count !== 5) throw new Error(`An answer with status ${status}`);
            answers++;
          } catch (error) {
            failures.push(String(error));
          }
        }
      };
      const restarts = async () => {
        for (let life = 0; life <= RESTARTS / SERVICES && failures.length === 0; life++) {
          await start();
          expect(await told()).toBe("READY=1");
          const enough = answers + ANSWERS;
          while (answers < enough && failures.length === 0) await pause(THINK_MS);
          // The last one goes on until all clients have their answers.
          if (life === RESTARTS / SERVICES) break;
          kill("SIGTERM");
          expect(await ended(), said()).toBe(0);
          counts.lives++;
        }
        isOver = true;
      };
      await Promise.all([restarts(), ...Array.from({ length: CLIENTS }, client)]);
      counts.answers += answers;
    };
    await Promise.all(Array.from({ length: SERVICES }, service));

    expect(failures).toEqual([]);
    expect(counts.lives).toBe(RESTARTS);
    expect(counts.answers).toBeGreaterThanOrEqual(RESTARTS * ANSWERS);
  },
);
