/**
 * Delivers whole new files by rename, `fork("courier.mjs", [folder, seed])`: v0, v1 and v2 in turn, as users.sqlite, each
 * some milliseconds after the last. Says so once it has begun; when it is told to stop, which file was the last.
 */
import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";

const [folder = "", seed = "1"] = process.argv.slice(2);
let state = Number(seed);
let turn = 0;
let timer;

/** As even as is needed here; the same for the same seed. */
function random() {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}

function deliver() {
  turn++;
  const coming = join(folder, "coming");
  copyFileSync(join(folder, `v${turn % 3}`), coming);
  renameSync(coming, join(folder, "users.sqlite"));
  if (turn === 1) process.send?.("begun");
  timer = setTimeout(deliver, 1 + random() * 150);
}

process.on("message", () => {
  clearTimeout(timer);
  process.send?.(`v${turn % 3}`);
});
process.on("disconnect", () => process.exit());
deliver();
