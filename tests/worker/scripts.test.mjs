/** The template with the package keylatch-scripting: scripts and functions in Lua, on workerd. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, storageFolder } from './support/host.mjs';

const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const LIBRARY =
  "#!lua name=lib\nredis.register_function('bump', function(keys) return redis.call('INCR', keys[1]) end)";

test('scripts run; their effects and functions survive a restart', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder, bundle: 'scripting' });
  await before.call('SET', 'door', 'me');
  assert.equal(await before.call('EVAL', RELEASE, 1, 'door', 'you'), 0);
  assert.equal(
    await before.call('EVAL', "redis.call('SET', KEYS[1], 1) return redis.call('INCR', KEYS[2])", 2, 'a', 'b'),
    1,
  );
  assert.equal(await before.call('FUNCTION', 'LOAD', LIBRARY), 'lib');
  assert.equal(await before.call('FCALL', 'bump', 1, 'n'), 1);
  const sha1 = await before.call('SCRIPT', 'LOAD', RELEASE);
  await assert.rejects(before.call('EVAL', 'while true do end', 0), /script/i);
  assert.equal(await before.call('PING'), 'PONG');
  await before.stop();

  const { call } = await start(t, { folder, bundle: 'scripting' });
  assert.deepEqual(await call('MGET', 'a', 'b', 'n'), ['1', '1', '1']);
  assert.equal(await call('FCALL', 'bump', 1, 'n'), 2);
  await assert.rejects(call('EVALSHA', sha1, 1, 'door', 'me'), /NOSCRIPT/);
  assert.equal(await call('EVAL', RELEASE, 1, 'door', 'me'), 1);
});

test('the package without Lua keeps stored functions and names the other package', async (t) => {
  const folder = await storageFolder(t);
  const lua = await start(t, { folder, bundle: 'scripting' });
  await lua.call('FUNCTION', 'LOAD', LIBRARY);
  await lua.stop();
  const plain = await start(t, { folder });
  await assert.rejects(plain.call('FCALL', 'bump', 1, 'n'), /keylatch-scripting/);
  await plain.call('SET', 'k', 'v');
  await plain.stop();
  const again = await start(t, { folder, bundle: 'scripting' });
  assert.equal(await again.call('FCALL', 'bump', 1, 'n'), 1);
});
