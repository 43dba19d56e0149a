/** The leader's side: runs the calls of all tabs on the engine. Knows no channels: `Reach` is the way to a tab. */
import { PoisonedError } from '../base/errors.js';
import type { Unsubscribe } from '../client/subscriptions.js';
import type { EventName } from '../host/events.js';
import type { PersistentKeylatch } from '../persist/persistent.js';
import { failureOf } from './failures.js';
import { methodOf } from './methods.js';
import { ServedClient } from './served-client.js';
import type { CommandRequest, Happened, ListenRequest, MethodRequest, Outcome, Request } from './wire.js';

/** The way from the leader to the tabs. */
export interface Reach {
  answer(tab: string, id: number, outcome: Outcome): void;
  push(tab: string, client: number, bytes: Uint8Array): void;
  event(tab: string, happened: Pick<Happened, 'event' | 'key' | 'db'>): void;
  /** Calls back when a tab has ended. */
  watch(tab: string, gone: () => void): void;
  /** The engine has trapped. */
  broken(): void;
}

interface ServedTab {
  readonly clients: Map<number, ServedClient>;
  /** Clients of calls that wait, by the call's number. */
  readonly waits: Map<number, number>;
  readonly listeners: Map<string, Unsubscribe>;
}

export class Leader {
  readonly #db: PersistentKeylatch;
  readonly #reach: Reach;
  readonly #isHidden: () => boolean;
  readonly #tabs = new Map<string, ServedTab>();
  /** The last call that was taken of each tab: one with a smaller number is a duplicate, or too late. */
  readonly #lastIds = new Map<string, number>();
  #isFlushing = false;
  #isOver = false;

  constructor(db: PersistentKeylatch, reach: Reach, isHidden: () => boolean) {
    this.#db = db;
    this.#reach = reach;
    this.#isHidden = isHidden;
  }

  /** Runs a request of a tab and answers it. Each number is run at most once, in their order. */
  run(tab: string, id: number, request: Request): void {
    if (this.hasTaken(tab, id)) return;
    this.#lastIds.set(tab, id);
    const served = this.#served(tab);
    try {
      this.#dispatch(tab, served, id, request);
    } catch (error) {
      this.#reach.answer(tab, id, { kind: 'failure', failure: failureOf(error) });
      if (error instanceof PoisonedError) this.#reach.broken();
    }
    // Timers of a hidden page are slow, the one of the log among them.
    if (this.#isHidden()) this.#flushSoon();
  }

  /** Whether a call was taken before, also after the end. */
  hasTaken(tab: string, id: number): boolean {
    return id <= (this.#lastIds.get(tab) ?? 0);
  }

  /** Disconnects the clients of a tab that has ended. */
  drop(tab: string): void {
    const served = this.#tabs.get(tab);
    if (served === undefined) return;
    this.#tabs.delete(tab);
    for (const end of served.listeners.values()) end();
    for (const client of served.clients.values()) client.close();
  }

  /** Ends the engine and the store. Waits of tabs are refused: nothing of them ran. */
  end(): Promise<void> {
    this.#isOver = true;
    for (const [tab, { waits }] of this.#tabs)
      for (const id of waits.keys()) this.#reach.answer(tab, id, { kind: 'refused' });
    for (const tab of [...this.#tabs.keys()]) this.drop(tab);
    return this.#db.close();
  }

  #served(tab: string): ServedTab {
    const known = this.#tabs.get(tab);
    if (known !== undefined) return known;
    const served: ServedTab = { clients: new Map(), waits: new Map(), listeners: new Map() };
    this.#tabs.set(tab, served);
    this.#reach.watch(tab, () => this.drop(tab));
    return served;
  }

  #dispatch(tab: string, served: ServedTab, id: number, request: Request): void {
    switch (request.kind) {
      case 'command':
        return this.#command(tab, served, id, request);
      case 'method':
        return this.#method(tab, id, request);
      case 'listen':
        this.#listen(tab, served, request);
        return this.#reach.answer(tab, id, { kind: 'value', value: null });
      case 'close':
        served.clients.get(request.client)?.close();
        served.clients.delete(request.client);
        return;
      case 'cancel':
        return this.#cancel(tab, served, request.call);
    }
  }

  #command(tab: string, served: ServedTab, id: number, request: CommandRequest): void {
    const { client: number, bytes, flushed, once } = request;
    const client = this.#client(tab, served, request);
    if (client === undefined) return this.#reach.answer(tab, id, { kind: 'unknown' });
    served.waits.set(id, number);
    client.run(bytes, (replies) => {
      served.waits.delete(id);
      if (once) {
        served.clients.delete(number);
        // Within a delivery of the engine the client is still in use.
        queueMicrotask(() => client.close());
      }
      const outcome: Outcome = { kind: 'bytes', bytes: replies };
      if (flushed !== true) return this.#reach.answer(tab, id, outcome);
      this.#db.flush().then(
        () => this.#reach.answer(tab, id, outcome),
        // At an urgent end the last writes may be lost: without an answer their tabs learn that it is unknown.
        (error) => this.#isOver || this.#reach.answer(tab, id, { kind: 'failure', failure: failureOf(error) }),
      );
    });
  }

  /** The client of a command, connected anew if the command says so. One that was disconnected has lost its state. */
  #client(tab: string, served: ServedTab, { client: number, opens }: CommandRequest): ServedClient | undefined {
    const known = served.clients.get(number);
    if (opens !== true && known !== undefined && !known.closed) return known;
    known?.close();
    served.clients.delete(number);
    if (opens !== true) return undefined;
    const client = new ServedClient(this.#db.streams, (bytes) => this.#reach.push(tab, number, bytes));
    served.clients.set(number, client);
    return client;
  }

  #method(tab: string, id: number, { method, given }: MethodRequest): void {
    const answer = (outcome: Outcome): void => this.#reach.answer(tab, id, outcome);
    const fail = (error: unknown): void => answer({ kind: 'failure', failure: failureOf(error) });
    const result = methodOf(method)(this.#db, ...given);
    if (result instanceof Promise) result.then((value) => answer({ kind: 'value', value }), fail);
    else answer({ kind: 'value', value: result });
  }

  #listen(tab: string, { listeners }: ServedTab, { events }: ListenRequest): void {
    const wanted = new Set(events.split(' ').filter((event) => event !== ''));
    for (const [event, end] of listeners) {
      if (wanted.has(event)) continue;
      end();
      listeners.delete(event);
    }
    for (const event of wanted) {
      if (listeners.has(event)) continue;
      const heard = (it: { event: string; key: Uint8Array; db: number }): void => this.#reach.event(tab, it);
      listeners.set(event, this.#db.on(event as EventName, heard, { buffer: true }));
    }
  }

  #cancel(tab: string, served: ServedTab, call: number): void {
    const number = served.waits.get(call);
    if (number === undefined) return;
    const isWaiting = served.clients.get(number)?.close() ?? false;
    served.clients.delete(number);
    served.waits.delete(call);
    if (isWaiting) this.#reach.answer(tab, call, { kind: 'cancelled' });
  }

  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    const done = (): void => {
      this.#isFlushing = false;
    };
    this.#db.flush().then(done, done);
  }
}
