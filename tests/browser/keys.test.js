// The keys and the clock: display, countdown, moving the clock, and the buttons of a key.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { heard, say, start } from './page.js';

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

const row = (label) => page.locator(`kl-key-panel [data-label="${label}"]`);
const life = (label) => row(label).locator('.life').textContent();
const names = () => page.locator('kl-key-panel li:not(.gone) .name').allTextContents();

test('rows show type, size and remaining time, and follow every command', async () => {
  await page.getByText('No keys yet.').waitFor();
  await say(page, 'SET door me PX 60000');
  await say(page, 'RPUSH queue a b');
  await say(page, 'HSET user name Ann');
  assert.deepEqual(await names(), ['door', 'queue', 'user']);
  assert.equal(await row('queue').locator('.size').textContent(), '2 items');
  assert.equal(await row('user').locator('.type').textContent(), 'hash');
  assert.match(await life('door'), /^(1 m 00 s|59 s)$/);
  assert.equal(await row('queue').locator('.life').count(), 0);
  await say(page, 'DEL queue');
  assert.deepEqual(await names(), ['door', 'user']);
});

test('the countdown runs while the clock is live, and stands while it is paused', async () => {
  await say(page, 'SET door me PX 9000');
  const before = await life('door');
  await page.waitForTimeout(400);
  assert.notEqual(await life('door'), before);
  await page.getByRole('button', { name: 'Paused' }).click();
  const paused = await life('door');
  await page.waitForTimeout(400);
  assert.equal(await life('door'), paused);
});

test('a key expires on the screen by itself, and the log says so', async () => {
  await say(page, 'SET spark 1 PX 300');
  await page.locator('kl-key-panel .gone').waitFor();
  await page.getByText('spark expired').waitFor();
  await page.getByText('No keys yet.').waitFor();
});

test('stepping the clock expires a key on the screen, exactly one step after its last instant', async () => {
  await page.getByRole('button', { name: 'Paused' }).click();
  await say(page, 'SET door me PX 1000');
  await page.getByRole('button', { name: '+1 s' }).click();
  assert.equal(await life('door'), '0 ms');
  await say(page, 'GET door');
  assert.equal((await heard(page)).at(-1), 'keylatch> GET door\n"me"');
  await page.getByRole('button', { name: '+1 ms' }).click();
  await page.getByText('door expired').waitFor();
  assert.deepEqual(await names(), []);
});

test('to the next expiry, and back to the wall clock', async () => {
  await say(page, 'SET late 1 EX 4000');
  await say(page, 'SET early 1 EX 2000');
  await page.getByRole('button', { name: /^Next expiry in/ }).click();
  await page.getByText('early expired').waitFor();
  assert.deepEqual(await names(), ['late']);
  assert.match(await page.locator('kl-clock-panel .lead').textContent(), /33 m \d\d s ahead of the wall clock/);
  await page.getByRole('button', { name: 'Reset' }).click();
  assert.equal(await page.locator('kl-clock-panel .lead').count(), 0);
  assert.match(await life('late'), /^1 h 06 m$/);
});

test('sorted by name or by next expiry', async () => {
  for (const text of ['SET a 1 EX 300', 'SET b 1', 'SET c 1 EX 100']) await say(page, text);
  assert.deepEqual(await names(), ['a', 'b', 'c']);
  await page.locator('kl-key-panel').getByRole('button', { name: 'Expiry' }).click();
  assert.deepEqual(await names(), ['c', 'a', 'b']);
});

test('buttons run ordinary commands, which the log shows', async () => {
  await say(page, 'SET door me');
  await row('door').click();
  assert.equal(await page.locator('kl-key-detail pre').textContent(), 'me');
  await page.getByLabel('Expire in').fill('120');
  await page.locator('kl-key-detail').getByRole('button', { name: 'Expire', exact: true }).click();
  assert.match(await life('door'), /^(2 m 00 s|1 m 59 s)$/);
  await page.getByRole('button', { name: 'Persist' }).click();
  assert.equal(await row('door').locator('.life').count(), 0);
  await page.getByRole('button', { name: 'Delete' }).click();
  assert.deepEqual(await names(), []);
  assert.deepEqual((await heard(page)).slice(1), [
    'keys> EXPIRE door 120\n(integer) 1',
    'keys> PERSIST door\n(integer) 1',
    'keys> DEL door\n(integer) 1',
  ]);
});

test('the list by keyboard: arrows, Enter, P, Delete', async () => {
  for (const text of ['SET a 1 EX 300', 'SET b 2', 'SET c 3']) await say(page, text);
  await row('a').focus();
  await page.keyboard.press('p');
  assert.equal(await row('a').locator('.life').count(), 0);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('kl-key-detail pre').textContent(), '2');
  await page.keyboard.press('Delete');
  assert.deepEqual(await names(), ['a', 'c']);
  assert.equal(await row('c').evaluate((button) => button.matches(':focus')), true);
  await page.keyboard.press('Home');
  assert.equal(await row('a').evaluate((button) => button.matches(':focus')), true);
});

test('the list follows the database of the active client', async () => {
  await say(page, 'SET here 1');
  await say(page, 'SELECT 3');
  await page.getByText('0 in db3').waitFor();
  await say(page, 'SET there 1');
  assert.deepEqual(await names(), ['there']);
});
