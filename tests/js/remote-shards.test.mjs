// The search for shards by MOVED: one address for each, whatever the order of answers, and each command runs once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from './support/dice.mjs';
import { source } from './support/source.mjs';

const { Moved, Shards, slotOfRequest } = await source('remote/shards.ts');
const { ReplyError } = await source('base/errors.ts');

const SLOTS = 16_384;
const URL = 'wss://x/namespace/n';

/** A namespace of so many shards; attempts run at a shard, or are MOVED, after some turns of the event loop. */
class Namespace {
  constructor(count, dice) {
    this.count = count;
    this.dice = dice;
    /** Slots that were run, in their order, and the addresses that were used. */
    this.ran = [];
    this.used = new Set();
  }

  shardOf(slot) {
    return Math.floor(((slot + 1) * this.count - 1) / SLOTS);
  }

  /** An attempt for a slot, which notes a value when it runs. */
  attempt(slot, value) {
    return async (url) => {
      this.used.add(url);
      for (let turns = this.dice.below(4); turns > 0; turns -= 1) await new Promise(setImmediate);
      const at = this.shardOf(Number(/\/slot\/(\d+)$/.exec(url)?.[1] ?? 0));
      if (at !== this.shardOf(slot)) throw new Moved(new ReplyError(`MOVED ${slot} x/slot/${slot}`, 'GET'), slot);
      this.ran.push([slot, value]);
      return value;
    };
  }
}

test('commands of any slots run once, at their shards, each of which has one address', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const dice = new Dice(seed);
    const own = new Namespace(1 + dice.below(64), dice);
    const shards = new Shards(URL);
    const slots = Array.from({ length: 200 }, () => dice.below(SLOTS));
    const values = await Promise.all(slots.map((slot, index) => shards.run(() => slot, own.attempt(slot, index))));
    assert.deepEqual(
      values,
      slots.map((_, index) => index),
      `seed ${seed}`,
    );
    assert.equal(own.ran.length, slots.length);
    const reached = new Set([0, ...slots.map((slot) => own.shardOf(slot))]);
    assert.equal(own.used.size, reached.size, `seed ${seed}: ${[...own.used]}`);
  }
});

test('commands of a slot that is searched wait for the search', async () => {
  const own = new Namespace(8, new Dice(1));
  const shards = new Shards(URL);
  await shards.run(() => 9000, own.attempt(9000, 'first'));
  own.ran.length = 0;
  own.dice = { below: () => 1 };
  await Promise.all([1, 2, 3].map((value) => shards.run(() => 15_000, own.attempt(15_000, value))));
  assert.deepEqual(own.ran, [
    [15_000, 1],
    [15_000, 2],
    [15_000, 3],
  ]);
});

test('an attempt that may take long is made at the shard that a probe has found', async () => {
  const own = new Namespace(8, new Dice(2));
  const shards = new Shards(URL);
  const never = async (url) => {
    await own.attempt(12_000, 'wait')(url);
    return new Promise(() => {});
  };
  void shards.run(() => 12_000, never, own.attempt(12_000, 'probe'));
  void shards.run(() => 12_000, never, own.attempt(12_000, 'probe'));
  assert.equal(await shards.run(() => 12_000, own.attempt(12_000, 'push')), 'push');
});

test('a changed number of shards is noticed, errors are those of the attempt, and commands without a slot go to the first', async () => {
  const own = new Namespace(4, new Dice(3));
  const shards = new Shards(URL);
  const slots = [16_000, 12_000, 5000, 100];
  for (const slot of slots) assert.equal(await shards.run(() => slot, own.attempt(slot, slot)), slot);
  own.count = 7;
  for (const slot of slots) assert.equal(await shards.run(() => slot, own.attempt(slot, slot)), slot);
  const failing = async () => {
    throw new Error('lost');
  };
  await assert.rejects(
    shards.run(() => 16_000, failing),
    /lost/,
  );
  await assert.rejects(
    shards.run(() => 7000, failing),
    /lost/,
  );
  assert.equal(
    await shards.run(
      () => undefined,
      async (url) => url,
    ),
    URL,
  );
});

test('the slot of a request is that of its first key or channel', () => {
  const slotOf = (...commands) => slotOfRequest({ commands });
  assert.equal(slotOf(['GET', 'foo']), 12_182);
  assert.equal(slotOf(['set', '{foo}:x', 1]), 12_182);
  assert.equal(slotOf(['PING'], ['EVAL', 'return 1', 1, Buffer.from('foo')]), 12_182);
  assert.equal(slotOf(['PUBLISH', 'foo', 'x']), 12_182);
  assert.equal(slotOf(['DBSIZE']), undefined);
});
