// Errors that teach: words that fit nowhere are marked while they are typed, and one sentence on demand says why.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { say, start } from './page.js';

let browser;
let visitor;
let page;

before(async () => (browser = await start()));
after(() => browser.stop());
beforeEach(async () => {
  visitor = await browser.open();
  page = visitor.page;
  await page.getByRole('button', { name: 'Paused' }).click();
  await say(page, '@ 2026-01-01T00:00:00Z');
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const line = () => page.locator('kl-prompt textarea');
const mark = () => page.locator('kl-prompt .mirror mark');
const reason = () => page.locator('kl-prompt .fault p');
const last = () => page.locator('kl-log .command').last();

/** Runs a line; `1> ` in front of it selects the first client before. */
async function run(text) {
  if (text.startsWith('1> ')) await line().press('Alt+1');
  await say(page, text.replace(/^1> /, ''));
}

/** Runs a line and asks for the reason of its reply. */
async function why(text) {
  const count = await page.locator('kl-log .command').count();
  await run(text);
  await page.locator('kl-log .command').nth(count).waitFor();
  await last().locator('kl-why .ask').click();
  return last().locator('kl-why p').textContent();
}

test('a finished word that fits nowhere is marked, with what was meant', async () => {
  await line().pressSequentially('SETT ');
  await mark().waitFor();
  assert.equal(await mark().textContent(), 'SETT');
  assert.equal(await reason().textContent(), 'There is no command SETT. Did you mean this?');
  await page.keyboard.press('Tab');
  assert.equal(await line().inputValue(), 'SET ');
  assert.equal(await mark().count(), 0);
  for (const [text, word, sentence] of [
    ['OBJECT ENCODNG k ', 'ENCODNG', 'OBJECT has no subcommand ENCODNG. Did you mean this?'],
    ['SET k v NXX ', 'NXX', 'SET has no option NXX here. Did you mean this?'],
    ['SET k v EX soon ', 'soon', 'soon is no whole number, which seconds has to be.'],
    ['GET a "b c" ', '"b c"', 'GET takes no more arguments than those in front of b c.'],
    ['SET a 1\nGTE a\n', 'GTE', 'There is no command GTE. Did you mean this?'],
    ['C2> HGTE h f ', 'HGTE', 'There is no command HGTE. Did you mean this?'],
    ['VADD v VALUES 1 1 e', 'VADD', 'Not in keylatch: Redis has VADD since 8.0.0.'],
    ['FT.SEARCH i q', 'FT.SEARCH', 'Not in keylatch: Redis has FT.SEARCH since 8.0.0.'],
    ['DEBUG SLEEP 1', 'SLEEP', 'Not in keylatch: Redis has DEBUG SLEEP for its own tests.'],
    ['MODULE LOAD x', 'LOAD', 'Not in keylatch: Redis has MODULE LOAD since 4.0.0.'],
  ]) {
    await line().fill(text);
    assert.equal(await mark().textContent(), word);
    assert.equal(await reason().textContent(), sentence);
  }
});

test('an unfinished word is left alone until the typing pauses', async () => {
  await line().pressSequentially('GET a ');
  await line().press('Backspace');
  for (const text of ['SETN', 'SET k v N', 'SET k v EX', 'help SETT ', '@ +5x ', 'SET k "open']) {
    await line().fill(text);
    await page.waitForTimeout(1100);
    assert.equal(await mark().count(), 0, text);
  }
  await line().fill('SET k v NXX');
  assert.equal(await mark().count(), 0, 'the word may go on');
  await mark().waitFor();
  assert.equal(await mark().textContent(), 'NXX');
});

const CASES = [
  ['SET door me NX PX 12000', 'SET door you NX', 'NX: door exists ("me", 12 s left).'],
  ['', 'SET other v XX', 'XX: other does not exist.'],
  ['SET door me', 'SET door you IFEQ x', 'IFEQ: the value is "me", not "x" (no deadline).'],
  ['SET door me', 'SET door you IFNE me', 'IFNE: the value is "me", which it must not be (no deadline).'],
  [
    'SET door me',
    'SET door v IFDEQ 0123456789abcdef',
    'IFDEQ: the digest of the value "me" is not 0123456789abcdef (no deadline).',
  ],
  ['SET door me PX 500', '@ +3s', 'GET door', 'door does not exist: it expired 2.5 s ago.'],
  ['SET door me', 'DEL door', 'GET door', 'door does not exist: it was deleted by keylatch at this instant.'],
  ['RPUSH jobs a', 'GET jobs', 'GET works on a string, and jobs is a list. TYPE shows the type, DEL makes way.'],
  [
    'SET stock 3',
    'WATCH stock',
    'C2> DECR stock',
    '@ +2s',
    '1> MULTI',
    'EXEC',
    'The watched key stock was changed (incrby) by C2 2.0 s ago, at 00:00:00.000. Nothing ran: read again, and try again.',
  ],
  [
    'SET k v',
    'WATCH k',
    'C2> FLUSHALL',
    '1> MULTI',
    'EXEC',
    'A watched key was changed (flushall) by C2 at this instant, at 00:00:00.000. Nothing ran: read again, and try again.',
  ],
  [
    'MULTI',
    'SET k',
    'EXEC',
    "Nothing ran, because a command was refused when it was queued: SET k: ERR wrong number of arguments for 'set' command. MULTI begins anew.",
  ],
  ['', 'BLPOP a b c', 'c is no timeout, which is in seconds: 0.5 is half a second, 0 waits for ever.'],
  ['', 'BLMPOP -1 1 a LEFT', '-1 is no timeout, which is in seconds: 0.5 is half a second, 0 waits for ever.'],
  ['', 'DEBUG SLEEP 1', 'Not in keylatch: Redis has DEBUG SLEEP for its own tests.'],
  ['', 'VADD v VALUES 1 1 e', 'Not in keylatch: Redis has VADD since 8.0.0.'],
  ['', 'XCFGSET s IDMP-DURATION 9', 'Not in keylatch: Redis has XCFGSET since 8.6.0.'],
  [
    'SET k v',
    'CONFIG SET maxmemory 1',
    'SET big v',
    'The keys take more than maxmemory, and the policy evicts none that helps. DEL frees memory; CONFIG SET maxmemory raises the limit; CONFIG SET maxmemory-policy allkeys-lru evicts.',
  ],
  ['SET door me', 'SETNX door you', 'NX: door exists ("me", no deadline).'],
  ['', 'EXPIRE none 5', 'none does not exist.'],
  ['SET k v EX 60', 'EXPIRE k 5 NX', 'NX: k has a deadline already, 1 m 00 s left.'],
  ['SET k v', 'EXPIRE k 5 XX', 'XX: k has no deadline.'],
  ['SET k v EX 60', 'EXPIRE k 5 GT', 'GT: the new deadline is not later than the present one, 1 m 00 s left.'],
  ['SET k v EX 60', 'EXPIRE k 90 LT', 'LT: the new deadline is not earlier than the present one, 1 m 00 s left.'],
  ['SET k v', 'PERSIST k', 'k has no deadline that could be removed.'],
  ['SET k v', 'TTL k', '-1: k exists and has no deadline. EXPIRE sets one.'],
  ['', 'TTL k', '-2: k does not exist.'],
  ['', 'LPUSHX l a', 'X: the list must exist. l does not exist.'],
  ['HSET h f v', 'HSETNX h f w', 'NX: the field f of h exists ("v", no deadline).'],
  ['SET k ten', 'INCR k', 'k has the value "ten", which is no integer. INCR counts only what is one.'],
  [
    'SET k 9223372036854775807',
    'INCR k',
    'k has the value 9223372036854775807; the result would leave the 64 bits of an integer, -9223372036854775808 to 9223372036854775807.',
  ],
  ['SET lock b', 'DELEX lock IFEQ a', 'IFEQ: the value is "b", not "a" (no deadline).'],
  ['LATCH.ACQUIRE l ann TTL 5000', 'LATCH.ACQUIRE l bob TTL 5000', 'l is held by ann until 00:00:05.000 (5.0 s left).'],
  [
    'LATCH.ACQUIRE l ann TTL 5000',
    'LATCH.RELEASE l bob',
    'bob does not hold l. It is held by ann until 00:00:05.000 (5.0 s left).',
  ],
  [
    'LATCH.ACQUIRE l ann TTL 5000',
    'LATCH.CHECK l ann 7',
    'ann came with token 7, and l is held by ann with token 1767225600000002. What ann would write now is too late.',
  ],
  [
    'LATCH.LIMIT api 1 PERIOD 900',
    'LATCH.LIMIT api 1 PERIOD 900',
    'The limit of 1 is used up: 0 remain, and this is allowed again in 900 ms. A refusal changes nothing.',
  ],
  [
    'SUBSCRIBE news',
    'GET k',
    'This client is a subscriber, and over RESP2 its connection carries messages only. UNSUBSCRIBE ends that, another client is free, and HELLO 3 before the subscription allows every command.',
  ],
  [
    '',
    'BLPOP jobs 5',
    'This client is blocked: a push (LPUSH, RPUSH, LMOVE) to jobs wakes it, or it gives up at 00:00:05.000.',
  ],
  ['SET a 1', 'MSETNX b 1 a 2', 'MSETNX sets all keys or none: a exists ("1", no deadline).'],
];

test('one sentence on demand says why, from the state at that moment', async () => {
  for (const [...lines] of CASES) {
    const sentence = lines.pop();
    const asked = lines.pop();
    for (const text of lines.filter(Boolean)) await run(text);
    assert.equal(await why(asked), sentence, asked);
    // A client that is blocked would only queue the next command.
    if (asked.startsWith('BLPOP jobs')) await run('C2> LPUSH jobs x');
    if (asked.endsWith('GET k')) await run('1> RESET');
    if (asked.startsWith('SET big')) await run('CONFIG SET maxmemory 0');
    for (const text of ['1> FLUSHALL', '@ 2026-01-01T00:00:00Z']) await run(text);
  }
});

test('the sentence is that of the moment, also after the keys have changed', async () => {
  await say(page, 'SET door me PX 12000');
  await say(page, 'SET door you NX');
  await say(page, '@ +1m');
  const entry = page.locator('kl-log .command').nth(1);
  await entry.locator('kl-why .ask').click();
  assert.equal(await entry.locator('kl-why p').textContent(), 'NX: door exists ("me", 12 s left).');
});

test('reasons are there at the next visit, and forgotten with the keys that they were about', async () => {
  await say(page, 'SET door me PX 500');
  await say(page, '@ +3s');
  await say(page, 'GET door');
  await page.waitForTimeout(600);
  await page.reload();
  const ask = page.locator('kl-why .ask');
  await ask.click();
  assert.equal(await page.locator('kl-why p').textContent(), 'door does not exist: it expired 2.5 s ago.');
  await page.getByRole('button', { name: 'Start fresh' }).click();
  assert.equal(await why('GET door'), 'door does not exist.');
});

test('an answer that is a number is not taken for a refusal', async () => {
  for (const text of ['ZADD z 1 a', 'HSET h f v', 'SET k v']) await say(page, text);
  for (const text of ['ZCOUNT z 5 6', 'HSETEX h FNX FIELDS 1 f w', 'LATCH.INSPECT l', 'BITCOUNT k 9 9'])
    await say(page, text);
  assert.equal(await why('ZSCORE z b'), 'z has no member b.');
  assert.equal(await page.locator('kl-why .ask').count(), 1);
});

test('nothing is counted or touched, and the reply is that of Redis', async () => {
  await say(page, 'CONFIG SET maxmemory-policy allkeys-lfu');
  await say(page, 'SET door me');
  await say(page, 'SETNX door you');
  await say(page, 'CONFIG RESETSTAT');
  assert.equal(await why('GET nothing'), 'nothing does not exist.');
  await say(page, 'INFO stats');
  const stats = await last().locator('.reply').textContent();
  assert.match(stats, /keyspace_hits:0\b/);
  assert.match(stats, /keyspace_misses:1\b/);
  assert.match(await why('GTE door'), /There is no command GTE/);
  assert.equal(
    await last().locator('.reply').textContent(),
    "(error) ERR unknown command 'GTE', with args beginning with: 'door' ",
  );
});

test('what was meant goes into the line by keyboard', async () => {
  await why('SETT door me');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await line().inputValue(), 'SET door me');
  assert.ok(await line().evaluate((area) => area.getRootNode().activeElement === area));
});

test('replies that need no words have no question', async () => {
  for (const text of ['SET k v', 'GET k', 'INCR n', 'DECR n', 'DBSIZE', 'PING', 'KEYS *']) await say(page, text);
  await why('GET none');
  assert.equal(await page.locator('kl-why').count(), 2, 'DECR replied 0');
  assert.equal(await page.locator('kl-why .ask').count(), 1);
});
