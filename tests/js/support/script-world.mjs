// A simulation of the script of locks: the package's own clients over an engine with Lua, by a seed. A network that loses, delays and
// doubles, clients that die, clocks that are set. Rules are checked after each script and each grant.
import { readFileSync } from 'node:fs';
import { Dice } from './dice.mjs';
import { jobs } from './hand-time.mjs';
import { errors } from './locks.mjs';
import { ScriptClient, setUpScripts } from './script-server.mjs';

const folder = new URL('../../../pkg-templates/npm/src/locks/latch/', import.meta.url);
const PARTS = ['start', 'limits', 'barriers', 'state', 'holders', 'line', 'operations'];

/** The script as it is written. */
export const SOURCE = PARTS.map((part) => readFileSync(new URL(`${part}.lua`, folder), 'utf8')).join('');

const TTL_MS = 2000;
/** How long a place in line lasts without a look. */
const LIVENESS_MS = 10_000;
const CLIENTS = 4;
const NAMES = ['door', 'gate'];
/** Time with faults, and time in which everything that lives has to end without them. */
const FAULTY_MS = 60_000;
const CALM_MS = 120_000;

class Violation extends Error {}

/** A world of clients that use two locks, by themselves and together. */
class World {
  isCalm = false;
  /** Owners of stolen leases: they learn of it later. */
  #robbed = new Set();
  /** Clients by their locks. */
  #locks = new Map();
  /** Greatest tokens of each name. */
  #newest = new Map(NAMES.map((name) => [name, { x: 0, all: 0 }]));

  constructor(seed, script) {
    this.dice = new Dice(seed);
    this.script = script;
    const { clock, db, time, open, run } = setUpScripts();
    Object.assign(this, { clock, db, time, open, run });
  }

  happens(percent) {
    return !this.isCalm && this.dice.happens(percent);
  }

  sleep(ms) {
    return new Promise((resolve) => this.time.after(ms, resolve));
  }

  /** Owners that hold and wait for a name, by the script itself. */
  inspectedAt(name) {
    const [holders, waiters] = this.run(`lock:${name}`, 'inspect', '');
    return { holders: holders.map(([owner]) => owner), waiters: waiters.map(([owner]) => owner) };
  }

  inspected() {
    return NAMES.map((name) => this.inspectedAt(name));
  }

  /** A command on its way through the network. */
  async send(client, argv) {
    if (argv[0] !== 'EVALSHA') return ScriptClient.prototype.execute.call(client, argv);
    if (this.happens(20)) await this.sleep(this.dice.below(300));
    if (this.happens(4)) throw new Error('the request was lost');
    if (client.isDead) return new Promise(() => {});
    const reply = this.ran(client, ['EVAL', this.script, ...argv.slice(2)]);
    if (this.happens(4)) throw new Error('the reply was lost');
    if (this.happens(20)) await this.sleep(this.dice.below(300));
    return reply;
  }

  /** Runs the script, and compares holders and line before and after it. */
  ran(client, argv) {
    const [operation, owner, ...rest] = argv.slice(3 + Number(argv[2]));
    const all = this.inspected();
    const reply = ScriptClient.prototype.execute.call(client, argv);
    const asked = NAMES.map((name) => argv.includes(`{lock:${name}}:state`));
    for (const [index, after] of this.inspected().entries())
      if (asked[index]) this.compare({ operation, owner, rest, reply }, all[index], after);
    return reply;
  }

  compare({ operation, owner, rest, reply }, before, after) {
    const isNew = !before.holders.includes(owner) && !before.waiters.includes(owner);
    if (operation === 'acquire' && reply[0] === 1 && isNew && rest[5] !== '1') {
      const overtaken = after.waiters.filter((other) => before.waiters.includes(other));
      if (overtaken.length > 0) throw this.violated(`${owner} overtook ${overtaken}`);
    }
    if (operation === 'acquire' && rest[5] === '1' && reply[0] === 1)
      for (const other of before.holders) if (!after.holders.includes(other)) this.#robbed.add(other);
    if (operation === 'release' || operation === 'renew') {
      const gone = before.holders.filter((other) => other !== owner && !after.holders.includes(other));
      if (gone.length > 0) throw this.violated(`${operation} of ${owner} ended the lease of ${gone}`);
    }
  }

  violated(text) {
    this.violation ??= text;
    return new Violation(text);
  }

