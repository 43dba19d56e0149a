// Files in and out: sessions, JSON, append-only files and RDB files, also of a real Redis, and damaged ones.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { heard, say, start } from './page.js';
import { choose } from './picker.js';

/** Written by redis-server 7.0.15: every type, bytes, a deadline in 2100, a key of database 2. */
const REDIS = {
  rdb: await readFile(new URL('files/redis-7.0.15.rdb', import.meta.url)),
  aof: await readFile(new URL('files/redis-7.0.15.aof', import.meta.url)),
};

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

const bar = () => page.locator('kl-visit-bar');
const problem = () => page.locator('kl-app main > [role=alert]');

/** Drops a file on the page, as a file manager does. */
async function drop(name, contents) {
  const bytes = [...Buffer.from(contents)];
  await page.evaluate(
    ([fileName, numbers]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([new Uint8Array(numbers)], fileName));
      for (const kind of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, bytes],
  );
}

async function ask(command) {
  await say(page, command);
  return (await heard(page)).at(-1).split('\n').slice(1).join('\n');
}

async function saved(name) {
  await page.getByRole('button', { name: 'File' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
  return readFile(await download.path());
}

async function assertKeysOfRedis() {
  for (const [command, reply] of [
    ['DBSIZE', '(integer) 9'],
    ['GET bytes', '"\\xff\\x00\\xfe"'],
    ['PEXPIRETIME lease', '(integer) 4102444800000'],
    ['LRANGE list 0 -1', '1) "a"\n2) "b"\n3) "c"'],
    ['SCARD set', '(integer) 3'],
    ['ZRANGE scores 0 -1 WITHSCORES', '1) "bob"\n2) "95.5"\n3) "ann"\n4) "120"'],
    ['HGET hash visits', '"1"'],
    ['PFCOUNT visitors', '(integer) 2'],
    ['SELECT 2', 'OK'],
    ['GET elsewhere', '"1"'],
    ['SELECT 0', 'OK'],
  ])
    assert.equal(await ask(command), reply, command);
}

for (const kind of ['rdb', 'aof'])
  test(`a dropped ${kind} file of a real Redis replaces the keys, which undo brings back`, async () => {
    await say(page, 'SET mine 1');
    await drop(`dump.${kind}`, REDIS[kind]);
    await bar().getByText(`The keys are those of dump.${kind}`).waitFor();
    await assertKeysOfRedis();
    await page.getByRole('button', { name: 'Open as session' }).click();
    await page.locator('kl-session-view .summary.good').waitFor();
    await page.evaluate(() => (location.hash = ''));
    await bar().getByRole('button', { name: 'Undo' }).click();
    assert.equal(await ask('KEYS *'), '1) "mine"');
  });

test('what is saved can be opened again: RDB, append-only file and JSON', async () => {
  await drop('dump.rdb', REDIS.rdb);
  await bar().getByText('The keys are those of dump.rdb').waitFor();
  await say(page, 'HPEXPIREAT hash 4102444800000 FIELDS 1 name');
  for (const name of ['Save keys as RDB', 'Save keys as append-only file', 'Save keys as JSON']) {
    const contents = await saved(name);
    await say(page, 'FLUSHALL');
    await drop('again', contents);
    await bar()
      .getByText(/The keys are those of again/)
      .waitFor();
    await assertKeysOfRedis();
    assert.equal(await ask('HPEXPIRETIME hash FIELDS 1 name'), '1) (integer) 4102444800000', name);
  }
});

test('keys of a file are the start of the session, also while clients subscribe, wait and queue', async () => {
  await say(page, 'SUBSCRIBE news');
  await say(page, 'B> BLPOP queue 0');
  await say(page, 'C> MULTI');
  await say(page, 'C> GET text');
  await drop('dump.rdb', REDIS.rdb);
  await bar().getByText('The keys are those of dump.rdb').waitFor();
  await say(page, 'D> DBSIZE');
  await say(page, 'D> PUBLISH news 1');
  await say(page, 'D> RPUSH queue job');
  await say(page, 'C> EXEC');
  await page.getByRole('button', { name: 'Open as session' }).click();
  await page.locator('kl-session-view .summary.good').waitFor();
  const session = await page.locator('kl-editor textarea').inputValue();
  assert.match(session, /D> DBSIZE\n\(integer\) 9\n/);
  assert.match(session, /D> PUBLISH news 1\n\(integer\) 1\n/);
  assert.match(session, /B<\n1\) "queue"\n2\) "job"/);
  assert.doesNotMatch(session, /^\.\.\.$/m);
});

test('JSON of other programs: members become strings, lists and hashes', async () => {
  await drop('data.json', '{"name":"Ann","n":1,"tags":["a","b"],"user":{"age":7,"deep":{"x":[1]}}}');
  await bar().getByText('The keys are those of data.json, a JSON file').waitFor();
  assert.equal(await ask('GET n'), '"1"');
  assert.equal(await ask('LRANGE tags 0 -1'), '1) "a"\n2) "b"');
  assert.equal(await ask('HGET user deep'), '"{\\"x\\":[1]}"');
});

