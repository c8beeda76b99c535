/** The plots of a diff. They are drawn as SVG while the report is written. */
import type { Diff } from "../../diff/change.js";
import { html, type Markup } from "../../markup/markup.js";
import { drawNamedBars } from "../../markup/plots/bars.js";
import { figure, type Plot } from "../../markup/plots/figure.js";
import { count } from "../../print/numbers.js";
import { capital } from "../../print/text.js";
import { movesByFacet } from "../facts.js";
import type { Subject, Subjects } from "../subject.js";
import { writePath } from "../value.js";
import { flowPlot } from "./plots/flow.js";
import { timesPlot } from "./plots/times.js";
import { countTimes } from "./times.js";

/** The table of figures has the other fields. */
const MOST_BARS = 12;

/** The section with all plots, except those that would be empty. */
export async function plots(diff: Diff, subjects: Subjects): Promise<Markup> {
  const drawn: Plot[] = [];
  if (diff.fields.size > 0) drawn.push(fieldsPlot(diff, subjects.changed));
  for (const [path, flow] of movesByFacet(diff)) {
    const flows = drawn.filter(({ id }) => id.startsWith("flow")).length;
    drawn.push(flowPlot(path, flow, subjects.changed, flows + 1));
  }
  const times = await timesOf(diff, subjects);
  if (times) drawn.push(times);
  return html`<section class="plots" aria-labelledby="plots-title">
<h2 id="plots-title">At a glance</h2>
${drawn.map(figure)}
</section>
`;
}

/** By the contract of the new snapshot; undefined where it has no time, or nobody who came or went has one. */
async function timesOf(diff: Diff, subjects: Subjects): Promise<Plot | undefined> {
  const { time } = subjects.added;
  if (time === undefined || diff.added + diff.removed === 0) return undefined;
  const times = await countTimes(diff, time);
  return times.bins.length === 0 ? undefined : timesPlot(times, subjects.added, time);
}

/** A bar for each field: in how many records it changed, longest first. */
function fieldsPlot({ fields, changed }: Diff, { words: [one, many] }: Subject): Plot {
  const all = [...fields].map(([path, records]) => [writePath(path), records] as const);
  const shown = all.slice(0, MOST_BARS);
  const rest = all.length - shown.length;
  const of = `${capital(many)} whose value differs, of ${count(changed, [`changed ${one}`, `changed ${many}`])}.`;
  return {
    id: "fields",
    title: "Changes by field",
    sentence: rest === 0 ? of : `${of} ${count(rest, "rarer field")} not drawn.`,
    shown: {
      widths: [520, 340],
      draw: (width) =>
        drawNamedBars(
          shown.map(([name, records]) => ({ name, count: records })),
          "changed",
          width,
        ),
      figures: { head: ["Field", capital(many)], rows: all },
    },
  };
}
