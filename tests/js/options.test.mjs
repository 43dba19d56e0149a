// Options and arguments that are refused: nothing is ignored silently, and the error says what to pass.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { createServer } = await entry('server');
const { runSession, runSessionOn, startServer } = await entry('testing');

const fresh = () => new Keylatch({ clock: new ManualClock(0), seed: 1 });

/** Calls that must be refused with a TypeError, and a part of its message. Nothing may have been changed by any. */
function refused(name, cases) {
  test(name, async () => {
    const db = fresh();
    db.set('kept', 'value');
    const before = db.digestAll();
    for (const [call, message] of cases) {
      await assert.rejects(
        async () => call(db),
        (error) => {
          assert.ok(error instanceof TypeError, `${call}: ${error}`);
          assert.ok(error.message.includes(message), `${call}: ${error.message}`);
          return true;
        },
        String(call),
      );
      assert.equal(db.digestAll(), before, String(call));
    }
  });
}

refused('an unknown option, with the nearest', [
  [(db) => db.set('k', 'v', { EX: 5 }), 'set: unknown option "EX"; did you mean "ex"?'],
  [(db) => db.set('k', 'v', { ex: 5, nX: true }), 'unknown option "nX"; did you mean "nx"?'],
  [(db) => db.set('k', 'v', { ttl: 5 }), 'did you mean "px"?'],
  [(db) => db.set('k', 'v', { banana: 5 }), 'unknown option "banana"; known are ex, px'],
  [(db) => db.set('k', 'v', { EX: undefined }), 'unknown option "EX"'],
  [(db) => db.set('k', 'v', Object.create({ EX: 5 })), 'unknown option "EX"'],
  [(db) => db.getex('k', { perist: true }), 'did you mean "persist"?'],
  [(db) => db.expire('kept', 5, { NX: true }), 'expire: unknown option "NX"; did you mean "nx"?'],
  [(db) => db.zrange('z', 0, -1, { withScores: true }), 'did you mean "withscores"?'],
  [(db) => db.zrange('z', 0, -1, { reverse: true }), 'did you mean "rev"?'],
  [(db) => db.zadd('z', { a: 1 }, { cg: true }), 'did you mean "ch"?'],
  [(db) => db.geosearch('g', { member: 'a', radius: 1 }, { withDist: true }), 'did you mean "withdist"?'],
  [(db) => db.geosearch('g', { mebmer: 'a', radius: 1 }), 'did you mean "member"?'],
  [(db) => db.scanKeys({ pattern: 'a*' }), 'scanKeys: unknown option "pattern"; did you mean "match"?'],
  [(db) => db.hgetall('h', { AS: 'object' }), 'did you mean "as"?'],
  [(db) => db.incr('n', { bigInt: true }), 'did you mean "bigint"?'],
  [(db) => db.blpop('l', 1, { timeout: 5 }), 'blpop: unknown option "timeout"; did you mean "signal"?'],
  [(db) => db.client({ nope: 1 }), 'client: unknown option "nope"; did you mean "name"?'],
  [(db) => db.on('set', () => {}, { bufer: true }), 'on: unknown option "bufer"; did you mean "buffer"?'],
  [(db) => db.subscribe('c', () => {}, { Buffer: true }), 'subscribe: unknown option'],
  [(db) => db.psubscribe('c', () => {}, { Buffer: true }), 'psubscribe: unknown option'],
  [(db) => db.messages('c', { limt: 5 }), 'messages: unknown option "limt"; did you mean "limit"?'],
  [(db) => db.track(() => {}, { broadcast: true }), 'track: unknown option "broadcast"; known are bcast'],
  [(db) => runSessionOn(db, '', { line: 5 }), 'runSession: unknown option "line"'],
  [(db) => db.on('set', () => {}, { mach: 'a*' }), 'on: unknown option "mach"; did you mean "match"?'],
  [(db) => db.once('set', () => {}, { mach: 'a*' }), 'once: unknown option "mach"; did you mean "match"?'],
  [(db) => db.events('set', { limt: 5 }), 'events: unknown option "limt"; did you mean "limit"?'],
  [(db) => db.transaction(() => {}, { retry: 5 }), 'transaction: unknown option "retry"; known are retries, signal'],
  [(db) => db.inspectPage({ cusor: '0' }), 'inspectPage: unknown option "cusor"; did you mean "cursor"?'],
  [(db) => db.inspectKey('kept', { cout: 5 }), 'inspectKey: unknown option "cout"; did you mean "count"?'],
  [(db) => db.getOrSet('k', { ttl: 5 }, () => 'v'), "getOrSet has no option 'ttl'"],
  [(db) => db.prefix('a:').hgetall('h', { AS: 'object' }), 'did you mean "as"?'],
  [(db) => db.json.set('k', 'v', { EX: 5 }), 'set: unknown option "EX"; did you mean "ex"?'],
  [() => startServer({ prot: 6379 }), 'startServer: unknown option "prot"; did you mean "port"?'],
  [() => runSession('', { untiline: 5 }), 'did you mean "untilLine"?'],
  [() => new Keylatch({ maxMemory: '1mb' }), 'Keylatch: unknown option "maxMemory"; did you mean "maxmemory"?'],
  [() => new Keylatch({ 'maxmemory-policy': 'allkeys-lru' }), 'did you mean "maxmemoryPolicy"?'],
  [() => createServer({ prot: 6379 }), 'createServer: unknown option "prot"; did you mean "port"?'],
  [() => createServer({ password: 'x' }), 'did you mean "requirepass"?'],
]);

