/** Elections: one of several candidates leads, and all can see which one. */
import { checked, type Shape } from '../base/option-check.js';
import { onAbort, type AbortSignalLike } from '../base/abort.js';
import type { Acquisitions } from './acquisition.js';
import type { Inspection } from './coordination.js';
import { quoted, unavailable } from './errors.js';
import type { Lock } from './lock.js';
import { LockHandle } from './lock-handle.js';
import { LEASE, leaseOf, wholeNumber, type LeaseOptions } from './options.js';
import { pause } from './time.js';

/** Options of `elect`. */
export interface ElectionOptions {
  /** Name of this candidate, for observers. */
  readonly candidate?: string | undefined;
}

/** Options of `observe`. */
export interface ObserveOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignalLike | undefined;
  /** Milliseconds between two questions, for changes that the store did not report; 1000 by default. */
  readonly interval?: number | undefined;
}

/** The leader of an election. */
export interface Leader {
  /** Name that the candidate gave itself, or ''. */
  readonly candidate: string;
  /** Id of this leadership; another one of the same candidate has another. */
  readonly owner: string;
  /** Fencing token of this leadership. */
  readonly token: number;
}

/** @internal */
export const ELECTION: Shape<ElectionOptions> = { candidate: 'text' };

const OBSERVE: Shape<ObserveOptions> = { signal: 'signal', interval: 'integer' };

/** Between a candidate's name and the id of its leadership. */
const MARK = '#';
const INTERVAL_MS = 1000;

function leaderOf({ holders: [holder] }: Inspection): Leader | null {
  if (holder === undefined) return null;
  const { owner, token } = holder;
  return { candidate: owner.slice(0, Math.max(0, owner.lastIndexOf(MARK))), owner, token };
}

/** An election: candidates campaign, the first one leads until it resigns or its lease ends. */
export class Election {
  /** Name of the election. */
  readonly name: string;
  /** Name of this candidate, or ''. */
  readonly candidate: string;
  readonly #acquisitions: Acquisitions;
  readonly #key: string;
  #leadership: Lock | undefined;

  /** @internal */
  constructor(acquisitions: Acquisitions, name: string, key: string, { candidate = '' }: ElectionOptions) {
    this.name = name;
    this.candidate = candidate;
    this.#acquisitions = acquisitions;
    this.#key = key;
  }

  /** Resolves when this candidate leads. Its leadership is a lock: `signal` is aborted when it is lost. */
  async campaign(options?: LeaseOptions): Promise<Lock> {
    const { signal, ...lease } = checked('campaign', options, LEASE);
    if (this.#leadership?.held) return this.#leadership;
    const terms = leaseOf('campaign', lease);
    const lock = await this.#acquisitions.acquire({
      ...terms,
      names: [this.name],
      keys: [this.#key],
      intents: [],
      mode: 'exclusive',
      permits: undefined,
      steal: false,
      delayMs: 0,
      signal,
      ownerName: `${this.candidate}${MARK}`,
    });
    if (lock === null) throw unavailable(`the election ${quoted([this.name])}`, terms.waitMs);
    return (this.#leadership = new LockHandle(lock));
  }

  /** Ends this candidate's leadership, and the next one leads; resolves to false if it did not lead. */
  async resign(): Promise<boolean> {
    const leadership = this.#leadership;
    this.#leadership = undefined;
    return leadership?.held ? leadership.release() : false;
  }

  /** The leader, or null. */
  async leader(): Promise<Leader | null> {
    return leaderOf(await this.#acquisitions.coordination.inspect(this.#key));
  }

  /** The leader now, and after each change; null while there is none. */
  async *observe(options?: ObserveOptions): AsyncGenerator<Leader | null, void> {
    const { signal, interval = INTERVAL_MS } = checked('observe', options, OBSERVE);
    wholeNumber('observe', 'interval', interval, 1);
    let last: string | undefined;
    for await (const leader of this.#leaders(interval, signal)) {
      const owner = leader?.owner ?? '';
      if (owner !== last) yield leader;
      last = owner;
    }
  }

  async *#leaders(intervalMs: number, signal: AbortSignalLike | undefined): AsyncGenerator<Leader | null, void> {
    const { coordination, time } = this.#acquisitions;
    let wake = new AbortController();
    const awaken = (): void => wake.abort();
    // The first answer also shows what the store can do.
    let leader = await this.leader();
    const unwatch = coordination.changes?.(this.#key, awaken);
    const stopListening = onAbort(signal, awaken);
    try {
      while (!signal?.aborted) {
        yield leader;
        await pause(time, intervalMs, wake.signal);
        wake = new AbortController();
        leader = await this.leader();
      }
    } finally {
      unwatch?.();
      stopListening();
    }
  }
}