test('a dropped session opens, is kept, and foreign text is rewritten', async () => {
  await drop('lock.session', '## Lock\n> SET lock me NX\nOK\n');
  await page.locator('kl-session-view .summary.good').waitFor();
  await drop('notes.md', '```\n$ redis-cli SET k v\n"OK"\n```\n');
  await page.locator('kl-session-bar details').waitFor();
  assert.match(await page.locator('kl-editor textarea').inputValue(), /^> SET k v\nOK/);
  await choose(page, 'Lock');
  await page.locator('kl-session-view .summary.good').waitFor();
});

test('a session with keys at its start is saved as JSON, and opens again', async () => {
  await say(page, 'SADD colours red green blue');
  await say(page, 'clear');
  await say(page, 'SPOP colours');
  await page.getByRole('button', { name: 'Open as session' }).click();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as a file' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'spop-colours.session.json');
  const contents = await readFile(await download.path());
  await page.getByRole('link', { name: 'New' }).click();
  await drop('again.json', contents);
  await page.locator('kl-session-view .summary.good').waitFor();
  assert.match(await page.locator('kl-editor textarea').inputValue(), /SPOP colours/);
});

const KEYS = (entry) => JSON.stringify({ keylatch: 'keys', version: 1, keys: [{ db: 0, ...entry }] });

test('an append-only file that begins with an RDB file opens, also one that is cut', async () => {
  const command = '*3\r\n$3\r\nSET\r\n$6\r\nbehind\r\n$1\r\n1\r\n';
  // A value with bytes that look like the end of an RDB file.
  const lure = Buffer.from(`\xff01234567${command}`, 'latin1').toString('base64');
  await drop('lure.json', KEYS({ key: 'lure', type: 'string', value: { base64: lure } }));
  await bar().getByText('The keys are those of lure.json').waitFor();
  const rdb = await saved('Save keys as RDB');
  await say(page, 'FLUSHALL');
  await drop('appendonly.aof', Buffer.concat([rdb, Buffer.from(`${command}*3\r\n$3`)]));
  await bar()
    .getByText('The keys are those of appendonly.aof, an append-only file; 6 bytes of a cut command')
    .waitFor();
  assert.equal(await ask('MGET behind nothing'), '1) "1"\n2) (nil)');
  assert.equal(await ask('STRLEN lure'), `(integer) ${9 + command.length}`);
  await drop('wrong.aof', Buffer.concat([rdb, Buffer.from('*1\r\n$4\r\nNONE\r\n')]));
  await problem().waitFor();
  assert.match(await problem().textContent(), new RegExp(`^wrong.aof cannot be opened: .* at byte ${rdb.length}\\.`));
});

test('files that are cut, changed or newer say so, and nothing is lost', async () => {
  await say(page, 'SET mine 1');
  const flipped = Buffer.from(REDIS.rdb);
  flipped[60] ^= 0xff;
  const newer = Buffer.from(REDIS.rdb);
  newer.write('0099', 5);
  const damagedLog = Buffer.from(REDIS.aof);
  damagedLog.write('$9', REDIS.aof.indexOf('$3'));
  for (const [name, contents, sentence] of [
    ['cut.rdb', REDIS.rdb.subarray(0, 80), /^cut.rdb cannot be opened: .+ Nothing was changed\.$/],
    ['flipped.rdb', flipped, /^flipped.rdb cannot be opened: .+ Nothing was changed\.$/],
    ['newer.rdb', newer, /^newer.rdb cannot be opened: .*newer.+ Nothing was changed\.$/],
    ['damaged.aof', damagedLog, /^damaged.aof cannot be opened: .+ Nothing was changed\.$/],
    ['picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]), /neither a text nor an RDB/],
    ['later.json', '{"keylatch":"keys","version":2}', /newer version of the page/],
    [
      'odd.json',
      '{"keylatch":"keys","version":1,"keys":[{"db":0,"key":"k","type":"tree","value":[1]}]}',
      /entry 1 of its list "keys" has an unknown type: "tree"\. Nothing/,
    ],
    [
      'odd.json',
      '{"keylatch":"keys","version":1,"keys":[{"x":1}]}',
      /entry 1 of its list "keys" has no number of a data/,
    ],
    ['odd.json', KEYS({ key: 'k', type: 'hash', value: [['f', null]] }), /entry 1 .* has no value of the type hash/],
    ['odd.json', KEYS({ key: { base64: '%' }, type: 'string', value: 'v' }), /entry 1 .* has no text or .* as "key"/],
    ['odd.json', '{"keylatch":"session","version":1,"text":"> PING","start":"%"}', /"start" is not base64/],
    ['odd.json', '{"keylatch":"keys","version":1,"keys":{}}', /"keys" is no list/],
    ['list.json', '[1,2]', /holds no object of keys/],
  ]) {
    await drop(name, contents);
    await page.waitForFunction((wanted) => {
      const shown = document.querySelector('kl-app').shadowRoot.querySelector('main > [role=alert]')?.textContent ?? '';
      return shown.startsWith(wanted);
    }, `${name} cannot`);
    assert.match(await problem().textContent(), sentence, name);
  }
  await drop('torn.aof', REDIS.aof.subarray(0, REDIS.aof.length - 9));
  await bar()
    .getByText(/bytes of a cut command at its end were left out/)
    .waitFor();
  await bar().getByRole('button', { name: 'Undo' }).click();
  assert.equal(await ask('KEYS *'), '1) "mine"');
});