refused('options that are no object, with what to pass', [
  [
    (db) => db.set('k', 'v', 'EX', 5),
    `set: options must be an object such as { ex: 5 }, got "EX"; for words as in Redis use call('SET', ...)`,
  ],
  [(db) => db.set('k', 'v', 5), 'options must be an object such as { ex: 5 }, got 5'],
  [(db) => db.set('k', 'v', null), 'got null'],
  [(db) => db.set('k', 'v', true), 'got true'],
  [(db) => db.set('k', 'v', () => {}), 'got a function'],
  [(db) => db.set('k', 'v', ['EX', 5]), 'got an Array'],
  [(db) => db.set('k', 'v', []), 'got an Array'],
  [(db) => db.set('k', 'v', new Map([['ex', 5]])), 'got a Map'],
  [(db) => db.set('k', 'v', new Date()), 'got a Date'],
  [(db) => db.set('k', 'v', new Uint8Array(2)), 'got a Uint8Array'],
  [
    (db) => db.zrange('z', 0, -1, 'WITHSCORES'),
    `{ rev: true }, got "WITHSCORES"; for words as in Redis use call('ZRANGE'`,
  ],
  [(db) => db.scan(0, 'MATCH', 'a*'), "use call('SCAN', ...)"],
  [(db) => db.blpop('l', 1, AbortSignal.abort()), 'got an AbortSignal'],
  [(db) => db.blpop('l', { signal: AbortSignal.abort() }), 'blpop: the timeout must be a number'],
  [(db) => db.expire('kept', 5, 'SOON'), "'NX', 'XX', 'GT', 'LT' or an object such as { nx: true }"],
  [(db) => db.expire('kept', 5, null), 'options must be an object'],
  [(db) => db.client('name'), 'client: options must be an object'],
  [() => new Keylatch('100mb'), 'Keylatch: options must be an object'],
  [(db) => createServer(db), 'createServer: options must be an object such as { port: ... }, got a Keylatch'],
]);

