// keylatch/tabs: the API in several tabs of one process. tabs-protocol.test.mjs loses and delays messages.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { entry } from './support/package.mjs';
import { until, World } from './support/tabs-world.mjs';

const { ReplyError, WatchError, ClosedError } = await entry('index');
const { isResent, share, TabsError } = await entry('tabs');
const { PersistenceError } = await entry('persist-browser');

let world;
const worlds = [];
afterEach(async () => {
  for (const one of worlds.splice(0)) await one.close();
});

/** A leader and a follower. */
async function pair(options) {
  world = new World();
  worlds.push(world);
  const leader = await world.open(options);
  const follower = await world.open(options);
  return [leader, follower];
}

test('the first tab leads, both see the same keys, and values keep their types', async () => {
  const [a, b] = await pair();
  assert.deepEqual([a.db.role, b.db.role], ['leader', 'follower']);
  for (const { db } of [a, b]) {
    assert.equal(await db.set('k', 'v'), 'OK');
    assert.equal(await db.get('k'), 'v');
    assert.equal(await db.set('k', 'w', { nx: true }), null);
    assert.deepEqual(await db.bytes.get('k'), new Uint8Array([118]));
    assert.equal(await db.get('missing'), null);
    await db.hset('h', { one: 1, two: '2' });
    assert.deepEqual(
      await db.hgetall('h'),
      new Map([
        ['one', '1'],
        ['two', '2'],
      ]),
    );
    await db.sadd('s', 'x', 'y');
    assert.deepEqual(await db.smembers('s'), new Set(['x', 'y']));
    await db.set('n', 2n ** 62n);
    assert.equal(await db.incrby('n', 1, { bigint: true }), 2n ** 62n + 1n);
    await db.zadd('z', [['m', 1.5]]);
    assert.equal(await db.zscore('z', 'm'), 1.5);
  }
});

test('errors keep class, message and code, and every error is a rejection', async () => {
  for (const { db } of await pair()) {
    await db.set('text', 'x');
    await assert.rejects(db.lpush('text', 1), (error) => {
      assert.ok(error instanceof ReplyError);
      assert.deepEqual([error.code, error.command], ['WRONGTYPE', 'LPUSH']);
      return true;
    });
    await assert.rejects(db.set('k', 'v', { exx: 1 }), TypeError);
    await assert.rejects(db.set('k', Number.NaN), /argument 2 of SET is NaN/);
    await assert.rejects(db.inspectPage({ limit: -1 }), { name: 'TypeError', message: /limit/ });
    await assert.rejects(db.inspectPage({ limit: () => 1 }), { name: 'DataCloneError' });
    await assert.rejects(db.load(new Uint8Array([1])), { name: 'LoadError' });
    await assert.rejects(db.multi().set('a', 1).lpush('text', 1).exec(), (error) => {
      assert.equal(error.name, 'ExecError');
      assert.deepEqual([error.replies[0], error.cause.command], ['OK', 'LPUSH']);
      return true;
    });
    await assert.rejects(db.multi().call('NOSUCH').set('a', 1).exec(), (error) => {
      assert.deepEqual([error.code, error.cause.command], ['EXECABORT', 'NOSUCH']);
      return true;
    });
    for (const [name, way] of [
      ['MULTI', /multi\(\)/],
      ['SUBSCRIBE', /subscribe\(\)/],
      ['HELLO', /not available/],
    ])
      await assert.rejects(db.call(name, 'x'), way);
  }
});

test('json, prefixes, walks, transactions and inspection', async () => {
  for (const { db } of await pair()) {
    await db.flushall();
    await db.json.set('j', { a: [1, null] });
    assert.deepEqual(await db.json.get('j'), { a: [1, null] });
    assert.deepEqual(await db.json.mget(['j', 'none']), [{ a: [1, null] }, null]);
    assert.equal(await db.json.set('j', 2, { ifeq: { a: [1, null] } }), 'OK');
    await assert.rejects(db.json.set('j', { a: undefined }), /JSON has no form for undefined/);
    const view = db.prefix('p:');
    await view.multi().set('x', 1).incr('x').exec();
    assert.deepEqual([await view.keys('*'), await db.get('p:x')], [['x'], '2']);
    assert.equal(await view.prefix('q:').set('y', 1), 'OK');
    const found = [];
    for await (const key of db.scanKeys({ count: 1 })) found.push(key);
    assert.deepEqual(found.sort(), ['j', 'p:q:y', 'p:x']);
    await db.hset('h', { f: 'v' });
    for await (const pair of db.scanHash('h')) assert.deepEqual(pair, ['f', 'v']);
    assert.deepEqual(await db.multi().get('j').hgetall('h').exec(), ['2', new Map([['f', 'v']])]);
    const { keys } = await db.inspectPage();
    assert.equal(keys.length, 4);
    assert.equal((await db.inspectKey('j')).type, 'string');
    assert.equal(typeof (await db.now()), 'number');
  }
});

