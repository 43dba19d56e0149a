// Signed tokens: what is signed, which claims and secrets are refused, and `keylatch token`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { entry, folder } from './support/package.mjs';

const { signToken } = await entry('upstash');

const SECRET = 's'.repeat(32);
const KEY = { keyId: 'k1', secret: SECRET };
const claimsOf = (token) => JSON.parse(Buffer.from(token.split('.')[2], 'base64url'));

test('the mac is HMAC-SHA-256 of all in front of the last dot', async () => {
  const claims = {
    exp: 2_000_000_000,
    ns: ['a', 'b*'],
    write: true,
    keys: ['k:*'],
    channels: ['ü'],
    rate: 5,
    id: 'one',
  };
  const token = await signToken(claims, KEY);
  const [, head, mac] = /^(.*)\.(.*)$/.exec(token);
  assert.match(head, /^kl1\.k1\.[\w-]+$/);
  assert.equal(mac, createHmac('sha256', SECRET).update(head).digest('base64url'));
  assert.deepEqual(claimsOf(token), claims);
  assert.deepEqual(claimsOf(await signToken({ exp: 1, write: undefined }, KEY)), { exp: 1 });
});

test('claims that no token has are refused', async () => {
  for (const claims of [
    undefined,
    null,
    {},
    [],
    { exp: '1' },
    { exp: 1.5 },
    { exp: 1, ns: [] },
    { exp: 1, ns: 'a' },
    { exp: 1, ns: [''] },
    { exp: 1, write: 1 },
    { exp: 1, keys: [5] },
    { exp: 1, channels: {} },
    { exp: 1, id: '' },
    { exp: 1, rate: '5' },
    { exp: 1, rate: 0 },
    { exp: 1, rate: 1.5 },
    { exp: 1, rates: 5 },
    { exp: 1, toString: 5 },
  ])
    await assert.rejects(signToken(claims, KEY), { name: 'TypeError' }, JSON.stringify(claims));
});

test('short secrets and wrong key ids are refused', async () => {
  for (const secret of ['', 's'.repeat(31), undefined, 5])
    await assert.rejects(signToken({ exp: 1 }, { ...KEY, secret }), {
      name: 'RangeError',
      message: /at least 32 bytes/,
    });
  for (const keyId of ['', 'a.b', 'a b', 'k'.repeat(65)])
    await assert.rejects(signToken({ exp: 1 }, { ...KEY, keyId }), { name: 'TypeError', message: /keyId has/ });
});

function keylatch(args, secret = SECRET) {
  const env = { ...process.env, KEYLATCH_SECRET: secret };
  const options = { encoding: 'utf8', env };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`${folder}/cli/keylatch.js`, 'token', ...args],
    options,
  );
  return { status, stdout, stderr };
}

test('keylatch token prints one', () => {
  const words = [
    '--key-id',
    'k1',
    '--expires',
    '3600',
    '--ns',
    'a',
    '--ns',
    'b*',
    '--write',
    '--keys',
    'k:*',
    '--rate',
    '50',
    '--id',
    'x',
  ];
  const before = Math.floor(Date.now() / 1000);
  const { status, stdout, stderr } = keylatch(words);
  assert.deepEqual([status, stderr], [0, '']);
  const { exp, ...others } = claimsOf(stdout.trim());
  assert.ok(exp >= before + 3600 && exp <= before + 3660, `${exp}`);
  assert.deepEqual(others, { ns: ['a', 'b*'], write: true, keys: ['k:*'], rate: 50, id: 'x' });
  assert.match(keylatch(['--help']).stdout, /^keylatch token --key-id/);
});

test('keylatch token says what is wrong', () => {
  for (const [words, problem, secret] of [
    [[], /--key-id is needed/],
    [['--key-id', 'k1'], /--expires is needed/],
    [['--key-id', 'k1', '--expires', '0'], /--expires is needed/],
    [['--key-id', 'k1', '--expires', '1', '--rate', '0.5'], /--rate must be/],
    [['--key-id', 'a.b', '--expires', '1'], /keyId has/],
    [['--key-id', 'k1', '--expires', '1'], /at least 32 bytes/, 'short'],
    [['--key-id', 'k1', '--expires', '1', '--nothing'], /--nothing/],
  ]) {
    const { status, stdout, stderr } = keylatch(words, secret);
    assert.deepEqual([status, stdout], [2, ''], words.join(' '));
    assert.match(stderr, problem);
    assert.match(stderr, /^keylatch token: /);
  }
});
