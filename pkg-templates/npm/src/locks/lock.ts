/// <reference lib="esnext.disposable" preserve="true" />
/** A lock that was granted: its lease is renewed, and its loss is reported. */
import { checked } from '../base/option-check.js';
import type { AbortSignalLike } from '../base/abort.js';
import type { Claim, Coordination, Grant, Inspection, LockMode, Permits } from './coordination.js';
import { ANSWER_MS, answered, answeredWithin, type Bounds } from './bounds.js';
import { Aborted, isUnknown, Lost, NotSupported, quoted, refused, Stolen, unavailable } from './errors.js';
import { guardedCommand, type RunOptions } from './guarded-command.js';
import { followClock, type LossSignal } from './loss-signal.js';
import { UPGRADE, type UpgradeOptions, waitOf, wholeNumber } from './options.js';
import { elapsedMs, instant, type Instant, type Time } from './time.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** A lock that was granted. */
export interface Lock extends AsyncDisposable {
  /** Name of the lock; of several, the first. */
  readonly name: string;
  /** All names. */
  readonly names: readonly string[];
  /** Whether others can hold the lock at the same time. */
  readonly mode: LockMode;
  /** Id of this acquisition: 128 random bits. Stands in the store as the lock's owner. */
  readonly owner: string;
  /**
   * Fencing token, greater than those of all earlier grants. Send it with every write to the resource, which refuses
   * writes with a lower one. Throws NotSupported where several servers grant the lock, since their tokens have no order.
   */
  readonly token: number;
  /** Aborted when the lock is lost, with a `Lost` or `Stolen` as its reason. A release does not abort it. */
  readonly signal: LossSignal;
  /** Milliseconds that the lease lasts at least, as counted here; 0 once the lock is released or lost. */
  readonly remainingMs: number;
  /** True until the lock is released or lost. Judged by the clock at each read, as `remainingMs` and `signal.aborted` are. */
  readonly held: boolean;
  /**
   * Asks the store whether the lease still stands. False: the lock is lost, or was released. Rejects if the store gives no
   * answer before the end of the lease.
   */
  check(): Promise<boolean>;
  /**
   * Runs a command of the store in one step with the check that the lock is held; otherwise nothing runs, and the lock's
   * loss is the error. Resolves to the reply as the client object has it.
   */
  run(argv: readonly (string | number | bigint)[], options?: RunOptions): Promise<unknown>;
  /** Extends the lease to `ttl` milliseconds from now, and never shortens it; resolves to the milliseconds left. */
  renew(ttl?: number): Promise<number>;
  /** Makes a shared lock exclusive, ahead of those that wait. Rejects with Deadlock if another holder upgrades too. */
  upgrade(options?: UpgradeOptions): Promise<void>;
  /** Makes an exclusive lock shared. */
  downgrade(): Promise<void>;
  /** Releases the lock; resolves to false if it was lost before. */
  release(): Promise<boolean>;
}

/** @internal All that a lock is made of. */
export interface Terms {
  readonly names: readonly string[];
  readonly claim: Claim;
  readonly mode: LockMode;
  readonly permits: Permits | undefined;
  readonly ttlMs: number;
  readonly delayMs: number;
  /** Whether the lease is renewed for as long as the lock is held. */
  readonly renews: boolean;
  readonly coordination: Coordination;
  readonly time: Time;
  /** Called once, when the lock is released or lost. */
  readonly ended: (lock: HeldLock) => void;
}

/** Renewals begin when this part of the ttl has passed; the jitter is a part of that. */
export const RENEWAL = 1 / 3;
const JITTER = 0.1;
/** After a failed renewal the next follows after this part of the ttl. */
const RETRY = 1 / 12;

const nothing = (): void => {};

/** @internal */
export class HeldLock implements Lock {
  readonly #terms: Terms;
  #mode: LockMode;
  #token: number | undefined;
  #sent: Instant;
  #validMs: number;
  #renews: boolean;
  #state: 'held' | 'released' | 'lost' = 'held';
  #controller: AbortController | undefined;
  #loss: Lost | undefined;
  #releasing: Promise<boolean> | undefined;
  #cancelEnd = nothing;
  #cancelRenewal = nothing;
  #unwatch = nothing;

  constructor(terms: Terms, { token, sent, validMs }: Grant) {
    this.#terms = terms;
    this.#mode = terms.mode;
    this.#token = token;
    this.#sent = sent;
    this.#validMs = validMs;
    this.#renews = terms.renews;
    this.#arm();
  }

  get name(): string {
    return this.#terms.names[0] as string;
  }

  get names(): readonly string[] {
    return this.#terms.names;
  }

  get mode(): LockMode {
    return this.#mode;
  }

  get owner(): string {
    return this.#terms.claim.owner;
  }

