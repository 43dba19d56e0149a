// Requests that wait, by the script of locks and by the LATCH commands: random schedules end alike, millisecond by millisecond.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Dice } from './support/dice.mjs';
import { jobs } from './support/hand-time.mjs';
import { errorOf, errors, setUp } from './support/locks.mjs';
import { setUpScripts } from './support/script-server.mjs';

const SEEDS = Number(process.env.KEYLATCH_WAIT_SEEDS ?? 5);
const STEPS = 150;
/** Looks at both sides until they agree, since commands that wait end in tasks of their own. */
const ROUNDS = 1000;
/** Leases and waits in milliseconds. */
const TTLS_MS = [100, 200];
const WAITS_MS = [undefined, undefined, 51, 151];
const UPGRADE_MS = 51;

/** Requests over one store, with what became of them. */
class Side {
  log = [];
  /** Ids with the tokens of their grants, by name. */
  grants = new Map();
  held = new Map();
  waiting = new Map();
  upgrading = new Set();
  /** Instants at which waits end. */
  ends = new Set();

  constructor(locks, time) {
    this.locks = locks;
    this.time = time;
  }

  request(id, name, options, permits) {
    const controller = new AbortController();
    const given = { ...options, signal: controller.signal, renew: false };
    const store = permits === undefined ? this.locks : this.locks.semaphore(name, 3);
    const words = permits === undefined ? [name, given] : [{ ...given, permits }];
    this.waiting.set(id, controller);
    const ended = (text) => {
      this.waiting.delete(id);
      this.log.push(`${id} ${text}`);
    };
    store.acquire(...words).then(
      (lock) => {
        this.held.set(id, lock);
        for (const one of lock.names) this.grants.set(one, [...(this.grants.get(one) ?? []), [lock.token, id]]);
        ended('granted');
      },
      (error) => ended(error.code ?? String(error)),
    );
  }

  upgrade(id, wait) {
    const lock = this.held.get(id);
    this.upgrading.add(id);
    const ended = (text) => {
      this.upgrading.delete(id);
      this.log.push(`${id} ${text}`);
    };
    lock.upgrade({ wait }).then(
      () => ended('upgraded'),
      (error) => ended(`upgrade ${error.code ?? String(error)}`),
    );
  }

  downgrade(id) {
    this.held
      .get(id)
      .downgrade()
      .catch((error) => this.log.push(`${id} downgrade ${error.code ?? String(error)}`));
  }

  release(id) {
    const lock = this.held.get(id);
    this.held.delete(id);
    lock.release().then((wasHeld) => this.log.push(`${id} released ${wasHeld}`));
  }

  /** Owners that hold and wait for a name, by the ids of their requests. */
  async owners(name) {
    const { held, pending } = await this.locks.query(name);
    const idOf = (owner) => [...this.held].find(([, lock]) => lock.owner === owner)?.[0] ?? 'none';
    return {
      held: held.map(({ clientId, mode, remainingMs }) => [idOf(clientId), mode, remainingMs]).sort(),
      line: pending.length,
    };
  }

  /** Ends of requests, all grants of each name in the order of their tokens, and holders and lines. */
  async state() {
    const order = [...this.grants].sort().map(([name, grants]) => [name, grants.sort().map(([, id]) => id)]);
    const names = await Promise.all(['a', 'b', 'b/c', 'pool'].map((name) => this.owners(name)));
    return { ended: this.log.toSorted(), order, names };
  }
}

/** A wait that ends when no other one does: of two that end together, either may be the first. */
function distinct(wait, { time, ends }) {
  if (wait === undefined) return undefined;
  let end = time.steady + wait;
  while (ends.has(end)) end += 1;
  ends.add(end);
  return end - time.steady;
}

/** One random action, the same on both sides. */
function act(dice, sides, id) {
  const [side] = sides;
  // A release ends an upgrade that waits by the script alone.
  const held = [...side.held].filter(([id, lock]) => lock.held && !side.upgrading.has(id));
  const [lockId, lock] = held.length > 0 ? dice.pick(held) : [];
  const isPool = dice.happens(15);
  const upgradeMs = distinct(UPGRADE_MS, side);
  switch (dice.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const name = isPool ? 'pool' : dice.pick(['a', 'a', 'b', ['a', 'b'], ['b', 'a'], 'b/c']);
      const options = { ttl: dice.pick(TTLS_MS), wait: distinct(dice.pick(WAITS_MS), side) };
      if (!isPool) {
        options.mode = dice.pick(['exclusive', 'shared']);
        if (dice.happens(20)) options.delay = 30;
        if (dice.happens(6)) Object.assign(options, { steal: true, mode: 'exclusive' });
      }
      const permits = isPool ? dice.pick([1, 2, 3]) : undefined;
      for (const each of sides) each.request(id, name, options, permits);
      return `request ${id} ${name} ${JSON.stringify(options)}`;
    }
    case 4:
    case 5:
    case 6:
      if (lock === undefined) return 'nothing';
      for (const each of sides) each.release(lockId);
      return `release ${lockId}`;
    case 7: {
      const waiting = [...side.waiting.keys()];
      if (waiting.length === 0) return 'nothing';
      const chosen = dice.pick(waiting);
      for (const each of sides) each.waiting.get(chosen).abort();
      return `abort ${chosen}`;
    }
    case 8:
      if (lock === undefined || lock.mode !== 'shared' || lock.name === 'pool') return 'nothing';
      for (const each of sides) each.upgrade(lockId, upgradeMs);
      return `upgrade ${lockId}`;
    default:
      if (lock === undefined || lock.name === 'pool') return 'nothing';
      for (const each of sides) each.downgrade(lockId);
      return `downgrade ${lockId}`;
  }
}

async function run(seed) {
  const dice = new Dice(seed);
  const [latch, script] = [setUp(), setUpScripts()];
  const options = { hierarchy: true };
  const sides = [
    new Side(latch.open(latch.db, options), latch.time),
    new Side(script.open(options).locks, script.time),
  ];
  const done = [];
  const compare = async () => {
    let states;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let job = 0; job < 4; job += 1) await jobs();
      states = await Promise.all(sides.map((side) => side.state()));
      if (isDeepStrictEqual(...states)) break;
    }
    const [expected, found] = states;
    assert.deepEqual(found, expected, `seed ${seed}: ${done.slice(-12).join('; ')}`);
    for (const side of sides) side.log = [];
  };
  for (let step = 0; step < STEPS; step += 1) {
    done.push(act(dice, sides, step));
    await compare();
    const ms = dice.pick([0, 0, 1, 1, 7, 30]);
    for (let passed = 0; passed < ms; passed += 1) {
      for (const { time } of sides) await time.advance(1);
      done.push('1 ms');
      await compare();
    }
  }
  return done.length;
}

test(`${SEEDS} schedules: the same grants, in the same order, at the same time`, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) await run(seed);
});

test('a message to look later prolongs no wait', async () => {
  const { time, open } = setUpScripts();
  const holder = await open().locks.acquire('door', { ttl: 60_000 });
  const controller = new AbortController();
  const first = errorOf(open().locks.acquire('door', { signal: controller.signal }));
  await jobs();
  const second = errorOf(open().locks.acquire('door', { wait: 500 }));
  await time.advance(100);
  controller.abort();
  await jobs();
  assert.ok((await first) instanceof errors.Aborted);
  await time.advance(400);
  assert.deepEqual((await open().locks.query('door')).pending, []);
  assert.ok((await second) instanceof errors.TimedOut);
  assert.equal(await holder.release(), true);
});
