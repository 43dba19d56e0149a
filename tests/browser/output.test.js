// Large and special output: only a part stands on the page, no task is long, and texts print as in redis-cli.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { heard, say, start } from './page.js';
import { assertFigure, LONGEST_TASK_MS, longestTask } from './tasks.js';

let browser;
let visitor;
let page;

before(async () => (browser = await start()));
after(() => browser.stop());
beforeEach(async () => {
  visitor = await browser.open();
  page = visitor.page;
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const pairs = (many, pair) => Array.from({ length: many }, (_, index) => pair(index)).join(' ');
const last = () => page.locator('kl-log .command').last();
const elements = () =>
  page.evaluate(() => {
    const count = (root) =>
      [...root.querySelectorAll('*')].reduce((sum, one) => sum + 1 + (one.shadowRoot ? count(one.shadowRoot) : 0), 0);
    return count(document);
  });

/** Runs a command without typing it. */
async function run(text) {
  await page.evaluate((line) => document.querySelector('kl-app').playground.workspace.runLine(line), text);
}

async function runTimed(name, text) {
  assertFigure(`longest task of ${name}`, await longestTask(page, () => run(text)), LONGEST_TASK_MS);
}

test('KEYS of one hundred thousand keys shows a part, and all of it on request', async () => {
  for (let part = 0; part < 10; part += 1) await run(`MSET ${pairs(10_000, (index) => `user:${part}:${index} 1`)}`);
  await page.getByText('100,000 in db0').waitFor();
  await run('clear');
  await runTimed('KEYS', 'KEYS *');
  assert.match(await last().locator('.cut').textContent(), /40 of 100,000 lines/);
  assert.ok((await elements()) < 1500, `${await elements()} elements`);
  const ms = await longestTask(page, () => last().getByRole('button', { name: 'Show all' }).click());
  assertFigure('longest task of all lines', ms, LONGEST_TASK_MS);
  const box = last().locator('kl-long-text .scroll');
  assert.match(await box.locator('.line').first().textContent(), /^ {5}1\) "user:\d:\d+"$/);
  await box.evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight));
  await box.locator('.line', { hasText: '100000) "user:' }).waitFor();
  assert.ok((await elements()) < 1500);
  await last().getByRole('button', { name: 'Copy' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied.split('\n').length, 100_000);
  assert.match(await last().locator('.cut').textContent(), /^\s*100,000 lines/);
  await last().getByRole('button', { name: 'Show less' }).click();
  assert.equal(await box.count(), 0);
});

test('a reply of one megabyte, and a command of ten thousand pairs', async () => {
  await runTimed('SET of 1 MB', `SET long ${'x'.repeat(1 << 20)}`);
  await runTimed('GET of 1 MB', 'GET long');
  assert.match(await last().locator('.cut').textContent(), /the beginning of 1,048,578 characters/);
  await last().getByRole('button', { name: 'Show all' }).click();
  const box = last().locator('kl-long-text .scroll');
  await box.evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight));
  await box.locator('.line', { hasText: /x"$/ }).waitFor();
  assert.match(await last().locator('.cut').textContent(), /^\s*1,048,578 characters/);
  await runTimed('MSET of 10,000 pairs', `MSET ${pairs(10_000, (index) => `key:${index} ${index}`)}`);
  assert.match(await last().textContent(), /the beginning of 137,784 characters/);
  await last().getByRole('button', { name: 'Show all' }).click();
  assert.match(await last().locator('.cut').textContent(), /^\s*137,784 characters/);
  await page.getByText('10,001 in db0').waitFor();
});

test('a long command can be typed without long tasks', async () => {
  const text = `MSET ${pairs(10_000, (index) => `key:${index} ${index}`)} `;
  const line = page.locator('kl-prompt textarea');
  const typed = await longestTask(page, () => line.fill(text));
  const more = await longestTask(page, () => line.pressSequentially('abc'));
  const ran = await longestTask(page, () => line.press('Control+Enter'));
  assertFigure(`longest task of a command of ${text.length} characters`, Math.max(typed, more, ran), LONGEST_TASK_MS);
});

