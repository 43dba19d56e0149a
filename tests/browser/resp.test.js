// The view of bytes: requests and replies in both protocols, their sizes, and the bytes of a printed line.
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
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const view = (index) => page.locator('kl-resp-view').nth(index);
/** The bytes of a request or reply as they are shown, without the line breaks of the view. */
const bytes = async (index, which) =>
  (await view(index).locator('.bytes').nth(which).textContent()).replaceAll('\n', '');
const request = (index) => bytes(index, 0);
const reply = (index) => bytes(index, 1);
const title = (index) => view(index).locator('.title').last().textContent();
const show = () => page.getByRole('button', { name: 'Bytes' }).click();
const choose = (protocol) => page.getByRole('button', { name: `RESP${protocol}` }).click();
const lit = (index) => view(index).locator('.bytes .lit').allTextContents();

test('request and reply of each entry, in RESP2 and RESP3, with sizes; the visitor’s keys stay as they are', async () => {
  for (const text of ['HSET h "a b" ü', 'HGETALL h', 'GET none', 'ZADD z 1.5 m', 'ZSCORE z m', 'INCR n', 'GTE'])
    await say(page, text);
  await show();
  await view(6).waitFor();
  assert.equal(await request(0), '*4\\r\\n$4\\r\\nHSET\\r\\n$1\\r\\nh\\r\\n$3\\r\\na b\\r\\n$2\\r\\n\\xc3\\xbc\\r\\n');
  assert.equal(await view(0).locator('.title').first().textContent(), 'Request, 38 bytes');
  const two = [
    '*2\\r\\n$3\\r\\na b\\r\\n$2\\r\\n\\xc3\\xbc\\r\\n',
    '$-1\\r\\n',
    ':1\\r\\n',
    '$3\\r\\n1.5\\r\\n',
    ':1\\r\\n',
  ];
  for (const [index, expected] of two.entries()) assert.equal(await reply(index + 1), expected);
  assert.equal(await title(1), 'Reply, 21 bytes in RESP2');
  await choose(3);
  const three = ['%1\\r\\n$3\\r\\na b\\r\\n$2\\r\\n\\xc3\\xbc\\r\\n', '_\\r\\n', ':1\\r\\n', ',1.5\\r\\n', ':1\\r\\n'];
  for (const [index, expected] of three.entries()) assert.equal(await reply(index + 1), expected);
  assert.equal(await title(2), 'Reply, 3 bytes in RESP3; received 5 bytes in RESP2');
  await say(page, 'GET n');
  assert.equal(
    await view(7)
      .locator('.lines')
      .textContent()
      .then((text) => text.trim()),
    '"1"',
    'INCR ran once on them',
  );
});

test('types have colours of their own', async () => {
  for (const text of ['INCR n', 'GET n', 'GET none', 'GTE']) await say(page, text);
  await show();
  await choose(3);
  const tones = await page
    .locator('kl-resp-view .bytes:last-of-type')
    .evaluateAll((all) => all.map((shown) => getComputedStyle(shown.querySelector('span')).color));
  assert.equal(new Set(tones).size, 4);
});

test('pointing at a printed line, or focusing it, marks its bytes', async () => {
  for (const text of ['RPUSH l one two', 'LRANGE l 0 -1']) await say(page, text);
  await show();
  const lines = view(1).locator('.lines button');
  await lines.nth(1).hover();
  assert.deepEqual(await lit(1), ['$3\\r\\n', 'two\\r\\n\n']);
  await page.locator('h1').hover();
  assert.deepEqual(await lit(1), []);
  await lines.first().focus();
  assert.deepEqual(await lit(1), ['*2\\r\\n\n', '$3\\r\\n', 'one\\r\\n\n']);
  await page.keyboard.press('ArrowDown');
  assert.deepEqual(await lit(1), ['$3\\r\\n', 'two\\r\\n\n']);
  await page.keyboard.press('Tab');
  assert.deepEqual(await lit(1), [], 'one stop for all lines');
});

test('pushes, transactions, and a client that speaks RESP3', async () => {
  for (const text of [
    'MULTI',
    'HSET h f v',
    'HGETALL h',
    'EXEC',
    'C2> SUBSCRIBE news',
    'PUBLISH news hi',
    'C3> HELLO 3',
    'HGETALL h',
  ])
    await say(page, text);
  await show();
  await choose(3);
  assert.equal(await reply(3), '*2\\r\\n:1\\r\\n%1\\r\\n$1\\r\\nf\\r\\n$1\\r\\nv\\r\\n');
  assert.match(await reply(4), /^>3\\r\\n\$9\\r\\nsubscribe/);
  await choose(2);
  assert.match(await reply(4), /^\*3\\r\\n\$9\\r\\nsubscribe/);
  const last = (await page.locator('kl-resp-view').count()) - 1;
  assert.equal(await reply(last), '%1\\r\\n$1\\r\\nf\\r\\n$1\\r\\nv\\r\\n');
  assert.match(await title(last), /^Reply, \d+ bytes in RESP3 as received: the client chose its protocol itself$/);
});

test('large replies are bounded, and say how much there is', async () => {
  await say(page, `SET big ${'x'.repeat(20000)}`);
  await say(page, 'GET big');
  await say(page, `RPUSH many ${Array.from({ length: 3000 }, (_, index) => `e${index}`).join(' ')}`);
  await say(page, 'LRANGE many 0 -1');
  await show();
  assert.equal(await title(1), 'Reply, 20,010 bytes in RESP2');
  assert.match(await reply(1), /^\$20000\\r\\nx{200}… [\d,]+ more bytes… 11,818 bytes were not kept$/);
  assert.match(await reply(3), /^\*3000\\r\\n.*… [\d,]+ more bytes… [\d,]+ bytes were not kept$/);
  assert.ok((await view(3).locator('.lines button').count()) <= 40);
  await choose(3);
  assert.match(await title(3), /^Reply, [\d,]+ bytes in RESP3; received [\d,]+ bytes in RESP2$/);
});

test('a text that is printed without quotes is marked line by line', async () => {
  await say(page, 'INFO server');
  await show();
  await view(0).locator('.lines button').nth(1).hover();
  const [marked, ...others] = await lit(0);
  const line = await view(0).locator('.lines button').nth(1).textContent();
  assert.equal(marked.replaceAll('\\r\\n', '').trim(), line);
  assert.equal(others.length, 0);
});
