// The guard around an engine, tested with a stub that fails in ways a real engine must not.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { source } from './support/source.mjs';
import { reset, script } from './support/stub-glue.mjs';

const { Keylatch } = await source('db/keylatch.ts');
const { PoisonedError, ReplyError } = await source('base/errors.ts');

const module = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
const trap = () => {
  throw new WebAssembly.RuntimeError('unreachable');
};

beforeEach(reset);

test('nothing is made before the first command', () => {
  const db = Keylatch.from(module, { seed: 5 });
  db.client();
  db.on('set', () => {});
  assert.equal(script.instance, undefined);
  db.ping();
  assert.deepEqual(script.instance.options, { seed: '5', monotonic: false, manual: false });
  assert.equal(script.instance.listening, 'set');
});

test('an engine of another version is refused before its first command', () => {
  script.convention = 1;
  const db = Keylatch.from(module);
  assert.throws(() => db.get('k'), { name: 'LoadError', message: /of different versions of keylatch/ });
  assert.throws(() => db.call('GET', 'k'), { name: 'LoadError' });
  assert.deepEqual(script.calls, []);
});

test('a trap poisons the engine: the call and every later one say so', () => {
  const db = Keylatch.from(module);
  const client = db.client();
  assert.equal(db.get('k'), 'OK');
  script.reply = trap;
  assert.throws(
    () => db.get('k'),
    (error) => error instanceof PoisonedError && error.cause.message === 'unreachable',
  );
  script.reply = () => '+OK\r\n';
  for (const call of [() => db.get('k'), () => client.get('k'), () => db.tick(), () => db.nextExpiry()]) {
    assert.throws(call, PoisonedError);
  }
  const { instance } = script;
  db.close();
  assert.equal(instance.freed, undefined, 'nothing runs in it again');
  assert.equal(Keylatch.from(module).get('k'), 'OK');
});

test('a trap ends all waiting', async () => {
  const db = Keylatch.from(module);
  script.reply = () => '';
  const wait = db.blpop('k');
  script.reply = trap;
  assert.throws(() => db.get('k'), PoisonedError);
  await assert.rejects(wait, PoisonedError);
  db.close();
});

test('a blocked client is read only when a reply has reached it', async () => {
  const db = Keylatch.from(module);
  script.reply = () => '';
  const wait = db.blpop('k');
  script.reply = () => '+OK\r\n';
  script.outbox = '*2\r\n$1\r\nk\r\n$1\r\nv\r\n';
  script.affected = [7, 1];
  db.ping();
  assert.equal(await Promise.race([wait, 'pending']), 'pending', 'these are others');
  script.affected = [2];
  db.ping();
  assert.deepEqual(await wait, ['k', 'v']);
  assert.deepEqual(script.calls.at(-1), ['disconnect', 2]);
});

test('a stack that ran out inside the engine is a trap too', () => {
  const db = Keylatch.from(module);
  script.reply = () => {
    throw new RangeError('Maximum call stack size exceeded');
  };
  assert.throws(() => db.get('k'), PoisonedError);
});

test('a trap while events are fetched leaves the call its result', () => {
  const db = Keylatch.from(module);
  db.on('set', () => {});
  db.ping();
  script.instance.takeEvents = trap;
  assert.equal(db.get('k'), 'OK');
  assert.throws(() => db.get('k'), PoisonedError);
});

test('what is refused before it reaches the engine is no trap', () => {
  const db = Keylatch.from(module);
  assert.throws(() => db.get(undefined), TypeError);
  assert.throws(
    () => db.set('k', new Uint8Array(1024 * 1024)),
    (error) => error instanceof ReplyError && error.code === 'OOM',
  );
  assert.equal(db.get('k'), 'OK');
});

test('a memory that grew is read anew', () => {
  const db = Keylatch.from(module);
  script.reply = (argv) => {
    const grown = new ArrayBuffer(script.memory.buffer.byteLength + 65536);
    new Uint8Array(grown).set(new Uint8Array(script.memory.buffer));
    const old = script.memory.buffer;
    script.memory.buffer = grown;
    structuredClone(old, { transfer: [old] });
    return `+${argv.join(' ')}\r\n`;
  };
  assert.equal(db.call('ECHO', 'one'), 'ECHO one');
  assert.equal(db.call('ECHO', 'two'), 'ECHO two');
});

test('a promise-carrying transport gets the same sugar', async () => {
  const { Commands } = await source('client/commands.ts');
  class Remote extends Commands {
    execute(argv) {
      return Promise.resolve(argv);
    }
  }
  const remote = new Remote();
  assert.deepEqual(await remote.set('k', 'v', { nx: true, px: 5 }), ['SET', 'k', 'v', 'NX', 'PX', 5]);
  assert.deepEqual(await remote.scan(0, { match: 'a*', count: 5 }), ['SCAN', 0, 'MATCH', 'a*', 'COUNT', 5]);
});
