// Measures how long a page's main thread is busy: processor time, so that other work of the machine counts little.

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