  get token(): number {
    if (this.#token !== undefined) return this.#token;
    throw new NotSupported(
      'LATCH.CHECK',
      'a lock of several servers has no token: LATCH.CHECK and the order of tokens belong to one server',
    );
  }

  get signal(): LossSignal {
    this.#notice();
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      followClock(this.#controller.signal, () => this.#notice());
      if (this.#state === 'held') this.#watch();
      if (this.#loss !== undefined) this.#controller.abort(this.#loss);
    }
    return this.#controller.signal as LossSignal;
  }

  get remainingMs(): number {
    this.#notice();
    return this.#state === 'held' ? this.#leftMs : 0;
  }

  get held(): boolean {
    this.#notice();
    return this.#state === 'held';
  }

  get #leftMs(): number {
    return Math.max(0, this.#validMs - elapsedMs(this.#terms.time, this.#sent));
  }

  /** Error of the loss, once the lock is lost. */
  get loss(): Lost | undefined {
    this.#notice();
    return this.#loss;
  }

  async check(): Promise<boolean> {
    if (!this.held) return false;
    const { coordination, claim, time } = this.#terms;
    const ask = (): Promise<boolean> => coordination.check(claim, this.#token);
    const isHeld = await answered(coordination, time, { limitMs: this.#leftMs, ask });
    if (!isHeld && this.held) await this.#lost();
    return this.held;
  }

  async run(argv: readonly unknown[], options?: RunOptions): Promise<unknown> {
    const { coordination, claim, time } = this.#terms;
    const request = { claim, token: this.token, command: guardedCommand(argv, options) };
    this.#refuseEnded();
    const ask = (): Promise<{ reply: unknown } | null> => coordination.run(request);
    const ran = await answered(coordination, time, { limitMs: this.#leftMs, ask });
    if (ran !== null) return ran.reply;
    if (this.held) await this.#lost();
    this.#refuseEnded();
    return undefined;
  }

  async renew(ttl = this.#terms.ttlMs): Promise<number> {
    wholeNumber('renew', 'ttl', ttl, 1);
    this.#refuseEnded();
    await this.#renewed(ttl);
    if (this.#loss !== undefined) throw this.#loss;
    return this.remainingMs;
  }

  /** Throws if the lock is not held any more. */
  #refuseEnded(): void {
    this.#notice();
    if (this.#loss !== undefined) throw this.#loss;
    if (this.#state === 'released') throw new Lost(`the lock ${this.#title} was released`);
  }

  async upgrade(options?: UpgradeOptions): Promise<void> {
    const { wait, signal } = checked('upgrade', options, UPGRADE);
    const { claim, names, ttlMs, delayMs, coordination, permits, time } = this.#terms;
    const waitMs = waitOf('upgrade', wait);
    this.#requireMode('upgrade');
    await this.renew();
    if (this.#mode === 'exclusive') return;
    const request = { ...claim, mode: 'exclusive', permits, ttlMs, delayMs, steal: false } as const;
    const goBack = (): void => void coordination.renew(claim, ttlMs, true).catch(nothing);
    const ask = (bounds: Bounds): Promise<Grant | null> => coordination.acquire({ ...request, ...bounds });
    const late = (found: Grant | null): void => void (found !== null && goBack());
    const grant = await answeredWithin(coordination, time, { waitMs, signal }, ask, late).catch((error: unknown) => {
      if (isUnknown(error)) goBack();
      this.#refuseAborted(signal);
      throw refused(names, error, waitMs);
    });
    if (signal?.aborted && grant !== null) goBack();
    this.#refuseAborted(signal);
    if (grant === null) throw unavailable(`the lock ${quoted(names)} stays shared: it`, waitMs);
    this.#mode = 'exclusive';
    this.#token = grant.token;
    this.#unwatch();
    if (this.#controller !== undefined) this.#watch();
    // After a long wait the lease is not as long as when it was asked for.
    if (elapsedMs(time, grant.sent) > ttlMs * RENEWAL) await this.renew();
    else this.#extend(grant.sent, grant.validMs);
  }

  #refuseAborted(signal: AbortSignalLike | undefined): void {
    if (signal?.aborted) throw new Aborted(`the upgrade of the lock ${this.#title} was aborted`, signal.reason);
  }

  async downgrade(): Promise<void> {
    this.#requireMode('downgrade');
    if (this.#mode === 'shared') return;
    await this.#renewed(this.#terms.ttlMs, true);
    if (this.#loss !== undefined) throw this.#loss;
    this.#mode = 'shared';
  }

  #requireMode(method: string): void {
    if (this.#terms.permits !== undefined)
      throw new CallerTypeError(`${method}: permits of a semaphore have no other mode`);
  }

  release(): Promise<boolean> {
    this.#notice();
    if (this.#state === 'lost') return Promise.resolve(false);
    this.#releasing ??= this.#release();
    return this.#releasing;
  }

  /** One release, which is sent again by the next call if there was no answer. */
  async #release(): Promise<boolean> {
    const { coordination, claim, time } = this.#terms;
    if (this.#state === 'held') this.#end('released');
    const limitMs = Math.max(this.#leftMs, ANSWER_MS);
    try {
      return await answered(coordination, time, { limitMs, ask: () => coordination.release(claim, this.#token) });
    } catch (error) {
      this.#releasing = undefined;
      throw error;
    }
  }

  /**
   * Releases the lock at the end of its use; resolves to its loss, if it was lost. An unreachable store is no error
   * here: the lease ends by itself.
   */
  async finish(): Promise<Lost | undefined> {
    // By the clock of this process the lease lasts until then.
    const isValid = this.remainingMs > 0;
    const wasHeld = await this.release().catch(() => isValid);
    if (wasHeld) return undefined;
    return (this.#loss ??= new Lost(`the lock ${this.#title} was lost before it was released`));
  }

  /** Lets the lease end: nothing can release the lock any more. */
  stopRenewing(): void {
    this.#renews = false;
    this.#cancelRenewal();
  }

  /** Marks the lock as released: the store has ended it by another command. */
  consumed(): void {
    if (this.#state === 'held') this.#end('released');
  }

  /** Releases the lock and reports that as a loss: the holder cannot go on. */
  abandon(why: string): void {
    if (this.#state !== 'held') return;
    this.#lose(new Lost(`the lock ${this.#title} was given up: ${why}`));
    this.#terms.coordination.release(this.#terms.claim).catch(nothing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.finish();
  }

  get #title(): string {
    return quoted(this.#terms.names);
  }

  /** Ends the lease if its time is over: timers are late after a stop of the process, a sleep, or a step of the clock. */
  #notice(): void {
    if (this.#state === 'held' && this.#leftMs === 0) this.#lapse();
  }

  /** Sets both timers: the end of the lease, and its next renewal. */
  #arm(): void {
    const { time, ttlMs } = this.#terms;
    this.#cancelEnd();
    this.#cancelRenewal();
    this.#cancelEnd = time.after(this.#leftMs, () => this.#lapse());
    const part = RENEWAL * (1 + JITTER * (2 * time.random() - 1));
    if (this.#renews)
      this.#cancelRenewal = time.after(ttlMs * part - elapsedMs(time, this.#sent), () => this.#maintain());
  }

  #lapse(): void {
    // A timer may fire early, and a renewal may have come between.
    if (this.#leftMs > 0) return this.#arm();
    this.#lose(new Lost(`the lease of the lock ${this.#title} ended before it could be renewed`));
  }

  /** Renews the lease; after an error again, until its end. */
  #maintain(): void {
    const { time, ttlMs } = this.#terms;
    if (this.#leftMs === 0) return this.#lapse();
    this.#renew(ttlMs).catch(() => {
      if (this.#state === 'held' && this.#renews)
        this.#cancelRenewal = time.after(ttlMs * RETRY, () => this.#maintain());
    });
  }

  /** Renews the lease. Without an answer until its end, that is the error. */
  #renewed(ttlMs: number, asShared = false): Promise<void> {
    return this.#renew(ttlMs, asShared).catch((error: unknown) => {
      if (this.loss === undefined) throw error;
    });
  }

  async #renew(ttlMs: number, asShared = false): Promise<void> {
    const { time, coordination, claim } = this.#terms;
    let sent = instant(time);
    // No renewal is sent after a release.
    const ask = async (): Promise<number> => {
      if (this.#state !== 'held') return 0;
      sent = instant(time);
      return coordination.renew(claim, ttlMs, asShared);
    };
    const leftMs = await answered(coordination, time, { limitMs: this.#leftMs, ask });
    if (!this.held) return;
    if (leftMs === 0) await this.#lost();
    else this.#extend(sent, leftMs);
  }

  #extend(sent: Instant, validMs: number): void {
    if (this.#state !== 'held') return;
    this.#sent = sent;
    this.#validMs = validMs;
    this.#arm();
  }

  #watch(): void {
    const { coordination, claim } = this.#terms;
    if (this.#token === undefined) return;
    this.#unwatch = coordination.watch?.(claim, this.#token, () => void this.#lost()) ?? nothing;
  }

  /** The store has this lease no longer. */
  async #lost(): Promise<void> {
    const loss = await this.#reason();
    this.#lose(loss);
  }

  async #reason(): Promise<Lost> {
    const lost = new Lost(`the lock ${this.#title} is not held any more: its lease ended, or its key was changed`);
    if (this.#leftMs === 0) return lost;
    const { coordination, claim, time } = this.#terms;
    const ask = (): Promise<Inspection[]> => Promise.all(claim.keys.map((key) => coordination.inspect(key)));
    const found = await answered(coordination, time, { limitMs: ANSWER_MS, ask }).catch(() => []);
    const isOther = found.some(({ holders }) => holders.some(({ owner }) => owner !== claim.owner));
    return isOther ? new Stolen(`the lock ${this.#title} was taken by another owner`) : lost;
  }

  #lose(loss: Lost): void {
    if (this.#state !== 'held') return;
    this.#loss = loss;
    this.#end('lost');
    this.#controller?.abort(loss);
  }

  #end(state: 'released' | 'lost'): void {
    this.#state = state;
    this.#cancelEnd();
    this.#cancelRenewal();
    this.#unwatch();
    this.#terms.ended(this);
  }
}
