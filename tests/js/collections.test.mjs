// Methods of the collections: the commands they send, and the types of their results.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { entry, folder } from './support/package.mjs';

const { Keylatch, ManualClock, ReplyError } = await entry('index');

const fresh = () => new Keylatch({ clock: new ManualClock(0), seed: 1 });
const bytes = (text) => new TextEncoder().encode(text);

test('lists', () => {
  const db = fresh();
  assert.equal(db.rpushx('l', 'x'), 0);
  assert.equal(db.lpushx('l', 'x'), 0);
  assert.equal(db.rpush('l', 'a', 'b', 'c'), 3);
  assert.equal(db.lpush('l', 'z', 'y'), 5);
  assert.deepEqual(db.lrange('l', 0, -1), ['y', 'z', 'a', 'b', 'c']);
  assert.equal(db.llen('l'), 5);
  assert.equal(db.lindex('l', -1), 'c');
  assert.equal(db.lindex('l', 9), null);
  assert.equal(db.lset('l', 0, 'a'), 'OK');
  assert.equal(db.lpos('l', 'a'), 0);
  assert.equal(db.lpos('l', 'a', { rank: 2 }), 2);
  assert.equal(db.lpos('l', 'nowhere', { maxlen: 2 }), null);
  assert.deepEqual(db.lpos('l', 'a', { count: 0 }), [0, 2]);
  assert.equal(db.linsert('l', 'BEFORE', 'z', 'n'), 6);
  assert.equal(db.lrem('l', 0, 'a'), 2);
  assert.equal(db.ltrim('l', 0, 2), 'OK');
  assert.deepEqual(db.bytes.lrange('l', 0, -1), [bytes('n'), bytes('z'), bytes('b')]);
  assert.equal(db.lmove('l', 'm', 'LEFT', 'RIGHT'), 'n');
  assert.equal(db.rpoplpush('l', 'm'), 'b');
  assert.deepEqual(db.lmpop(['l', 'm'], 'RIGHT'), ['l', ['z']]);
  assert.deepEqual(db.lmpop(['l', 'm'], 'LEFT', { count: 5 }), ['m', ['b', 'n']]);
  assert.equal(db.lmpop('l', 'LEFT'), null);
  db.rpush('l', 1, 2, 3, 4);
  assert.equal(db.lpop('l'), '1');
  assert.equal(db.rpop('l'), '4');
  assert.deepEqual(db.lpop('l', 1), ['2']);
  assert.deepEqual(db.rpop('l', 5), ['3']);
  assert.deepEqual([db.lpop('l'), db.rpop('l', 2)], [null, null]);
});

test('sets', () => {
  const db = fresh();
  assert.equal(db.sadd('s', 'a', 'b', 'c', 'a'), 3);
  assert.equal(db.sadd('t', 'b', 'c', 'd'), 3);
  assert.deepEqual(db.smembers('s'), new Set(['a', 'b', 'c']));
  assert.deepEqual(db.sinter('s', 't'), new Set(['b', 'c']));
  assert.deepEqual(db.sunion('s', 't'), new Set(['a', 'b', 'c', 'd']));
  assert.deepEqual(db.sdiff('s', 't'), new Set(['a']));
  assert.deepEqual([...db.bytes.sdiff('s', 't')], [bytes('a')]);
  assert.deepEqual(
    [db.sinterstore('u', 's', 't'), db.sunionstore('u', 's', 't'), db.sdiffstore('u', 's', 't')],
    [2, 4, 1],
  );
  assert.equal(db.sintercard(['s', 't']), 2);
  assert.equal(db.sintercard(['s', 't'], { limit: 1 }), 1);
  assert.equal(db.sintercard('s'), 3);
  assert.equal(db.scard('u'), 1);
  assert.equal(db.sismember('s', 'a'), 1);
  assert.deepEqual(db.smismember('s', 'a', 'd'), [1, 0]);
  assert.equal(db.smove('s', 't', 'a'), 1);
  assert.equal(db.srem('t', 'a', 'x'), 1);
  assert.equal(db.srandmember('u'), 'a');
  assert.deepEqual(db.srandmember('u', -3), ['a', 'a', 'a']);
  assert.deepEqual(db.spop('s', 9), new Set(['b', 'c']));
  assert.equal(db.spop('u'), 'a');
  assert.equal(db.spop('u'), null);
  assert.deepEqual(db.sscan('t', 0, { match: 'b*', count: 100 }), ['0', ['b']]);
});