test('the log keeps few entries on the page, and shows earlier ones on request', async () => {
  await page.evaluate(() => {
    const { workspace } = document.querySelector('kl-app').playground;
    return workspace.runPasted(Array.from({ length: 1500 }, (_, index) => `SET k ${index}`).join('\n'));
  });
  assert.equal((await page.locator('kl-log .command').count()) < 201, true);
  await page.getByRole('button', { name: 'Show 200 of 1301 earlier lines' }).click();
  await page.getByRole('button', { name: 'Show 200 of 1101 earlier lines' }).waitFor();
});

test('the log follows; when the reader has scrolled up it says how much is new', async () => {
  for (let count = 0; count < 40; count += 1) await run(`SET k ${count}`);
  const log = page.locator('kl-log .scroll');
  const isAtEnd = async () => {
    const distance = () => log.evaluate((scroll) => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight);
    for (let count = 0; count < 40 && (await distance()) > 48; count += 1) await page.waitForTimeout(50);
    return (await distance()) <= 48;
  };
  assert.equal(await isAtEnd(), true);
  await log.evaluate((scroll) => scroll.scrollTo(0, 100));
  await page.waitForTimeout(200);
  await run('GET k');
  await page.getByRole('button', { name: '1 new line' }).waitFor();
  await run('GET k');
  assert.equal(await log.evaluate((scroll) => scroll.scrollTop), 100);
  await page.getByRole('button', { name: '2 new lines' }).click();
  assert.equal(await isAtEnd(), true);
  assert.equal(await page.locator('kl-log .missed').count(), 0);
  assert.equal(await page.locator('kl-prompt textarea').evaluate((area) => area.matches(':focus')), true);
});

test('INFO, CLIENT LIST and their like print as redis-cli prints them, and their errors too', async () => {
  await say(page, 'INFO server');
  assert.match((await heard(page)).at(-1), /^keylatch> INFO server\n# Server\nredis_version:[\d.]+\n/);
  await say(page, 'client list');
  assert.match((await heard(page)).at(-1), /^keylatch> client list\nid=\d+ addr=/);
  await say(page, 'INFO server\\n extra');
  await say(page, 'CLIENT LIST TYPE nosuch');
  assert.equal((await heard(page)).at(-1), "keylatch> CLIENT LIST TYPE nosuch\nERR Unknown client type 'nosuch'");
  await say(page, 'GET none');
  assert.equal((await heard(page)).at(-1), 'keylatch> GET none\n(nil)');
});

test('UTF-8 is shown as text on a switch', async () => {
  await say(page, 'SET city "Zürich \\\\x41 \\xff"');
  await say(page, 'GET city');
  const reply = async () => (await heard(page)).at(-1).split('\n')[1];
  assert.equal(await reply(), '"Z\\xc3\\xbcrich \\\\x41 \\xff"');
  await page.getByRole('button', { name: 'UTF-8' }).click();
  assert.equal(await reply(), '"Zürich \\\\x41 \\xff"');
  assert.equal(await page.getByRole('button', { name: 'UTF-8' }).getAttribute('aria-pressed'), 'true');
  await page.getByRole('button', { name: 'UTF-8' }).click();
  assert.equal(await reply(), '"Z\\xc3\\xbcrich \\\\x41 \\xff"');
});

test('clients side by side: each command has a row of its own', async () => {
  await say(page, 'SET a 1');
  await page.getByRole('button', { name: 'Client' }).click();
  await say(page, 'GET a');
  await say(page, 'help GET');
  await say(page, 'GET b');
  await page.getByRole('button', { name: 'Columns' }).click();
  const boxes = await page
    .locator('kl-log .entries > *')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  assert.equal(boxes.length, 4);
  for (let at = 1; at < boxes.length; at += 1)
    assert.ok(boxes[at].top >= boxes[at - 1].bottom, `${at}: ${boxes[at].top} below ${boxes[at - 1].bottom}`);
  assert.ok(boxes[1].left > boxes[0].right);
});
