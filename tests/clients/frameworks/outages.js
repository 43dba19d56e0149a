// Outages of a server, as programs with ioredis live through them. frameworks.test.mjs puts this text behind cases.js.
describe('a program with ioredis, while its server is down', () => {
  test('clients outlive an outage, whatever they were doing', async () => {
    const server = serverAt('outage', 6379);
    const outage = (options) => {
      const redis = connect({ host: 'outage', maxRetriesPerRequest: null, ...options });
      redis.ends = 0;
      redis.refusals = [];
      redis.on('end', () => (redis.ends += 1));
      redis.on('error', (error) => redis.refusals.push(error));
      return redis;
    };
    const retryStrategy = () => 20;
    const [byDefault, worker, subscriber] = [outage(), outage({ retryStrategy }), outage({ retryStrategy })];
    await byDefault.set('k', 'v');
    await subscriber.subscribe('news');
    await worker.ping();
    const job = worker.blpop('jobs', 0);
    server.down();
    const lazy = outage({ retryStrategy, lazyConnect: true });
    const read = lazy.get('k');
    while (![byDefault, worker, subscriber, lazy].every(({ refusals }) => refusals.length > 0))
      await new Promise((resolve) => setTimeout(resolve, 10));
    server.up();
    expect([await byDefault.get('k'), await read]).toEqual(['v', 'v']);
    await byDefault.rpush('jobs', 'resize:17');
    expect(await job).toEqual(['jobs', 'resize:17']);
    while (Number((await byDefault.pubsub('NUMSUB', 'news'))[1]) === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const received = nextMessage(subscriber);
    await byDefault.publish('news', 'hello');
    expect(await received).toEqual(['news', 'hello']);
    for (const redis of [byDefault, worker, subscriber, lazy]) {
      expect([redis.status, redis.ends]).toEqual(['ready', 0]);
      expect(redis.refusals[0]).toMatchObject({
        code: 'ECONNREFUSED',
        syscall: 'connect',
        address: 'outage',
        port: 6379,
        message: 'connect ECONNREFUSED outage:6379',
      });
    }
  });

  test('without a strategy, or after disconnect(), a refused client ends', async () => {
    const server = serverAt('outage', 6379);
    server.down();
    const ended = async (options, work = () => {}) => {
      const redis = connect({ host: 'outage', ...options });
      redis.on('error', () => {});
      const end = new Promise((resolve) => redis.once('end', resolve));
      work(redis);
      await end;
      return redis.status;
    };
    expect(await ended({ retryStrategy: null })).toBe('end');
    expect(await ended({ retryStrategy: () => 5 }, (redis) => redis.disconnect())).toBe('end');
    const lazy = connect({ host: 'outage', lazyConnect: true, retryStrategy: null });
    lazy.on('error', () => {});
    await expect(lazy.connect()).rejects.toThrow('Connection is closed.');
  });
});
