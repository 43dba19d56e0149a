// Measures how long a page's main thread is busy: processor time, so that other work of the machine counts little.
import assert from 'node:assert/strict';

/** Goal of the longest task after any action. */
export const LONGEST_TASK_MS = 200;
/** Times its goal that a figure may be. A slow machine, and work on the other thread of a core, take a few times as long. */
const SLACK = process.env.KEYLATCH_STRICT ? 1 : 5;

/** Prints a figure beside its goal, and fails if it is far beyond. With KEYLATCH_STRICT set, the goal itself is the limit. */
export function assertFigure(name, figure, goal, unit = 'ms') {
  console.log(`${name}: ${figure.toFixed(1)} ${unit} (goal: below ${goal})`);
  assert.ok(figure < goal * SLACK, `${name}: ${figure.toFixed(1)} ${unit}`);
}

/** Runs an action and what follows from it. Returns the processor time of the longest task in milliseconds. */
export async function longestTask(page, action, settledMs = 500) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((done) => session.once('Tracing.tracingComplete', done));
  await session.send('Tracing.start', {
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline', 'toplevel', '__metadata'] },
    transferMode: 'ReportEvents',
  });
  await action();
  await page.waitForTimeout(settledMs);
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const onMain = ({ pid, tid }) => mains.some((main) => main.pid === pid && main.tid === tid);
  const tasks = events.filter((event) => event.name === 'RunTask' && onMain(event) && event.tdur !== undefined);
  if (tasks.length === 0) throw new Error('the trace has no task');
  return Math.max(...tasks.map(({ tdur }) => tdur)) / 1000;
}
