/** Sockets of namespaces of several shards: each belongs to one, and is sent to others by MOVED. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, TOKEN } from './support/host.mjs';
import { firstSlot, keyOn, keysOnAll, SHARDS, slotOf, startSharded } from './support/sharded.mjs';
import { connect, refused } from './support/sockets.mjs';

const CROSSSLOT = "-CROSSSLOT Keys in request don't hash to the same slot\r\n";

async function connectTo(t, worker, index, path = `/?slot=${firstSlot(index)}`) {
  return connect(t, worker, { path, headers: worker.headersOf() });
}

test('a socket runs the commands of its shard, and names the address of others', async (t) => {
  const worker = await startSharded(t);
  const host = new URL(worker.url).host;
  const keys = keysOnAll('k');
  for (let index = 0; index < SHARDS; index += 1) {
    const path = index % 2 === 0 ? `/?slot=${firstSlot(index)}` : `/namespace/default/slot/${firstSlot(index + 1) - 1}`;
    const peer = await connectTo(t, worker, index, path);
    for (const [other, key] of keys.entries()) {
      const slot = slotOf(key);
      const moved = `-MOVED ${slot} ${host}/namespace/default/slot/${slot}\r\n`;
      assert.equal(await peer.ask('SET', key, other), other === index ? '+OK\r\n' : moved);
    }
    assert.equal(await peer.ask('DBSIZE'), ':1\r\n');
    assert.equal(await peer.ask('CLUSTER', 'KEYSLOT', 'foo'), ':12182\r\n');
  }
  assert.deepEqual(await worker.ask(['MGET', ...keys]), [200, keys.map((_, index) => String(index))]);
});

test('the address of MOVED opens a socket that runs the command', async (t) => {
  const worker = await startSharded(t);
  const first = await connect(t, worker, { path: '/namespace/a%20b', headers: worker.headersOf() });
  const reply = await first.ask('INCR', keyOn(6));
  const [, address] = /^-MOVED \d+ (\S+)\r\n$/.exec(reply);
  assert.match(address, /\/namespace\/a%20b\/slot\/\d+$/);
  const moved = await connect(t, worker, { path: new URL(`ws://${address}`).pathname, headers: worker.headersOf() });
  assert.equal(await moved.ask('INCR', keyOn(6)), ':1\r\n');
});

test('without a slot a socket is of the first shard; wrong slots are refused', async (t) => {
  const worker = await startSharded(t);
  const peer = await connect(t, worker, { headers: worker.headersOf() });
  assert.equal(await peer.ask('SET', keyOn(0), 1), '+OK\r\n');
  const headers = worker.headersOf();
  for (const path of ['/?slot=16384', '/?slot=-1', '/?slot=x', '/?slot=', '/slot/', '/namespace/n/slot/99999']) {
    const { status, error } = await refused(worker, { path, headers });
    assert.deepEqual([path, status, error], [path, 400, 'ERR a slot is a number from 0 to 16383']);
  }
  for (const path of ['/slot', '/slot/1/2', '/namespace/n/other'])
    assert.equal((await refused(worker, { path, headers })).status, 404, path);
});

test('keys of a command and of a transaction are of one slot', async (t) => {
  const worker = await startSharded(t);
  const peer = await connectTo(t, worker, 3);
  const [one, other, foreign] = [keyOn(3, 'a'), keyOn(3, 'b'), keyOn(4)];
  for (const command of [
    ['MSET', one, 1, other, 2],
    ['MGET', one, other],
    ['DEL', one, foreign],
    ['WATCH', one, other],
  ])
    assert.equal(await peer.ask(...command), CROSSSLOT);
  assert.equal(await peer.ask('EVAL', 'return 1', '2', one, other), CROSSSLOT);
  assert.match(await peer.ask('EVAL', 'return 1', '1', foreign), /^-MOVED /);

  peer.send(['MULTI'], ['SET', one, 1], ['SET', other, 2], ['EXEC']);
  assert.deepEqual([await peer.reply(), await peer.reply(), await peer.reply()], ['+OK\r\n', '+QUEUED\r\n', CROSSSLOT]);
  assert.match(await peer.reply(), /^-EXECABORT/);
  peer.send(['MULTI'], ['SET', one, 1], ['SET', foreign, 2], ['EXEC']);
  assert.deepEqual([await peer.reply(), await peer.reply()], ['+OK\r\n', '+QUEUED\r\n']);
  assert.match(await peer.reply(), /^-MOVED /);
  assert.match(await peer.reply(), /^-EXECABORT/);
  assert.equal(await peer.ask('EXISTS', one), ':0\r\n');

  peer.send(['MULTI'], ['SET', one, 1], ['INCR', `{${one}}n`], ['EXEC'], ['MULTI'], ['SET', other, 2], ['EXEC']);
  const replies = [];
  for (let count = 0; count < 7; count += 1) replies.push(await peer.reply());
  assert.deepEqual(replies.slice(3), ['*2\r\n+OK\r\n:1\r\n', '+OK\r\n', '+QUEUED\r\n', '*1\r\n+OK\r\n']);
});

test('channels are on the shard of their slot, events of keys on each', async (t) => {
  const worker = await startSharded(t);
  const [own, foreign] = [keyOn(2, 'c'), keyOn(3, 'c')];
  const peer = await connectTo(t, worker, 2);
  assert.match(await peer.ask('SUBSCRIBE', foreign), /^-MOVED /);
  assert.match(await peer.ask('SUBSCRIBE', own, foreign), /^-MOVED /);
  assert.match(await peer.ask('PUBLISH', foreign, 'm'), /^-MOVED /);
  assert.match(await peer.ask('SUBSCRIBE', own), /subscribe/);
  assert.match(await peer.ask('SUBSCRIBE', '__keyevent@0__:set'), /subscribe/);
  assert.deepEqual(await worker.ask(['PUBLISH', own, 'hello']), [200, 1]);
  assert.match(await peer.reply(), /hello/);
});

test('a socket belongs to its shard after the sleep of the object too', async (t) => {
  const options = JSON.stringify({ token: TOKEN, shards: SHARDS });
  const bindings = { KEYLATCH_TOKEN: TOKEN, OPTIONS: options };
  const worker = await start(t, { bundle: 'sleeping', bindings });
  const host = new URL(worker.url).host;
  const peer = await connect(t, worker, { path: `/namespace/n/slot/${firstSlot(2)}` });
  assert.equal(await peer.ask('SET', keyOn(2), 1), '+OK\r\n');
  const path = `/evict?namespace=${encodeURIComponent('n\x002')}`;
  assert.deepEqual((await worker.post(undefined, { path })).json, { result: 'asleep' });
  assert.equal(await peer.ask('INCR', keyOn(2)), ':2\r\n');
  const slot = slotOf(keyOn(5));
  assert.equal(await peer.ask('GET', keyOn(5)), `-MOVED ${slot} ${host}/namespace/n/slot/${slot}\r\n`);
});
