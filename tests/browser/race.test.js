// Races: the explorer, the picture of holders, and moving back in the command line.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { heard, say, start } from './page.js';
import { listed } from './picker.js';
import { assertFigure, longestTask } from './tasks.js';

const DRAW_MS = 50;

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
  assert.deepEqual(await page.evaluate(() => globalThis.policyViolations), []);
  await visitor.context.close();
});

const button = (name) => page.getByRole('button', { name, exact: true });
const explorer = () => page.getByRole('region', { name: 'Race explorer' });
const picture = () => page.getByRole('dialog', { name: 'Picture' });

/** Opens a session text in the editor, and waits until it ran. */
async function edit(text) {
  await page.evaluate(() => (location.hash = '#new'));
  await page.locator('kl-editor textarea').fill(text);
  await page
    .locator('kl-session-view .summary')
    .filter({ hasText: /checked|ran|differ|column/ })
    .waitFor();
}

/** Text of the focused element, through all shadow trees. */
function focusedName() {
  return page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active?.textContent?.trim() ?? '';
  });
}

/** Moves forwards until an element with this text has the focus. */
async function focusByTab(name) {
  for (let presses = 0; presses < 60; presses += 1) {
    const text = await focusedName();
    if (typeof name === 'string' ? text === name : name.test(text)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${name} is not reached`);
}

const lock = (name, free) =>
  `${name}> SET lock ${name} NX PX 5000\nOK\n${name}+\n${name}-\n${name}> ${free.replace('NAME', name)}\n`;
const race = (free, names = ['A', 'B', 'C']) => `@ race\n${names.map((name) => lock(name, free)).join('')}@ join\n`;

async function explore() {
  await button('Race').click();
  await button('Explore all orders').click();
  await explorer().getByRole('status').filter({ hasText: 'runs' }).waitFor();
}

test('the explorer catches an unsafe race, and its outcome opens as a session that passes', async () => {
  await edit(race('DEL lock'));
  await explore();
  const said = await explorer().getByRole('status').textContent();
  assert.match(said, /^All 1,680 orders; with crashes and clock steps 36,120 runs, 108 fail\.$/);
  const first = explorer().locator('.outcome').first();
  assert.match(await first.textContent(), /✗ . and . inside together\s+18 with a clock step/);
  await first.getByRole('button').click();
  await page.locator('kl-session-view .summary.good', { hasText: /checked, all as expected/ }).waitFor();
  assert.match(await page.locator('kl-editor textarea').inputValue(), /@ race\n(.|\n)*@ next\n(.|\n)*@ join\n/);
  await button('Picture').click();
  await picture().getByRole('img').waitFor();
  assert.equal(await picture().locator('.clash').count(), 1);
  await page.keyboard.press('Escape');
  await page.goBack();
  await page.waitForFunction(
    (text) => document.querySelector('kl-app').playground.sessionEditor.text === text,
    race('DEL lock'),
  );
  assert.match(await explorer().getByRole('status').textContent(), /108 fail\.$/);
});

test('a safe race comes out clean', async () => {
  await edit(race('DELEX lock IFEQ NAME'));
  await explore();
  assert.match(await explorer().getByRole('status').textContent(), /none fails\.$/);
  assert.equal(await explorer().locator('.outcome .bad').count(), 0);
});

test('scripts race, too: the release by a script comes out clean', async () => {
  const release = `EVAL "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0" 1 lock NAME`;
  await edit(race(release, ['A', 'B']));
  await explore();
  assert.match(await explorer().getByRole('status').textContent(), /runs, none fails\.$/);
});

test('with the keyboard alone: explore a race, open an outcome, look at its picture', async () => {
  await page.evaluate(() => (location.hash = '#new'));
  await page.locator('kl-editor textarea').focus();
  await page.keyboard.insertText(race('DEL lock', ['A', 'B']));
  await page.locator('kl-session-view .summary').filter({ hasText: 'checked' }).waitFor();
  await focusByTab('Race');
  await page.keyboard.press('Enter');
  await explorer().waitFor();
  await focusByTab('Explore all orders');
  await page.keyboard.press('Enter');
  await explorer().getByRole('status').filter({ hasText: 'fail' }).waitFor();
  await focusByTab(/^Open/);
  await page.keyboard.press('Enter');
  await page.locator('kl-session-view .summary.good').waitFor();
  await focusByTab('Picture');
  await page.keyboard.press('Space');
  await picture().waitFor();
  await page.keyboard.press('Escape');
  await picture().waitFor({ state: 'detached' });
  assert.equal(await focusedName(), 'Picture');
});

test('an exploration can be cancelled, and started again', async () => {
  const lines = ['A', 'B', 'C'].map((name) => `${name}> RPUSH l ${name}\n`.repeat(6)).join('');
  await edit(`@ race\n${lines}@ join\n`);
  await button('Race').click();
  await button('Explore all orders').click();
  await button('Cancel').click();
  await explorer()
    .getByRole('status')
    .filter({ hasText: /^Cancelled after [\d,]+ commands\.$/ })
    .waitFor();
  await button('Explore all orders').click();
  await explorer().getByRole('progressbar').waitFor();
  await button('Close').click();
  await explorer().waitFor({ state: 'detached' });
  for (let tries = 0; page.workers().length > 0 && tries < 50; tries += 1) await page.waitForTimeout(100);
  assert.equal(page.workers().length, 0);
});

test('a deadlock has a sign of its own, above the outcomes that are fine, and is in the summary', async () => {
  const take = (name, one, other) => `${name}> BLPOP ${one} 0\n${name}> BLPOP ${other} 0\n${name}> RPUSH ${one} 1\n`;
  await edit(`> RPUSH a 1\n> RPUSH b 1\n@ race\n${take('A', 'a', 'b')}${take('B', 'b', 'a')}@ join\n`);
  await explore();
  assert.match(await explorer().getByRole('status').textContent(), /none fails, [\d,]+ end in a deadlock\.$/);
  const first = explorer().locator('.outcome').first();
  assert.match(await first.locator('.stuck').textContent(), /^! deadlock$/);
});

test('with 20 clients the count of orders is short, clients are grouped, and 320 px are enough', async () => {
  await page.setViewportSize({ width: 320, height: 700 });
  const names = Array.from({ length: 20 }, (_, index) => `C${index}`);
  const text = names.map((name) => `${name}> SET lock ${name} NX PX 5000\nOK\n${name}+\n`.repeat(3)).join('');
  await edit(`@ race\n${text}@ join\n`);
  await button('Race').click();
  await button('Explore all orders').click();
  await explorer()
    .getByText(/^\d+ %, [\d,]+ commands$/)
    .waitFor();
  await explorer().getByRole('status').filter({ hasText: 'runs' }).waitFor({ timeout: 60_000 });
  assert.match(await explorer().getByRole('status').textContent(), /of about 10\^66 orders, seed 1/);
  const outcome = explorer().locator('.outcome').first();
  assert.ok((await outcome.locator('.engine p').count()) < 10);
  assert.match(await outcome.textContent(), /and \d+ more stopped: \(nil\)/);
  const select = await explorer().getByLabel('Races of the lessons').boundingBox();
  assert.ok(select.x >= 0 && select.x + select.width <= 320, JSON.stringify(select));
});

test('without a race the explorer says how to write one, and opens those of the lessons', async () => {
  await edit('> PING\nPONG\n');
  await button('Race').click();
  await explorer().getByText('This session has no race.').waitFor();
  await page.getByLabel('Races of the lessons').selectOption('02-check-then-set');
  await explorer().getByRole('status').filter({ hasText: /fail/ }).waitFor();
  const titles = await page.getByLabel('Race', { exact: true }).locator('option').allTextContents();
  assert.deepEqual(
    titles.map((title) => title.split(':')[0]),
    ['Unsafe', 'Safe', 'LATCH'],
  );
});

test('Race on a lesson runs its race at once, under the lesson', async () => {
  await page.evaluate(() => (location.hash = '#lesson=06-setnx-then-expire'));
  await page.locator('kl-session-view .summary.good').waitFor();
  await button('Race').click();
  await explorer().getByText(': another reply').first().waitFor();
  assert.equal(await page.evaluate(() => location.hash), '#lesson=06-setnx-then-expire');
  assert.ok(await page.locator('kl-session-view kl-timeline').isVisible());
});

test('an address opens a race and runs it, and so does a link to a session', async () => {
  await page.evaluate(() => (location.hash = '#race=slow-owner'));
  await explorer().getByRole('status').filter({ hasText: 'runs' }).waitFor();
  const first = explorer().locator('.outcome').first();
  assert.match(await first.textContent(), /inside together/);
  await first.getByRole('button', { name: /^Open/ }).click();
  await page.locator('kl-session-view .summary.good').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Session or lesson: Slow owner' }).waitFor();
  await page.evaluate(
    (text) => {
      location.hash = `#s=${encodeURIComponent(text)}&race`;
    },
    race('DEL lock', ['A', 'B']),
  );
  await explorer()
    .getByRole('status')
    .filter({ hasText: /^All 20 orders/ })
    .waitFor();
  await page.evaluate(() => (location.hash = '#race=nosuch'));
  await page.getByRole('alert').filter({ hasText: 'Unknown race: nosuch.' }).waitFor();
});