refused('values of another type', [
  [(db) => db.set('k', 'v', { nx: 'yes' }), 'set: nx must be true or false, got "yes"'],
  [(db) => db.set('k', 'v', { nx: 1, px: 5 }), 'nx must be true or false, got 1'],
  [(db) => db.set('k', 'v', { get: null }), 'get must be true or false, got null'],
  [(db) => db.set('k', 'v', { keepttl: 0 }), 'keepttl must be true or false'],
  [(db) => db.set('k', 'v', { px: '5000' }), 'set: px must be a safe integer or a bigint, got "5000"'],
  [(db) => db.set('k', 'v', { px: null }), 'got null'],
  ...[NaN, Infinity, 1.5, 2 ** 53].map((time) => [(db) => db.set('k', 'v', { ex: time }), `got ${time}`]),
  [(db) => db.set('k', 'v', { ifeq: null }), 'ifeq must be a string, a number'],
  [(db) => db.zrange('z', 0, -1, { limit: [0] }), 'limit must be an array of two safe integers'],
  [(db) => db.zrange('z', 0, -1, { by: 'RANK' }), "by must be 'SCORE' or 'LEX', got \"RANK\""],
  [(db) => db.zunion(['z'], { weights: [1, 'x'] }), 'weights must be an array of numbers'],
  [(db) => db.geosearch('g', { member: 'a', radius: '5' }), 'radius must be a number'],
  [(db) => db.geosearch('g', { position: [1], radius: 5 }), 'position must be an array of two numbers'],
  [(db) => db.geosearch('g', { radius: 5 }), 'needs a position or a member'],
  [(db) => db.geosearch('g', { member: 'a' }), 'needs a radius or a box'],
  [(db) => db.geosearch('g', { member: 'a', radius: 5 }, { any: true }), 'any needs a count'],
  [(db) => db.scan(0, { count: 1.5 }), 'count must be a safe integer'],
  [(db) => db.hgetall('h', { as: 'json' }), "hgetall: as must be 'object' or 'map', got \"json\""],
  [(db) => db.smembers('s', { as: 'object' }), "as must be 'array' or 'set'"],
  [(db) => db.blpop('l', 1, { signal: {} }), 'signal must be an AbortSignal, got an object'],
  [(db) => db.blpop('l', NaN), 'the timeout must be a number'],
  [(db) => db.client({ protocol: 4 }), 'protocol must be 2 or 3, got 4'],
  [(db) => db.client({ db: '1' }), 'db must be a safe integer'],
  // Integers that are arguments of their own.
  [(db) => db.expire('kept', 1.5), 'expire: seconds must be a safe integer or a bigint, got 1.5'],
  [(db) => db.incrby('n', 2 ** 60), 'incrby: increment must be a safe integer'],
  [(db) => db.lrange('l', 0, Infinity), 'lrange: stop must be a safe integer'],
  [(db) => db.lpop('l', 0.5), 'lpop: count must be a safe integer'],
  [(db) => db.hexpire('h', NaN, 'f'), 'hexpire: the time must be a safe integer'],
]);

refused('options that exclude each other', [
  [(db) => db.set('k', 'v', { nx: true, xx: true }), 'set: nx and xx exclude each other; pass only one of them'],
  [(db) => db.set('k', 'v', { nx: true, ifeq: 'x' }), 'nx and ifeq exclude each other'],
  [(db) => db.set('k', 'v', { ex: 1, px: 1 }), 'ex and px exclude each other'],
  [(db) => db.set('k', 'v', { px: 1, pxat: 1 }), 'px and pxat exclude each other'],
  [(db) => db.set('k', 'v', { ex: 1, keepttl: true }), 'ex and keepttl exclude each other'],
  [(db) => db.getex('kept', { ex: 1, persist: true }), 'exclude each other'],
  [(db) => db.msetex({ k: 1 }, { nx: true, xx: true }), 'nx and xx exclude each other'],
  [(db) => db.hsetex('h', { f: 1 }, { fnx: true, fxx: true }), 'fnx and fxx exclude each other'],
  [(db) => db.expire('kept', 1, { nx: true, gt: true }), 'nx and gt exclude each other'],
  [(db) => db.zadd('z', { a: 1 }, { gt: true, lt: true }), 'gt and lt exclude each other'],
  [(db) => db.zadd('z', { a: 1 }, { nx: true, gt: true }), 'nx and gt exclude each other'],
  [(db) => db.geoadd('g', { a: [1, 2] }, { nx: true, xx: true }), 'nx and xx exclude each other'],
  [(db) => db.geosearch('g', { member: 'a', position: [1, 2], radius: 1 }), 'exclude each other'],
]);

