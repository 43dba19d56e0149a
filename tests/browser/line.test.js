// The command line: typing, replies, hints, completion, history, pasting.
import assert from 'node:assert/strict';
import { after, before, beforeEach, afterEach, test } from 'node:test';
import { heard, say, start } from './page.js';

let browser;
let visitor;
let page;
let line;

before(async () => (browser = await start()));
after(() => browser.stop());
beforeEach(async () => {
  visitor = await browser.open();
  page = visitor.page;
  line = page.locator('kl-prompt textarea');
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const ghost = () => page.locator('kl-prompt .ghost').textContent();
const suggestions = () => page.locator('kl-prompt [role=option] .what').allTextContents();

async function paste(text) {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await line.focus();
  await page.keyboard.press('Control+V');
}

test('the line has the focus, and a typed command is answered as redis-cli prints', async () => {
  await page.keyboard.type('SET door me NX PX 5000');
  await page.keyboard.press('Enter');
  await say(page, 'SET door you NX');
  await say(page, 'get door');
  await say(page, 'RPUSH door x');
  await say(page, 'EXISTS door');
  assert.deepEqual(await heard(page), [
    'keylatch> SET door me NX PX 5000\nOK',
    'keylatch> SET door you NX\n(nil)',
    'keylatch> get door\n"me"',
    'keylatch> RPUSH door x\n(error) WRONGTYPE Operation against a key holding the wrong kind of value',
    'keylatch> EXISTS door\n(integer) 1',
  ]);
  assert.equal(await line.inputValue(), '');
});

test('unbalanced quotes are not run: the position is shown and the line stays', async () => {
  await say(page, '  SET 🗝 "me');
  const problem = page.locator('kl-prompt [role=alert]');
  await problem.waitFor();
  assert.match(await problem.textContent(), /column 9\b/);
  assert.equal(await page.locator('kl-prompt mark').textContent(), '"');
  assert.equal(await line.inputValue(), '  SET 🗝 "me');
  assert.equal(await line.getAttribute('aria-invalid'), 'true');
  assert.deepEqual(await heard(page), []);
  await line.press('End');
  await line.pressSequentially('"');
  await line.press('Enter');
  assert.deepEqual(await heard(page), ['keylatch> SET 🗝 "me"\nOK']);
});

test('Shift+Enter makes a new line; the lines run in order', async () => {
  await line.pressSequentially('SET a 1');
  await line.press('Shift+Enter');
  await line.pressSequentially('INCR a');
  await line.press('Enter');
  assert.deepEqual(await heard(page), ['keylatch> SET a 1\nOK', 'keylatch> INCR a\n(integer) 2']);
});

test('the ghost shows what is missing, from the rows', async () => {
  await line.pressSequentially('setex ');
  assert.equal(await ghost(), 'key seconds value');
  await line.pressSequentially('door ');
  assert.equal(await ghost(), 'seconds value');
  await line.pressSequentially('soon ');
  assert.equal(await ghost(), '');
  await line.fill('GETEX k P');
  assert.match(await ghost(), /^X milliseconds/);
});

test('Tab completes commands, options and key names', async () => {
  await say(page, 'SET entrance open');
  await line.pressSequentially('GETE');
  assert.equal((await suggestions())[0], 'GETEX');
  await line.press('Tab');
  assert.equal(await line.inputValue(), 'GETEX ');
  await line.pressSequentially('en');
  assert.deepEqual(await suggestions(), ['entrance']);
  await line.press('Tab');
  await line.pressSequentially('PE');
  await line.press('ArrowDown');
  const active = await line.getAttribute('aria-activedescendant');
  assert.equal(await page.locator(`kl-prompt #${active} .what`).textContent(), 'PERSIST');
  await line.press('Enter');
  assert.equal(await line.inputValue(), 'GETEX entrance PERSIST ');
  await line.press('Enter');
  assert.equal((await heard(page)).at(-1), 'keylatch> GETEX entrance PERSIST\n"open"');
});

test('Escape closes the list, and an empty line lets Tab go', async () => {
  await line.pressSequentially('SE');
  assert.ok((await suggestions()).length > 1);
  await line.press('Escape');
  assert.deepEqual(await suggestions(), []);
  await line.fill('');
  await line.press('Tab');
  assert.equal(await line.evaluate((area) => area.matches(':focus')), false);
});

test('history: up and down, kept for the next visit, and searched with Ctrl+R', async () => {
  for (const text of ['SET first 1', 'SET second 2', 'GET first']) await say(page, text);
  await line.pressSequentially('draft');
  await line.press('ArrowUp');
  await line.press('ArrowUp');
  assert.equal(await line.inputValue(), 'SET second 2');
  await line.press('ArrowDown');
  await line.press('ArrowDown');
  assert.equal(await line.inputValue(), 'draft');
  // The log is saved a quarter of a second after a change.
  await page.waitForTimeout(500);
  await page.reload();
  await line.waitFor();
  await line.press('ArrowUp');
  assert.equal(await line.inputValue(), 'GET first');
  await line.fill('');
  await line.press('Control+r');
  await line.pressSequentially('second');
  assert.deepEqual(await suggestions(), ['SET second 2']);
  await line.press('Enter');
  assert.equal(await line.inputValue(), 'SET second 2');
  assert.equal((await heard(page)).length, 3, 'those of the visit before');
});

test('a pasted transcript runs in order, without its prompts and replies', async () => {
  await paste(
    '127.0.0.1:6379> SETNX lock a\n(integer) 1\n127.0.0.1:6379> SETNX lock b\n(integer) 0\nredis> GET lock\n"a"\n',
  );
  await page.getByText('3 lines ran').waitFor();
  assert.deepEqual(await heard(page), [
    'keylatch> SETNX lock a\n(integer) 1',
    'keylatch> SETNX lock b\n(integer) 0',
    'keylatch> GET lock\n"a"',
  ]);
});

test('pasted prompts with names become clients; a single pasted line only fills the line', async () => {
  await paste('C1> SET k 1\nOK\nC2> INCR k\n(integer) 2\n');
  await page.getByText('2 lines ran').waitFor();
  assert.deepEqual(await heard(page), ['C1> SET k 1\nOK', 'C2> INCR k\n(integer) 2']);
  await paste('redis> GET k');
  assert.equal(await line.inputValue(), 'GET k');
});

test('the prompt of the page names its first client, typed and pasted', async () => {
  await paste('keylatch> SET a 1\nC2> SELECT 1\nkeylatch> GET a\n');
  await page.getByText('3 lines ran').waitFor();
  await say(page, 'keylatch> GET a');
  await paste('keylatch> GET a');
  assert.equal(await line.inputValue(), 'keylatch> GET a');
  await line.press('Enter');
  assert.deepEqual(await heard(page), [
    'keylatch> SET a 1\nOK',
    'C2> SELECT 1\nOK',
    ...Array(3).fill('keylatch> GET a\n"1"'),
  ]);
});

test('more clients than there can be are refused, and nothing runs', async () => {
  const lines = Array.from({ length: 9 }, (_, index) => `X${index}> SET k ${index}`);
  const refused = page.locator('kl-prompt [role=alert]').getByText(/^X7 is one client too many: there can be 8\./);
  await paste(lines.join('\n'));
  await refused.waitFor();
  assert.deepEqual(await heard(page), []);
  for (const typed of lines.slice(0, 8)) await say(page, typed);
  await refused.waitFor();
  assert.equal(await line.inputValue(), 'X7> SET k 7');
  assert.equal((await heard(page)).at(-1), 'X6> SET k 6\nOK');
});

test('a database in a prompt is selected; one that does not exist leaves the command unrun', async () => {
  await paste('127.0.0.1:6379[2]> SET k 1\nOK\n127.0.0.1:6379[2]> GET k\n"1"\n');
  await page.getByText('2 lines ran, all 2 replies are as pasted').waitFor();
  await say(page, 'keylatch[0]> EXISTS k');
  await say(page, 'keylatch[99]> SET k 1');
  await page.getByText('keylatch cannot select database 99. The command was not run.').waitFor();
  assert.deepEqual(await heard(page), [
    'keylatch> SELECT 2\nOK',
    'keylatch[2]> SET k 1\nOK',
    'keylatch[2]> GET k\n"1"',
    'keylatch[2]> SELECT 0\nOK',
    'keylatch> EXISTS k\n(integer) 0',
    'keylatch> SELECT 99\n(error) ERR DB index is out of range',
  ]);
});

test('a line from an address is shown before it can run, and the typed one is in the history', async () => {
  await line.fill('SET draft 1');
  await page.evaluate(() => (location.hash = 'type=PING'));
  await line.evaluate(async (area) => {
    while (area.value !== 'PING') await new Promise((done) => setTimeout(done, 20));
  });
  await line.press('Enter');
  assert.deepEqual(await heard(page), ['keylatch> PING\nPONG']);
  await line.press('ArrowUp');
  await line.press('ArrowUp');
  assert.equal(await line.inputValue(), 'SET draft 1');
});

test('a half-typed line is there after a reload', async () => {
  await line.fill('SET half');
  await page.reload();
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  assert.equal(await line.inputValue(), 'SET half');
});

test('help opens a card, F1 too; clear empties the log', async () => {
  await say(page, 'help setnx');
  const card = page.locator('kl-log kl-command-card');
  assert.equal(await card.locator('h2').textContent(), 'SETNX');
  assert.match(await card.locator('.syntax').textContent(), /SETNX key value/);
  // Details are loaded with the first card.
  await card.getByText('O(1)', { exact: true }).waitFor();
  const words = await card.locator('article').innerText();
  for (const part of ['Deprecated since Redis 2.6.12: the replacement is SET with NX.', 'SETNX lock me', '(integer) 1'])
    assert.ok(words.includes(part), part);
  assert.ok(words.includes("ERR wrong number of arguments for 'setnx' command"));
  const link = card.getByRole('link', { name: 'Page of SETNX' });
  assert.equal(await link.getAttribute('href'), 'commands/setnx/');
  await line.pressSequentially('MGET k');
  await line.press('F1');
  assert.deepEqual(await page.locator('kl-log kl-command-card h2').allTextContents(), ['SETNX', 'MGET']);
  await line.fill('');
  await say(page, 'clear');
  assert.equal(await page.locator('kl-log kl-command-card').count(), 0);
});

test('clients: own database, own transaction, one keyspace; their prompts say so', async () => {
  await page.getByRole('button', { name: 'Client' }).click();
  await say(page, 'SELECT 1');
  await say(page, 'MULTI');
  await say(page, 'INCR hits');
  await page.getByText('keylatch', { exact: true }).last().click();
  await say(page, 'SET lock mine');
  await page.locator('kl-client-picker label', { hasText: 'C2' }).click();
  await say(page, 'EXEC');
  assert.deepEqual(await heard(page), [
    'C2> SELECT 1\nOK',
    'C2[1]> MULTI\nOK',
    'C2[1](TX)> INCR hits\nQUEUED',
    'keylatch> SET lock mine\nOK',
    'C2[1](TX)> EXEC\n1) (integer) 1',
  ]);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Close C2' }).click();
  assert.equal(await page.locator('kl-client-picker .client').count(), 1);
});

test('messages reach the clients that wait for them, and go into the session that is made of the log', async () => {
  await say(page, 'SUBSCRIBE news');
  await page.getByRole('button', { name: 'Client' }).click();
  await say(page, 'PUBLISH news hello');
  assert.deepEqual((await heard(page)).slice(1), [
    'C2> PUBLISH news hello\n(integer) 1',
    'keylatch< \n1) "message"\n2) "news"\n3) "hello"',
  ]);
  await page.getByRole('button', { name: 'Open as session' }).click();
  await page.locator('kl-session-view .summary.good').waitFor();
});

test('a command that waits is answered when its time comes', async () => {
  await say(page, 'BLPOP queue 0');
  assert.deepEqual(await heard(page), ['keylatch> BLPOP queue 0\nno reply yet']);
  await page.getByRole('button', { name: 'Client' }).click();
  await say(page, 'RPUSH queue first');
  assert.equal((await heard(page)).at(-1), 'keylatch< \n1) "queue"\n2) "first"');
  await say(page, 'BLPOP queue 0.2');
  await page.getByText('C2<').waitFor();
  assert.equal((await heard(page)).at(-1), 'C2< \n(nil)');
});

test('a disconnected client connects again', async () => {
  await say(page, 'SELECT 2');
  await say(page, 'QUIT');
  await page.getByText('keylatch was disconnected and has reconnected').waitFor();
  await say(page, 'PING');
  assert.equal((await heard(page)).at(-1), 'keylatch> PING\nPONG');
});

test('bytes that are not text, long values and a flood of commands leave the page answering', async () => {
  await say(page, 'SET "\\xff\\x00" "\\xfe"');
  await say(page, `SET long ${'x'.repeat(100_000)}`);
  await say(page, 'GET "\\xff\\x00"');
  assert.equal((await heard(page)).at(-1), 'keylatch> GET "\\xff\\x00"\n"\\xfe"');
  await paste(Array.from({ length: 300 }, (_, index) => `SET key:${index} ${index}`).join('\n'));
  await page.getByText('300 lines ran').waitFor();
  await say(page, 'DBSIZE');
  assert.equal((await heard(page)).at(-1), 'keylatch> DBSIZE\n(integer) 302');
});

test('what was typed opens as a session that passes', async () => {
  await say(page, 'SET door me PX 5000');
  await say(page, '@ +5001ms');
  await say(page, 'GET door');
  await page.getByRole('button', { name: 'Open as session' }).click();
  await page.locator('kl-session-view .summary.good').waitFor();
  assert.match(await page.locator('kl-session-view .summary').textContent(), /all as expected/);
});

test('the tour ends with a next step', async () => {
  for (let step = 0; step < 5; step += 1) await page.locator('kl-log .try').last().click();
  const next = page.locator('kl-log .next');
  assert.match(await next.textContent(), /the next client has it/);
  await next.getByRole('link', { name: /^A holder crashes/ }).click();
  await page.locator('kl-session-view').getByText('A takes the lock and starts to work.').first().waitFor();
});
