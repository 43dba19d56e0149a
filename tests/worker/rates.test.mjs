/** Commands a second: of a token by its claim, and of all tokens by the option, over REST and on sockets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { template } from './support/build.mjs';
import { start } from './support/host.mjs';
import { connect } from './support/sockets.mjs';

const { signToken } = await import(pathToFileURL(`${template}/node_modules/keylatch/esm/upstash.js`).href);

const TOKEN = 'full token';
const SECRET = 'one secret of 32 bytes or of more';
const LATER = Math.floor(Date.now() / 1000) + 3600;
/** So few that none is admitted again while a test runs, but by a step of the clock. */
const RATE = 4;

let ids = 0;
const signed = (claims) =>
  signToken({ exp: LATER, write: true, id: `token ${(ids += 1)}`, ...claims }, { keyId: 'k1', secret: SECRET });

/** Starts a Worker of which the clock stands still: `moveClock` sets it. */
async function started(t, options = {}) {
  const bindings = { OPTIONS: JSON.stringify({ token: TOKEN, secrets: { k1: SECRET }, ...options }) };
  const worker = await start(t, { bundle: 'sleeping', bindings });
  const moveClock = (ms) => worker.send(undefined, { path: `/clock?stopped=${ms}` });
  await moveClock(0);
  const ask = async (token, body, path = '/') => {
    const { status, json, headers } = await worker.post(body, { path, token });
    return { status, error: json.error, json, retryAfter: headers.get('retry-after') };
  };
  return { ...worker, moveClock, ask, evict: () => worker.send(undefined, { path: '/evict' }) };
}

const LIMITED = {
  status: 429,
  error: `RATELIMIT this token may run ${RATE} commands a second: try again in 1 s`,
  retryAfter: '1',
};
const isLimited = ({ status, error, retryAfter }) => assert.deepEqual({ status, error, retryAfter }, LIMITED);

test('a token runs so many commands a second, and others beside it', async (t) => {
  const { ask, moveClock } = await started(t);
  const token = await signed({ rate: RATE });
  for (let count = 1; count <= RATE; count += 1) assert.equal((await ask(token, ['INCR', 'n'])).json.result, count);
  isLimited(await ask(token, ['INCR', 'n']));
  isLimited(await ask(token, [], '/get/n'));
  isLimited(await ask(token, [], '/subscribe/news'));
  assert.equal((await ask(TOKEN, ['GET', 'n'])).json.result, String(RATE));
  assert.equal((await ask(await signed({ rate: RATE }), ['GET', 'n'])).status, 200);
  assert.equal((await ask(token, ['GET', 'n'], '/namespace/other')).status, 200, 'each namespace counts by itself');
  // A quarter of a second is one command.
  await moveClock(250);
  assert.equal((await ask(token, ['INCR', 'n'])).status, 200);
  isLimited(await ask(token, ['INCR', 'n']));
  // A clock that was set back adds nothing, and takes nothing.
  await moveClock(-60_000);
  isLimited(await ask(token, ['INCR', 'n']));
  await moveClock(-59_000);
  assert.equal((await ask(token, ['INCR', 'n'])).json.result, RATE + 2);
});

test('items of pipelines and transactions count each; what is refused has not run', async (t) => {
  const { ask, moveClock } = await started(t);
  for (const path of ['/pipeline', '/multi-exec']) {
    await moveClock(0);
    const token = await signed({ rate: RATE });
    const increments = (count) => Array.from({ length: count }, () => ['INCR', path]);
    assert.equal((await ask(token, increments(RATE - 1), path)).status, 200);
    isLimited(await ask(token, increments(2), path));
    assert.equal((await ask(token, increments(1), path)).status, 200);
    // More than a second has: they need a full bucket, and pay for the next seconds.
    await moveClock(1000);
    assert.equal((await ask(token, increments(3 * RATE), path)).status, 200);
    assert.equal((await ask(token, ['GET', path])).retryAfter, '3');
    await moveClock(3000);
    isLimited(await ask(token, ['GET', path]));
    await moveClock(3250);
    assert.equal((await ask(token, ['GET', path])).json.result, String(4 * RATE));
  }
});