test('hashes', () => {
  const db = fresh();
  assert.equal(db.hset('h', { a: 1, b: 'two' }), 2);
  assert.equal(db.hset('h', new Map([['c', bytes('3')]])), 1);
  assert.equal(
    db.hset('h', [
      ['a', 10],
      ['d', 4],
    ]),
    1,
  );
  assert.equal(db.hsetnx('h', 'a', 0), 0);
  assert.equal(db.hget('h', 'a'), '10');
  assert.deepEqual(db.hmget('h', 'b', 'none'), ['two', null]);
  assert.deepEqual(
    db.hgetall('h'),
    new Map([
      ['a', '10'],
      ['b', 'two'],
      ['c', '3'],
      ['d', '4'],
    ]),
  );
  assert.deepEqual([...db.bytes.hgetall('h')].length, 4);
  assert.deepEqual(db.hgetall('none'), new Map());
  assert.deepEqual([db.hlen('h'), db.hstrlen('h', 'b'), db.hexists('h', 'b')], [4, 3, 1]);
  assert.deepEqual([db.hkeys('h').length, db.hvals('h').length], [4, 4]);
  assert.equal(db.hincrby('h', 'a', 2n ** 62n, { bigint: true }), 2n ** 62n + 10n);
  assert.equal(db.hincrbyfloat('h', 'd', 0.5), '4.5');
  assert.deepEqual(db.hgetdel('h', 'd', 'none'), ['4.5', null]);
  assert.equal(db.hdel('h', 'a', 'none'), 1);
  assert.ok(['b', 'c'].includes(db.hrandfield('h')));
  assert.deepEqual(db.hrandfield('h', 5).sort(), ['b', 'c']);
  assert.deepEqual(db.hrandfield('h', 5, { withvalues: true }).sort(), [
    ['b', 'two'],
    ['c', '3'],
  ]);
  assert.equal(db.hrandfield('none'), null);
  assert.deepEqual(db.hscan('h', 0, { match: 'b' }), ['0', ['b', 'two']]);
  assert.deepEqual(db.hscan('h', 0, { match: 'b', novalues: true }), ['0', ['b']]);
});

test('fields that expire', () => {
  const clock = new ManualClock(1000);
  const db = new Keylatch({ clock });
  const heard = [];
  db.on('*', ({ event }) => heard.push(event));
  db.hset('h', { a: 1, b: 2, c: 3 });
  assert.deepEqual(db.hexpire('h', 10, ['a', 'none']), [1, -2]);
  assert.deepEqual(db.hpexpire('h', 20_000, 'a', 'LT'), [0]);
  assert.deepEqual(db.hexpireat('h', 100, ['b']), [1]);
  assert.deepEqual(db.hpexpireat('h', 500, 'c'), [2]);
  assert.deepEqual(db.httl('h', 'a', 'b', 'c'), [10, 99, -2]);
  assert.deepEqual(db.hpttl('h', 'a'), [10_000]);
  assert.deepEqual(db.hexpiretime('h', 'a'), [11]);
  assert.deepEqual(db.hpexpiretime('h', 'b'), [100_000]);
  assert.deepEqual(db.hpersist('h', 'b', 'b', 'none'), [1, -1, -2]);
  assert.deepEqual(db.hgetex('h', 'b', { px: 100 }), ['2']);
  assert.deepEqual(db.hgetex('h', ['b', 'none'], { persist: true }), ['2', null]);
  assert.deepEqual(db.hgetex('h', ['b']), ['2']);
  assert.equal(db.hsetex('h', { b: 5 }, { fnx: true, ex: 5 }), 0);
  assert.equal(db.hsetex('h', { d: 5 }, { fnx: true, ex: 5 }), 1);
  assert.equal(db.hsetex('h', { d: 6 }, { fxx: true, keepttl: true }), 1);
  assert.deepEqual(db.httl('h', 'd'), [5]);
  clock.advance(20_000);
  assert.deepEqual(db.hkeys('h'), ['b']);
  assert.ok(heard.includes('hexpired'), heard.join());
});

