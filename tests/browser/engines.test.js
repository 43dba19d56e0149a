// Firefox and WebKit: what depends on a browser's storage, its tabs and its back/forward cache.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { ENGINES } from './drivers.js';
import { servePage } from './page.js';

/* global find: the drivers give it to scripts in the page. */

let site;
before(async () => (site = await servePage()));
after(() => site.stop());

const isReady = () => document.documentElement.dataset.ready !== undefined;

/** Types a command and runs it. */
function type(text) {
  const area = find('kl-app', 'kl-line-view', 'kl-prompt', 'textarea');
  area.value = text;
  area.dispatchEvent(new Event('input', { bubbles: true }));
  area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
}

const log = () => find('kl-app', 'kl-line-view', 'kl-log').shadowRoot.textContent;

for (const [name, start] of Object.entries(ENGINES))
  describe(name, () => {
    let page;
    beforeEach(async () => {
      page = await start();
      await page.open(site.address);
      await page.until(isReady);
    });
    afterEach(() => page.stop());

    test('a page that was left for the documentation comes back by its address, with its keys and log', async () => {
      await page.run(type, 'SET precious 1');
      for (let count = 0; count < 4; count += 1) {
        await page.open(`${site.address}docs/index.html`);
        await page.open(site.address);
        await page.until(isReady);
        assert.match(await page.run(log), /SET precious 1/);
      }
      await page.run(type, 'GET precious');
      assert.match(await page.run(log), /GET precious\s+"1"/);
      await page.reload();
      await page.until(isReady);
      assert.match(await page.run(log), /GET precious\s+"1"/);
    });
  });
