/** One leadership of this tab: from the lock of the name to its release. Calls that come before the store is open wait. */
import type { Unsubscribe } from '../client/subscriptions.js';
import type { PersistentKeylatch } from '../persist/persistent.js';
import type { Store } from '../persist/store.js';
import { failureOf } from './failures.js';
import { Leader, type Reach } from './leader.js';
import type { Request } from './wire.js';

/** An engine with its store. */
export interface Opened {
  readonly db: PersistentKeylatch;
  readonly store: Store;
}

interface Early {
  readonly tab: string;
  readonly id: number;
  readonly request: Request;
}

export class Leadership {
  readonly epoch: number;
  readonly #reach: Reach;
  readonly #isHidden: () => boolean;
  #early: Early[] = [];
  #leader: Leader | undefined;
  #held: Opened | undefined;
  #isOver = false;
  #isUrgent = false;
  #over = (): void => {};
  readonly #end = new Promise<void>((resolve) => {
    this.#over = resolve;
  });

  constructor(epoch: number, reach: Reach, isHidden: () => boolean) {
    this.epoch = epoch;
    this.#reach = reach;
    this.#isHidden = isHidden;
  }

  /** True while calls are run. */
  get isReady(): boolean {
    return this.#leader !== undefined && !this.#isOver;
  }

  /** Opens the store, runs calls until `resign`, then closes. `changed` is called at the beginning and at the end of that. */
  async hold(openStore: () => Promise<Opened>, changed: () => void): Promise<void> {
    this.#held = await this.#opened(openStore);
    const { db, store } = this.#held;
    if (this.#isUrgent) this.#hasten();
    const leader = new Leader(db, this.#reach, this.#isHidden);
    this.#leader = leader;
    const unwatch = this.#watchStore(db);
    // Before any other call: those of a tab run in their order.
    for (const { tab, id, request } of this.#early.splice(0)) this.run(tab, id, request);
    if (!this.#isOver) changed();
    await this.#end;
    unwatch();
    changed();
    const ended = leader.end();
    if (!this.#isUrgent) return ended;
    // The last appends are on their way; readers of the database wait for them. Nothing may be written after the next leader.
    ended.catch(() => {});
    void store.close();
  }

  /** Runs a call, or keeps it until the store is open. After the end it is refused: it did not run. */
  run(tab: string, id: number, request: Request): void {
    if (this.#isOver) {
      if (this.#leader?.hasTaken(tab, id) !== true) this.#reach.answer(tab, id, { kind: 'refused' });
    } else if (this.#leader === undefined) this.#early.push({ tab, id, request });
    else this.#leader.run(tab, id, request);
  }

  /** Ends the leadership. An urgent end waits for nothing: the page is about to end or to be frozen. Idempotent. */
  resign(isUrgent = false): void {
    this.#isOver = true;
    this.#isUrgent ||= isUrgent;
    if (isUrgent) this.#hasten();
    this.#over();
  }

  /** Hands everything that was run to the store in this turn. */
  #hasten(): void {
    this.#held?.store.hasten?.();
    this.#held?.db.log.flushNow();
  }

  async #opened(openStore: () => Promise<Opened>): Promise<Opened> {
    try {
      return await openStore();
    } catch (error) {
      this.resign();
      for (const { tab, id } of this.#early.splice(0))
        this.#reach.answer(tab, id, { kind: 'failure', failure: failureOf(error) });
      throw error;
    }
  }

  /** Without its store the engine would acknowledge writes that no other leader finds. */
  #watchStore(db: PersistentKeylatch): Unsubscribe {
    return db.onPersistence(({ state }) => {
      if (state === 'lost') this.resign();
    });
  }
}
