// Results of methods that depend on an option: integers as numbers or bigints, errors of transactions thrown or returned.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ExecError, ReplyError } = await entry('index');

test('integers are numbers, and bigints on request', () => {
  const db = new Keylatch();
  db.set('n', '9007199254740990');
  assert.strictEqual(db.incr('n'), 9007199254740991);
  assert.throws(
    () => db.incr('n'),
    (error) =>
      error instanceof RangeError &&
      error.name === 'UnsafeIntegerError' &&
      error.value === 9007199254740992n &&
      error.command === 'INCR' &&
      /has run.*\{ bigint: true \}/.test(error.message),
  );
  assert.equal(db.get('n'), '9007199254740992', 'the command has run');
  assert.strictEqual(db.incrby('n', 9007199254740993n, { bigint: true }), 18014398509481985n);
  assert.strictEqual(db.incr('small', { bigint: true }), 1n);
  assert.strictEqual(db.decr('small', { bigint: undefined }), 0);
  assert.strictEqual(db.decrby('small', 5, { bigint: true }), -5n);
  assert.strictEqual(db.hincrby('h', 'f', 2, { bigint: true }), 2n);
  assert.strictEqual(db.pttl('none', { bigint: true }), -2n);
  assert.strictEqual(db.call('INCR', 'n'), 18014398509481986n, 'call keeps both');
  assert.deepEqual(db.multi().incr('m').incr('m', { bigint: true }).ttl('m').exec(), [1, 2n, -1]);
  const [first, second] = db.multi().incr('n').incr('m').exec({ errors: 'return' });
  assert.deepEqual([first.name, first.value, second], ['UnsafeIntegerError', 18014398509481987n, 3]);
});

test('a transaction answers a tuple', () => {
  const db = new Keylatch();
  assert.deepEqual(db.multi().exec(), []);
  assert.deepEqual(db.multi().set('a', 'x').get('a').exec(), ['OK', 'x']);
  const multi = db.multi().set('b', 1);
  assert.equal(multi.length, 1);
  multi.discard();
  assert.deepEqual(multi.exec(), []);
  assert.equal(db.exists('b'), 0);
});

test('a command that fails in a transaction is thrown, or returned on request', () => {
  const db = new Keylatch();
  const queue = () => db.multi().set('a', 'x').incr('a').hgetall('h', { as: 'object' }).call('GET', 'a').del('a');
  assert.throws(
    () => queue().exec(),
    (error) => {
      assert.ok(error instanceof ExecError && !(error instanceof ReplyError));
      assert.deepEqual([error.replies[0], error.replies[3], error.replies[4]], ['OK', 'x', 1]);
      assert.ok(error.replies[1] instanceof ReplyError && error.cause === error.replies[1]);
      assert.match(
        error.message,
        /^1 of 5 commands .* the others have run: command 2, INCR: ERR value is not an integer/,
      );
      return true;
    },
  );
  assert.equal(db.exists('a'), 0, 'the others have run');
  const results = queue().exec({ errors: 'return' });
  assert.deepEqual([results[0], { ...results[2] }, results[3], results[4]], ['OK', {}, 'x', 1]);
  assert.ok(results[1] instanceof ReplyError);
  assert.equal(results[1].command, 'INCR');
  assert.throws(() => queue().exec({ errors: true }), TypeError);
  assert.throws(() => queue().exec({ error: 'return' }), /did you mean "errors"/);
});
