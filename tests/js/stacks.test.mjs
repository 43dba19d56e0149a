// The first frame of every error is the caller's line, so that test frameworks show it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withFakeTime } from './support/fake-time.mjs';
import { entry, folder } from './support/package.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { Keylatch: Core } = await entry('core');
const { splitLine } = await entry('hints');
const { assertSession, runSession } = await entry('testing');
const { createServer } = await entry('server');

const file = fileURLToPath(import.meta.url);
const bytes = (text) => new TextEncoder().encode(text);

/** The file and line of a stack's first frame. */
function place(stack) {
  const first = stack.split('\n').find((line) => /^\s+at /.test(line));
  const [, path, line] = /^\s+at (?:.*\()?(?:file:\/\/)?(.+?):(\d+):\d+\)?$/.exec(first) ?? [first];
  return { path, line: Number(line) };
}

/** Line of the source that contains a mark. */
const lineOf = (mark) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(`// ${mark}.`)) + 1;

function assertHere(error, name) {
  assert.equal(error.name, name, error.stack);
  assert.ok(error.stack.startsWith(`${name}: ${error.message}\n`), error.stack);
  assert.equal(place(error.stack).path, file, error.stack);
}

function thrown(run) {
  try {
    run();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

function withText() {
  const db = new Keylatch();
  db.set('text', 'x');
  return db;
}

const withFailingClock = () => new Keylatch({ now: () => NaN });

/** Calls that throw, each with the name of the error. */
const calls = {
  'a printed method': ['ReplyError', () => withText().incr('text')],
  'a method by hand': ['ReplyError', () => withText().hset('text', { a: 1 })],
  'call of a row': ['ReplyError', () => withText().call('LPUSH', 'text', 1)],
  'call of an unknown command': ['ReplyError', () => withText().call('NOPE')],
  bytes: ['ReplyError', () => withText().bytes.lpop('text')],
  'a client': ['ReplyError', () => withText().client().lrange('text', 0, -1)],
  'the name of a client': ['ReplyError', () => withText().client({ name: 'a b' }).ping()],
  'a callback of a built-in function': ['ReplyError', () => ['text'].map((key) => withText().lpop(key))],
  'a walk over a set': ['ReplyError', () => [...withText().scanSet('text')]],
  'a walk over a hash': ['ReplyError', () => Array.from(withText().scanHash('text'))],
  'one step of a walk': ['ReplyError', () => withText().scanSortedSet('text').next()],
  'a refused transaction': ['ReplyError', () => withText().multi().call('NOPE').exec()],
  'a transaction with a failed command': ['ExecError', () => withText().multi().incr('text').exec()],
  'an integer beyond 2^53 - 1': ['UnsafeIntegerError', () => withText().incrby('n', 2n ** 60n)],
  'an option of a printed method': ['TypeError', () => withText().smembers('s', { as: 'object' })],
  'an option of a method by hand': ['TypeError', () => withText().set('k', 'v', { EX: 1 })],
  'an argument too many': ['TypeError', () => withText().get('a', 'b')],
  'an option of a view': ['TypeError', () => withText().prefix('a:').incr('n', { bigInt: true })],
  'an argument': ['TypeError', () => withText().get(null)],
  'an argument among many': ['TypeError', () => withText().del(...Array(20).fill('k'), {})],
  'an argument of a transaction': ['TypeError', () => withText().multi().get({}).exec()],
  'an empty command': ['TypeError', () => withText().call()],
  'an option of the engine': ['TypeError', () => new Keylatch({ maxmemory: {} })],
  'an option of core': ['TypeError', () => new Core({ module: new Uint8Array(0), seed: -1 })],
  'a page of keys': ['TypeError', () => withText().inspectPage({ limit: -1 })],
  'a callback': ['TypeError', () => withText().on('expired', null)],
  'a time': ['RangeError', () => new ManualClock().advance(Infinity)],
  'a clock that fails': ['ClockError', () => withFailingClock().set('k', 'v', { px: 1 })],
  'a clock that fails in now()': ['ClockError', () => withFailingClock().now()],
  'a command that blocks': ['WaitingError', () => withText().call('BLPOP', 'list', 0)],
  'a snapshot': ['LoadError', () => withText().load(bytes('nothing'))],
  'a log': ['LoadError', () => withText().replay(bytes('*1\r\n'.repeat(9)))],
  'an engine that is none': ['LoadError', () => Core.from(bytes('<!doctype html>')).ping()],
  'a line': ['LineError', () => splitLine(withText(), '"')],
  'a session': ['SessionError', () => runSession('? nothing\n')],
  'a session that does not hold': ['AssertionError', () => assertSession('> PING\nPANG\n')],
  'a watch on the shared client': ['Error', () => withText().watch('k')],
  'compact() in a transaction': ['Error', () => compactInTransaction()],
  'a server': ['RangeError', () => createServer({ port: 'x' }).listen()],
  'a closed engine': ['ClosedError', () => closed((db) => db).get('k')],
  'a closed client': ['ClosedError', () => closed((db) => db.client()).get('k')],
};

function compactInTransaction() {
  const db = new Keylatch();
  db.client().call('MULTI');
  db.compact();
}

function closed(pick) {
  const picked = pick(new Keylatch());
  picked.close();
  return picked;
}

for (const [what, [name, run]] of Object.entries(calls)) {
  test(`${what}: ${name}`, () => assertHere(thrown(run), name));
}

test('a trap, and every call after it', () => {
  const db = trapping();
  assertHere(
    thrown(() => db.ping()),
    'PoisonedError',
  );
  const again = thrown(() => db.ping()); // After the trap.
  assertHere(again, 'PoisonedError');
  assert.equal(place(again.stack).line, lineOf('After the trap'));
});

/** A database with an engine that traps at every command. */
function trapping() {
  const { Instance } = WebAssembly;
  const engine_call = () => {
    throw new WebAssembly.RuntimeError('unreachable');
  };
  WebAssembly.Instance = class extends Instance {
    constructor(...options) {
      super(...options);
      Object.defineProperty(this, 'exports', { value: { ...this.exports, engine_call } });
      WebAssembly.Instance = Instance;
    }
  };
  const db = new Keylatch();
  db.id;
  return db;
}

test('a blocking call that fails at once', async () => {
  const error = await withText()
    .blpop('text', 1) // The call.
    .catch((reason) => reason);
  assertHere(error, 'ReplyError');
  assert.equal(place(error.stack).line, lineOf('The call'));
});

test('a blocking call that is ended later, elsewhere', async () => {
  for (const [name, end] of [
    ['ClosedError', (db) => db.close()],
    [
      'ReplyError',
      (db) => db.call('CLIENT', 'UNBLOCK', db.call('CLIENT', 'LIST').match(/id=(\d+) .*cmd=blpop/)[1], 'ERROR'),
    ],
  ]) {
    const db = new Keylatch();
    const wait = db.blpop('list'); // The wait.
    setImmediate(() => end(db));
    const error = await wait.catch((reason) => reason);
    assertHere(error, name);
    assert.equal(place(error.stack).line, lineOf('The wait'));
  }
});

test('two waits that one call ends have errors of their own', async () => {
  const db = new Keylatch();
  const waiting = [db.blpop('a'), db.blpop('b')];
  db.close();
  const [one, other] = await Promise.all(waiting.map((wait) => wait.catch((reason) => reason)));
  assert.notEqual(one, other);
  assert.notEqual(one.stack, other.stack);
});

test('the reason of a signal is passed on as it is', async () => {
  const reason = new Error('enough');
  const { stack } = reason;
  const error = await new Keylatch().blpop('k', 0, { signal: AbortSignal.abort(reason) }).catch((caught) => caught);
  assert.equal(error, reason);
  assert.equal(error.stack, stack);
});

test('an error in a listener begins at the listener', () => {
  const db = withText();
  const errors = [];
  db.on('error', (error) => errors.push(error));
  db.on('set', () => db.lpop('text')); // The listener.
  db.set('k', 'v');
  assertHere(errors[0], 'ReplyError');
  assert.equal(place(errors[0].stack).line, lineOf('The listener'));
});

test('an error without a caller keeps the frames it has', () =>
  withFakeTime((time) => {
    const db = new Keylatch({ now: () => (time.now > limit ? NaN : time.now) });
    const limit = time.now + 50;
    const errors = [];
    db.on('error', (error) => errors.push(error));
    db.on('expired', () => {});
    db.set('k', 'v', { px: 40 });
    time.now = limit + 1;
    setTimeout(() => {}, 0);
    time.advance(100);
    assert.equal(errors[0]?.name, 'ClockError');
    assert.match(errors[0].stack, /\n\s+at /);
  }));

test('the limit of frames counts from the caller, and is left as it was', () => {
  const { stackTraceLimit } = Error;
  try {
    for (const limit of [0, 1, 3, Infinity]) {
      Error.stackTraceLimit = limit;
      const { stack } = thrown(() => withText().incr('text'));
      assert.equal(Error.stackTraceLimit, limit);
      const frames = stack.split('\n').length - 1;
      assert.ok(frames <= limit && (limit === 0 || frames > 0), stack);
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
});

test('hooks of a program are respected', () => {
  const { prepareStackTrace } = Error;
  try {
    Error.prepareStackTrace = (_, frames) => frames;
    assert.ok(Array.isArray(thrown(() => withText().incr('text')).stack));
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
});

test('errors of a program that froze its globals are errors still', () => {
  const code = `
    import { Keylatch } from ${JSON.stringify(pathToFileURL(`${folder}/esm/index.js`).href)};
    Object.freeze(Error);
    const db = new Keylatch();
    db.set('k', 'x');
    try { db.incr('k'); } catch (error) { console.log(error.name, Error.stackTraceLimit); }
    try { db.get(null); } catch (error) { console.log(error.constructor === TypeError); }
  `;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  assert.equal(printed, 'ReplyError 10\ntrue\n');
});

test('errors of arguments are of the built-in classes', () => {
  const error = thrown(() => withText().get(null));
  assert.equal(error.constructor, TypeError);
  assert.ok(thrown(() => new ManualClock(NaN)) instanceof RangeError);
});
