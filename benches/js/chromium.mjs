/**
 * The same scenes in headless Chromium, each in a browser of its own. Time is what the page's main thread had of a processor,
 * where Linux tells it, and wall time elsewhere.
 */
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { folder } from '../../tests/js/support/package.mjs';
import { effort, say } from './options.mjs';
import { measureScene, sceneToPrepare, wantedScenes } from './scene.mjs';
import { mainThreadNs } from './support/processes.mjs';

const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];
const MS_NS = 1e6;
/** Long enough for one process to stand out, and so often in a row that it is no accident. */
const SPIN_MS = 50;
const SPINS = 3;
const SPINS_MAX = 20;

/** Asking the page takes some of its time: a sample is to be long beside that. */
if (effort.sampleMs > 1) effort.sampleMs *= 2;

async function bundle() {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.mjs')], bundle: true, write: false, format: 'iife', platform: 'browser',
    alias: { keylatch: resolve(folder, 'esm/index.js') }, logLevel: 'error',
  });
  return outputFiles[0].text;
}

/** The process whose main thread runs the page's scripts: the one that is busiest whenever the page is. */
async function rendererOf(browser, page) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  if (renderers.some((pid) => mainThreadNs(pid) === undefined)) return undefined;
  for (let spin = 0, last, row = 0; spin < SPINS_MAX; spin += 1) {
    const before = renderers.map(mainThreadNs);
    await page.evaluate((ms) => globalThis.bench.spin(ms), SPIN_MS);
    const spent = renderers.map((pid, index) => mainThreadNs(pid) - before[index]);
    const busiest = renderers[spent.indexOf(Math.max(...spent))];
    row = busiest === last ? row + 1 : 1;
    last = busiest;
    if (row === SPINS) return busiest;
  }
  return undefined;
}

async function run(scene, script) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGUMENTS });
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: script });
    const renderer = await rendererOf(browser, page);
    if (renderer === undefined) say('  wall time: the processor time of the page is not known');
    await page.evaluate((prepared) => globalThis.bench.prepare(prepared), sceneToPrepare(scene));
    await measureScene(scene, async (row, store, count) => {
      const sample = [row, store, count];
      await page.evaluate((of) => globalThis.bench.ready(...of), sample);
      const before = mainThreadNs(renderer);
      const wallMs = await page.evaluate(() => globalThis.bench.run());
      const after = mainThreadNs(renderer);
      await page.evaluate((of) => globalThis.bench.finish(...of), sample);
      return renderer === undefined ? wallMs * MS_NS : after - before;
    });
  } finally {
    await browser.close();
  }
}

const script = await bundle();
const scenes = wantedScenes('chromium');
for (const [index, scene] of scenes.entries()) {
  say(`Chromium, scene ${index + 1} of ${scenes.length}: ${scene.name}`);
  await run(scene, script);
}
