/**
 * Random steps over a store on a model disk. After each step the disk as it may be after a cut is opened anew: it holds the
 * state after some number of steps, at least those that a barrier covers.
 */
import { step } from '../../kill/steps.mjs';
import { Dice } from './dice.mjs';
import { MountedDisk } from './model-fs.mjs';

const POLICIES = ['everysec', 'always', 'no'];
const ACTIONS = {
  write: 30,
  burst: 6,
  flush: 14,
  complete: 22,
  wait: 10,
  second: 5,
  minute: 1,
  rewrite: 4,
  policy: 3,
  load: 2,
  reopen: 2,
  crash: 2,
  fault: 4,
  mend: 5,
};
/** Attempts to let a store come to rest, each with 100 ms of its time. */
const PATIENCE = 400;
/** Text that makes the log long enough to be replaced by itself, three times. */
const FILLING = 'x'.repeat(6 * 2 ** 20);

/** Lets promises arrive. */
const jobs = () => new Promise((resolve) => setImmediate(resolve));

/** The states after each number of steps, and snapshots of them. */
export class States {
  #Keylatch;
  #db;
  #digests = [];

  constructor(Keylatch) {
    this.#Keylatch = Keylatch;
    this.#db = new Keylatch();
    this.#digests.push(this.#db.digestAll());
  }

  digest(count) {
    while (this.#digests.length <= count) {
      step(this.#db, this.#digests.length - 1);
      this.#digests.push(this.#db.digestAll());
    }
    return this.#digests[count];
  }

  snapshot(count) {
    const db = new this.#Keylatch();
    for (let number = 0; number < count; number += 1) step(db, number);
    const snapshot = db.snapshot();
    db.close();
    return snapshot;
  }
}

/** A violation of what the store promises. */
class Violation extends Error {}

export class DiskRun {
  #open;
  #states;
  #time;
  #variation;
  #dice;
  #disk;
  #db;
  #policy;
  #log = [];
  /** Number of steps that returned. */
  #steps = 0;
  /** Numbers of steps after which there never was a state: a load went past them. */
  #skipped = new Set();
  /** Steps that survive the end of the process, and a cut of power. */
  #kept = { kill: 0, power: 0 };
  /** Barriers that have not ended. */
  #barriers = new Set();
  /** True if a fault was on since the store was opened. */
  #hadFault = false;
  /** Number of the load that may not have been written; 0 without one. */
  #loading = 0;
  #violation;

  constructor({ seed, open, states, time, variation }) {
    this.#open = open;
    this.#states = states;
    this.#time = time;
    this.#variation = variation;
    this.#dice = new Dice(seed);
    this.#disk = new MountedDisk(this.#dice, { variation });
    this.#policy = POLICIES[seed % POLICIES.length];
    if (seed % 20 === 7) this.fill = () => this.#fill();
  }

  /** Descriptions of the steps, the last one being under way. */
  get log() {
    return this.#log;
  }

  /** Runs steps, and lets the store come to rest. @throws the first violation. */
  async run(count) {
    await this.#reopened();
    for (let index = 0; index < count; index += 1) {
      const action = this.#dice.weighted(this.fill === undefined ? ACTIONS : { ...ACTIONS, fill: 2 });
      this.#log.push(action);
      await this[action]();
      await jobs();
      this.#checkRules();
      await this.#cuts();
    }
    this.#log.push('end');
    await this.#recover();
    await this.#close();
    await this.#cuts();
    this.#disk.unplug();
  }

  /** Leaves the store after a violation: the end of this process then writes nothing to it. */
  abandon() {
    this.#disk.unplug();
    this.#db?.close().catch(() => {});
  }

  #note(text) {
    this.#log[this.#log.length - 1] += ` ${text}`;
  }

  write() {
    const isAcknowledged = this.#attempt(() => step(this.#db, this.#steps));
    this.#steps = stepsOf(this.#db);
    if (isAcknowledged && this.#policy === 'always' && this.#isRunning) this.#keep(this.#steps, 'always');
  }

  /**
   * Runs a call. False if it throws: after a fault it may be refused or its change not be written, and until a loaded state
   * is written no later change is.
   */
  #attempt(call) {
    try {
      call();
      return true;
    } catch (error) {
      if (!this.#hadFault && this.#loading === 0)
        throw new Violation(`a call throws without a fault: ${error.message}`);
      return false;
    }
  }

  burst() {
    const count = 2 + this.#dice.below(20);
    this.#note(String(count));
    for (let left = count; left > 0; left -= 1) this.write();
  }

  /** A long unit that leaves the state as it was. */
  #fill() {
    this.#attempt(() => this.#db.multi().set('filling', FILLING).del('filling').exec());
  }

