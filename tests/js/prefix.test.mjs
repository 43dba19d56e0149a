// Views of a prefix: keys of every command get it, and replies that name keys lose it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { entry, folder } from './support/package.mjs';
import { source } from './support/source.mjs';

const { ExecError, Keylatch, ReplyError, UnsafeIntegerError } = await entry('index');
const { keyIndices } = await source('client/key-positions.ts');
const rows = JSON.parse(readFileSync(`${folder}/commands.json`, 'utf8'));

test('a view reads and writes keys with its prefix', () => {
  const db = new Keylatch();
  const users = db.prefix('user:');
  assert.equal(users.set('1', 'ann', { px: 5000 }), 'OK');
  assert.equal(db.get('user:1'), 'ann');
  assert.equal(users.get('1'), 'ann');
  assert.equal(users.get('user:1'), null);
  assert.ok(users.pttl('1') > 4000);
  users.mset({ 2: 'bob', 3: 'cid' });
  assert.deepEqual(users.mget('1', 2, Buffer.from('3')), ['ann', 'bob', 'cid']);
  assert.deepEqual(db.keys('*').sort(), ['user:1', 'user:2', 'user:3']);
  assert.equal(users.del('1', '2', 'missing'), 2);
  assert.equal(users.hset('h', { a: 1 }), 1);
  assert.deepEqual([...db.hgetall('user:h')], [['a', '1']]);
  assert.equal(users.call('GET', '3'), 'cid');
  assert.equal(users.call('get', '3'), 'cid');
  assert.equal(users.objectEncoding('3'), 'embstr');
  assert.ok(users.memoryUsage('3') > 0);
  assert.equal(users.ping(), 'PONG');
  assert.equal(users.echo('user'), 'user');
  assert.throws(() => users.lpush('h', 1), ReplyError);
  assert.throws(() => users.get(null), /argument 1 of GET must be a string/);
});

test('results have the form that an option chooses', () => {
  const db = new Keylatch();
  const view = db.prefix('p:');
  view.hset('h', 'a', 1);
  view.sadd('s', ['x']);
  assert.deepEqual(Object.entries(view.hgetall('h', { as: 'object' })), [['a', '1']]);
  assert.deepEqual(view.smembers('s', { as: 'array' }), ['x']);
  assert.deepEqual(view.sinter(['s', 's'], { as: 'array' }), ['x']);
  assert.equal(view.incr('n', { bigint: true }), 1n);
  assert.throws(() => view.incrby('n', 2n ** 60n), UnsafeIntegerError);
  assert.equal(view.expire('n', 5, { nx: true }), 1);
  assert.equal(view.del(['n', 'missing']), 1);
  assert.deepEqual(view.bytes.smembers('s', { as: 'array' }), [new Uint8Array([120])]);
  const [members, count, names] = view
    .multi()
    .smembers('s', { as: 'array' })
    .incr('m', { bigint: true })
    .keys('m')
    .exec();
  assert.deepEqual([members, count, names], [['x'], 1n, ['m']]);
  assert.throws(() => view.multi().set('t', 'x').incr('t').exec(), ExecError);
  assert.ok(view.multi().incr('t').exec({ errors: 'return' })[0] instanceof ReplyError);
  assert.equal(db.get('p:t'), 'x');
});

test('commands with several keys, counts and destinations', () => {
  const db = new Keylatch();
  const view = db.prefix('p:');
  view.sadd('a', 1, 2);
  view.sadd('b', 2, 3);
  assert.deepEqual([...view.sinter('a', 'b')], ['2']);
  assert.equal(view.sinterstore('to', 'a', 'b'), 1);
  assert.equal(view.sintercard(['a', 'b']), 1);
  view.zadd('z', { x: 1 });
  assert.equal(view.zunionstore('sum', ['z', 'z'], { weights: [1, 2] }), 1);
  assert.deepEqual(view.zunion(['z', 'sum'], { withscores: true }), [['x', 4]]);
  assert.equal(view.rename('sum', 'other'), 'OK');
  assert.equal(view.copy('other', 'copied'), 1);
  assert.equal(view.bitop('NOT', 'flipped', 'none'), 0);
  assert.equal(view.msetex({ m: 1, n: 2 }, { px: 5000 }), 1);
  view.rpush('ids', 'b', 'a');
  view.mset({ weight_a: 1, weight_b: 2, name_a: 'A', name_b: 'B' });
  assert.deepEqual(view.sort('ids', { by: 'weight_*', get: ['#', 'name_*'] }), ['a', 'A', 'b', 'B']);
  assert.equal(view.sortstore('sorted', 'ids', { alpha: true }), 2);
  view.geoadd('g', { here: [1, 2] });
  assert.equal(view.call('GEORADIUS', 'g', 1, 2, 5, 'km', 'STORE', 'near', 'STORE', 'nearer'), 1);
  const strays = db.keys('*').filter((key) => !key.startsWith('p:'));
  assert.deepEqual(strays, []);
  assert.equal(db.exists('p:to', 'p:other', 'p:copied', 'p:m', 'p:sorted'), 5);
});