test('SELECT, names and WATCH belong to a client of a tab', async () => {
  const [a, b] = await pair();
  const own = b.db.client({ db: 3, name: 'mine' });
  await own.set('k', 'three');
  assert.deepEqual([await own.get('k'), await b.db.get('k'), own.db], ['three', null, 3]);
  assert.equal(await own.call('CLIENT', 'GETNAME'), 'mine');
  await b.db.call('SELECT', 3);
  assert.equal(await b.db.get('k'), 'three');
  assert.equal(await a.db.get('k'), null);
  await b.db.call('SELECT', 0);
  await assert.rejects(b.db.watch('k'), /shared by the whole tab/);
  await own.watch('k');
  await own.set('k', 'changed');
  assert.equal(await own.multi().set('k', 'lost').exec(), null);
  await own.close();
  await assert.rejects(own.get('k'), ClosedError);
});

test('a transaction runs again when a key that it watches was changed by another tab', async () => {
  const [a, b] = await pair();
  await a.db.set('stock', 5);
  let attempts = 0;
  const result = await b.db.transaction(async (client) => {
    attempts += 1;
    await client.watch('stock');
    const left = Number(await client.get('stock'));
    if (attempts === 1) await a.db.set('stock', 3);
    return client
      .multi()
      .set('stock', left - 1)
      .exec();
  });
  assert.deepEqual([result, attempts, await a.db.get('stock')], [['OK'], 2, '2']);
  const always = async (client) => {
    await client.watch('stock');
    await a.db.incr('stock');
    return client.multi().set('stock', 0).exec();
  };
  await assert.rejects(b.db.transaction(always, { retries: 1 }), WatchError);
});

test('events and messages reach all tabs', async () => {
  const [a, b] = await pair();
  const seen = [];
  await b.db.on('set', ({ key }) => seen.push(`event ${key}`), { match: 'k*' });
  const end = await b.db.subscribe('news', (message, channel) => seen.push(`${channel} ${message}`));
  const text = (bytes) => new TextDecoder().decode(bytes);
  const inBytes = (message, channel, pattern) => seen.push(`${text(pattern)} ${text(channel)} ${message.length} bytes`);
  await b.db.psubscribe('n*', inBytes, { buffer: true });
  await a.db.set('k1', 1);
  await a.db.set('other', 1);
  await a.db.publish('news', 'hello');
  await until(() => seen.length === 3);
  assert.deepEqual(seen.splice(0), ['event k1', 'news hello', 'n* news 5 bytes']);
  end();
  assert.equal(await b.db.publish('news', 'own'), 1);
  await until(() => seen.length === 1);
  const once = [];
  await b.db.once('del', ({ key }) => once.push(key));
  await a.db.del('k1');
  await a.db.set('k1', 1);
  await a.db.del('k1');
  await b.db.get('k1');
  assert.deepEqual(once, ['k1']);
});

test('messages and events for await, until the tab is closed', async () => {
  const [a, b] = await pair();
  const messages = await b.db.messages('news');
  const events = await b.db.events('set', { match: 'k*' });
  await a.db.publish('news', 'one');
  await a.db.publish('news', 'two');
  await a.db.set('other', 1);
  await a.db.set('k', 1);
  const read = [];
  for await (const message of messages) if (read.push(message) === 2) break;
  assert.deepEqual(read, ['one', 'two']);
  assert.equal((await events.next()).value.key, 'k');
  // The end reaches the leader before what comes after it.
  await b.db.get('x');
  assert.equal(await a.db.publish('news', 'nobody'), 0);
  const last = events.next();
  await b.db.close();
  assert.deepEqual(await last, { done: true, value: undefined });
  await assert.rejects(a.db.messages('c', { limits: 1 }), /unknown option "limits"/);
  await assert.rejects(b.db.messages('c'), ClosedError);
});

