// Interfaces of the browser that are missing, refuse or never answer: the page starts and works without them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { heard, say, start } from './page.js';

let browser;
before(async () => (browser = await start()));
after(() => browser.stop());

const AT_ONCE = ['missing', 'throws'];
const IN_TIME = ['missing', 'throws', 'rejects', 'silent'];

/** Interfaces of the browser: the object that has them, their name, their method, and the ways in which they fail. */
const INTERFACES = {
  locks: ['Navigator.prototype', 'locks', 'request', IN_TIME],
  database: ['globalThis', 'indexedDB', 'open', IN_TIME],
  visits: ['globalThis', 'localStorage', 'getItem', AT_ONCE],
  tab: ['globalThis', 'sessionStorage', 'getItem', AT_ONCE],
  channel: ['globalThis', 'BroadcastChannel', undefined, AT_ONCE],
  clipboard: ['Navigator.prototype', 'clipboard', 'writeText', IN_TIME],
  'service worker': ['Navigator.prototype', 'serviceWorker', 'register', IN_TIME],
  worker: ['globalThis', 'Worker', undefined, AT_ONCE],
  packing: ['globalThis', 'CompressionStream', undefined, AT_ONCE],
  identifiers: ['Crypto.prototype', 'randomUUID', undefined, AT_ONCE],
};
/** Interfaces without which nothing is kept, which the page says once. */
const STORAGE = ['locks', 'database'];

/** Runs in the page: takes interfaces away. */
function deny(denied) {
  const refuse = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  const answers = {
    throws: refuse,
    rejects: async () => refuse(),
    silent: () => new Promise(() => {}),
  };
  const requests = {
    rejects: () => {
      const request = { error: new DOMException('denied', 'UnknownError') };
      setTimeout(() => request.onerror());
      return request;
    },
    silent: () => ({}),
  };
  for (const [[path, name, method], way] of denied) {
    const owner = path.split('.').reduce((object, part) => object[part], globalThis);
    const answer = (name === 'indexedDB' && requests[way]) || answers[way];
    const get = () => {
      if (way === 'missing') return undefined;
      return method ? { [method]: answer, addEventListener() {} } : refuse();
    };
    Object.defineProperty(owner, name, { configurable: true, get });
  }
}

/** Opens the page without interfaces, uses it, and returns what the bar above it says. */
async function use(denied) {
  const context = await browser.context({ serviceWorkers: 'allow' });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.addInitScript(deny, denied);
  await page.goto(browser.address);
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  await say(page, 'SET k v');
  assert.deepEqual(await heard(page), ['keylatch> SET k v\nOK']);
  const bars = await page.locator('kl-visit-bar .row').allTextContents();
  await page.evaluate(() => (location.hash = 'new'));
  await page.locator('kl-editor textarea').fill('> PING\nPONG\n');
  await page.locator('kl-session-view .summary.good').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
  return bars.map((text) => text.trim());
}

for (const [name, place] of Object.entries(INTERFACES))
  for (const way of place[3])
    test(`${name}: ${way}`, async () => {
      const bars = await use([[place, way]]);
      assert.equal(bars.length, STORAGE.includes(name) ? 1 : 0, bars.join('\n'));
      if (bars.length > 0) assert.match(bars[0], /^This browser keeps nothing for this page \(.+\)/);
    });

for (const way of IN_TIME)
  test(`all interfaces: ${way}`, async () => {
    const denied = Object.values(INTERFACES).filter(([, , , ways]) => ways.includes(way));
    const bars = await use(denied.map((place) => [place, way]));
    assert.equal(bars.length, 1, bars.join('\n'));
  });
