/**
 * The scenarios of Node in headless Chromium, each in browsers of its own. Time is the processor time of the page's
 * main thread as Chromium reports it, at most the elapsed time: before and after a sample the thread serves timers of
 * the stores.
 */
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { folder } from '../../tests/js/support/package.mjs';
import { effort } from './options.mjs';
import { answerScenarios, measureScenario, scenarioToPrepare } from './scenario.mjs';

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
];
const S_NS = 1e9;
const MS_NS = 1e6;
/** Resolution of the page's clock in milliseconds. */
const STEP_MS = 0.1;

/** Minimum length of a sample, because querying the page takes some of its time. */
if (effort.sampleMs > 1) effort.sampleMs *= 2.5;

async function bundle() {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.mjs')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    alias: { keylatch: resolve(folder, 'esm/index.js') },
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

/** Reads the processor time of the page's main thread so far, in nanoseconds. */
async function openThreadClock(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'ThreadTime').value * S_NS;
  };
}

async function run(scenario, script) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ARGUMENTS,
  });
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: script });
    const threadNs = await openThreadClock(page);
    await page.evaluate((prepared) => globalThis.bench.prepare(prepared), scenarioToPrepare(scenario));
    return await measureScenario(scenario, async (row, store, count) => {
      const sample = [row, store, count];
      await page.evaluate((of) => globalThis.bench.ready(...of), sample);
      const before = await threadNs();
      const wallMs = await page.evaluate(() => globalThis.bench.run());
      const ns = Math.min((await threadNs()) - before, (wallMs + STEP_MS) * MS_NS);
      await page.evaluate((of) => globalThis.bench.finish(...of), sample);
      return ns;
    });
  } finally {
    await browser.close();
  }
}

const script = await bundle();
await answerScenarios('chromium', (scenario) => run(scenario, script));