test('waiting reaches other tabs, in their order, and an abort loses no element', async () => {
  const [a, b] = await pair();
  const c = await world.open();
  const first = b.db.blpop('q');
  await b.db.get('x');
  const second = c.db.blpop('q');
  await c.db.get('x');
  await a.db.rpush('q', 'one', 'two');
  assert.deepEqual(
    [await first, await second],
    [
      ['q', 'one'],
      ['q', 'two'],
    ],
  );
  assert.equal(await b.db.blpop('q', 0.02), null);
  const abort = new AbortController();
  const cut = b.db.blpop('q', 0, { signal: abort.signal });
  await b.db.get('x');
  abort.abort(new Error('enough'));
  await assert.rejects(cut, /enough/);
  await a.db.rpush('q', 'three');
  assert.deepEqual(await c.db.lrange('q', 0, -1), ['three']);
  const byCall = b.db.call('BLPOP', 'q', 0);
  assert.deepEqual(await byCall, ['q', 'three']);
  const client = b.db.client();
  const left = client.blpop('q');
  await client.get('x');
  await client.close();
  await assert.rejects(left, ClosedError);
});

test('a tab that ends is disconnected: it watches, waits and listens no more', async () => {
  const [a, b] = await pair();
  const clients = async () => (await a.db.call('CLIENT', 'LIST')).trim().split('\n').length;
  await a.db.get('x');
  const before = await clients();
  b.db.blpop('q').catch(() => {});
  await b.db.subscribe('c', () => {});
  assert.ok((await clients()) > before);
  world.kill(b);
  await until(async () => (await clients()) === before);
  await a.db.rpush('q', 'kept');
  assert.equal(await a.db.lpop('q'), 'kept');
});

test('a write is flushed before its answer with acknowledge: flushed, and the next leader has it', async () => {
  const [a, b] = await pair({ acknowledge: 'flushed' });
  await b.db.set('k', 'v');
  assert.ok(world.disk.pieces.length > 0);
  world.kill(a);
  assert.equal(await b.db.get('k'), 'v');
  assert.equal(b.db.role, 'leader');
});

test('a write that an urgent end of the leader cuts is neither a success nor a failure of the store', async () => {
  const [a, b] = await pair({ acknowledge: 'flushed' });
  const { append, close } = a.store;
  let isClosed = false;
  a.store.append = async (...given) => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (isClosed) throw new PersistenceError('LOST', 'closed');
    append(...given);
  };
  a.store.close = async () => {
    isClosed = true;
    return close();
  };
  const write = b.db.set('k', 'v');
  await new Promise((resolve) => setTimeout(resolve, 5));
  a.life.leaving();
  await assert.rejects(write, { name: 'TabsError', code: 'LEADER_CHANGED', mayHaveRun: true });
  assert.equal(await b.db.get('k'), null);
});

test('failover keeps flushed writes, subscriptions, listeners and databases', async () => {
  const [a, b] = await pair();
  const c = await world.open();
  const seen = [];
  const roles = [];
  b.db.onRole((role) => roles.push(role));
  await c.db.subscribe('news', (message) => seen.push(message));
  await c.db.on('set', ({ key }) => seen.push(key));
  await c.db.call('SELECT', 2);
  await c.db.set('kept', 'yes');
  await c.db.flush();
  seen.length = 0;
  world.kill(a);
  assert.equal(await c.db.get('kept'), 'yes');
  await until(() => b.db.role === 'leader');
  assert.deepEqual(roles, ['leader']);
  await b.db.publish('news', 'after');
  await b.db.set('k', 1);
  await until(() => seen.length === 2);
  assert.deepEqual(seen, ['after', 'k']);
});

