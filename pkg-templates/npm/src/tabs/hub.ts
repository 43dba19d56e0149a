/** Common part of the clients of one tab: the way to the leader, numbers of clients, and options. */
import { ClosedError } from '../base/errors.js';
import type { CallOptions, Started } from './calls.js';
import type { Tab } from './tab.js';
import type { MethodName } from './methods.js';
import { isRead } from './methods.js';
import type { CloseRequest, Outcome } from './wire.js';

/** Options of calls. */
export interface HubOptions {
  /** Time for an answer in milliseconds. */
  readonly deadlineMs: number;
  /** Whether writes are answered when they are flushed. */
  readonly flushed: boolean;
}

export class Hub {
  readonly tab: Tab;
  readonly options: HubOptions;
  #lastClient = 0;

  constructor(tab: Tab, options: HubOptions) {
    this.tab = tab;
    this.options = options;
  }

  get closed(): boolean {
    return this.tab.role === 'closed';
  }

  nextClient(): number {
    this.#lastClient += 1;
    return this.#lastClient;
  }

  start(options: CallOptions): Started {
    this.tab.refuse();
    const started = this.tab.calls.start(options);
    if (this.tab.isLeaderless) this.tab.greet();
    // An announcement may have been lost. The error itself goes to the caller.
    started.outcome.catch((error) => {
      if (!this.closed && (error as { code?: unknown }).code === 'NO_ANSWER') this.tab.greet();
    });
    return started;
  }

  call(options: CallOptions): Promise<Outcome> {
    return this.start(options).outcome;
  }

  post(request: CloseRequest): void {
    if (!this.closed) this.tab.calls.post(request);
  }

  /** Calls a method of the leader's database. */
  async method<T>(method: MethodName, ...given: readonly unknown[]): Promise<T> {
    // Options that no message can carry are refused here, also by the tab that leads. Bytes are not copied for that.
    structuredClone(given.filter((value) => !(value instanceof Uint8Array)));
    const outcome = await this.call({
      make: () => ({ kind: 'method', method, given }),
      isResent: isRead(method),
      deadlineMs: this.options.deadlineMs,
    });
    if (outcome.kind !== 'value') throw new ClosedError('engine');
    return outcome.value as T;
  }
}