refused('arguments beyond the last one', [
  [(db) => db.get('a', 'b'), "get takes 1 argument, got 2; call('GET', ...) takes words as in Redis"],
  [(db) => db.set('k', 'v', undefined, 5), 'set takes at most 3 arguments, got 4'],
  [(db) => db.set('k', 'v', { ex: 5 }, 5), 'set takes at most 3 arguments, got 4'],
  [(db) => db.incr('n', undefined, 5), 'incr takes at most 2 arguments, got 3'],
  [(db) => db.expire('kept', 5, 'NX', 'XX'), 'expire takes at most 3 arguments'],
  [(db) => db.zrange('z', 0, -1, undefined, 1), 'zrange takes at most 4 arguments'],
  [(db) => db.flushall('ASYNC'), 'flushall takes no arguments, got 1'],
  [(db) => db.dbsize(1), 'dbsize takes no arguments'],
  [(db) => db.objectEncoding('a', 'b'), "call('OBJECT', 'ENCODING', ...)"],
  [(db) => db.hgetall('h', undefined, 1), 'hgetall takes at most 2 arguments'],
  [(db) => db.blpop('l', 1, undefined, 1), 'blpop takes at most 3 arguments'],
]);

refused('fields and values: the error names key and field', [
  [(db) => db.hset('user:1', { age: NaN }), 'hset("user:1"): the value of field "age" is NaN'],
  [(db) => db.hset('user:1', { name: 'a', age: undefined }), 'the value of field "age" must be a string, a number'],
  [(db) => db.hset('user:1', { age: null }), 'got null'],
  [(db) => db.hset('user:1', 'age'), 'hset("user:1"): the value of field "age" is missing'],
  [(db) => db.hset('user:1', 'a', 1, 'b'), 'the value of field "b" is missing'],
  [(db) => db.hset('user:1', 'a', {}), 'the value of field "a" must be'],
  [(db) => db.hset('user:1'), 'expected an object, a Map or an array of pairs [field, value], got none'],
  [(db) => db.hset('user:1', null), 'got null'],
  [(db) => db.hset('user:1', ['ab', 'cd']), 'each pair must be an array [field, value], got "ab"'],
  [(db) => db.hset('user:1', [['a', 1, 2]]), 'each pair must be an array'],
  [(db) => db.hset('user:1', [[{}, 1]]), 'a field must be a string'],
  [(db) => db.hsetex('user:1', { age: true }), 'hsetex("user:1"): the value of field "age" must be'],
  [(db) => db.mset({ a: NaN }), 'mset: the value of key "a" is NaN'],
  [(db) => db.mset('a'), 'mset: the value of key "a" is missing'],
  [(db) => db.msetex({ a: [] }), 'msetex: the value of key "a" must be'],
  [(db) => db.zadd('z', { ann: NaN }), 'zadd("z"): the score of member "ann" is NaN'],
  [(db) => db.zadd('z', { ann: null }), "must be a number or text such as '+inf', got null"],
  [(db) => db.zadd('z', 1), 'zadd("z"): expected scores and members by turns'],
  [(db) => db.zadd('z', NaN, 'ann'), 'the score of member "ann" is NaN'],
  [(db) => db.geoadd('g', { a: [1] }), 'geoadd("g"): the position of member "a" must be [longitude, latitude]'],
  [(db) => db.configSet({ maxmemory: null }), 'configSet: the value of parameter "maxmemory" must be'],
]);

