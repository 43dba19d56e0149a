/** `keylatch serve --http`: @upstash/redis by the variables that it prints, tokens, and its end. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { Redis } from '@upstash/redis';
import { temporaryFolder } from '../js/support/folders.mjs';
import { dial } from './support/raw.mjs';
import { program, run, serve, until } from './support/server.mjs';

const VARIABLES = /^UPSTASH_REDIS_REST_(URL|TOKEN)="(.*)"$/gm;

/** Serves, and parses what is printed. */
async function serveHttp(t, ...options) {
  const server = await serve(t, '--http', '0', ...options);
  await server.printed(/UPSTASH_REDIS_REST_TOKEN="/);
  const { URL: url, TOKEN: token } = Object.fromEntries(
    [...server.output().matchAll(VARIABLES)].map(([, name, value]) => [name, value]),
  );
  return { ...server, url, token };
}

/** A response, under a name of the host. */
function ask(url, path, { host, token, method = 'GET' } = {}) {
  const headers = { ...(host ? { host } : {}), ...(token ? { authorization: `Bearer ${token}` } : {}) };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { method, headers }, async (response) => {
      let text = '';
      for await (const piece of response) text += piece;
      resolve([response.statusCode, JSON.parse(text)]);
    });
    asked.on('error', reject).end();
  });
}

test('@upstash/redis and clients of sockets share one keyspace', async (t) => {
  const { url, token, port, stop } = await serveHttp(t);
  assert.ok(token.length >= 32);
  const redis = new Redis({ url, token, retry: false });
  assert.equal(await redis.set('k', { a: 1 }), 'OK');
  const socket = await dial(t, port);
  assert.equal(await socket.ask('GET k\r\n', '}\r\n'), '$7\r\n{"a":1}\r\n');
  assert.deepEqual(await redis.multi().incr('n').get('k').exec(), [1, { a: 1 }]);
  const waiting = ask(url, '/blpop/q/10', { token });
  const blocked = async () => (await socket.ask('INFO clients\r\n', '\r\n\r\n')).includes('blocked_clients:1');
  await until(blocked, 'the wait');
  await socket.ask('RPUSH q a\r\n', ':1\r\n');
  assert.deepEqual(await waiting, [200, { result: ['q', 'a'] }]);
  assert.equal(await stop(), 0);
});

test('two servers draw two tokens, and nothing is answered without one', async (t) => {
  const [one, other] = [await serveHttp(t), await serveHttp(t)];
  assert.notEqual(one.token, other.token);
  for (const token of [undefined, other.token, `${one.token}x`])
    assert.equal((await ask(one.url, '/get/k', { token }))[0], 401);
});

test('a token of a file', async (t) => {
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, 'of-a-file\n');
  const { url, token } = await serveHttp(t, '--http-token-file', file);
  assert.equal(token, 'of-a-file');
  assert.deepEqual(await ask(url, '/ping', { token }), [200, { result: 'PONG' }]);
});

test('without a token only requests to this machine by its own name are answered', async (t) => {
  const { url, token } = await serveHttp(t, '--no-token');
  assert.equal(token, 'none');
  const { port } = new URL(url);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST', '[::1]:1'])
    assert.deepEqual(await ask(url, '/ping', { host }), [200, { result: 'PONG' }]);
  for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example'])
    assert.equal((await ask(url, '/ping', { host }))[0], 403, host);
});

test('mistakes on the command line', async () => {
  const attempt = (...words) =>
    run(process.execPath, [program, 'serve', '--port', '0', ...words], { timeoutMs: 20_000 });
  for (const [words, message] of [
    [['--http', 'x'], /--http expects a port or ADDRESS:PORT, found "x"/],
    [['--http', '70000'], /--http expects a port/],
    [['--http', '0.0.0.0:0', '--no-token'], /--no-token serves this machine only/],
    [['--http', '0', '--quiet'], /--quiet would hide a drawn token/],
    [['--no-token'], /go with --http/],
    [['--http-token-file', 'x'], /go with --http/],
    [['--http', '0', '--http-origins', 'example.org'], /origins must be/],
  ]) {
    const { code, errors } = await attempt(...words);
    assert.equal(code, 2, words.join(' '));
    assert.match(errors, message);
  }
  const { code, errors } = await attempt('--http', '0', '--http-token-file', '/nowhere/token');
  assert.equal(code, 1);
  assert.match(errors, /ENOENT/);
});

test('an address in use ends the server, and its folder is released', async (t) => {
  const first = await serveHttp(t);
  const { port } = new URL(first.url);
  const dir = temporaryFolder();
  const words = [program, 'serve', '--port', '0', '--dir', dir, '--http', port];
  const { code, errors } = await run(process.execPath, words, { timeoutMs: 20_000 });
  assert.equal(code, 1);
  assert.match(errors, /EADDRINUSE/);
  const again = await serve(t, '--dir', dir);
  assert.equal(await again.stop(), 0);
});

test('what was answered is there after SIGKILL, and a subscriber does not hold up SIGTERM', async (t) => {
  const dir = temporaryFolder();
  const first = await serveHttp(t, '--dir', dir);
  for (let count = 1; count <= 50; count += 1)
    assert.deepEqual(await ask(first.url, '/incr/n', { token: first.token }), [200, { result: count }]);
  await first.stop('SIGKILL');
  const second = await serveHttp(t, '--dir', dir);
  assert.deepEqual(await ask(second.url, '/get/n', { token: second.token }), [200, { result: '50' }]);
  const subscriber = request(`${second.url}/subscribe/c`, { headers: { authorization: `Bearer ${second.token}` } });
  subscriber.on('error', () => {});
  const subscribed = new Promise((resolve) =>
    subscriber.on('response', (response) => resolve(response.on('error', () => {}))),
  );
  subscriber.end();
  await subscribed;
  assert.equal(await second.stop(), 0);
});