test('sorted sets', () => {
  const db = fresh();
  assert.equal(db.zadd('z', { ann: 120, bob: 95 }), 2);
  assert.equal(
    db.zadd(
      'z',
      [
        ['cleo', 143],
        [bytes('bob'), '100'],
      ],
      { ch: true },
    ),
    2,
  );
  assert.equal(db.zadd('z', new Map([['ann', 1]]), { gt: true }), 0);
  assert.equal(db.zadd('z', { ann: 1 }, { nx: true }), 0);
  assert.equal(db.zadd('z', { ann: 130 }, { xx: true, gt: true, ch: true }), 1);
  assert.equal(db.zincrby('z', 0.5, 'bob'), 100.5);
  assert.equal(db.zincrby('z', 1, 'dan', { xx: true }), null);
  assert.equal(db.zincrby('z', -0.5, 'bob', {}), 100);
  assert.deepEqual([db.zcard('z'), db.zscore('z', 'ann'), db.zscore('z', 'dan')], [3, 130, null]);
  assert.deepEqual(db.zmscore('z', 'cleo', 'dan'), [143, null]);
  assert.deepEqual([db.zrank('z', 'bob'), db.zrevrank('z', 'bob'), db.zrank('z', 'dan')], [0, 2, null]);
  assert.deepEqual(db.zrank('z', 'ann', { withscore: true }), [1, 130]);
  assert.deepEqual(db.zrevrank('z', 'ann', { withscore: true }), [1, 130]);
  assert.equal(db.zadd('z', { inf: Infinity }), 1);
  assert.deepEqual(db.zpopmax('z'), ['inf', Infinity]);
  assert.deepEqual(db.zscan('z', 0, { match: 'a*' }), ['0', ['ann', '130']]);
  assert.deepEqual(db.zrandmember('z', 3, { withscores: true }).length, 3);
  assert.deepEqual(db.zrandmember('z', -5).length, 5);
  assert.equal(typeof db.zrandmember('z'), 'string');
  assert.deepEqual(db.zpopmin('z', 1), [['bob', 100]]);
  assert.deepEqual(db.zmpop(['none', 'z'], 'MAX'), ['z', [['cleo', 143]]]);
  assert.equal(db.zrem('z', 'ann', 'bob'), 1);
  assert.deepEqual([db.zpopmin('z'), db.zpopmin('z', 3), db.zmpop('z', 'MIN', { count: 2 })], [[], [], null]);
});

test('ranges of sorted sets', () => {
  const db = fresh();
  db.zadd('z', { a: 1, b: 2, c: 3, d: 4 });
  assert.deepEqual(db.zrange('z', 0, 1), ['a', 'b']);
  assert.deepEqual(db.zrange('z', 0, 0, { rev: true, withscores: true }), [['d', 4]]);
  assert.deepEqual(db.zrange('z', '(1', '+inf', { by: 'SCORE', limit: [1, 1] }), ['c']);
  assert.deepEqual(db.zrange('z', 3, 2, { by: 'SCORE', rev: true }), ['c', 'b']);
  assert.deepEqual(db.bytes.zrange('z', '[a', '(c', { by: 'LEX' }), [bytes('a'), bytes('b')]);
  assert.equal(db.zrangestore('y', 'z', 1, 2), 2);
  assert.equal(db.zcount('z', '(1', Infinity), 3);
  assert.equal(db.zlexcount('z', '-', '[b'), 2);
  assert.equal(db.zremrangebyrank('z', 0, 0), 1);
  assert.equal(db.zremrangebyscore('z', 2, 2), 1);
  assert.equal(db.zremrangebylex('z', '[c', '[c'), 1);
  assert.deepEqual(db.zrange('z', 0, -1), ['d']);
});

test('sorted sets put together', () => {
  const db = fresh();
  db.zadd('z', { a: 1, b: 2 });
  db.zadd('y', { b: 3, c: 4 });
  assert.deepEqual(db.zunion(['z', 'y']), ['a', 'c', 'b']);
  assert.deepEqual(db.zunion(['z', 'y'], { weights: [2, 1], aggregate: 'MAX', withscores: true }), [
    ['a', 2],
    ['b', 4],
    ['c', 4],
  ]);
  assert.deepEqual(db.zinter(['z', 'y'], { withscores: true }), [['b', 5]]);
  assert.deepEqual(db.zinter('z'), ['a', 'b']);
  assert.deepEqual(db.zdiff(['z', 'y']), ['a']);
  assert.deepEqual(db.zdiff(['z', 'y'], { withscores: true }), [['a', 1]]);
  assert.deepEqual(
    [
      db.zunionstore('u', ['z', 'y']),
      db.zinterstore('u', ['z', 'y'], { aggregate: 'MIN' }),
      db.zdiffstore('u', ['z', 'y']),
    ],
    [3, 1, 1],
  );
  assert.equal(db.zintercard(['z', 'y'], { limit: 5 }), 1);
});

