// Firefox and WebKit: what depends on a browser's storage, its tabs and its back/forward cache.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ENGINES } from './drivers.js';
import { servePage } from './page.js';

/* global find: the drivers give it to scripts in the page. */

const isReady = () => document.documentElement.dataset.ready !== undefined;

/** Types a command and runs it. */
function type(text) {
  const area = find('kl-app', 'kl-line-view', 'kl-prompt', 'textarea');
  area.value = text;
  area.dispatchEvent(new Event('input', { bubbles: true }));
  area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
}

const log = () => find('kl-app', 'kl-line-view', 'kl-log').shadowRoot.textContent;

const isPromptOn = () => !find('kl-app', 'kl-line-view', 'kl-prompt', 'textarea').disabled;

const isLuaKept = async () => {
  const kept = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
  return kept.flat().some(({ url }) => url.includes('keylatch-lua'));
};

for (const [name, start] of Object.entries(ENGINES))
  describe(name, () => {
    let site;
    let page;
    beforeEach(async () => {
      site = await servePage();
      page = await start();
      await page.open(site.address);
      await page.until(isReady);
    });
    afterEach(async () => {
      await page.stop();
      site.stop();
    });

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

    test('the page of a command runs its example and finds another page', async () => {
      await page.open(`${site.address}docs/string.html#setnx`);
      await page.until(() => location.pathname.endsWith('/commands/setnx/') && document.querySelector('.run') !== null);
      await page.run(() => document.querySelector('.run').click());
      await page.until(() => find('keylatch-repl', '.summary.good') !== null);
      assert.match(await page.run(() => find('keylatch-repl', '.summary').textContent), /all as expected/);
      await page.run(() => {
        document.querySelector('.open-search').click();
        const field = document.querySelector('dialog input');
        field.value = 'reentrant';
        field.dispatchEvent(new Event('input', { bubbles: true }));
      });
      await page.until(() => document.querySelector('dialog li a')?.href.endsWith('/recipes/reentrant-lock/'));
    });

    test('a second tab is off until it takes over', async () => {
      await page.run(type, 'SET lock mine');
      await page.openTab();
      await page.open(site.address);
      await page.until(isReady);
      assert.equal(await page.run(isPromptOn), false);
      await page.run(() => find('kl-app', 'kl-line-view', 'kl-prompt', 'form button').click());
      await page.until(
        () =>
          document.documentElement.dataset.ready !== undefined &&
          !find('kl-app', 'kl-line-view', 'kl-prompt', 'textarea').disabled,
      );
      await page.run(type, 'GET lock');
      assert.match(await page.run(log), /GET lock\s+"mine"/);
    });

    test('the page and Lua that was used once run without a network', async () => {
      await page.run(type, 'EVAL "return 6 * 7" 0');
      await page.until(isLuaKept);
      site.stop();
      // Reloads by a driver may pass the service worker by.
      await page.open(`${site.address}?again`);
      await page.until(isReady);
      await page.run(type, 'EVAL "return 6 * 9" 0');
      await page.until(() => find('kl-app', 'kl-line-view', 'kl-log').shadowRoot.textContent.includes('(integer) 54'));
    });
  });
