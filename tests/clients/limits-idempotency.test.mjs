/** Idempotency keys by keylatch/limits in Express, Fastify and Hono: replays, conflicts, lost runs, and stores that fail. */
import assert from 'node:assert/strict';
import { request as requestOf } from 'node:http';
import { describe, test } from 'node:test';
import express from 'express';
import Redis from 'ioredis';
import { FaultProxy } from '../js/support/fault-proxy.mjs';
import { listening } from './support/http.mjs';
import { APPS, HEADER } from './support/limit-apps.mjs';
import { serveRedis } from './support/redis.mjs';
import { entry, freePort, serve, until } from './support/server.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { expressIdempotency, fastifyIdempotency, honoIdempotency } = await entry('limits');

const MAKERS = { express: expressIdempotency, fastify: fastifyIdempotency, hono: honoIdempotency };

function ioredis(t, port) {
  const redis = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null });
  redis.on('error', () => {});
  t.after(() => redis.disconnect());
  return redis;
}

/** A request with a key, of a user. */
function payment(key, { user = 'ann', body = { amount: 1 }, method = 'POST' } = {}) {
  const headers = { 'content-type': 'application/json', 'x-user': user };
  if (key !== undefined) headers['idempotency-key'] = key;
  return { method, headers, body: JSON.stringify(body) };
}

function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve) => Object.assign(parts, { resolve }));
  return parts;
}