test('sorting', () => {
  const db = fresh();
  db.rpush('l', 3, 1, 2);
  db.mset({ w1: 'b', w2: 'c', w3: 'a', n1: 'one' });
  assert.deepEqual(db.sort('l'), ['1', '2', '3']);
  assert.deepEqual(db.sort('l', { order: 'DESC', limit: [1, 2] }), ['2', '1']);
  assert.deepEqual(db.sort('l', { by: 'w*', alpha: true, get: ['#', 'n*'] }), ['3', null, '1', 'one', '2', null]);
  assert.equal(db.sortstore('m', 'l', { by: 'nosort' }), 3);
  assert.deepEqual(db.lrange('m', 0, -1), ['3', '1', '2']);
});

test('bits', () => {
  const db = fresh();
  assert.equal(db.setbit('b', 7, 1), 0);
  assert.equal(db.getbit('b', 7), 1);
  db.set('c', 'foobar');
  assert.equal(db.bitcount('c'), 26);
  assert.equal(db.bitcount('c', { start: 1, end: 1 }), 6);
  assert.equal(db.bitcount('c', { start: 5, end: 30, unit: 'BIT' }), 17);
  assert.equal(db.bitpos('b', 1), 7);
  assert.equal(db.bitpos('c', 0, { start: 2, unit: 'BYTE' }), 16);
  assert.equal(db.bitop('NOT', 'd', 'c'), 6);
  assert.deepEqual(
    db.bitfield('e', 'SET', 'i64', 0, 2n ** 62n, 'GET', 'i64', 0, 'OVERFLOW', 'FAIL', 'INCRBY', 'u2', 100, 9),
    [0, 2n ** 62n, null],
  );
});

test('places', () => {
  const db = fresh();
  assert.equal(db.geoadd('g', { Palermo: [13.361389, 38.115556], Catania: [15.087269, 37.502669] }), 2);
  assert.equal(db.geoadd('g', new Map([['Palermo', [0, 0]]]), { nx: true }), 0);
  assert.equal(db.geoadd('g', [[bytes('Palermo'), [13.361389, 38.2]]], { xx: true, ch: true }), 1);
  assert.equal(db.geodist('g', 'Palermo', 'none'), null);
  assert.match(db.geodist('g', 'Palermo', 'Catania', 'km'), /^17\d\.\d+$/);
  assert.equal(Number(db.geodist('g', 'Palermo', 'Catania')).toFixed(0).length, 6);
  assert.deepEqual(db.geohash('g', 'Catania', 'none'), ['sqdtr74hyu0', null]);
  const [[longitude, latitude], none] = db.geopos('g', 'Catania', 'none');
  assert.deepEqual([longitude.toFixed(4), latitude.toFixed(4), none], ['15.0873', '37.5027', null]);
  const near = { position: [15, 37], radius: 200, unit: 'km' };
  assert.deepEqual(db.geosearch('g', near, { order: 'ASC' }), ['Catania', 'Palermo']);
  assert.deepEqual(db.bytes.geosearch('g', near, { count: 1 }), [bytes('Catania')]);
  assert.deepEqual(db.geosearch('g', { member: 'Palermo', box: [10, 10] }, { count: 5, any: true }), ['Palermo']);
  const [[member, distance, hash, position]] = db.geosearch(
    'g',
    { member: 'Catania', radius: 1 },
    { withdist: true, withhash: true, withcoord: true },
  );
  assert.deepEqual([member, distance, typeof hash, position], ['Catania', '0.0000', 'number', [longitude, latitude]]);
  assert.equal(db.geosearchstore('stored', 'g', near), 2);
  assert.equal(db.geosearchstore('distances', 'g', near, { order: 'DESC', count: 1, storedist: true }), 1);
  assert.deepEqual(db.zrange('distances', 0, -1), ['Palermo']);
  assert.ok(db.zscore('distances', 'Palermo') > 150);
  assert.throws(() => db.geoadd('g', { nowhere: [181, 0] }), ReplyError);
});

test('sketches', () => {
  const db = fresh();
  assert.deepEqual([db.pfadd('a', 'x', 'y', 'x'), db.pfadd('a', 'x'), db.pfadd('b', 'z', bytes('x'))], [1, 0, 1]);
  assert.deepEqual([db.pfcount('a'), db.pfcount('a', 'b'), db.pfcount('none')], [2, 3, 0]);
  assert.equal(db.pfmerge('both', 'a', 'b'), 'OK');
  assert.equal(db.pfcount('both'), 3);
});

