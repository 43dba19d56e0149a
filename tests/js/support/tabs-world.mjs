// Tabs of a browser in one process. The test decides on the schedule of their locks, channels, pages and disk.
import { entry } from './package.mjs';

const { share } = await entry('tabs');

/** Locks of a browser: one holder a name, others in a queue. */
class Locks {
  #queues = new Map();

  request(tab, name, { ifAvailable = false, signal }, work) {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, queue);
      if (ifAvailable && queue.length > 0) return resolve(work(null));
      const request = { tab, name, work, resolve, reject, isHeld: false };
      signal?.addEventListener('abort', () => {
        if (!request.isHeld) this.#remove(request);
        reject(signal.reason);
      });
      if (signal?.aborted) return reject(signal.reason);
      queue.push(request);
      this.#grant(name);
    });
  }

  /** Locks and requests of a tab that has ended. */
  drop(tab) {
    for (const queue of [...this.#queues.values()])
      for (const request of [...queue]) if (request.tab === tab) this.#remove(request);
  }

  #grant(name) {
    const [first] = this.#queues.get(name) ?? [];
    if (first === undefined || first.isHeld) return;
    first.isHeld = true;
    queueMicrotask(async () => {
      const done = Promise.resolve(first.work({ name }));
      done.then(first.resolve, first.reject);
      await done.catch(() => {});
      this.#remove(first);
    });
  }

  #remove(request) {
    const queue = this.#queues.get(request.name);
    const index = queue.indexOf(request);
    if (index < 0) return;
    queue.splice(index, 1);
    this.#grant(request.name);
  }
}

/** The part of a tab's store that survives its end. */
class Disk {
  snapshot = null;
  pieces = [];
  loggedMs = 0;
  seed = 1n;

  store(tab) {
    const never = () => new Promise(() => {});
    const store = {
      title: 'test disk',
      open: async () => ({ ...this, pieces: [...this.pieces], repairedBytes: 0 }),
      append: (piece, nowMs) => {
        if (tab.isDead) return never();
        this.pieces.push(piece.slice());
        this.loggedMs = nowMs;
        return undefined;
      },
      sync: () => (tab.isDead ? never() : undefined),
      replace: async (snapshot) => {
        if (tab.isDead) return never();
        this.snapshot = snapshot;
        this.pieces = [];
        return undefined;
      },
      close: async () => {},
    };
    tab.store = store;
    return store;
  }
}

/** A browser with tabs. `route` decides on each message: 'deliver' (or undefined), 'drop', 'hold' or 'twice'. */
export class World {
  locks = new Locks();
  disk = new Disk();
  route = () => 'deliver';
  held = [];
  sent = [];
  #channels = new Map();
  #tabs = [];

  /** Opens a tab that shares. */
  async open(options = {}) {
    const tab = this.tab();
    tab.db = await share({ name: 'n', environment: tab.environment, ...options });
    return tab;
  }

  /** A tab that has not shared yet. */
  tab() {
    const tab = { isDead: false, isHidden: false, life: undefined, channels: [], openFailure: undefined };
    tab.environment = {
      locks: { request: (name, options, work) => this.locks.request(tab, name, options, work) },
      isHidden: () => tab.isHidden,
      channel: (name) => this.#channel(tab, name),
      watch: (life) => {
        tab.life = life;
        return () => {};
      },
      store: () => {
        if (tab.openFailure) throw tab.openFailure;
        return this.disk.store(tab);
      },
    };
    this.#tabs.push(tab);
    return tab;
  }

  /** Ends a tab without a word, as a crash does. */
  kill(tab) {
    tab.isDead = true;
    this.locks.drop(tab);
  }

  /** Closes all tabs that live. */
  async close() {
    this.route = () => 'deliver';
    for (const { db, isDead } of this.#tabs) if (!isDead) await db?.close();
    for (const { db, isDead } of this.#tabs) if (isDead) db?.close().catch(() => {});
  }

  /** Delivers messages that were held, in this order. */
  release(messages = this.held.splice(0)) {
    for (const deliver of messages) deliver();
  }

  #channel(tab, name) {
    const channel = {
      onmessage: null,
      postMessage: (data) => this.#post(tab, channel, name, structuredClone(data)),
      close: () => this.#channels.get(name).delete(channel),
      tab,
    };
    const all = this.#channels.get(name) ?? new Set();
    this.#channels.set(name, all.add(channel));
    return channel;
  }

  #post(tab, from, name, data) {
    if (data.kind !== 'batch') return this.#postOne(tab, from, name, data);
    // The schedule is about single messages. Those that are delivered arrive together.
    const delivered = data.pieces.filter((piece) => (this.route(piece, tab) ?? 'deliver') === 'deliver');
    const isWhole = delivered.length === data.pieces.length;
    if (isWhole) return this.#postOne(tab, from, name, data);
    for (const piece of data.pieces) this.#postOne(tab, from, name, piece);
    return undefined;
  }

  #postOne(tab, from, name, data) {
    if (tab.isDead) return;
    this.sent.push(data);
    const deliver = () =>
      setImmediate(() => {
        for (const channel of this.#channels.get(name) ?? []) {
          if (channel === from || channel.tab.isDead) continue;
          channel.onmessage?.({ data: structuredClone(data) });
        }
      });
    const way = this.route(data, tab) ?? 'deliver';
    if (way === 'drop') return;
    if (way === 'hold') this.held.push(deliver);
    else deliver();
    if (way === 'twice') deliver();
  }
}

/** Waits for a condition. */
export async function until(condition, what = 'the condition') {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${what} did not come true`);
}