  flush() {
    this.#barrier('flush', this.#db.flush());
  }

  rewrite() {
    this.#barrier('rewrite', this.#db.rewrite());
  }

  complete() {
    for (let left = 1 + this.#dice.below(3); left > 0; left -= 1) this.#disk.complete();
  }

  wait() {
    this.#pass(10);
  }

  second() {
    this.#pass(1000);
  }

  minute() {
    this.#pass(60_000);
  }

  /** Time passes. What was written before has been appended, if the store can. */
  #pass(ms) {
    const steps = this.#steps;
    this.#time.advance(ms);
    if (!this.#isRunning) return;
    const { pendingBytes } = this.#db.persistence;
    if (pendingBytes === 0) this.#keep(steps, 'no');
    else if (!this.#hadFault) throw new Violation(`${pendingBytes} bytes are not appended after ${ms} ms`);
  }

  get #isRunning() {
    return this.#loading === 0 && this.#db.persistence.state === 'running';
  }

  policy() {
    this.#policy = this.#dice.pick(POLICIES);
    this.#note(this.#policy);
    this.#db.call('CONFIG', 'SET', 'appendfsync', this.#policy);
    this.#db.fsync = this.#policy;
  }

  /** Goes on some steps by a snapshot. */
  load() {
    const count = 1 + this.#dice.below(10);
    const [from, to] = [this.#steps, this.#steps + count];
    this.#note(`to step ${to}`);
    this.#loading = this.#log.length;
    this.#attempt(() => this.#db.load(this.#states.snapshot(to)));
    this.#steps = stepsOf(this.#db);
    for (let number = from + 1; number < this.#steps; number += 1) this.#skipped.add(number);
    this.flush();
  }

  fault() {
    this.#hadFault = true;
    const { faults } = this.#disk;
    const kind = this.#dice.pick(['ENOSPC', 'EIO', 'short', 'sync', 'sync', 'names']);
    this.#note(kind);
    if (kind === 'short') faults.isShort = true;
    else if (kind === 'sync') faults.syncs = 1;
    else if (kind === 'names') faults.names = 1;
    else faults.write = { code: kind, room: this.#dice.below(300) };
  }

  mend() {
    this.#disk.mend();
  }

  /**
   * Closes the store and opens it again, in the same process. After a failure the system may show bytes that it dropped, so
   * only what has lasted is opened.
   */
  async reopen() {
    if (await this.#close()) await this.#reopened();
    else await this.crash();
  }

  /** Power is cut; the store goes on with what has lasted. */
  async crash() {
    const cut = this.#disk.afterCut(this.#dice.pick(['none', 'some', 'all']));
    const [old, disk] = [this.#db, this.#disk];
    this.#disk = cut;
    disk.unplug();
    old.close().catch(() => {});
    await jobs();
    this.#barriers.clear();
    await this.#reopened(this.#kept.power);
    this.#kept = { kill: this.#steps, power: this.#steps };
  }

  async #reopened(atLeast = this.#kept.kill) {
    this.mend();
    this.#disk.isEager = true;
    removeLock(this.#disk);
    this.#db = await this.#opened(this.#disk, atLeast, 'store that is opened again', this.#policy);
    this.#disk.isEager = false;
    this.#db.onPersistence(() => {});
    this.#steps = stepsOf(this.#db);
    this.#kept.kill = Math.min(this.#kept.kill, this.#steps);
    this.#skipped = new Set([...this.#skipped].filter((number) => number < this.#steps));
    this.#hadFault = false;
    this.#loading = 0;
  }

  /** Without faults, a store that failed writes again. */
  async #recover() {
    this.mend();
    for (let left = PATIENCE; this.#db.persistence.state !== 'running'; left -= 1) {
      if (left === 0) throw new Violation(`without faults the store stays ${this.#db.persistence.state}`);
      this.#disk.complete();
      this.#time.advance(100);
      await jobs();
    }
  }

  /** Closes the store, while operations complete. False if that failed. */
  async #close() {
    let isEnded = false;
    let isClosed = false;
    const closed = this.#db.close();
    closed.then(
      () => {
        isClosed = true;
      },
      () => {},
    );
    this.#barrier('close', closed, () => {
      isEnded = true;
    });
    for (let left = PATIENCE; left > 0 && (!isEnded || this.#barriers.size > 0); left -= 1) {
      if (left === PATIENCE / 2) this.mend();
      this.#disk.complete();
      this.#time.advance(isEnded ? 100 : 1);
      await jobs();
      this.#checkRules();
    }
    while (this.#disk.complete()) await jobs();
    this.#checkRules();
    for (const { kind, step } of this.#barriers) throw new Violation(`${kind} after step ${step} never ends`);
    return isClosed;
  }

  /** Counts a promise of the store: once it has resolved, the steps before it are kept. */
  #barrier(kind, promise, ended = () => {}) {
    const barrier = { kind, step: this.#steps, loading: this.#loading };
    const [policy, db] = [this.#policy, this.#db];
    this.#barriers.add(barrier);
    // Barriers of a store that lost its power count no more.
    const isOver = () => db !== this.#db;
    const passed = () => {
      if (isOver()) return;
      const steps = this.#variation === 'eager' ? this.#steps : barrier.step;
      // A snapshot is forced to the medium whatever the policy is.
      this.#keep(steps, kind === 'rewrite' ? 'always' : policy);
      if (this.#loading === barrier.loading) this.#loading = 0;
      ended();
    };
    const failed = (error) => {
      if (isOver()) return;
      // A rewrite that waits for another one does not begin once the store is closed.
      const isEnded = kind === 'rewrite' && error.code === 'LOST';
      if (!this.#hadFault && !isEnded)
        this.#violation ??= new Violation(`${kind} rejects without a fault: ${error.message}`);
      if (kind === 'close') ended();
    };
    promise.then(passed, failed).finally(() => this.#barriers.delete(barrier));
  }

  #keep(steps, policy) {
    this.#kept.kill = Math.max(this.#kept.kill, steps);
    if (policy !== 'no') this.#kept.power = Math.max(this.#kept.power, steps);
  }

  #checkRules() {
    const [violation] = this.#disk.violations;
    if (violation !== undefined) throw new Violation(violation);
    if (this.#violation !== undefined) throw this.#violation;
  }

  async #cuts() {
    const { power, kill } = this.#kept;
    await this.#check(this.#disk.afterCut(this.#dice.pick(['none', 'some', 'some'])), power, 'after a cut of power');
    if (this.#dice.happens(60)) await this.#check(this.#disk.afterCut('some'), power, 'after another cut of power');
    if (this.#dice.happens(30)) await this.#check(this.#disk.afterKill(), kill, 'after the end of the process');
  }

  async #check(disk, atLeast, title) {
    disk.isEager = true;
    removeLock(disk);
    const db = await this.#opened(disk, atLeast, title, 'no');
    await db.close();
    disk.unplug();
  }

  /** Opens what is there, and compares it with the states that were. */
  async #opened(disk, atLeast, title, fsync) {
    let db;
    try {
      db = await this.#open({ dir: disk.path('data'), fsync, seed: 1, now: () => this.#time.now });
    } catch (error) {
      throw new Violation(`${title}, the folder does not open: ${error.code} ${error.message}`);
    }
    const found = stepsOf(db);
    const facts = `${title}: ${found} steps are there, at least ${atLeast} of ${this.#steps} must be`;
    if (found < atLeast || found > this.#steps) throw new Violation(facts);
    if (this.#skipped.has(found) || db.digestAll() !== this.#states.digest(found))
      throw new Violation(`${facts}; the state was never written`);
    return db;
  }
}

const stepsOf = (db) => Number(db.get('steps') ?? 0);

/** After a cut no process of before is alive; this one is. */
function removeLock(disk) {
  const folder = disk.look('/data');
  for (const name of folder?.names.keys() ?? []) if (name.startsWith('keylatch.lock')) folder.names.delete(name);
}
