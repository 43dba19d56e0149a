// The script of locks beside the LATCH commands of the same engine: equal replies to random operations, tokens by their order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from './support/dice.mjs';
import { LATCH_SCRIPT, setUpScripts } from './support/script-server.mjs';

const RUNS = 20;
const STEPS = 250;

test('limits: equal replies, and equal bytes and ends of keys', async () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const dice = new Dice(seed);
    const { clock, db } = setUpScripts();
    for (let step = 0; step < STEPS; step += 1) {
      if (dice.below(3) === 0) clock.advance(dice.pick([1, 10, 99, 100, 101, 333, 5000, -50, -3_600_000]));
      const kind = dice.pick(['smooth', 'fixed', 'sliding']);
      const limit = dice.pick([1, 2, 3, 7]);
      const period = dice.pick([1, 100, 250]);
      const cost = dice.pick([1, 1, 1, 2, 3, 9]);
      const burst = dice.pick([limit, 1, 5]);
      const peeks = dice.below(4) === 0;
      const words = kind === 'smooth' ? ['BURST', burst] : [kind.toUpperCase()];
      const argv = ['LATCH.LIMIT', `latch:${kind}`, limit, 'PERIOD', period, 'COST', cost, ...words];
      if (peeks) argv.push('PEEK');
      const expected = db.call(...argv.map(String));
      const args = ['limit', '', kind, limit, period, burst, cost, peeks ? 0 : 1];
      const found = db.call('EVAL', LATCH_SCRIPT, '1', `script:${kind}`, ...args.map(String));
      const title = `seed ${seed}, step ${step}: ${argv.join(' ')}`;
      assert.deepEqual(found, expected, title);
      const state = (key) => (kind === 'sliding' ? db.call('ZRANGE', key, '0', '-1', 'WITHSCORES') : db.get(key));
      assert.deepEqual(state(`script:${kind}`), state(`latch:${kind}`), title);
      assert.equal(db.pttl(`script:${kind}`), db.pttl(`latch:${kind}`), title);
    }
  }
});

/** A random operation: arguments of the script, and the LATCH command. */
function operation(dice, isPool) {
  const owner = dice.pick(['ann', 'bob', 'cid']);
  const permits = isPool ? { ann: 1, bob: 2, cid: 3 }[owner] : 1;
  const ttl = dice.pick([10, 100, 1000]);
  switch (dice.below(7)) {
    case 0:
    case 1:
    case 2: {
      const kind = isPool ? 'p' : dice.pick(['x', 's']);
      const delay = dice.pick([0, 0, 50]);
      const steals = dice.below(8) === 0;
      const words = { x: [], s: ['SHARED'], p: ['PERMITS', permits, 'LIMIT', 4] }[kind];
      if (steals) words.push('STEAL');
      return {
        script: ['acquire', owner, kind, ttl, 0, '-', delay, steals ? 1 : 0, permits, 4],
        latch: ['LATCH.ACQUIRE', 'latch', owner, 'TTL', ttl, 'DELAY', delay, ...words],
      };
    }
    case 3:
    case 4: {
      const asShared = !isPool && dice.below(3) === 0;
      return {
        script: ['renew', owner, ttl, asShared ? 1 : 0],
        latch: ['LATCH.RENEW', 'latch', owner, 'TTL', ttl, ...(asShared ? ['SHARED'] : [])],
      };
    }
    default:
      return { script: ['release', owner, 0], latch: ['LATCH.RELEASE', 'latch', owner] };
  }
}

/** Holders by owner: mode, permits, milliseconds left, and the tokens by their order. */
function summary(holders) {
  const tokens = holders.map(([, , , token]) => token).sort((one, other) => one - other);
  return holders
    .map(([owner, mode, permits, token, leftMs]) => [owner, mode, permits, tokens.indexOf(token), leftMs])
    .sort();
}

/** Holders of the latch, with the fields of the script's reply. */
function inspected(db, key = 'latch') {
  const holders = db.call('LATCH.INSPECT', key).get('holders');
  return holders.map((held) => ['owner', 'mode', 'permits', 'token', 'remaining-ms'].map((name) => held.get(name)));
}

