// Accessibility: axe on every view in light, dark and forced colours.
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

const LOOKS = [
  { name: 'light', colorScheme: 'light' },
  { name: 'dark', colorScheme: 'dark' },
  { name: 'forced colours', forcedColors: 'active' },
  { name: 'light at 320 pixels', viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
];

async function violations(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.flat().join(' ')} ${node.any[0]?.message ?? ''}`),
  );
}

for (const look of LOOKS) {
  test(`axe finds nothing, in ${look.name}`, async () => {
    for (const view of VIEWS) {
      const { name, ...options } = look;
      const { page, context } = await browser.open(view.hash, { ...options, reducedMotion: 'reduce' });
      await view.act(page);
      assert.deepEqual(await violations(page), [], view.name);
      await context.close();
    }
  });
}