test('a line of a race in the wrong place is a problem with its line', async () => {
  await edit('> PING\nA+\n');
  assert.match(await page.locator('kl-session-view .summary.bad').textContent(), /^Line 2, column 1: expected between/);
});

test('the picture of a lesson shows holders, their deadlines, and where two believe the same', async () => {
  await page.evaluate(() => (location.hash = '#lesson=08-slow-owner'));
  await button('Picture').click();
  const drawing = picture().getByRole('img');
  await drawing.waitFor();
  assert.equal(await drawing.locator('.clash').count(), 2);
  const tree = await picture().ariaSnapshot();
  assert.match(tree, /img "22 steps of 4 clients: 2 times, several believe that they hold the same\.[^"]*"/);
  await picture().locator('summary').click();
  const sentences = await picture().getByRole('listitem').allTextContents();
  assert.ok(
    sentences.some((sentence) => /^From step \d+ to step \d+, B and C believe that they hold lock\.$/.test(sentence)),
  );
  assert.ok(sentences.some((sentence) => /^A takes latch in step \d+ until 00:00:17/.test(sentence)));
  const [download] = await Promise.all([page.waitForEvent('download'), button('Save as SVG').click()]);
  const file = await readFile(await download.path(), 'utf8');
  assert.match(file, /^<\?xml.*\?>\n<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>\n<style>/);
  assert.match(file, /class="clash"/);
  // The policy of the page would forbid the style of the file.
  const blank = await visitor.context.newPage();
  const root = await blank.evaluate(
    (text) => new DOMParser().parseFromString(text, 'image/svg+xml').documentElement.nodeName,
    file,
  );
  assert.equal(root, 'svg');
});