test('tokens with one id share a bucket; one without an id has its own', async (t) => {
  const { ask } = await started(t);
  const all = (token) =>
    ask(
      token,
      Array.from({ length: RATE }, () => ['PING']),
      '/pipeline',
    );
  const [one, other] = [
    await signed({ rate: RATE, id: 'same' }),
    await signed({ rate: RATE, id: 'same', keys: ['k'] }),
  ];
  assert.equal((await all(one)).status, 200);
  isLimited(await all(other));
  const [first, second] = [
    await signed({ rate: RATE, id: undefined }),
    await signed({ rate: RATE, id: undefined, exp: LATER + 1 }),
  ];
  for (const token of [first, second]) assert.equal((await all(token)).status, 200);
  for (const token of [first, second]) isLimited(await all(token));
});

test('the option limits all tokens of a namespace together', async (t) => {
  const { ask, moveClock, ...worker } = await started(t, { commandsPerSecond: 3 });
  const token = await signed({ rate: 2 });
  const peer = await connect(t, worker, { token: TOKEN });
  assert.equal((await ask(token, ['PING'])).status, 200);
  assert.equal((await ask(token, ['PING'])).status, 200);
  assert.match((await ask(token, ['PING'])).error, /^RATELIMIT this token may run 2 commands/);
  assert.equal(await peer.ask('PING'), '+PONG\r\n');
  assert.match(await peer.ask('PING'), /^-RATELIMIT all tokens together may run 3 commands a second/);
  assert.equal((await ask(TOKEN, ['PING'])).status, 429);
  assert.equal((await ask(TOKEN, ['PING'], '/namespace/other')).status, 200);
  await moveClock(1000);
  assert.equal(await peer.ask('PING'), '+PONG\r\n');
});

test('a socket gets errors, stays open, and shares the bucket with REST', async (t) => {
  const { ask, moveClock, ...worker } = await started(t);
  const token = await signed({ rate: RATE });
  const peer = await connect(t, worker, { token });
  peer.send(...Array.from({ length: RATE + 2 }, () => ['INCR', 'n']));
  for (let count = 1; count <= RATE; count += 1) assert.equal(await peer.reply(), `:${count}\r\n`);
  for (let count = 0; count < 2; count += 1) assert.equal(await peer.reply(), `-${LIMITED.error}\r\n`);
  peer.text('incr n');
  assert.equal(await peer.reply(), `-${LIMITED.error}\r\n`);
  isLimited(await ask(token, ['INCR', 'n']));
  await moveClock(1000);
  assert.equal(await peer.ask('GET', 'n'), `$1\r\n${RATE}\r\n`);
});

test('a transaction that is beyond the rate is aborted as a whole, and ends', async (t) => {
  const { moveClock, ...worker } = await started(t);
  const peer = await connect(t, worker, { token: await signed({ rate: RATE }) });
  peer.send(['WATCH', 'k'], ['MULTI'], ...Array.from({ length: RATE }, () => ['INCR', 'k']), ['EXEC'], ['SELECT', '1']);
  const replies = [];
  for (let index = 0; index < RATE + 4; index += 1) replies.push(await peer.reply());
  assert.deepEqual(replies.slice(0, 2), ['+OK\r\n', '+OK\r\n']);
  assert.equal(replies.filter((reply) => reply === '+QUEUED\r\n').length, RATE - 2);
  assert.match(replies.at(-3), /^-RATELIMIT/);
  assert.match(replies.at(-2), /^-EXECABORT/);
  assert.equal(replies.at(-1), '+OK\r\n', 'what changes the connection counts, and is run');
  await moveClock(1000);
  assert.equal(await peer.ask('SELECT', '0'), '+OK\r\n');
  assert.equal(await peer.ask('GET', 'k'), '$-1\r\n');
});
