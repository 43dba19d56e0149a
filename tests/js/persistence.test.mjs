// Methods for hosts that persist the data: effects, replay, snapshots, forks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock, LoadError } = await entry('index');

/** A database with keys of every type, and the pieces of its log. */
function recorded() {
  const clock = new ManualClock(1_000_000);
  const db = new Keylatch({ clock, seed: 1 });
  const pieces = [];
  db.record(true);
  const keep = () => pieces.push(db.takeEffects());
  db.set('plain', 'v');
  db.set('lease', 'me', { px: 5000 });
  keep();
  db.multi().incr('n').incr('n').rename('plain', 'renamed').exec();
  db.rpush('list', 'a', 'b');
  db.hset('hash', { f: 1 });
  db.set(new Uint8Array([0, 255, 13, 10]), new Uint8Array([0, 1, 2]));
  db.client({ db: 3 }).set('elsewhere', 1);
  keep();
  db.set('short', 1, { px: 10 });
  clock.advance(11);
  keep();
  return { clock, db, pieces };
}

test('a log replayed piece by piece or joined gives the same data', () => {
  const { clock, db, pieces } = recorded();
  assert.deepEqual(db.takeEffects().length, 0, 'nothing happened since');
  assert.match(Buffer.from(pieces[0]).toString(), /^#KL:1000000 v1\r\n/);
  const again = new Keylatch({ clock });
  const units = pieces.map((piece) => again.replay(piece).units);
  assert.ok(units.every((count) => count > 0));
  assert.equal(again.digestAll(), db.digestAll());
  const joined = new Keylatch({ clock });
  const replayed = joined.replay(Buffer.concat(pieces));
  assert.deepEqual(replayed, { units: units.reduce((a, b) => a + b), droppedBytes: 0, lastNowMs: 1_000_011 });
  assert.equal(joined.digestAll(), db.digestAll());
  assert.equal(joined.get('lease'), 'me');
});

test('a torn unit at the end is left out whole', () => {
  const { pieces } = recorded();
  const log = Buffer.concat(pieces.slice(0, 2));
  for (let cut = 1; cut < 30; cut += 1) {
    const db = new Keylatch();
    const { droppedBytes } = db.replay(log.subarray(0, log.length - cut));
    assert.ok(droppedBytes > 0, `cut ${cut}`);
    assert.equal(db.client({ db: 3 }).get('elsewhere'), null);
    assert.deepEqual(db.get('n'), '2');
  }
});

test('a newer log and a damaged one are refused', () => {
  const { pieces } = recorded();
  const newer = Buffer.from(Buffer.from(pieces[0]).toString('latin1').replace(' v1', ' v2'), 'latin1');
  assert.throws(() => new Keylatch().replay(newer), LoadError);
  const damaged = Uint8Array.from(pieces[1]);
  damaged[damaged.length >> 1] = 0xee;
  damaged.fill(0xee, 20, 30);
  assert.throws(() => new Keylatch().replay(damaged), LoadError);
});

test('expired without access, or renewed: replay keeps deadlines and expires afterwards', () => {
  const clock = new ManualClock(0);
  const db = new Keylatch({ clock });
  db.record(true);
  db.set('gone', 1, { px: 100 });
  db.set('renewed', 1, { px: 100 });
  db.pexpire('renewed', 10_000);
  const log = db.takeEffects();
  const later = new ManualClock(5000);
  const back = new Keylatch({ clock: later });
  back.replay(log);
  assert.equal(back.get('gone'), null);
  assert.equal(back.pttl('renewed'), 5000);
});

test('a snapshot loads, a fork goes its own way', () => {
  const { clock, db } = recorded();
  const copy = new Keylatch({ clock });
  copy.set('old', 1);
  copy.load(db.snapshot());
  assert.equal(copy.digestAll(), db.digestAll());
  const fork = db.fork();
  assert.ok(fork instanceof Keylatch);
  assert.equal(fork.digestAll(), db.digestAll());
  fork.set('only', 'here');
  assert.equal(db.get('only'), null);
  assert.notEqual(fork.digestAll(), db.digestAll());
  clock.advance(5001);
  assert.equal(fork.get('lease'), null);
});

test('a snapshot that is damaged changes nothing', () => {
  const { db } = recorded();
  const before = db.digestAll();
  const snapshot = db.snapshot();
  for (const at of [0, 9, snapshot.length >> 1, snapshot.length - 1]) {
    const damaged = Uint8Array.from(snapshot);
    damaged[at] ^= 0xff;
    assert.throws(() => db.load(damaged), LoadError, `byte ${at}`);
    assert.throws(() => db.load(snapshot.subarray(0, at)), LoadError, `cut at ${at}`);
  }
  assert.equal(db.digestAll(), before);
});

test('a snapshot goes on with the same random choices', () => {
  const db = new Keylatch({ seed: 1 });
  db.sadd(
    's',
    Array.from({ length: 50 }, (_, index) => `m${index}`),
  );
  db.spop('s', 3);
  const fork = db.fork();
  assert.deepEqual([...fork.spop('s', 10)].sort(), [...db.spop('s', 10)].sort());
});

test('anything but bytes is a mistake of the program, and loads nothing', () => {
  const db = new Keylatch();
  db.set('k', 'v');
  for (const wrong of [null, undefined, 'text', 5, [1, 2], {}, new ArrayBuffer(8)])
    for (const method of ['load', 'replay'])
      assert.throws(() => db[method](wrong), {
        name: 'TypeError',
        message: new RegExp(`^${method}: expected a Uint8Array`),
      });
  assert.equal(db.get('k'), 'v');
});