test('options may be inherited, getters or proxies, and each is read once', () => {
  const db = fresh();
  const reads = [];
  const read = (name, value) => () => {
    reads.push(name);
    return value;
  };
  const getters = {};
  for (const [name, value] of Object.entries({ px: 5000, nx: true, get: false })) {
    Object.defineProperty(getters, name, { enumerable: true, get: read(name, value) });
  }
  assert.equal(db.set('a', 1, getters), 'OK');
  assert.deepEqual(reads.sort(), ['get', 'nx', 'px']);
  assert.equal(db.set('a', 1, Object.create({ nx: true })), null);
  class Lease {
    px = 7000;
    get nx() {
      return true;
    }
  }
  assert.equal(db.set('b', 1, new Lease()), 'OK');
  assert.equal(db.pttl('b'), 7000);
  const seen = [];
  const proxy = new Proxy(
    { ex: 9 },
    {
      get(target, name) {
        seen.push(name);
        return target[name];
      },
    },
  );
  assert.equal(db.set('c', 1, proxy), 'OK');
  assert.equal(db.ttl('c'), 9);
  assert.equal(seen.filter((name) => name === 'ex').length, 1);
  assert.equal(db.set('d', 1, Object.freeze(Object.assign(Object.create(null), { ex: 9 }))), 'OK');
  db.zadd('z', { a: 1 });
  assert.deepEqual(db.zrange('z', 0, -1, Object.create({ withscores: true })), [['a', 1]]);
  const options = Object.create({ seed: 7, clock: new ManualClock(5) });
  assert.equal(new Keylatch(options).now(), 5);
  const throws = {
    get px() {
      throw new RangeError('from a getter');
    },
  };
  assert.throws(() => db.set('e', 1, throws), /from a getter/);
  assert.equal(db.exists('e'), 0);
});

test('undefined and false count as not given', () => {
  const db = fresh();
  assert.equal(db.set('k', 1, { px: undefined, nx: undefined, xx: false, get: false }), 'OK');
  assert.equal(db.set('k', 1, { nx: false, xx: true }), 'OK');
  assert.equal(db.set('k', 1, {}), 'OK');
  assert.equal(db.set('k', 1, undefined), 'OK');
  assert.equal(db.ttl('k', undefined), -1);
  assert.equal(db.ping(undefined), 'PONG');
  assert.equal(db.expire('k', 5, undefined), 1);
  assert.equal(db.expire('k', 5, { nx: true }), 0);
  assert.equal(db.expire('k', 5, {}), 1);
  assert.equal(db.set('k', 1, { pxat: 2n ** 60n }), 'OK');
  assert.equal(db.pexpiretime('k', { bigint: true }), 2n ** 60n);
  assert.throws(() => db.set('k', 'v', { px: 0 }), { name: 'ReplyError', message: /invalid expire time/ });
});