test('what a change of the leader cuts: reads are resent, others say that it is unknown whether they ran', async () => {
  const [a, b] = await pair();
  await a.db.set('n', 1);
  await a.db.flush();
  world.route = (message) => (message.kind === 'call' ? 'drop' : 'deliver');
  const read = b.db.get('n');
  const write = b.db.incr('n');
  const refused = assert.rejects(write, (error) => {
    assert.ok(error instanceof TabsError);
    assert.deepEqual([error.code, error.retryable, error.mayHaveRun], ['LEADER_CHANGED', true, true]);
    assert.match(error.message, /unknown whether the command ran/);
    return true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  world.route = () => 'deliver';
  world.kill(a);
  await refused;
  assert.equal(await read, '1');
});

test('watched keys of a lost leader: the transaction does not run', async () => {
  const [a, b] = await pair();
  const client = b.db.client();
  await client.watch('k');
  world.kill(a);
  assert.equal(await client.get('k'), null);
  await assert.rejects(client.multi().set('k', 'wrong').exec(), { code: 'LEADER_CHANGED', mayHaveRun: false });
  assert.equal(await b.db.get('k'), null);
  assert.deepEqual(await client.multi().set('k', 'right').exec(), ['OK']);
});

test('a leader that closes hands over: waits go on at the next one, and nothing is lost', async () => {
  const [a, b] = await pair();
  await a.db.set('k', 'unflushed');
  const waiting = b.db.blpop('q');
  await b.db.get('x');
  await a.db.close();
  assert.equal(a.db.role, 'closed');
  await assert.rejects(a.db.get('k'), ClosedError);
  assert.equal(await b.db.get('k'), 'unflushed');
  await b.db.rpush('q', 'x');
  assert.deepEqual(await waiting, ['q', 'x']);
});

test('a page that is frozen or hidden away hands over, and comes back as a follower', async () => {
  const [a, b] = await pair();
  await a.db.set('k', 'v');
  a.life.leaving();
  await until(() => b.db.role === 'leader');
  a.life.returned();
  assert.equal(await a.db.get('k'), 'v');
  assert.equal(a.db.role, 'follower');
  world.kill(b);
  assert.equal(await a.db.set('k', 'w').catch(() => a.db.set('k', 'w')), 'OK');
});

test('a store that is lost ends the leadership; the next leader opens what there is', async () => {
  const [a, b] = await pair();
  await a.db.set('k', 'v');
  await a.db.flush();
  world.disk.pieces = [];
  a.store.onLost(new PersistenceError('LOST', 'deleted'));
  await until(() => b.db.role === 'leader');
  assert.equal(await a.db.get('k'), null);
});

test('a tab that cannot open the store says why, to itself and to the calls of others', async () => {
  world = new World();
  worlds.push(world);
  const a = world.tab();
  a.openFailure = new PersistenceError('NEWER_VERSION', 'a newer version wrote it', { file: 'x' });
  await assert.rejects(share({ name: 'n', environment: a.environment }), (error) => {
    assert.ok(error instanceof PersistenceError);
    return error.code === 'NEWER_VERSION';
  });
  const b = await world.open();
  assert.equal(await b.db.set('k', 1), 'OK');
});

test('a leader that cannot write its last changes says so when it is closed', async () => {
  const [a, b] = await pair();
  await a.db.set('k', 'flushed');
  await a.db.flush();
  a.store.append = async () => {
    throw new PersistenceError('QUOTA', 'no room');
  };
  await a.db.set('k', 'lost');
  await assert.rejects(a.db.close(), { code: 'QUOTA' });
  assert.equal(await b.db.get('k'), 'flushed');
});

test('the API says which calls are resent', () => {
  for (const name of ['GET', 'hgetall', 'OBJECT ENCODING', 'object  encoding', 'DBSIZE'])
    assert.ok(isResent(name), name);
  for (const name of ['SET', 'INCR', 'GETDEL', 'BLPOP', 'EXEC', 'PUBLISH', 'NOSUCH']) assert.ok(!isResent(name), name);
});

test('options are checked', async () => {
  await assert.rejects(share({}), /pass a name/);
  await assert.rejects(share({ name: 'n', acknowledged: 'flushed' }), /did you mean "acknowledge"/);
  await assert.rejects(share({ name: 'n', deadlineMs: 0 }), /must be positive/);
  await assert.rejects(share({ name: 'n', seed: -1 }), /seed/);
  await assert.rejects(share({ name: 'n' }), { name: 'TabsError', code: 'UNSUPPORTED', retryable: false });
});