test('keys with the names of keywords are keys', () => {
  const db = new Keylatch();
  const view = db.prefix('p:');
  view.rpush('ids', 'b', 'a');
  assert.equal(view.call('SORT', 'ids', 'BY', 'STORE', 'GET', '#', 'STORE', 'BY'), 2);
  assert.ok(view.call('LATCH.ACQUIRE', 'l', 'me', 'TTL', 5000, 'ALSO', 1, 'INTENT', 'INTENT', 1, 'ALSO') > 0);
  assert.deepEqual(db.keys('*').sort(), ['p:ALSO', 'p:BY', 'p:INTENT', 'p:ids', 'p:l']);
});

test('keys in replies are those of the view', async () => {
  const db = new Keylatch();
  const view = db.prefix('a*[x]:');
  view.mset({ 1: 'one', 2: 'two' });
  db.mset({ 'ab[x]:1': 'no', other: 'no' });
  assert.deepEqual(view.keys().sort(), ['1', '2']);
  assert.deepEqual(view.keys('[1]'), ['1']);
  assert.deepEqual([...view.scanKeys()].sort(), ['1', '2']);
  assert.deepEqual([...view.scanKeys({ match: '2*', type: 'string' })], ['2']);
  assert.deepEqual(
    [...view.bytes.scanKeys({ match: '2' })],
    [Buffer.from('2')].map((bytes) => new Uint8Array(bytes)),
  );
  view.rpush('l', 'x', 'y', 'z');
  assert.deepEqual(await view.blpop('l'), ['l', 'x']);
  assert.deepEqual(await view.blmpop(['none', 'l'], 'LEFT'), ['l', ['y']]);
  const waiting = view.blpop(['late', 'later']);
  db.rpush('a*[x]:later', 'now');
  assert.deepEqual(await waiting, ['later', 'now']);
  assert.deepEqual(view.multi().get('1').keys('2').exec(), ['one', ['2']]);
  assert.throws(() => view.sort('l', { by: 'w*' }), /the \* of the prefix/);
});

test('views nest, keep the database of their client, and refuse what is about all keys', () => {
  const db = new Keylatch();
  const other = db.client({ db: 3 });
  const view = other.prefix('a:').prefix('b:');
  view.set('k', 1);
  assert.equal(other.get('a:b:k'), '1');
  assert.equal(db.dbsize(), 0);
  for (const run of [() => view.flushdb(), () => view.flushall(), () => view.dbsize(), () => view.call('RANDOMKEY')])
    assert.throws(run, /is about all keys, not those with the prefix "a:b:"/);
  assert.equal(other.exists('a:b:k'), 1);
  assert.throws(() => db.prefix(5), /a prefix must be a string/);
  assert.throws(() => db.prefix('\ud800'), /half a surrogate pair/);
  assert.equal(db.prefix('').set('k', 1), 'OK');
  assert.equal(db.get('k'), '1');
});

test('watched keys of a view guard its transactions', () => {
  const client = new Keylatch().client();
  const view = client.prefix('p:');
  view.watch('k');
  client.set('p:k', 1);
  assert.equal(view.multi().set('k', 2).exec(), null);
});

test('the engine finds the same keys, for every command with keys', () => {
  const db = new Keylatch();
  const kinds = { integer: '1', double: '1', 'unix-time': '1' };
  /** The least arguments of a command, with two keys or pairs where there may be several. */
  const words = (argument) => {
    const { type, name, token, multiple, optional, arguments: parts = [] } = argument;
    // Keys that may be missing are counted by an argument before them.
    if (optional && !(type === 'key' && multiple)) return [];
    const first = type === 'oneof' ? [parts[0]] : parts;
    const inner = type === 'pure-token' ? [] : first.length > 0 ? first.flatMap(words) : [kinds[type] ?? `<${type}>`];
    const once = [...(token === undefined ? [] : [token]), ...(name === 'numkeys' ? ['2'] : inner)];
    return multiple ? [...once, ...once] : once;
  };
  let compared = 0;
  for (const row of rows.filter(({ keys }) => keys !== undefined)) {
    const argv = [...row.name.split('|'), ...row.arguments.flatMap(words)];
    const expected = db.call('COMMAND', 'GETKEYS', ...argv);
    assert.deepEqual(
      [...keyIndices(argv)].map((index) => argv[index]),
      expected,
      argv.join(' '),
    );
    compared += 1;
  }
  assert.ok(compared > 150, `only ${compared} rows`);
});
