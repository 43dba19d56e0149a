// Lua in the page: the engine with Lua is loaded before the first script, and what was there goes on.
import assert from 'node:assert/strict';
import { after, before, beforeEach, afterEach, test } from 'node:test';
import { heard, say, start } from './page.js';

let browser;
let visitor;
let page;
let line;
let loads;

before(async () => (browser = await start()));
after(() => browser.stop());
beforeEach(async () => {
  visitor = await browser.open();
  page = visitor.page;
  loads = [];
  page.on('request', (request) => loads.push(request.url()));
  line = page.locator('kl-prompt textarea');
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const loadedLua = () => loads.filter((url) => url.includes('keylatch-lua')).length;

test('a first script loads Lua; keys, clients and deadlines go on', async () => {
  await say(page, 'SET door me PX 60000');
  await say(page, 'SELECT 1');
  await say(page, 'SET other 1');
  assert.equal(loadedLua(), 0);
  await say(page, `EVAL "return { redis.call('GET', KEYS[1]), ARGV[1] }" 1 other x`);
  await page.getByText('This engine runs Lua from here on.').waitFor();
  assert.equal(loadedLua(), 1);
  await say(page, `EVAL "redis.call('SELECT', 0) return redis.call('PTTL', 'door') > 0" 0`);
  await say(page, 'EVAL "return nosuch" 0');
  const lines = await heard(page);
  assert.deepEqual(
    lines[3],
    `keylatch[1]> EVAL "return { redis.call('GET', KEYS[1]), ARGV[1] }" 1 other x\n1) "1"\n2) "x"`,
  );
  assert.match(lines[4], /\(integer\) 1$/);
  assert.match(lines[5], /user_script:1: Script attempted to access nonexistent global variable 'nosuch'/);
  assert.equal(loadedLua(), 1);
});

test('a script over several lines: Enter inside its quotes begins a line', async () => {
  await line.focus();
  await page.keyboard.type('EVAL "local n = tonumber(ARGV[1])');
  await page.keyboard.press('Enter');
  await page.keyboard.type('return n * 2" 0 21');
  assert.equal(await line.inputValue(), 'EVAL "local n = tonumber(ARGV[1])\nreturn n * 2" 0 21');
  await page.keyboard.press('Enter');
  await page.getByText('(integer) 42').waitFor();
  await say(page, 'EVAL "return (');
  await page.keyboard.type('" 0');
  await page.keyboard.press('Enter');
  await page.getByText(/user_script:2:/).waitFor();
});

test('the place of an error is told on demand: line, column and the line itself', async () => {
  await say(page, 'EVAL "local n = 1\nreturn nosuch" 0');
  const why = page.locator('kl-why').last();
  await why.getByRole('button', { name: 'Why?' }).click();
  assert.equal(await why.locator('p').textContent(), 'Line 2, column 8 of the script: return nosuch');
});

test('pasted scripts run after Lua was loaded', async () => {
  await page.evaluate(
    (copied) => navigator.clipboard.writeText(copied),
    'SET k 5\nEVAL "\nreturn redis.call(\'INCR\', KEYS[1])\n" 1 k\nGET k',
  );
  await line.focus();
  await page.keyboard.press('Control+V');
  await page.getByText('(integer) 6').waitFor();
  assert.equal((await heard(page)).at(-1), 'keylatch> GET k\n"6"');
});

test('a session with a script runs, and a text that only names EVAL loads nothing', async () => {
  const open = (text) => page.goto(`${browser.address}#s=${encodeURIComponent(text)}`);
  await open('# EVAL is not used here\n> SET eval 1\nOK');
  await page.getByText('1 checked, all as expected').waitFor();
  assert.equal(loadedLua(), 0);
  await open('> EVAL "return 6 * 7" 0\n(integer) 42\n> EVAL "return nosuch" 0\n(integer) 1');
  await page.getByText('1 of 2 checked steps differ').waitFor();
  assert.equal(loadedLua(), 1);
});

test('lessons about scripts run', async () => {
  for (const lesson of ['34-scripting-safe-release', '35-scripting-limiter', '36-scripting-atomic']) {
    await page.goto(`${browser.address}#lesson=${lesson}`);
    await page.getByText(/\d+ checked, all as expected/).waitFor();
  }
  assert.equal(loadedLua(), 1);
});

test('a transaction that is open keeps the engine without Lua, and the log says so', async () => {
  await say(page, 'MULTI');
  await say(page, 'EVAL "return 1" 0');
  await page.getByText(/Lua is not loaded: .*MULTI/).waitFor();
});

test('clients that wait or are subscribed go on behind Lua', async () => {
  await say(page, 'S> SUBSCRIBE news');
  await say(page, 'B> BLPOP queue 0');
  await say(page, `keylatch> EVAL "return redis.call('PUBLISH', 'news', 'hello')" 0`);
  await page.getByText('This engine runs Lua from here on.').waitFor();
  await say(page, 'keylatch> RPUSH queue one');
  assert.deepEqual((await heard(page)).slice(-3), [
    'S< \n1) "message"\n2) "news"\n3) "hello"',
    'keylatch> RPUSH queue one\n(integer) 1',
    'B< \n1) "queue"\n2) "one"',
  ]);
});

test('scripts without an end in a link leave the page usable', async () => {
  const text = '> EVAL "while true do end" 0\n'.repeat(200);
  await page.evaluate((session) => (location.hash = `s=${encodeURIComponent(session)}`), text);
  // Its limit is 30 s: one script may take seconds, two hundred take no minutes.
  await page.locator('kl-session-view .summary', { hasText: '200 steps ran' }).waitFor();
});
