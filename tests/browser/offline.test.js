// Without a network: the page from its cache, a new version that is offered, and an older service worker.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { heard, say, start, WWW } from './page.js';

let folder;
let browser;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keylatch-page-'));
  await cp(WWW, folder, { recursive: true });
  const { open, ...rest } = await start({ www: folder });
  browser = { ...rest, open: (options) => open('', { serviceWorkers: 'allow', ...options }) };
});
after(async () => {
  await browser.stop();
  await rm(folder, { recursive: true });
});

const ready = (page) => page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
const started = (page) => page.locator('html[data-ready]').waitFor({ state: 'attached' });

/** Writes a worker as a later build would. */
async function deploy(change) {
  const worker = await readFile(join(folder, 'worker.js'), 'utf8');
  await writeFile(join(folder, 'worker.js'), change(worker));
}

test('after the first visit the page opens without a network, also its documentation that was read', async () => {
  const { page, context, complaints } = await browser.open();
  await ready(page);
  await page.goto(`${browser.address}commands/pfadd/`);
  await page.getByRole('button', { name: 'Run', exact: true }).first().click();
  await page.locator('.example .summary.good').first().waitFor();
  await page.goto(browser.address);
  await started(page);
  await context.setOffline(true);
  await page.reload();
  await started(page);
  await say(page, 'PING');
  assert.deepEqual(await heard(page), ['keylatch> PING\nPONG']);
  await page.goto(`${browser.address}commands/pfadd/`);
  await page.getByRole('button', { name: 'Run', exact: true }).first().click();
  await page.locator('.example .summary.good').first().waitFor();
  assert.deepEqual(complaints, []);
  assert.deepEqual(await page.evaluate(() => globalThis.policyViolations), []);
  await context.close();
});

test('a new version is offered, and taken only when it is asked for', async () => {
  const { page, context } = await browser.open();
  await ready(page);
  await page.reload();
  await started(page);
  const old = await page.evaluate(() => caches.keys());
  await deploy((worker) => worker.replace(/const version = "\w+"/, 'const version = "nextversion0"'));
  await page.evaluate(() => navigator.serviceWorker.getRegistration().then((registration) => registration.update()));
  const bar = page.locator('kl-visit-bar');
  await bar.getByText('A new version of this page is ready.').waitFor();
  assert.ok((await page.evaluate(() => caches.keys())).includes(old[0]), 'the open page keeps its files');
  await say(page, 'SET k v');
  await Promise.all([page.waitForEvent('load'), bar.getByRole('button', { name: 'Reload' }).click()]);
  await started(page);
  await say(page, 'GET k');
  assert.equal((await heard(page)).at(-1), 'keylatch> GET k\n"v"');
  await page.waitForFunction(async () => (await caches.keys()).join() === 'keylatch-page-nextversion0');
  await context.close();
});

/** Waits until the worker has kept the engine with Lua. */
const isLuaKept = (page) =>
  page.waitForFunction(async () => {
    const kept = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
    return kept.flat().some(({ url }) => url.includes('keylatch-lua'));
  });

test('Lua that was used once runs without a network, also after a new version', async () => {
  const { page, context } = await browser.open();
  await say(page, 'EVAL "return 6 * 7" 0');
  await page.getByText('(integer) 42').waitFor();
  await ready(page);
  await isLuaKept(page);
  await deploy((worker) => worker.replace(/const version = "\w+"/, 'const version = "versionwithlua"'));
  await page.evaluate(() => navigator.serviceWorker.getRegistration().then((registration) => registration.update()));
  const reload = page.locator('kl-visit-bar').getByRole('button', { name: 'Reload' });
  await reload.waitFor();
  await Promise.all([page.waitForEvent('load'), reload.click()]);
  await started(page);
  await page.waitForFunction(async () => (await caches.keys()).join() === 'keylatch-page-versionwithlua');
  await context.setOffline(true);
  await page.reload();
  await started(page);
  await say(page, 'EVAL "return 6 * 9" 0');
  await page.getByText('(integer) 54').waitFor();
  await context.close();
});

test('without a network, scripts ask for a connection, and a lesson does not show the keys of another', async () => {
  const { page, context } = await browser.open();
  await ready(page);
  await page.reload();
  await started(page);
  await context.setOffline(true);
  await say(page, 'EVAL "return 6 * 7" 0');
  await page.locator('kl-prompt [role=alert]', { hasText: 'Scripts need a connection once' }).waitFor();
  assert.deepEqual(await heard(page), []);
  assert.equal(await page.locator('kl-prompt textarea').inputValue(), 'EVAL "return 6 * 7" 0');
  await page.evaluate(() => (location.hash = 'lesson=01-setnx-basics'));
  await page.locator('kl-session-view kl-key-panel .key').first().waitFor();
  await page.evaluate(() => (location.hash = 's=> EVAL "return 1" 0'));
  await page.locator('kl-session-view .summary', { hasText: 'Scripts need a connection once' }).waitFor();
  assert.equal(await page.locator('kl-session-view kl-key-panel .key').count(), 0);
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.locator('kl-session-view .summary', { hasText: '1 step ran' }).waitFor();
  await context.close();
});

test('a service worker of an older version gives way', async () => {
  const current = await readFile(join(folder, 'worker.js'), 'utf8');
  await deploy(() => "self.addEventListener('fetch', () => {});");
  const { page, context } = await browser.open();
  await ready(page);
  await deploy(() => current);
  await page.reload();
  await page.reload();
  await started(page);
  await say(page, 'PING');
  assert.deepEqual(await heard(page), ['keylatch> PING\nPONG']);
  await context.close();
});

test('an engine that is missing is said, and one that is late is waited for', async () => {
  const { page, context } = await browser.open({ serviceWorkers: 'block' });
  await page.route('**/*.wasm', (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await page
    .getByText(/^The engine did not start: The engine could not be loaded: 404.*\. Check the network, then reload/)
    .waitFor();
  await page.unroute('**/*.wasm');
  await page.route('**/*.wasm', async (route) => {
    await new Promise((done) => setTimeout(done, 1500));
    await route.continue();
  });
  await page.reload();
  await page.getByText('Loading the engine…').waitFor();
  await started(page);
  assert.equal(await page.getByText('Loading the engine…').isVisible(), false);
  await say(page, 'PING');
  assert.deepEqual(await heard(page), ['keylatch> PING\nPONG']);
  await context.close();
});

test('the manifest names files that exist', async () => {
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.webmanifest'), 'utf8'));
  const { page, context } = await browser.open();
  for (const { src } of manifest.icons)
    assert.equal((await page.request.get(browser.address + src)).status(), 200, src);
  assert.equal(await page.locator('link[rel=manifest]').getAttribute('href'), './manifest.webmanifest');
  await context.close();
});
