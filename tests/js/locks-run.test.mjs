// `lock.run`: commands that run only while the lock is held, over LATCH and over the script.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AskedCoordination, errorOf, errors, RedlockCoordination, setUp } from './support/locks.mjs';
import { setUpScripts } from './support/script-server.mjs';

const { LockError, Lost, NotSupported } = errors;

/** Stores, each with an engine and objects of locks over it. */
const STORES = {
  LATCH: () => {
    const { db, time, open } = setUp();
    return { db, time, open: (options) => open(db, options) };
  },
  script: () => {
    const { db, time, open } = setUpScripts();
    return { db, time, open: (options) => open(options).locks };
  },
};

for (const [title, begin] of Object.entries(STORES)) {
  describe(title, () => {
    test('a command runs while the lock is held, and its reply is the result', async () => {
      const { db, open } = begin();
      const lock = await open().acquire('door');
      assert.equal(await lock.run(['SET', 'file', 'ann']), 'OK');
      assert.equal(await lock.run(['GET', 'file']), 'ann');
      assert.equal(await lock.run(['GET', 'missing']), null);
      assert.equal(await lock.run(['INCRBY', 'count', 5n]), 5);
      assert.deepEqual(await lock.run(['MGET', 'file', 'count'], { keys: ['file', 'count'] }), ['ann', '5']);
      assert.equal(await lock.run(['PING'], { keys: [] }), 'PONG');
      assert.equal(db.get('file'), 'ann');
      assert.equal(lock.held, true);
    });

    test('the error of the command is the error, and the lock is still held', async () => {
      const { db, open } = begin();
      const lock = await open().acquire('door');
      db.rpush('list', 'a');
      const wrong = await errorOf(lock.run(['INCR', 'list']));
      assert.match(wrong.message, /WRONGTYPE/);
      assert.ok(!(wrong instanceof LockError));
      assert.match((await errorOf(lock.run(['NOPE', 'a']))).message, /EXECABORT|unknown/i);
      assert.equal(await lock.run(['SET', 'file', 'ann']), 'OK');
    });

    test('nothing runs after a theft that the holder has not noticed, nor after the lease and the release', async () => {
      const { db, time, open } = begin();
      const lock = await open().acquire('door');
      const thief = await open().acquire('door', { steal: true });
      assert.equal((await errorOf(lock.run(['SET', 'file', 'late']))).code, 'STOLEN');
      assert.equal(lock.held, false);
      await thief.release();
      assert.ok((await errorOf(thief.run(['SET', 'file', 'late']))) instanceof Lost);
      const short = await open().acquire('door', { ttl: 1000, renew: false });
      await time.advance(1001);
      assert.ok((await errorOf(short.run(['SET', 'file', 'late']))) instanceof Lost);
      assert.equal(db.get('file'), null);
    });

    test('of several names, all must be held', async () => {
      const { db, open } = begin();
      const lock = await open({ hierarchy: true }).acquire(['shop/a', 'shop/b']);
      assert.equal(await lock.run(['SET', 'file', 'both']), 'OK');
      await open({ hierarchy: true }).acquire('shop/b', { steal: true });
      assert.ok((await errorOf(lock.run(['SET', 'file', 'late']))) instanceof Lost);
      assert.equal(db.get('file'), 'both');
    });

    test('shared locks and permits run commands too', async () => {
      const { open } = begin();
      const reader = await open().acquire('page', { mode: 'shared' });
      assert.equal(await reader.run(['SET', 'a', 1]), 'OK');
      assert.equal(
        await open()
          .semaphore('pool', 2)
          .request((permit) => permit.run(['GET', 'a'])),
        '1',
      );
    });

    test('wrong arguments are TypeErrors', async () => {
      const { open } = begin();
      const lock = await open().acquire('door');
      for (const argv of [undefined, 'SET', [], ['SET', 'a', null], ['SET', 'a', Number.NaN]])
        await assert.rejects(lock.run(argv), TypeError);
      await assert.rejects(lock.run(['GET', 'a'], { key: 'a' }), TypeError);
    });
  });
}

test('where nothing can check and write in one step, the command that is missing is named', async () => {
  const { db, time, over, open } = setUp();
  const lock = await over(new RedlockCoordination([new AskedCoordination(db, time)], time)).acquire('a');
  assert.ok((await errorOf(lock.run(['GET', 'a']))) instanceof NotSupported);
  const http = { createScript: () => {}, exec: async (argv) => db.call(...argv) };
  const error = await errorOf((await open(http).acquire('b')).run(['GET', 'a']));
  assert.ok(error instanceof NotSupported);
  assert.equal(error.command, 'MULTI');
});
