/** `rollcall serve` under a service manager: socket activation and readiness. */
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { until } from "../support/until.js";
import { publish } from "./release.js";
import { ask, freshDist } from "./running.js";
import { keepService, SERVICE_NEEDS } from "./service.js";

const PATH = "/api/users/?format=api&page=1";
const HANDED = "Listening on the inherited socket (LISTEN_FDS); --port and --host are ignored.\n";

describe.skipIf(isMissing(...SERVICE_NEEDS))("a socket from the service manager", () => {
  test("is served, and the server reports ready once it serves a release", async () => {
    const dist = await freshDist();
    const args = [dist, "--port", String(await freePort())];
    const { port, said, told, ended, kill, ...service } = await keepService(args);
    const early = ask(port, PATH);
    await service.start();
    expect(await told()).toBe("READY=1");
    expect((await early).status, "who came before the server was there").toBe(200);
    expect(said()).toContain(HANDED);
    expect(said()).toContain(`serve     http://127.0.0.1:${port} `);

    const { id } = JSON.parse(`${(await ask(port, "/snapshot.json")).body}`);
    await publish(dist, { count: 7 });
    kill("SIGHUP");
    await until(() => said().includes("now serving"));
    expect(said(), "another release is taken up at SIGHUP").not.toContain(`now serving ${id}`);
    expect(JSON.parse(`${(await ask(port, PATH)).body}`).count).toBe(7);

    kill("SIGTERM");
    expect(await ended()).toBe(0);
    const late = ask(port, PATH);
    await service.start();
    expect(await told()).toBe("READY=1");
    expect((await late).status, "who came while none was there").toBe(200);
  });

  test("is the only network access a sandboxed server needs", async ({ skip }) => {
    // Only root can do what the unit asks systemd for.
    skip(process.getuid?.() !== 0 || isMissing("unshare", "mount"));
    const hide = 'mount -o remount,bind,ro / && mount -t proc -o subset=pid,hidepid=2 proc /proc && exec "$0" "$@"';
    const within = ["unshare", "--net", "--mount", "bash", "-c", hide];
    const { port, told, ...service } = await keepService([await freshDist()], { within });
    await service.start();
    expect(await told()).toBe("READY=1");
    expect((await ask(port, PATH)).status).toBe(200);
  });

  test.each([
    ["two sockets", { count: "2" }],
    ["a socket of files", { kind: "unix" }],
    ["a file", { kind: "file" }],
  ] as const)("%s instead of it are refused", async (_what, options) => {
    const { said, ended, ...service } = await keepService([await freshDist()], options);
    await service.start();
    expect(await ended()).toBe(2);
    expect(said()).toMatch(/error: .*LISTEN_FDS.*ListenStream=.*\n$/);
  });
});