test('locks without waiting: equal replies and holders', async () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const dice = new Dice(seed);
    const { clock, db, run } = setUpScripts();
    const tokens = { script: 0, latch: 0 };
    for (let step = 0; step < STEPS; step += 1) {
      if (dice.below(3) === 0) clock.advance(dice.pick([1, 9, 10, 11, 49, 50, 51, 100, 101, 1500]));
      const { script, latch } = operation(dice, seed % 2 === 0);
      const title = `seed ${seed}, step ${step}: ${latch.join(' ')}`;
      const [status, value] = run('name', ...script);
      const expected = db.call(...latch.map(String));
      if (script[0] === 'acquire') {
        assert.equal(status === 1, expected !== null, title);
        if (status === 1) {
          assert.equal(value > tokens.script, expected > tokens.latch, title);
          tokens.script = Math.max(tokens.script, value);
          tokens.latch = Math.max(tokens.latch, expected);
        }
      } else assert.equal(script[0] === 'renew' ? value : status, expected, title);
      assert.deepEqual(summary(run('name', 'inspect', '')[0]), summary(inspected(db)), title);
    }
  }
});

/** Names with those above them, as a hierarchy has them. */
const DEMANDS = [
  { keys: ['a'], above: [] },
  { keys: ['a', 'b'], above: [] },
  { keys: ['b', 'c'], above: ['a'] },
  { keys: ['c'], above: ['a', 'b'] },
  { keys: ['c'], above: ['b'] },
];

/** A random operation on several names: arguments of the script, and the LATCH command. */
function operationOnNames(dice) {
  const demand = dice.pick(DEMANDS);
  const { keys, above } = demand;
  const owner = dice.pick(['ann', 'bob', 'cid', 'dan']);
  const ttl = dice.pick([10, 100, 1000]);
  const [first, ...also] = keys.map((key) => `latch:${key}`);
  const intents = above.map((key) => `latch:${key}`);
  const counted = (word, all) => (all.length > 0 ? [word, all.length, ...all] : []);
  const others = counted('ALSO', [...also, ...intents]);
  const names = [...keys, ...above];
  switch (dice.below(7)) {
    case 0:
    case 1:
    case 2: {
      const kind = dice.pick(['x', 's', 'p']);
      const steals = dice.below(8) === 0;
      const words = { x: [], s: ['SHARED'], p: ['PERMITS', 1, 'LIMIT', 2] }[kind];
      if (steals) words.push('STEAL');
      const lists = [...counted('ALSO', also), ...counted('INTENT', intents)];
      const delay = dice.pick([0, 0, 50]);
      return {
        names,
        script: ['acquire', owner, kind, ttl, 0, '-', delay, steals ? 1 : 0, 1, 2, above.length],
        latch: ['LATCH.ACQUIRE', first, owner, 'TTL', ttl, 'DELAY', delay, ...words, ...lists],
      };
    }
    case 3:
    case 4: {
      const asShared = dice.below(3) === 0;
      return {
        names,
        script: ['renew', owner, ttl, asShared ? 1 : 0],
        latch: ['LATCH.RENEW', first, owner, 'TTL', ttl, ...(asShared ? ['SHARED'] : []), ...others],
      };
    }
    default:
      return { names, script: ['release', owner, 0], latch: ['LATCH.RELEASE', first, owner, ...others] };
  }
}

test('several names and names above them: equal replies and holders', async () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const dice = new Dice(seed);
    const { clock, db, run, runAt } = setUpScripts();
    let newest = 0;
    for (let step = 0; step < STEPS; step += 1) {
      if (dice.below(3) === 0) clock.advance(dice.pick([1, 9, 10, 11, 49, 50, 51, 100, 101, 1500]));
      const { names, script, latch } = operationOnNames(dice);
      const title = `seed ${seed}, step ${step}: ${latch.join(' ')}`;
      const [status, value] = runAt(names, ...script);
      const expected = db.call(...latch.map(String));
      if (script[0] === 'acquire') assert.equal(status === 1, expected !== null, title);
      else if (script[0] === 'renew') assert.equal(value, expected, title);
      else assert.equal(status === 1 ? names.length : 0, expected, title);
      for (const name of ['a', 'b', 'c']) {
        const found = run(name, 'inspect', '')[0];
        assert.deepEqual(summary(found), summary(inspected(db, `latch:${name}`)), `${title}, ${name}`);
      }
      // Leases that were all held before keep their tokens.
      if (status === 1 && script[0] === 'acquire' && value > newest) {
        newest = value;
        const held = names.map((name) => run(name, 'inspect', '')[0].find(([owner]) => owner === script[1]));
        for (const [, , , token] of held) assert.equal(token, value, `${title}: one token`);
      }
    }
  }
});
