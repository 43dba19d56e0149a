// Accessibility of every view: axe in light, dark, forced colours and at 320 pixels, where nothing may stick out; the policy.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { start } from './page.js';
import { VIEWS } from './views.js';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
before(async () => (browser = await start()));
after(() => browser.stop());

/** Looks that a page takes on while it is shown; a small screen has to be there from the start. */
const COLOURS = [
  { name: 'light', colorScheme: 'light', forcedColors: 'none' },
  { name: 'dark', colorScheme: 'dark', forcedColors: 'none' },
  { name: 'forced colours', colorScheme: 'light', forcedColors: 'active' },
];
const SMALL = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };

async function violations(page) {
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.flat().join(' ')} ${node.any[0]?.message ?? ''}`),
  );
}

/** Opens a view, without movements, and hands its page to a check. */
async function visit(view, options, check) {
  const { page, context, complaints } = await browser.open(view.hash, { ...options, reducedMotion: 'reduce' });
  await view.act(page);
  assert.deepEqual(await page.evaluate(() => globalThis.policyViolations), [], view.name);
  assert.deepEqual(complaints, [], view.name);
  await page.evaluate(AXE);
  await check(page);
  await context.close();
}

test('axe finds nothing, in light, in dark and in forced colours', async () => {
  for (const view of VIEWS)
    await visit(view, {}, async (page) => {
      for (const { name, ...media } of COLOURS) {
        await page.emulateMedia(media);
        assert.deepEqual(await violations(page), [], `${view.name}, ${name}`);
      }
    });
});

test('axe finds nothing at 320 pixels, and nothing sticks out', async () => {
  for (const view of VIEWS)
    await visit(view, SMALL, async (page) => {
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, view.name);
      assert.deepEqual(await violations(page), [], view.name);
    });
});
