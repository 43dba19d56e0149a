/** Barriers: members wait for each other until a number of them has arrived. */
import { checked, type Shape } from '../base/option-check.js';
import type { AbortSignalLike } from '../base/abort.js';
import { refuseAborted, type Acquisitions } from './acquisition.js';
import { answeredWithin, type Bounds } from './bounds.js';
import type { BarrierState } from './coordination.js';
import { NeverAcquired, quoted, TimedOut } from './errors.js';
import { TTL_MS, waitOf, wholeNumber } from './options.js';
import { newOwner } from './time.js';

/** Options of `barrier`. */
export interface BarrierOptions {
  /** How many members open it. */
  readonly parties: number;
  /** Milliseconds from the first arrival until the barrier is forgotten, open or not; 30,000 by default. */
  readonly ttl?: number | undefined;
}

/** Options of `arrive`. */
export interface ArriveOptions {
  /** Name of the member that arrives: each counts once. Another one for each call by default. */
  readonly member?: string | undefined;
  /** Longest time to wait in milliseconds; 0 not to wait. No limit by default. */
  readonly wait?: number | undefined;
  /** Ends the wait; the member has arrived all the same. */
  readonly signal?: AbortSignalLike | undefined;
}

/** @internal */
export const BARRIER: Shape<BarrierOptions> = { parties: 'integer', ttl: 'integer' };

const ARRIVE: Shape<ArriveOptions> = { member: 'text', wait: 'number', signal: 'signal' };

/** A barrier of a name. It opens once: a further round is a barrier of another name. */
export class Barrier {
  /** Name of the barrier. */
  readonly name: string;
  /** How many members open it. */
  readonly parties: number;
  readonly #acquisitions: Acquisitions;
  readonly #key: string;
  readonly #ttlMs: number;

  /** @internal */
  constructor(acquisitions: Acquisitions, name: string, key: string, { parties, ttl = TTL_MS }: BarrierOptions) {
    this.name = name;
    this.parties = wholeNumber('barrier', 'parties', parties, 1);
    this.#ttlMs = wholeNumber('barrier', 'ttl', ttl, 1);
    this.#acquisitions = acquisitions;
    this.#key = key;
  }

  /** Arrives and waits until the barrier opens. Rejects with TimedOut or Aborted; the member stays counted. */
  async arrive(options?: ArriveOptions): Promise<void> {
    const { member = newOwner(), wait, signal } = checked('arrive', options, ARRIVE);
    const waitMs = waitOf('arrive', wait);
    refuseAborted([this.name], signal);
    const { open, arrived } = await this.#ask(member, waitMs, false, signal);
    if (open) return;
    refuseAborted([this.name], signal);
    const what = `the barrier ${quoted([this.name])} is closed: ${arrived} of ${this.parties} arrived`;
    throw waitMs === 0 ? new NeverAcquired(what) : new TimedOut(what);
  }

  /** Whether it is open and how many have arrived, without arriving. */
  state(): Promise<BarrierState> {
    return this.#ask(newOwner(), 0, true, undefined);
  }

  #ask(
    member: string,
    waitMs: number | undefined,
    peek: boolean,
    signal: AbortSignalLike | undefined,
  ): Promise<BarrierState> {
    const { coordination, time } = this.#acquisitions;
    const request = { key: this.#key, member, parties: this.parties, ttlMs: this.#ttlMs, peek };
    const ask = (bounds: Bounds): Promise<BarrierState> => coordination.arrive({ ...request, ...bounds });
    return answeredWithin(coordination, time, { waitMs, signal }, ask).catch((error: unknown) => {
      refuseAborted([this.name], signal);
      throw error;
    });
  }
}
