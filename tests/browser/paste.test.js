// Pasted text: foreign forms become sessions, and replies pasted into the prompt are compared.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { heard, start } from './page.js';
import { assertFigure, LONGEST_TASK_MS, longestTask } from './tasks.js';

const LINES = 2000;

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

const text = () => page.locator('kl-editor textarea');
const FOREIGN = [
  'Try it out:',
  '```',
  '$ redis-cli SET lock "me"',
  '"OK"',
  '$ redis-cli',
  '127.0.0.1:6379> SET “other” you # a second one',
  'OK',
  '127.0.0.1:6379> BLPOP jobs 1',
  '(nil)',
  '(1.05s)',
  '127.0.0.1:6379> TIME',
  '…',
  '127.0.0.1:6379> exit',
  '```',
].join('\n');

async function paste(field, copied) {
  await page.evaluate((all) => navigator.clipboard.writeText(all), copied);
  await field.focus();
  await page.keyboard.press('Control+V');
}

test('foreign text pasted into the editor runs and passes; the changes are listed and can be undone', async () => {
  await paste(text(), FOREIGN);
  await page.locator('kl-session-view .summary.good').waitFor();
  assert.equal(
    await text().inputValue(),
    [
      '# Try it out:',
      '> SET lock me',
      'OK',
      '# a second one',
      '127.0.0.1:6379> SET "other" you',
      'OK',
      '127.0.0.1:6379> BLPOP jobs 1',
      '@ +1050ms',
      'redis<',
      '(nil)',
      '127.0.0.1:6379> TIME',
      '...',
    ].join('\n'),
  );
  const notice = page.locator('kl-session-bar details');
  await notice.locator('summary').click();
  assert.match(await notice.textContent(), /typographic quotes were replaced: check the arguments/);
  assert.equal(await notice.locator('dt').count(), 10);
  await page.getByRole('button', { name: 'Keep as pasted' }).click();
  assert.equal(await text().inputValue(), FOREIGN);
  await page.getByRole('button', { name: 'Undo' }).click();
  assert.match(await text().inputValue(), /^# Try it out/);
});

test('a session is pasted as it is', async () => {
  await paste(text(), '## T\nA> SET k v\nOK\n! set k\n');
  assert.equal(await text().inputValue(), '## T\nA> SET k v\nOK\n! set k\n');
  await page.locator('kl-session-view .summary.good').waitFor();
  assert.equal(await page.locator('kl-session-bar details').count(), 0);
});

test('replies pasted into the prompt are compared with those that came', async () => {
  await page.evaluate(() => (location.hash = ''));
  const line = page.locator('kl-prompt textarea');
  await line.waitFor();
  await paste(line, '```\n> SADD s a b\n(integer) 2\n> SMEMBERS s\n1) "b"\n2) "a"\n> TIME\n...\n```\n');
  await page.getByText('3 lines ran, all 3 replies are as pasted').waitFor();
  await paste(line, '$ redis-cli GET missing\n"me"\n$ redis-cli SCARD s\n(integer) 2\n');
  await page.getByText('1 of 2 replies differ from the pasted ones. GET missing: pasted "me", here (nil)').waitFor();
  assert.equal((await heard(page)).at(-1), 'keylatch> SCARD s\n(integer) 2');
});

test('hostile text stays text', async () => {
  const hostile = [
    '> SET <img/src=x/onerror=alert(1)> "<script>alert(2)</script>"',
    'OK # <b>bold</b>',
    '> SET rtl "\u202egnp.exe\u202c" # \u2066x\u2069',
    '> ECHO "\u0000\u0007\u001b[31m"',
    '...',
  ].join('\n');
  await paste(text(), hostile);
  await page.locator('kl-session-view .summary').waitFor();
  await page.locator('kl-session-bar details summary').click();
  assert.deepEqual(await page.evaluate(() => globalThis.policyViolations), []);
  assert.equal(await page.evaluate(() => document.querySelectorAll('script:not([src]), img, b').length), 0);
  await page.getByRole('button', { name: 'Continue in the command line' }).click();
  await page.locator('kl-key-panel .key').first().click();
  assert.deepEqual(await page.evaluate(() => globalThis.policyViolations), []);
});

const manyCommands = (count) => Array.from({ length: count }, (_, index) => `SET k:${index % 300} ${index}`).join('\n');

test('thousands of pasted commands run without long tasks, and Escape stops them', async () => {
  await page.evaluate(() => (location.hash = ''));
  const prompt = page.locator('kl-prompt textarea');
  const all = page.getByText(`${LINES} lines ran`);
  const ms = await longestTask(page, async () => {
    await paste(prompt, manyCommands(LINES));
    await all.waitFor();
  });
  assertFigure(`longest task of ${LINES} pasted commands`, ms, LONGEST_TASK_MS);

  await paste(prompt, manyCommands(50 * LINES));
  await page.keyboard.press('Escape');
  await page.getByText(/^\d+ of 100000 lines ran$/).waitFor();
  await prompt.fill('ECHO afterwards');
  await prompt.press('Enter');
  assert.match((await heard(page)).at(-1), /"afterwards"$/);
});

test('a session of thousands of lines can be pasted without long tasks', async () => {
  const session = Array.from({ length: LINES }, (_, index) => `A> SET k:${index} ${index}\nOK`).join('\n');
  const ms = await longestTask(page, async () => {
    await paste(text(), session);
    await page.getByText(`${LINES} checked, all as expected`).waitFor();
  });
  assertFigure(`longest task of a pasted session of ${LINES} steps`, ms, LONGEST_TASK_MS);
});
