/** The bucket tests on Ceph's gateway, which checks signatures and conditions itself. */
import { afterAll, describe } from "vitest";
import { closeCeph, useCeph } from "./store.js";

await useCeph();
afterAll(closeCeph);

describe("works with Ceph's gateway", async () => {
  await import("./bucket.system.test.js");
  await import("./lock.nightly.test.js");
  await import("./bucket-kill.nightly.test.js");
});