for (const [name, app] of Object.entries(APPS)) {
  describe(`idempotency keys in ${name}`, { concurrency: 1 }, () => {
    const make = (store, options) => {
      const scope = (request) => HEADER[name](request, 'x-user');
      return MAKERS[name](store, { scope, ...options });
    };

    /** An app that counts its runs; `respond` may replace its response. */
    async function open(t, store, options, respond = async () => ({})) {
      const runs = [];
      const handler = async (request) => {
        runs.push(request.body);
        const headers = { 'x-run': String(runs.length), 'content-type': 'text/plain; charset=utf-8' };
        return { status: 201, headers, body: `paid ${request.body?.amount}`, ...(await respond(runs.length)) };
      };
      return { ask: await app(t, [make(store, options)], handler), runs };
    }

    test('the first request runs, and all with its key get its response', async (t) => {
      const clock = new ManualClock();
      const { ask, runs } = await open(t, new Keylatch({ clock }));
      const first = await ask('/pay?x=1', payment('"a \\"key\\""'));
      assert.deepEqual([first.status, first.text, first.headers.get('x-run')], [201, 'paid 1', '1']);
      assert.equal(first.headers.get('idempotent-replayed'), null);
      const again = await ask('/pay?x=1', payment('"a \\"key\\""'));
      assert.deepEqual([again.status, again.text, again.headers.get('x-run')], [201, 'paid 1', '1']);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.match(again.headers.get('content-type'), /^text\/plain/);
      assert.deepEqual(runs, [{ amount: 1 }], 'the handler has the body, although it was read before');
      await ask('/pay?x=1', payment('"bare"'));
      assert.equal((await ask('/pay?x=1', payment('bare'))).headers.get('x-run'), '2', 'with or without quotes');
      assert.equal((await ask('/pay?x=1', payment('bare', { user: 'bob' }))).headers.get('x-run'), '3');
      clock.advance(86_400_001);
      assert.equal((await ask('/pay?x=1', payment('bare'))).headers.get('x-run'), '4', 'a day later it is forgotten');
    });

    test('while a request runs, others with its key are refused with 409', async (t) => {
      const running = deferred();
      const { ask, runs } = await open(t, new Keylatch(), {}, () => running.promise);
      const first = ask('/pay', payment('k'));
      await until(() => runs.length === 1, 'the run');
      const second = await ask('/pay', payment('k'));
      assert.deepEqual([second.status, second.headers.get('retry-after')], [409, '1']);
      assert.match(second.headers.get('content-type'), /^application\/problem\+json/);
      running.resolve({});
      assert.equal((await first).status, 201);
      assert.equal((await ask('/pay', payment('k'))).text, 'paid 1');
      assert.equal(runs.length, 1);
    });

    test('another method, address or body with a used key is refused with 422', async (t) => {
      const { ask, runs } = await open(t, new Keylatch());
      await ask('/pay', payment('k'));
      for (const [path, options] of [
        ['/pay', { body: { amount: 2 } }],
        ['/pay?twice', {}],
        ['/refund', {}],
        ['/pay', { method: 'PATCH' }],
      ])
        assert.equal((await ask(path, payment('k', options))).status, 422, JSON.stringify([path, options]));
      assert.equal(runs.length, 1);
    });

    test('a missing key, a key that is none, and methods without keys', async (t) => {
      const { ask, runs } = await open(t, new Keylatch(), { required: true });
      assert.equal((await ask('/pay', payment(undefined))).status, 400);
      for (const key of [
        '""',
        '"open',
        'two words',
        '"a"b',
        'x'.repeat(256),
        `"${'\\'.repeat(100_000)}`.slice(0, 9000),
      ])
        assert.equal((await ask('/pay', payment(key))).status, 400, key.slice(0, 20));
      assert.equal((await ask('/pay', payment('x'.repeat(255)))).status, 201);
      assert.equal((await ask('/pay', { headers: { 'idempotency-key': 'k' } })).status, 201);
      assert.equal((await ask('/pay', { headers: { 'idempotency-key': 'k' } })).status, 201);
      assert.equal(runs.length, 3, 'GET runs each time');
      const optional = await open(t, new Keylatch());
      for (let count = 0; count < 2; count += 1) await optional.ask('/pay', payment(undefined));
      assert.equal(optional.runs.length, 2);
    });

    test('errors of the server are not kept, errors of the client are', async (t) => {
      const responses = [
        { status: 503 },
        () => {
          throw new Error('broken');
        },
        { status: 402, body: 'no money' },
      ];
      const { ask, runs } = await open(t, new Keylatch(), {}, async (run) => {
        const response = responses[run - 1];
        return typeof response === 'function' ? response() : response;
      });
      const statuses = [];
      for (let count = 0; count < 5; count += 1) statuses.push((await ask('/pay', payment('k'))).status);
      assert.deepEqual(statuses, [503, 500, 402, 402, 402]);
      assert.equal(runs.length, 3);
      const kept = await open(t, new Keylatch(), { keeps: () => true }, async () => ({ status: 500 }));
      for (let count = 0; count < 2; count += 1) assert.equal((await kept.ask('/pay', payment('k'))).status, 500);
      assert.equal(kept.runs.length, 1);
    });

    test('a response that is too large reaches its client, and does not run again', async (t) => {
      const db = new Keylatch();
      const { ask, runs } = await open(t, db, { maxBytes: 1000 }, async () => ({ body: 'x'.repeat(1001) }));
      assert.equal((await ask('/pay', payment('k'))).text.length, 1001);
      const again = await ask('/pay', payment('k'));
      assert.equal(again.status, 409);
      assert.match(again.text, /too large to be kept/);
      assert.equal(runs.length, 1);
      const [key] = db.keys('idempotency:*');
      assert.ok(db.get(key).length < 200);
    });

    test('bytes and two cookies are replayed as they were', async (t) => {
      const bytes = Buffer.from([0, 255, 128, 10]);
      const headers = { 'content-type': 'application/octet-stream', 'set-cookie': ['a=1', 'b=2'] };
      const { ask } = await open(t, new Keylatch(), {}, async () => ({ body: bytes, headers }));
      const first = await ask('/pay', payment('k'));
      const again = await ask('/pay', payment('k'));
      assert.deepEqual(first.headers.getSetCookie(), ['a=1', 'b=2']);
      assert.deepEqual(again.headers.getSetCookie(), ['a=1', 'b=2']);
      assert.equal(again.text, first.text);
      assert.equal(again.headers.get('content-length'), name === 'hono' ? null : '4');
    });

    test('a run whose process has died ends with its lease, and the next request runs', async (t) => {
      const clock = new ManualClock();
      const db = new Keylatch({ clock });
      const { ask, runs } = await open(t, db, { prefix: 'p:' });
      db.call('LATCH.ONCE', 'p:3:ann:k', 'dead', 'TTL', 5000);
      assert.equal((await ask('/pay', payment('k'))).status, 409);
      clock.advance(5001);
      assert.equal((await ask('/pay', payment('k'))).status, 201);
      assert.equal(runs.length, 1);
    });

    test('a store that is down: refused with 503, or passed if told so', async (t) => {
      const errors = [];
      const redis = ioredis(t, await freePort());
      const onError = (error) => errors.push(error);
      const closed = await open(t, redis, { onError });
      const opened = await open(t, redis, { onError, onFailure: 'open' });
      const asked = [closed.ask('/pay', payment('k')), opened.ask('/pay', payment('k'))];
      assert.deepEqual(
        (await Promise.all(asked)).map(({ status }) => status),
        [503, 201],
      );
      assert.deepEqual([closed.runs.length, opened.runs.length, errors.length], [0, 1, 2]);
    });

    test('a store that is lost during the run: the client gets its response', async (t) => {
      const errors = [];
      const proxy = await FaultProxy.start(t, (await serve(t)).port);
      const store = ioredis(t, proxy.port);
      const { ask } = await open(t, store, { ttl: 1000, onError: (error) => errors.push(error) }, async () => {
        proxy.isSilent = true;
        proxy.cut();
        return {};
      });
      assert.equal((await ask('/pay', payment('k'))).status, 201);
      await until(() => errors.length === 1, 'the report');
    });

    for (const [server, start] of Object.entries({ keylatch: serve, Redis: serveRedis }))
      test(`over ${server}, two apps share keys`, async (t) => {
        const { port } = await start(t);
        const apps = [await open(t, ioredis(t, port)), await open(t, ioredis(t, port))];
        const texts = [];
        for (const { ask } of apps) texts.push((await ask('/pay', payment('k'))).text);
        assert.deepEqual(texts, ['paid 1', 'paid 1']);
        assert.deepEqual(
          apps.map(({ runs }) => runs.length),
          [1, 0],
        );
      });

    test('a server without the command and a key with something else are errors', async (t) => {
      const store = { call: async (command) => Promise.reject(new Error(`ERR unknown command '${command}'`)) };
      const lacking = await open(t, store);
      assert.match(
        (await lacking.ask('/pay', payment('k'))).text,
        /locks need the LATCH commands of keylatch, or EVAL/,
      );
      const db = new Keylatch();
      db.set('idempotency:3:ann:k', '[{}]');
      const { ask, runs } = await open(t, db);
      assert.equal((await ask('/pay', payment('k'))).status, 503);
      assert.equal(runs.length, 0);
    });

    test('mistakes are refused when the app is made', () => {
      for (const [options, message] of [
        [{ scope: undefined }, /scope must be a function of the request/],
        [{ methods: 'POST' }, /methods must be an array of strings/],
        [{ keep: 0 }, /keep must be an integer from 1/],
        [{ maxBytes: -1 }, /maxBytes must be an integer from 0/],
        [{ require: true }, /unknown option "require"; did you mean "required"/],
      ])
        assert.throws(() => make(new Keylatch(), options), { name: 'TypeError', message });
    });
  });
}