test('encodings, memory, settings, figures', () => {
  const db = fresh();
  db.set('n', 12);
  assert.deepEqual([db.objectEncoding('n'), db.objectEncoding('none')], ['int', null]);
  assert.ok(db.memoryUsage('n') > 10);
  assert.equal(db.memoryUsage('none'), null);
  assert.equal(db.configSet({ 'slowlog-max-len': 5, 'notify-keyspace-events': 'Kx' }), 'OK');
  assert.deepEqual(
    db.configGet('slowlog-max-len', 'notify-*'),
    new Map([
      ['slowlog-max-len', '5'],
      ['notify-keyspace-events', 'xK'],
    ]),
  );
  assert.throws(() => db.configSet({ nothing: 1 }), ReplyError);
  assert.match(db.info('keyspace'), /^# Keyspace\r\ndb0:keys=1,/);
  assert.equal(typeof db.bytes.info(), 'string');
});

test('keys: DUMP and RESTORE, MOVE, deadlines beyond 2^53, LCS', () => {
  const db = fresh();
  db.rpush('l', 1, 2);
  const dumped = db.bytes.dump('l');
  assert.equal(db.restore('copy', 0, dumped), 'OK');
  assert.throws(() => db.restore('copy', 0, dumped), { code: 'BUSYKEY' });
  assert.equal(db.restore('copy', 5000, dumped, { replace: true, absttl: true }), 'OK');
  assert.equal(db.pexpiretime('copy'), 5000);
  assert.equal(db.bytes.dump('none'), null);
  assert.equal(db.move('copy', 5), 1);
  assert.equal(db.swapdb(0, 5), 'OK');
  assert.deepEqual(db.lrange('copy', 0, -1), ['1', '2']);
  db.set('k', 'v', { pxat: Number.MAX_SAFE_INTEGER });
  db.call('PEXPIREAT', 'k', 2n ** 62n);
  assert.equal(db.pexpiretime('k', { bigint: true }), 2n ** 62n);
  assert.equal(db.pttl('k', { bigint: true }), 2n ** 62n);
  assert.throws(() => db.pttl('k'), { name: 'UnsafeIntegerError', value: 2n ** 62n });
  db.mset({ a: 'ohmytext', b: 'mynewtext' });
  assert.equal(db.lcs('a', 'b'), 'mytext');
  assert.equal(db.lcs('a', 'b', { len: true }), 6);
});

test('the lines of README for the families run as they stand, and answer what they say', () => {
  const readme = readFileSync(`${folder}/README.md`, 'utf8');
  const lines = /```js\n(db\.set\('k'[\s\S]*?)```/.exec(readme)[1].trim().split('\n');
  const db = fresh();
  for (const line of lines) {
    const [code, comment] = line.split('; // ');
    const reply = new Function('db', `return ${code}`)(db);
    const names = comment.startsWith('[')
      ? []
      : comment
          .replaceAll(/[a-z ]+: /g, '')
          .split(/[,;. ]+/)
          .filter(Boolean);
    for (const name of names) assert.equal(typeof db[name], 'function', `${name} of ${line}`);
    if (names.length === 0) assert.deepEqual(reply, new Function(`return ${comment}`)(), line);
  }
});

test('a transaction of collections is typed and answered in order', () => {
  const db = fresh();
  assert.deepEqual(
    db
      .multi()
      .rpush('l', 1, 2)
      .lrange('l', 0, -1)
      .sadd('s', 'a')
      .smembers('s')
      .hset('h', { a: 1 })
      .hgetall('h')
      .zadd('z', { a: 1 })
      .publish('c', 'x')
      .exec(),
    [2, ['1', '2'], 1, new Set(['a']), 1, new Map([['a', '1']]), 1, 0],
  );
});

test('what takes its time is in SLOWLOG, and nothing is while the clock is moved by hand', () => {
  const db = new Keylatch();
  db.call('CONFIG', 'SET', 'slowlog-log-slower-than', 0, 'slowlog-max-len', 5_000_000_000);
  db.set('k', 1);
  db.keys('*');
  assert.deepEqual(
    db
      .call('SLOWLOG', 'GET')
      .map(([, , , argv]) => argv[0])
      .slice(0, 2),
    ['KEYS', 'SET'],
  );
  const manual = fresh();
  manual.call('CONFIG', 'SET', 'slowlog-log-slower-than', 0);
  manual.keys('*');
  assert.equal(manual.call('SLOWLOG', 'LEN'), 0);
});