test('hostile names and values are text in the picture', async () => {
  await edit('A> SET "<script>alert(1)</script>&\\x00" "]]>" NX\nOK\n');
  await button('Picture').click();
  await picture().getByRole('img').waitFor();
  assert.equal(await picture().locator('script').count(), 0);
  assert.match(await picture().getByRole('img').textContent(), /<script>/);
});

test('a race of 200 steps and 20 clients draws in 50 milliseconds and scrolls', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `C${index}`);
  const step = (name) => `${name}> SET lock ${name} NX PX 5000\n${name}> GET lock\n`;
  await edit(`${names.map(step).join('').repeat(5)}`);
  await button('Picture').click();
  await button('Close').click();
  const times = [];
  for (let round = 0; round < 3; round += 1) {
    times.push(await longestTask(page, () => button('Picture').click()));
    await button('Close').click();
  }
  times.sort((one, other) => one - other);
  assertFigure('200 steps drawn', times[1], DRAW_MS);
  await button('Picture').click();
  const wide = await picture()
    .locator('.content')
    .evaluate((content) => content.scrollWidth > content.clientWidth && content.scrollHeight > content.clientHeight);
  assert.ok(wide);
  assert.equal(await picture().locator('.name').count(), 20);
});

const slider = () => page.getByLabel('Step', { exact: true });
const keys = () =>
  page
    .locator('kl-key-panel .key')
    .evaluateAll((rows) => rows.map((row) => row.textContent.replaceAll(/\s+/g, ' ').trim()));