describe('responses of Express that are held back', () => {
  async function open(t, handler, options) {
    const app = express();
    app.use(express.json(), expressIdempotency(new Keylatch(), { scope: () => '', ...options }));
    app.post('/pay', handler);
    app.use((error, _request, response, _next) => response.status(500).send(error.message));
    return listening(t, app);
  }

  test('writeHead, pieces, encodings, callbacks', async (t) => {
    const called = [];
    const url = await open(t, (_request, response) => {
      response.writeHead(202, 'Accepted', { 'x-one': '1', 'x-list': ['a', 'b'] });
      response.flushHeaders();
      response.write('ä');
      response.write('e4', 'hex', () => called.push('write'));
      response.write(Uint8Array.of(1));
      response.end('w6Q=', 'base64', () => called.push('end'));
      response.end('too late');
    });
    for (const isReplay of [false, true]) {
      const response = await fetch(`${url}/pay`, payment('k'));
      assert.deepEqual([response.status, response.headers.get('x-one')], [202, '1']);
      assert.equal(response.headers.get('x-list'), 'a, b');
      assert.equal(response.headers.has('idempotent-replayed'), isReplay);
      assert.equal(Buffer.from(await response.arrayBuffer()).toString('hex'), 'c3a4e401c3a4');
    }
    await until(() => called.length === 2, 'the callbacks');
  });

  test('a body that grows beyond the limit passes while it is written', async (t) => {
    const rest = deferred();
    const url = await open(
      t,
      async (_request, response) => {
        response.write('x'.repeat(11));
        await rest.promise;
        response.end('y');
      },
      { maxBytes: 10 },
    );
    const reader = (await fetch(`${url}/pay`, payment('k'))).body.getReader();
    assert.equal((await reader.read()).value.length, 11);
    rest.resolve();
    assert.equal(Buffer.from((await reader.read()).value).toString(), 'y');
    assert.equal((await fetch(`${url}/pay`, payment('k'))).status, 409);
  });

  test('the response of a client that has gone is there for its next request', async (t) => {
    const started = deferred();
    const rest = deferred();
    const url = await open(t, async (_request, response) => {
      started.resolve();
      await rest.promise;
      response.send('paid');
    });
    const { body, ...options } = payment('k');
    const request = requestOf(`${url}/pay`, options);
    request.on('error', () => {});
    request.end(body);
    await started.promise;
    request.destroy();
    await new Promise((resolve) => request.once('close', resolve));
    rest.resolve();
    await until(async () => (await (await fetch(`${url}/pay`, payment('k'))).text()) === 'paid', 'the response');
  });

  test('a handler that never ends gives its key back after its client has gone', async (t) => {
    let runs = 0;
    const started = deferred();
    const url = await open(
      t,
      (_request, response) => {
        runs += 1;
        if (runs === 1) started.resolve();
        else response.send('paid');
      },
      { ttl: 50 },
    );
    const { body, ...options } = payment('k');
    const request = requestOf(`${url}/pay`, options);
    request.on('error', () => {});
    request.end(body);
    await started.promise;
    request.destroy();
    await until(async () => (await fetch(`${url}/pay`, payment('k'))).status === 200, 'the second run');
  });

  test('a body that no parser has read is a mistake', async (t) => {
    const app = express();
    app.use(expressIdempotency(new Keylatch(), { scope: () => '' }));
    app.use((error, _request, response, _next) => response.status(500).send(error.message));
    const url = await listening(t, app);
    const response = await fetch(`${url}/pay`, payment('k'));
    assert.match(await response.text(), /the body was not read: put a parser of it in front/);
  });
});
