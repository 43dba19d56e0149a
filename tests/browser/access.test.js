// Accessibility besides axe: keyboard operation, what a screen reader hears; the content security policy.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { say, start } from './page.js';
import { assertFigure } from './tasks.js';

const FIRST_REPLY_MS = 100;

let browser;
before(async () => (browser = await start()));
after(() => browser.stop());

test('the policy is served, and stands in the page as well', async () => {
  const response = await fetch(browser.address);
  const header = response.headers.get('content-security-policy');
  const html = await response.text();
  const meta = /Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1].replaceAll('&#39;', "'");
  for (const policy of [header, meta]) {
    assert.match(policy, /script-src 'self' 'wasm-unsafe-eval'(;|$)/);
    assert.match(policy, /style-src 'self'(;|$)/);
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'(?<!'wasm-unsafe-eval')/);
  }
  assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//);
});

test('a lock is taken, looked at and lost with the keyboard alone', async () => {
  const { page, context } = await browser.open();
  const focused = () =>
    page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return `${element?.tagName.toLowerCase()} ${element?.getAttribute('aria-label') ?? element?.dataset.label ?? element?.textContent.trim()}`;
    });
  const press = async (key, wanted, most = 40) => {
    for (let count = 0; count < most && !(await focused()).includes(wanted); count += 1) await page.keyboard.press(key);
    assert.ok((await focused()).includes(wanted), `${wanted} is reached by ${key}, not ${await focused()}`);
  };
  await page.keyboard.type('SET lock me PX 2000');
  await page.keyboard.press('Enter');
  await press('Tab', 'Paused');
  await page.keyboard.press('Enter');
  await press('Tab', 'button lock');
  await page.keyboard.press('Enter');
  await page.locator('kl-key-detail').waitFor();
  await press('Shift+Tab', '+1 min');
  await page.keyboard.press('Enter');
  await page.getByText('lock expired').waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  await press('Tab', 'Sessions');
  await page.keyboard.press('Enter');
  // Tab presses that come before the view would lead past it.
  await page.locator('kl-scrubber output').waitFor();
  await press('Tab', 'Previous step');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('kl-scrubber output').textContent(), /Step \d+ of \d+/);
  await context.close();
});

test('choosing a client by keyboard moves nothing', async () => {
  const { page, context } = await browser.open();
  await page.getByRole('button', { name: 'Client' }).click();
  const boxes = () =>
    page
      .locator('kl-client-picker .client')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  const before = await boxes();
  await page.getByRole('radio').first().focus();
  assert.deepEqual(await boxes(), before);
  await context.close();
});

test('the skip link leads past the header', async () => {
  const { page, context } = await browser.open('#commands');
  await page.locator('kl-command-view input').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await page.locator('kl-command-view input').evaluate((field) => field.matches(':focus')), true);
  await context.close();
});

test('a screen reader hears replies in a log, and each line stands in the tree', async () => {
  const { page, context } = await browser.open();
  await say(page, 'SET door me');
  await say(page, 'GET door');
  const tree = await page.locator('kl-log').ariaSnapshot();
  assert.match(tree, /log "Commands and replies"/);
  assert.match(tree, /GET door/);
  assert.match(tree, /\\?"me\\?"/);
  await context.close();
});

test('the theme can be chosen and is kept', async () => {
  const { page, context } = await browser.open('', { colorScheme: 'light' });
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await ground();
  await page.getByRole('button', { name: /^Theme/ }).click();
  assert.equal(await ground(), light);
  await page.getByRole('button', { name: 'Theme: light' }).click();
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  assert.equal(await ground(), dark);
  await context.close();
});

test('the first reply comes soon after the script starts', async () => {
  const times = [];
  for (let visit = 0; visit < 5; visit += 1) {
    const { page, context } = await browser.open();
    times.push(Number(await page.locator('html').getAttribute('data-first-reply-ms')));
    await context.close();
  }
  times.sort((one, other) => one - other);
  assert.ok(times.every((time) => time > 0));
  // Other work of the machine makes visits slower, and none faster.
  assertFigure('first reply after the script starts', times[0], FIRST_REPLY_MS);
});
