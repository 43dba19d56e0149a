// Tests as users of ioredis-mock write them. frameworks.test.mjs puts the head of each test framework in front of this
// text; the heads declare Redis, reset, clockOf, serverAt, timers, ALL_TIMERS (the option of the framework that
// fakes everything) and the functions of the framework.
const clients = [];

function connect(...args) {
  const redis = new Redis(...args);
  clients.push(redis);
  return redis;
}

const nextMessage = (redis, event = 'message') =>
  new Promise((resolve) => redis.once(event, (...args) => resolve(args)));

beforeEach(reset);
afterEach(() => clients.splice(0).forEach((redis) => redis.disconnect()));

describe('a program with ioredis', () => {
  test('a cache computes a value once', async () => {
    const redis = connect();
    let computed = 0;
    async function load(id) {
      const cached = await redis.get(`user:${id}`);
      if (cached !== null) return JSON.parse(cached);
      computed += 1;
      const user = { id, name: 'Ann' };
      await redis.set(`user:${id}`, JSON.stringify(user), 'EX', 60);
      return user;
    }
    expect([await load(1), await load(1)]).toEqual([
      { id: 1, name: 'Ann' },
      { id: 1, name: 'Ann' },
    ]);
    expect(computed).toBe(1);
    clockOf().advance(60_001);
    await load(1);
    expect(computed).toBe(2);
  });

  test('clients of one address share keys', async () => {
    const [one, other, elsewhere] = [connect(), connect('redis://127.0.0.1:6379'), connect(6380)];
    await one.set('k', 'v');
    expect(await other.get('k')).toBe('v');
    expect(await elsewhere.get('k')).toBeNull();
    expect(await connect({ host: 'cache.internal' }).get('k')).toBeNull();
  });

  test('databases are apart', async () => {
    const [first, second] = [connect({ db: 0 }), connect('redis://localhost:6379/2')];
    await first.set('k', 'zero');
    expect(await second.get('k')).toBeNull();
    await second.set('k', 'two');
    await first.select(2);
    expect(await first.get('k')).toBe('two');
  });

  test('keyPrefix goes in front of every key', async () => {
    const redis = connect({ keyPrefix: 'app:' });
    await redis.mset({ a: 1, b: 2 });
    expect(await redis.mget('a', 'b')).toEqual(['1', '2']);
    expect((await connect().keys('*')).sort()).toEqual(['app:a', 'app:b']);
  });

  test('data and notifyKeyspaceEvents, options of ioredis-mock', async () => {
    const data = {
      user_next: '3',
      emails: { 'clark@daily.planet': '1' },
      jobs: ['a', 'b'],
      tags: new Set(['x']),
      bytes: Buffer.from('raw'),
    };
    const redis = connect({ data, notifyKeyspaceEvents: 'Ex', db: 1 });
    expect(await redis.incr('user_next')).toBe(4);
    expect(await redis.hgetall('emails')).toEqual({ 'clark@daily.planet': '1' });
    expect([await redis.lrange('jobs', 0, -1), await redis.smembers('tags')]).toEqual([['a', 'b'], ['x']]);
    expect(await redis.get('bytes')).toBe('raw');
    const copy = redis.duplicate();
    clients.push(copy);
    expect(await copy.get('user_next')).toBe('4');
    expect(await redis.config('GET', 'notify-keyspace-events')).toContain('xE');
    expect(() => connect({ data: { k: true } })).toThrow("the value of 'k' must be text, a number");
  });

  test('lazyConnect waits for the first command', async () => {
    const redis = connect({ lazyConnect: true });
    expect(redis.status).toBe('wait');
    await redis.connect();
    expect(redis.status).toBe('ready');
    expect(await redis.ping()).toBe('PONG');
  });

  test('options of production: password, TLS, name', async () => {
    const redis = connect({
      username: 'app',
      password: 'secret',
      tls: {},
      connectionName: 'worker',
      host: 'localhost',
    });
    expect(await redis.set('k', 'v')).toBe('OK');
    expect(await redis.client('GETNAME')).toBe('worker');
  });

  test('duplicate is another client of the same server', async () => {
    const redis = connect();
    const copy = redis.duplicate();
    clients.push(copy);
    await redis.set('k', 'v');
    expect(await copy.get('k')).toBe('v');
    expect(copy).toBeInstanceOf(Redis);
  });

  test('hashes are objects', async () => {
    const redis = connect();
    await redis.hset('user:1', { name: 'Ann', visits: 1 });
    await redis.hincrby('user:1', 'visits', 2);
    expect(await redis.hgetall('user:1')).toEqual({ name: 'Ann', visits: '3' });
    expect(await redis.hgetall('missing')).toEqual({});
    expect(await redis.hmget('user:1', 'name', 'missing')).toEqual(['Ann', null]);
  });

  test('a leaderboard', async () => {
    const redis = connect();
    await redis.zadd('scores', 120, 'ann', 95, 'bob', 200, 'eve');
    await redis.zincrby('scores', 150, 'bob');
    expect(await redis.zrevrange('scores', 0, 1, 'WITHSCORES')).toEqual(['bob', '245', 'eve', '200']);
    expect(await redis.zrevrank('scores', 'ann')).toBe(2);
    expect(await redis.zrangebyscore('scores', 100, 210)).toEqual(['ann', 'eve']);
  });

  test('a lock by SET NX PX, released by its owner only', async () => {
    const redis = connect();
    const lock = (token) => redis.set('lock', token, 'PX', 5000, 'NX');
    expect([await lock('a'), await lock('b')]).toEqual(['OK', null]);
    clockOf().advance(5001);
    expect(await lock('b')).toBe('OK');
    expect(await redis.call('DELEX', 'lock', 'IFEQ', 'a')).toBe(0);
    expect(await redis.call('DELEX', 'lock', 'IFEQ', 'b')).toBe(1);
  });

  test('a rate limit by INCR and EXPIRE', async () => {
    const redis = connect();
    async function isAllowed(user) {
      const [[, count]] = await redis.multi().incr(`rate:${user}`).expire(`rate:${user}`, 10, 'NX').exec();
      return count <= 3;
    }
    const allowed = [];
    for (let index = 0; index < 4; index += 1) allowed.push(await isAllowed('ann'));
    expect(allowed).toEqual([true, true, true, false]);
    clockOf().advance(10_001);
    expect(await isAllowed('ann')).toBe(true);
  });

  test('a sliding window by a sorted set', async () => {
    const redis = connect();
    const clock = clockOf();
    clock.pause();
    async function hit() {
      const now = clock.now();
      const replies = await redis
        .pipeline()
        .zremrangebyscore('window', 0, now - 1000)
        .zadd('window', now, `${now}`)
        .zcard('window')
        .exec();
      return replies[2][1];
    }
    const counts = [];
    for (let index = 0; index < 3; index += 1) {
      clock.advance(400);
      counts.push(await hit());
    }
    clock.advance(700);
    counts.push(await hit());
    expect(counts).toEqual([1, 2, 3, 2]);
  });

  test('a session store with a sliding expiry', async () => {
    const redis = connect({ keyPrefix: 'sess:' });
    await redis.setex('one', 1800, '{"user":1}');
    clockOf().advance(1_700_000);
    expect(await redis.getex('one', 'EX', 1800)).toBe('{"user":1}');
    clockOf().advance(1_700_000);
    expect(await redis.exists('one')).toBe(1);
    clockOf().advance(200_000);
    expect(await redis.get('one')).toBeNull();
  });

  test('times to live are exact while the clock stands still', async () => {
    const redis = connect();
    clockOf().pause(new Date('2026-06-01T12:00:00Z'));
    await redis.set('k', 'v', 'EX', 100);
    clockOf().advance(40_000);
    expect([await redis.ttl('k'), await redis.pttl('k')]).toEqual([60, 60_000]);
    expect(await redis.expiretime('k')).toBe(Date.parse('2026-06-01T12:01:40Z') / 1000);
    expect([await redis.persist('k'), await redis.ttl('k'), await redis.ttl('missing')]).toEqual([1, -1, -2]);
  });

  test('fake timers of the framework move the time of the server', async () => {
    const redis = connect();
    await redis.set('k', 'v', 'EX', 60);
    timers.useFakeTimers({ toFake: ['Date', 'setTimeout'], doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      timers.advanceTimersByTime(59_000);
      expect(await redis.get('k')).toBe('v');
      timers.advanceTimersByTime(2000);
      expect(await redis.get('k')).toBeNull();
    } finally {
      timers.useRealTimers();
    }
  });

  test('publish and subscribe', async () => {
    const [publisher, subscriber] = [connect(), connect()];
    await subscriber.subscribe('news');
    await subscriber.psubscribe('alerts:*');
    const received = nextMessage(subscriber);
    expect(await publisher.publish('news', 'hello')).toBe(1);
    expect(await received).toEqual(['news', 'hello']);
    const matched = nextMessage(subscriber, 'pmessage');
    await publisher.publish('alerts:disk', 'full');
    expect(await matched).toEqual(['alerts:*', 'alerts:disk', 'full']);
  });

  test('expired keys notify', async () => {
    const [redis, subscriber] = [connect(), connect()];
    await redis.config('SET', 'notify-keyspace-events', 'Ex');
    await subscriber.subscribe('__keyevent@0__:expired');
    await redis.set('order:1', 'open', 'EX', 30);
    const received = nextMessage(subscriber);
    clockOf().advance(30_001);
    expect(await received).toEqual(['__keyevent@0__:expired', 'order:1']);
  });

  test('pipelines have a reply or an error for each command', async () => {
    const redis = connect();
    const replies = await redis.pipeline().set('n', 1).incr('n').lpush('n', 'x').get('n').exec();
    expect(replies.map(([error, value]) => error?.message ?? value)).toEqual([
      'OK',
      2,
      'WRONGTYPE Operation against a key holding the wrong kind of value',
      '2',
    ]);
  });

  test('a transaction fails when a watched key changed', async () => {
    const [redis, other] = [connect(), connect()];
    await redis.set('stock', 5);
    await redis.watch('stock');
    await other.decr('stock');
    expect(await redis.multi().decr('stock').exec()).toBeNull();
    expect(await redis.multi().decr('stock').get('stock').exec()).toEqual([
      [null, 3],
      [null, '3'],
    ]);
  });

  test('a queue with BLPOP', async () => {
    const [worker, producer] = [connect(), connect()];
    const job = worker.blpop('jobs', 0);
    await producer.rpush('jobs', 'resize:17');
    expect(await job).toEqual(['jobs', 'resize:17']);
    const none = worker.blpop('jobs', 30);
    await producer.ping();
    clockOf().advance(30_001);
    expect(await none).toBeNull();
  });

  test('a reliable queue with LMOVE', async () => {
    const redis = connect();
    await redis.rpush('todo', 'a', 'b');
    expect(await redis.lmove('todo', 'doing', 'LEFT', 'RIGHT')).toBe('a');
    expect(await redis.lrem('doing', 1, 'a')).toBe(1);
    expect([await redis.lrange('todo', 0, -1), await redis.llen('doing')]).toEqual([['b'], 0]);
  });

  test('scanStream walks over all keys', async () => {
    const redis = connect();
    await redis.mset(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`user:${index}`, index])));
    await redis.set('other', 1);
    const found = new Set();
    for await (const keys of redis.scanStream({ match: 'user:*', count: 100 })) keys.forEach((key) => found.add(key));
    expect(found.size).toBe(500);
    await redis.sadd('tags', 'a', 'b');
    for await (const tags of redis.sscanStream('tags')) expect(tags.sort()).toEqual(['a', 'b']);
  });

  test('sets, and buffers', async () => {
    const redis = connect();
    await redis.sadd('a', 1, 2, 3);
    await redis.sadd('b', 2, 3, 4);
    expect((await redis.sinter('a', 'b')).sort()).toEqual(['2', '3']);
    await redis.set('bin', Buffer.from([0, 255]));
    expect([...(await redis.getBuffer('bin'))]).toEqual([0, 255]);
  });

  test('callbacks, and events of the connection', async () => {
    const redis = connect();
    await new Promise((resolve) => redis.once('ready', resolve));
    const value = await new Promise((resolve, reject) => {
      redis.set('k', 'v', (error) => (error ? reject(error) : redis.get('k', (_, found) => resolve(found))));
    });
    expect(value).toBe('v');
    const ended = new Promise((resolve) => redis.once('end', resolve));
    expect(await redis.quit()).toBe('OK');
    await ended;
    await expect(redis.get('k')).rejects.toThrow('Connection is closed.');
  });

  test('errors on demand reach the program', async () => {
    const redis = connect();
    serverAt().failNext('OOM', { command: 'SET' });
    await expect(redis.set('k', 'v')).rejects.toThrow('OOM command not allowed');
    expect(await redis.set('k', 'v')).toBe('OK');
    const failing = connect({ port: 6390, maxRetriesPerRequest: 0, retryStrategy: () => 1 });
    await failing.ping();
    serverAt('localhost', 6390).down();
    failing.on('error', () => {});
    await expect(failing.get('k')).rejects.toThrow();
    serverAt('localhost', 6390).up();
  });

  test('commands have replies while every timer is fake', async () => {
    const before = connect();
    await before.set('k', 'v', 'EX', 60);
    timers.useFakeTimers(ALL_TIMERS);
    try {
      expect(await before.get('k')).toBe('v');
      const redis = connect();
      expect(await redis.incr('n')).toBe(1);
      expect(await redis.multi().incr('n').get('n').exec()).toEqual([
        [null, 2],
        [null, '2'],
      ]);
      const job = redis.blpop('jobs', 0);
      await before.rpush('jobs', 'resize:17');
      expect(await job).toEqual(['jobs', 'resize:17']);
      timers.advanceTimersByTime(60_001);
      expect(await before.get('k')).toBeNull();
    } finally {
      timers.useRealTimers();
    }
  });

  test('Cluster is refused, and what is taken from the class is there', () => {
    expect(() => new Redis.Cluster([{ host: 'a', port: 1 }])).toThrow('keylatch/ioredis has no Cluster');
    expect(typeof Redis.Command).toBe('function');
    class Cache extends Redis {
      async remember(key, value) {
        return this.set(key, value);
      }
    }
    const cache = new Cache({ lazyConnect: true });
    clients.push(cache);
    expect([cache instanceof Cache, cache instanceof Redis]).toEqual([true, true]);
    return expect(cache.remember('k', 'v')).resolves.toBe('OK');
  });

  test('reset leaves no keys, settings or faults', async () => {
    const redis = connect();
    await redis.set('k', 'v');
    await redis.config('SET', 'maxmemory', '100mb');
    serverAt().failNext('ERR never');
    clockOf().advance(1e9);
    reset();
    expect([await redis.get('k'), (await redis.config('GET', 'maxmemory'))[1]]).toEqual([null, '0']);
    expect(Math.abs(clockOf().now() - Date.now())).toBeLessThan(1000);
  });
});