test('looking back shows keys, clients and clock of an earlier moment, and typing continues from there', async () => {
  await button('Paused')
    .click()
    .catch(() => {});
  for (const text of [
    '@ 2026-01-01T00:00:00Z',
    'SET door me PX 5000',
    '@ +2s',
    'SET door you',
    'MULTI',
    'INCR n',
    '@ +1m',
  ])
    await say(page, text);
  await button('Look back').click();
  const last = Number(await slider().getAttribute('max'));
  const moves = await page.locator('kl-look-back kl-timeline .clock .move').allTextContents();
  assert.ok(moves.some((move) => move.includes('+2s')) && moves.some((move) => move.includes('+1m')), String(moves));
  await slider().fill('2');
  assert.match(await page.locator('kl-look-back kl-scrubber output').textContent(), /^Step 2 of \d+, 00:00:00/);
  assert.match((await keys()).join(), /door/);
  assert.ok(last >= 7);
  assert.equal(await page.locator('kl-clock-panel').count(), 0);
  // Back inside of MULTI: the transaction is open again.
  await slider().fill(String(last - 2));
  assert.match(await page.locator('kl-look-back .engine').first().textContent(), /^keylatch\(TX\)$/);
  await say(page, 'INCR m');
  await page.locator('kl-log .command').first().waitFor();
  const lines = await heard(page);
  assert.match(lines.at(-1), /\(TX\)> *INCR m\nQUEUED/);
  assert.equal(lines.filter((line) => line.includes('INCR n')).length, 0);
  await say(page, 'EXEC');
  assert.match((await heard(page)).at(-1), /1\) \(integer\) 1$/);
  await page.evaluate(() => (location.hash = '#sessions'));
  const [newest] = await listed(page, 'Your sessions');
  assert.match(newest.title, /Before going back to step \d+/);
});

test('looking back after a cut knows the scripts of before, and ticks no reply that differs', async () => {
  await say(page, `EVAL "return redis.call('INCR', KEYS[1])" 1 n`);
  await page.getByText('This engine runs Lua from here on.').waitFor();
  await say(page, `SCRIPT LOAD "return redis.call('INCR', 'n')"`);
  const stored = async () => (await heard(page)).at(-1).split('"').at(-2);
  const sha = await stored();
  await say(page, `SCRIPT LOAD "return redis.call('INCR', KEYS[1])"`);
  const evaluated = await stored();
  for (const text of ['clear', `EVALSHA ${sha} 0`, `EVALSHA ${evaluated} 1 n`, 'CLIENT LIST', 'SET y 1'])
    await say(page, text);
  await button('Look back').click();
  const steps = page.locator('kl-look-back kl-timeline .said');
  await steps.first().waitFor();
  const shown = await steps.evaluateAll((found) =>
    found.map((step) => [
      step
        .querySelector('.command-line')
        .textContent.replace(/^.*> */, '')
        .split(' ')[0],
      ['matched', 'mismatched', 'ran'].find((name) => step.classList.contains(name)),
      step.querySelector('.answer').textContent.trim(),
    ]),
  );
  const [first, second, list, set] = shown.slice(-4);
  assert.deepEqual(
    [first, second],
    [
      ['EVALSHA', 'matched', '(integer) 2'],
      ['EVALSHA', 'matched', '(integer) 3'],
    ],
  );
  assert.deepEqual(list.slice(0, 2), ['CLIENT', 'ran'], 'numbers of clients are others');
  assert.deepEqual(set, ['SET', 'matched', 'OK']);
  assert.match((await keys()).join(), /\bn\b.*\by\b/);
});

test('typing at an earlier moment keeps blocked clients blocked', async () => {
  for (const text of ['C2> BLPOP queue 0', 'C3> SET a 1', 'C3> RPUSH queue x']) await say(page, text);
  await button('Look back').click();
  await slider().fill('2');
  const at = await page.locator('kl-look-back kl-scrubber output').textContent();
  assert.match(at, /^Step 2/);
  await say(page, 'C3> RPUSH queue y');
  await page.locator('kl-log .command').first().waitFor();
  assert.match((await heard(page)).join('\n'), /C2<\s*\n1\) "queue"\n2\) "y"/);
});
