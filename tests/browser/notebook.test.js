// The visitor's own sessions: kept, copied from lessons, undone, shared between tabs; and what was typed as a session.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { say, start } from './page.js';
import { choose, listed } from './picker.js';

const FILES = readdirSync(new URL('../../www/lessons/', import.meta.url));
const LESSONS = FILES.filter((file) => file.endsWith('.session')).map((file) => file.replace(/\.session$/, ''));

let browser;
let visitor;
let page;

before(async () => (browser = await start()));
after(() => browser.stop());
beforeEach(async () => {
  visitor = await browser.open('#new');
  page = visitor.page;
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const text = (tab = page) => tab.locator('kl-editor textarea');
const own = async (tab = page) => (await listed(tab, 'Your sessions')).map(({ title }) => title);
const isGood = (tab = page) => tab.locator('kl-session-view .summary.good').waitFor();

async function go(hash) {
  await page.evaluate((wanted) => (location.hash = wanted), hash);
}

async function value(wanted, tab = page) {
  await tab.waitForFunction((whole) => {
    // The view is defined some time after the page has begun.
    const view = document.querySelector('kl-app').shadowRoot?.querySelector('kl-session-view');
    const editor = view?.shadowRoot?.querySelector('kl-editor');
    return editor?.shadowRoot?.querySelector('textarea')?.value === whole;
  }, wanted);
}

/** Opens the page in a second tab of the same browser profile. */
async function secondTab(hash) {
  const tab = await visitor.context.newPage();
  await tab.goto(browser.address + hash);
  await text(tab).waitFor();
  return tab;
}

test('several sessions are kept under their titles, and are there after the page was opened anew', async () => {
  await text().fill('## One\n> SET one 1\nOK\n');
  await go('new');
  await value('');
  await text().fill('## Two\n> SET two 2\nOK\n');
  await choose(page, 'One');
  await value('## One\n> SET one 1\nOK\n');
  await isGood();
  await text().press('Control+End');
  await text().pressSequentially('> GET one');
  await page.reload();
  await value('## One\n> SET one 1\nOK\n> GET one');
  assert.deepEqual(await own(), ['One', 'Two']);
});

test('an edited lesson is a copy, and the lesson comes back', async () => {
  await go(`lesson=${LESSONS[2]}`);
  await page.locator('kl-session-view .next-lesson').waitFor();
  const whole = await text().inputValue();
  await text().press('Control+End');
  await text().pressSequentially('> PING');
  await page.getByRole('button', { name: 'Reset lesson' }).click();
  await value(whole);
  assert.equal(new URL(page.url()).hash, `#lesson=${LESSONS[2]}`);
  const [copy] = await own();
  await choose(page, copy);
  await value(`${whole}> PING`);
});

test('undo and redo cover typing, Fill in replies and the deletion, and never lead to another session', async () => {
  await text().fill('> PING\n');
  await isGood().catch(() => undefined);
  await page.getByRole('button', { name: 'Fill in replies' }).click();
  await value('> PING\nPONG\n');
  await text().press('Control+z');
  await value('> PING\n');
  await text().press('Control+Shift+Z');
  await value('> PING\nPONG\n');
  await go(`lesson=${LESSONS[0]}`);
  await page.locator('kl-session-view .next-lesson').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Undo' }).isEnabled(), false);
  await text().press('Control+z');
  assert.match(await text().inputValue(), /^## /);
  await go('own');
  await value('> PING\nPONG\n');
  await page.getByRole('button', { name: 'Delete' }).click();
  await value('');
  await page.waitForFunction(() => !document.querySelector('kl-app').innerText.includes('PONG'));
  await page.getByRole('button', { name: 'Undo' }).click();
  await value('> PING\nPONG\n');
  await page.reload();
  await value('> PING\nPONG\n');
});

test('two tabs: one follows the other, and texts written at once are both kept', async () => {
  await text().fill('## Shared\n');
  await page.waitForURL(/#session=/);
  const tab = await secondTab(new URL(page.url()).hash);
  await value('## Shared\n', tab);
  await text(tab).fill('## Shared\n> SET a 1\n');
  await value('## Shared\n> SET a 1\n');
  // Neither tab hears of the other in time: the records decide.
  await tab.evaluate(() => (BroadcastChannel.prototype.postMessage = () => undefined));
  await page.evaluate(() => (BroadcastChannel.prototype.postMessage = () => undefined));
  await text(tab).fill('## Shared\n> SET b 2\n');
  await tab.waitForTimeout(300);
  await text().fill('## Shared\n> SET c 3\n');
  await page.getByText('kept here as a copy').waitFor();
  await page.reload();
  await value('## Shared\n> SET c 3\n');
  assert.deepEqual(await own(), ['Shared', 'Shared (2)']);
  await tab.reload();
  await value('## Shared\n> SET b 2\n', tab);
});

test('without storage the page says so and works on', async () => {
  const closed = await visitor.context.newPage();
  await closed.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('forbidden', 'SecurityError');
    };
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await closed.goto(`${browser.address}#new`);
  await text(closed).fill('## Kept for now\n> PING\nPONG\n');
  await closed.getByText('This browser keeps nothing for this page').waitFor();
  await isGood(closed);
  await closed.getByRole('link', { name: 'New' }).click();
  await value('', closed);
  await choose(closed, 'Kept for now');
  await value('## Kept for now\n> PING\nPONG\n', closed);
});

test('a full storage is said, and the text stays', async () => {
  await page.evaluate(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await text().fill('## Too much\n');
  await page.getByText('The storage of this browser is full').waitFor();
  await go(`lesson=${LESSONS[0]}`);
  await page.locator('kl-session-view .next-lesson').waitFor();
  await choose(page, 'Too much');
  await value('## Too much\n');
});

// Typed commands open as a session that passes.

async function openAsSession() {
  await page.getByRole('button', { name: 'Open as session' }).click();
  await page.locator('kl-session-view .summary').waitFor();
  assert.match(await page.locator('kl-session-view .summary').textContent(), /all as expected/);
}

async function paste(copied) {
  await page.evaluate((all) => navigator.clipboard.writeText(all), copied);
  await page.locator('kl-prompt textarea').focus();
  await page.keyboard.press('Control+V');
}

test('random replies, server information and quotes open as a session that passes', async () => {
  await go('');
  for (const line of [
    'SADD colours red green blue yellow brown',
    'SPOP colours',
    'SRANDMEMBER colours 2',
    'RANDOMKEY',
    'SET \'a b\' "x\ty"',
    'GET "a b"',
    'CLIENT ID',
    'INFO memory',
    'MULTI',
    'GET colours',
    'EXEC',
    '@ +1h',
    'TTL colours',
  ])
    await say(page, line);
  await openAsSession();
});

test('after clear, the session starts with the keys there were', async () => {
  await go('');
  await say(page, 'SADD colours red green blue yellow brown white black');
  await say(page, 'CONFIG SET set-max-listpack-entries 3');
  await say(page, 'SELECT 2');
  await say(page, 'SET deep 1');
  await say(page, 'clear');
  await say(page, 'GET deep');
  await say(page, 'SELECT 0');
  await say(page, 'SPOP colours 3');
  await say(page, 'SRANDMEMBER colours');
  await say(page, 'SADD more a b c d');
  await say(page, 'OBJECT ENCODING more');
  await openAsSession();
  const session = await text().inputValue();
  assert.doesNotMatch(session, /SADD colours/);
  assert.match(session, /SELECT 2\n> ?|SELECT 2\n/);
  assert.match(session, /1\) "\w+"\n2\) "\w+"\n3\) "\w+"/, 'random members are the same again, not left out');
  await page.reload();
  await isGood();
});

test('a cleared log comes back by Undo, with what was typed since, and as a session that passes', async () => {
  await page.evaluate(() => (location.hash = ''));
  await say(page, 'RPUSH list a');
  await say(page, 'clear');
  await say(page, 'RPUSH list b');
  await page.locator('kl-visit-bar').getByRole('button', { name: 'Undo' }).click();
  assert.deepEqual(await page.locator('kl-log .command-line').allTextContents(), [
    'keylatch> RPUSH list a',
    'keylatch> RPUSH list b',
  ]);
  assert.equal(await page.getByText('The log was cleared.').count(), 0);
  await page.getByRole('button', { name: 'Open as session' }).click();
  await page.getByText('2 checked, all as expected').waitFor();
});

test('a transaction that is open at clear, and a client that waits, stay whole', async () => {
  await go('');
  await say(page, 'SET n 1');
  await say(page, 'MULTI');
  await say(page, 'INCR n');
  await say(page, 'clear');
  await say(page, 'EXEC');
  await say(page, 'SUBSCRIBE a b');
  await page.getByRole('button', { name: 'Client' }).click();
  await say(page, 'PUBLISH a 1');
  await say(page, 'clear');
  await say(page, 'PUBLISH b 2');
  await openAsSession();
});

test('after a lesson, and after thousands of lines', async () => {
  await go(`lesson=${LESSONS[4]}`);
  await page.locator('kl-session-view .next-lesson').waitFor();
  await page.getByRole('button', { name: 'Continue in the command line' }).click();
  await page.locator('kl-line-view').waitFor();
  await say(page, 'SCAN 0');
  await say(page, 'SADD s 1 2 3 4 5 6 7 8 9');
  await openAsSession();
  await go('');
  const lines = Array.from({ length: 2100 }, (_, index) => (index % 3 === 0 ? `SPOP s` : `SADD s ${index}`));
  await paste(`${lines.join('\n')}\nSELECT 3\nSET elsewhere 1\n`);
  await page.getByText('2102 lines ran').waitFor();
  await paste(`${lines.join('\n')}\nGET elsewhere\n`);
  await page.getByText('2101 lines ran').waitFor();
  await say(page, 'SRANDMEMBER s');
  await openAsSession();
});

test('a client that was disconnected is another client of the session', async () => {
  await go('');
  await say(page, 'SELECT 2');
  await say(page, 'SET k 1');
  await say(page, 'QUIT');
  await page.getByText('has reconnected').waitFor();
  await say(page, 'GET k');
  await openAsSession();
  assert.match(await text().inputValue(), /keylatch-2> GET k\n\(nil\)/);
});