  /** Checks all locks that their clients believe to hold. */
  check() {
    const isHeld = ([lock, client]) => !client.isDead && !this.#robbed.has(lock.owner) && lock.held;
    const all = [...this.#locks].filter(isHeld).map(([lock]) => lock);
    for (const name of NAMES) {
      const held = all.filter(({ names }) => names.includes(name));
      const exclusive = held.filter(({ mode }) => mode === 'exclusive');
      if (exclusive.length > 0 && held.length > 1)
        this.violated(`held together: ${held.map(({ mode, token, owner }) => `${mode} ${token} ${owner}`).join(', ')}`);
    }
  }

  /** Notes a grant: tokens of exclusive locks are greater than all before, those of shared ones than all exclusive ones. */
  granted(lock, client) {
    this.#locks.set(lock, client);
    if (this.#robbed.has(lock.owner)) return () => {};
    for (const name of lock.names) {
      const newest = this.#newest.get(name);
      const { x, all } = newest;
      if (lock.token <= (lock.mode === 'exclusive' ? all : x)) this.violated(`token ${lock.token} after ${all}`);
      newest.all = Math.max(all, lock.token);
      if (lock.mode === 'exclusive') newest.x = Math.max(x, lock.token);
    }
    this.check();
    return () => this.#locks.delete(lock);
  }

  /** One client: sections one after the other, until the calm. */
  async live(client, locks) {
    while (!this.isCalm && !client.isDead) {
      await this.sleep(this.dice.below(400));
      if (this.isCalm) return;
      await this.section(client, locks);
    }
  }

  async section(client, locks) {
    const { dice } = this;
    const controller = new AbortController();
    const options = { ttl: TTL_MS, mode: dice.pick(['exclusive', 'exclusive', 'shared']), signal: controller.signal };
    if (dice.happens(20)) options.wait = dice.pick([0, 500, 5000]);
    if (dice.happens(10)) options.steal = options.mode === 'exclusive';
    if (dice.happens(20)) options.delay = 100;
    if (dice.happens(10)) this.time.after(dice.below(3000), () => controller.abort());
    try {
      await locks.request(dice.pick(['door', 'door', 'gate', NAMES, ['gate', 'door']]), options, (lock) =>
        this.work(client, lock),
      );
    } catch (error) {
      if (!(error instanceof errors.LockError) && !/was lost/.test(error.message)) this.violated(String(error.stack));
    }
  }

  async work(client, lock) {
    const end = this.granted(lock, client);
    try {
      await this.sleep(this.dice.pick([0, 10, 10, 300, 300, 3000, 12_000]));
      this.check();
      if (lock.mode === 'shared' && this.dice.happens(20)) {
        await lock.upgrade({ wait: 3000 }).then(
          () => this.granted(lock, client),
          () => {},
        );
        await this.sleep(100);
      }
    } finally {
      end();
    }
  }

  /** A client object with this network. */
  join() {
    const { client, locks } = this.open();
    client.call = async (...argv) => {
      if (client.isDead) return new Promise(() => {});
      if (argv[0].startsWith('LATCH.')) throw new Error(`ERR unknown command '${argv[0]}'`);
      return this.send(client, argv);
    };
    client.deliver = (text, emit) => {
      if (this.happens(20)) return;
      emit(text);
      if (this.happens(10)) void this.sleep(this.dice.below(2000)).then(() => emit(text));
    };
    return { client, locks, end: this.live(client, locks) };
  }
}

/** Runs a world; the rule that was broken, or undefined. */
export async function simulate(seed, script = SOURCE) {
  const world = new World(seed, script);
  const { dice, clock, time } = world;
  const clients = Array.from({ length: CLIENTS }, () => world.join());
  for (let ms = 0; ms < FAULTY_MS && world.violation === undefined; ms += 500) {
    await time.advance(500);
    world.check();
    if (dice.happens(3)) clock.advance(dice.pick([-3_600_000, -1000, 700]));
    if (dice.happens(4)) {
      const index = dice.below(CLIENTS);
      clients[index].client.isDead = true;
      clients[index] = world.join();
    }
  }
  world.isCalm = true;
  let left = CLIENTS;
  for (const { end } of clients) void end.then(() => (left -= 1));
  for (let ms = 0; ms < CALM_MS && left > 0 && world.violation === undefined; ms += 500) await time.advance(500);
  await jobs();
  if (left > 0) world.violation ??= `${left} clients wait for ever`;
  return world.violation;
}

/** Liveness of a place, for scenarios. */
export { LIVENESS_MS };