test('Maps and Sets as objects and arrays', () => {
  const db = fresh();
  db.hset('h', { a: 1, __proto__x: 2 });
  db.hset('h', '__proto__', 'safe');
  const object = db.hgetall('h', { as: 'object' });
  assert.equal(Object.getPrototypeOf(object), null);
  assert.equal(Object.getOwnPropertyDescriptor(object, '__proto__').value, 'safe');
  assert.equal(JSON.stringify(object), '{"a":"1","__proto__x":"2","__proto__":"safe"}');
  assert.deepEqual(JSON.stringify(db.hgetall('none', { as: 'object' })), '{}');
  assert.ok(db.hgetall('h') instanceof Map && db.hgetall('h', { as: 'map' }) instanceof Map);
  assert.deepEqual({ ...db.bytes.hgetall('h', { as: 'object' }) }.a, Uint8Array.of(49));
  db.hset('odd', [[Uint8Array.of(255), 1]]);
  assert.throws(() => db.bytes.hgetall('odd', { as: 'object' }), /is not UTF-8.*use a Map/);
  assert.deepEqual({ ...db.configGet('maxmemory', { as: 'object' }) }, { maxmemory: '0' });
  assert.deepEqual({ ...db.configGet(['maxmemory'], { as: 'object' }) }, { maxmemory: '0' });
  db.sadd('s', ['a', 'b']);
  db.sadd('t', 'b', 'c');
  assert.deepEqual(db.smembers('s', { as: 'array' }).sort(), ['a', 'b']);
  assert.deepEqual(db.sinter(['s', 't'], { as: 'array' }), ['b']);
  assert.deepEqual(db.sinter('s', { as: 'array' }).sort(), ['a', 'b']);
  assert.deepEqual(db.sinter('s', 't'), new Set(['b']));
  assert.deepEqual(db.sinter(['s', 't'], { as: 'set' }), new Set(['b']));
  assert.deepEqual(db.sunion(['s', 't'], { as: 'array' }).sort(), ['a', 'b', 'c']);
  assert.deepEqual(db.bytes.sdiff(['s', 't'], { as: 'array' }), [Uint8Array.of(97)]);
  assert.throws(() => db.sinter('s', 't', { as: 'array' }), TypeError);
  const [members, hash] = db.multi().smembers('s', { as: 'array' }).hgetall('h', { as: 'object' }).exec();
  assert.deepEqual([members.sort(), hash.a], [['a', 'b'], '1']);
  assert.deepEqual(db.spop('s', 5, { as: 'array' }).sort(), ['a', 'b']);
  assert.deepEqual(db.spop('t', 5), new Set(['b', 'c']));
});

test('arrays, and words by turns, wherever several go', () => {
  const db = fresh();
  assert.equal(db.mset('a', 1, 'b', 2), 'OK');
  assert.deepEqual([db.mget(['a', 'b']), db.mget('a', 'b'), db.exists(['a', 'b'])], [['1', '2'], ['1', '2'], 2]);
  assert.equal(db.msetnx('a', 1, 'c', 2), 0);
  assert.deepEqual([db.hset('h', 'f', 1), db.hset('h', 'f', 2, 'g', 3), db.hmget('h', ['f', 'g'])], [1, 1, ['2', '3']]);
  assert.deepEqual([db.zadd('z', 1, 'm'), db.zadd('z', '+inf', 'n', 3, 'o'), db.zscore('z', 'n')], [1, 2, Infinity]);
  assert.deepEqual([db.rpush('l', [1, 2]), db.lpush('l', [3]), db.lrange('l', 0, -1)], [2, 3, ['3', '1', '2']]);
  assert.equal(db.geoadd('g', 13.36, 38.12, 'Palermo'), 1);
  assert.equal(db.geodist('g', 'Palermo', 'Palermo', { unit: 'km' }), '0.0000');
  assert.deepEqual(db.hexpire('h', 5, ['f', 'g'], { nx: true }), [1, 1]);
  assert.deepEqual(db.hexpire('h', 5, 'f', 'XX'), [1]);
  assert.equal(db.configSet('slowlog-max-len', 5), 'OK');
  assert.deepEqual(db.bitfield('bits', ['SET', 'u8', 0, 255]), [0]);
  assert.equal(db.del(['a', 'b', 'none']), 2);
  assert.throws(() => db.del([]), { name: 'ReplyError', message: /wrong number of arguments/ });
  assert.throws(() => db.del('a', ['b']), { name: 'TypeError', message: /argument 2 of DEL must be .* got Array/ });
});

test('a list that changes after its command was queued changes nothing', () => {
  const db = fresh();
  const keys = ['a'];
  const multi = db.multi().set('a', 1).del(keys);
  keys.push('b');
  db.set('b', 1);
  assert.deepEqual(multi.exec(), ['OK', 1]);
  assert.equal(db.exists('b'), 1);
});
