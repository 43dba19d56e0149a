/**
 * Calls of one tab that are not answered. A call waits for a leader for a bounded time, then for its answer. When the
 * leader changes, it is sent again only if it reads or surely did not run.
 */
import { errorOf } from './failures.js';
import { TabsError } from './tabs-error.js';
import type { Outcome, Request } from './wire.js';

/** Time without a leader after which calls are refused. */
export const LEADERLESS_MS = 1000;

/** Time for the last answers of a former leader: they may arrive after the announcement of the next one. */
const HANDOVER_MS = 20;

/** A call, as its caller describes it. */
export interface CallOptions {
  /** The request for the leader of an epoch. May throw: the call then rejects. */
  make(epoch: number): Request;
  /** Whether it may run twice. */
  readonly isResent: boolean;
  /** Time for the answer in milliseconds; Infinity for calls that wait. */
  readonly deadlineMs: number;
}

/** The leader that calls go to. */
export interface Destination {
  readonly epoch: number;
  send(id: number, request: Request): void;
}

interface Pending {
  readonly options: CallOptions;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  /** Epoch of the leader that it was sent to. */
  epoch: number | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** A call that was started. */
export interface Started {
  readonly outcome: Promise<Outcome>;
  /** Asks the leader to end a wait; the outcome is then `cancelled`, unless there is one already. */
  cancel(): void;
}

export class Calls {
  #lastId = 0;
  #leader: Destination | undefined;
  #handover: ReturnType<typeof setTimeout> | undefined;
  /** In the order in which they were made. The key is the number that was sent last. */
  #pending = new Map<number, Pending>();

  start(options: CallOptions): Started {
    let pending: Pending | undefined;
    const outcome = new Promise<Outcome>((resolve, reject) => {
      pending = { options, resolve, reject, epoch: undefined, timer: undefined };
      this.#add(pending);
    });
    return { outcome, cancel: () => this.#cancel(pending as Pending) };
  }

  /** Sends a request that has no answer, if there is a leader: state of a former one is gone. */
  post(request: Request): void {
    this.#leader?.send(this.#nextId(), request);
  }

  answered(epoch: number, id: number, outcome: Outcome): void {
    const pending = this.#pending.get(id);
    if (pending === undefined || pending.epoch !== epoch) return;
    if (outcome.kind === 'refused') return this.#wait(id, pending);
    this.#end(id, pending);
    if (outcome.kind === 'failure') pending.reject(errorOf(outcome.failure));
    else pending.resolve(outcome);
  }

  /** There is a new leader: sends it all that waits, and settles what was sent to the one before. */
  led(leader: Destination): void {
    clearTimeout(this.#handover);
    this.#leader = undefined;
    const isCut = [...this.#pending.values()].some(({ epoch, options }) => epoch !== undefined && !options.isResent);
    // All calls wait meanwhile, so that they are sent in their order.
    if (isCut) this.#handover = setTimeout(() => this.#receiveLast(leader), HANDOVER_MS);
    else this.#begin(leader);
  }

  /** This page may have been busy until now: messages that arrived meanwhile have their turn before the next timer. */
  #receiveLast(leader: Destination): void {
    this.#handover = setTimeout(() => this.#begin(leader), HANDOVER_MS);
  }

  #begin(leader: Destination): void {
    this.#leader = leader;
    const all = [...this.#pending.values()];
    this.#pending = new Map();
    for (const pending of all) {
      clearTimeout(pending.timer);
      if (pending.epoch === undefined || pending.options.isResent) this.#add(pending);
      else pending.reject(new TabsError('LEADER_CHANGED', true));
    }
  }

  /** There is no leader now. What was sent may still be answered. */
  leaderless(): void {
    clearTimeout(this.#handover);
    this.#leader = undefined;
  }

  /** Rejects everything. */
  fail(makeError: (mayHaveRun: boolean) => unknown): void {
    for (const [id, pending] of [...this.#pending]) {
      this.#end(id, pending);
      pending.reject(makeError(pending.epoch !== undefined && !pending.options.isResent));
    }
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #add(pending: Pending): void {
    const id = this.#nextId();
    this.#pending.set(id, pending);
    if (this.#leader === undefined) this.#wait(id, pending);
    else this.#send(id, pending, this.#leader);
  }

  #wait(id: number, pending: Pending): void {
    clearTimeout(pending.timer);
    pending.epoch = undefined;
    pending.timer = setTimeout(() => this.#expire(id, pending, new TabsError('NO_LEADER')), LEADERLESS_MS);
  }

  #send(id: number, pending: Pending, leader: Destination): void {
    const { options } = pending;
    let request: Request;
    try {
      request = options.make(leader.epoch);
    } catch (error) {
      this.#end(id, pending);
      return pending.reject(error);
    }
    pending.epoch = leader.epoch;
    if (options.deadlineMs < Infinity) {
      const late = (): void => this.#expire(id, pending, new TabsError('NO_ANSWER', !options.isResent));
      pending.timer = setTimeout(late, options.deadlineMs);
    }
    // The leader of this very tab answers at once.
    leader.send(id, request);
  }

  #expire(id: number, pending: Pending, error: TabsError): void {
    this.#end(id, pending);
    pending.reject(error);
  }

  #end(id: number, pending: Pending): void {
    clearTimeout(pending.timer);
    this.#pending.delete(id);
  }

  #cancel(pending: Pending): void {
    const found = [...this.#pending].find(([, other]) => other === pending);
    if (found === undefined) return;
    const [id] = found;
    if (pending.epoch !== undefined) return this.post({ kind: 'cancel', call: id });
    this.#end(id, pending);
    pending.resolve({ kind: 'cancelled' });
  }
}
