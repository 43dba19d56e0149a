/** Locks of a keylatch, in this process or behind a connection: the LATCH commands. A waiting client is notified. */
import type { AbortSignalLike } from '../base/abort.js';
import { backOffMs, repeated } from './backoff.js';
import { type Commander, ConnectionLost } from './commander.js';
import type {
  AcquireRequest,
  ArriveRequest,
  BarrierState,
  Claim,
  Coordination,
  DoneRequest,
  Grant,
  Inspection,
  LimitRequest,
  LimitResult,
  OnceRequest,
  OnceState,
  RunRequest,
} from './coordination.js';
import { hasCode, translated } from './errors.js';
import { type KeyWatcher, type Outcome, watcherOf } from './key-watcher.js';
import { barrierStateOf, limitResultOf } from './replies.js';
import { elapsedMs, instant, type Instant, pause, type Time } from './time.js';

/** A wait without limit: some thirty years. */
const FOREVER_MS = 1e12;

/** Keys behind a word with their number. */
function counted(word: string, keys: readonly string[]): string[] {
  return keys.length === 0 ? [] : [word, String(keys.length), ...keys];
}

/** Further keys of a claim that is held, for RENEW and RELEASE. */
function others({ keys, intents }: Claim): string[] {
  return counted('ALSO', [...keys.slice(1), ...intents]);
}

/** LATCH.ACQUIRE of a request, without its wait. */
function acquisition(request: AcquireRequest): string[] {
  const { keys, intents, owner, mode, permits, ttlMs, steal, delayMs } = request;
  const argv = ['LATCH.ACQUIRE', keys[0] as string, owner, 'TTL', String(ttlMs)];
  if (permits !== undefined) argv.push('PERMITS', String(permits.count), 'LIMIT', String(permits.limit));
  else if (mode === 'shared') argv.push('SHARED');
  if (steal) argv.push('STEAL');
  if (delayMs > 0) argv.push('DELAY', String(delayMs));
  return [...argv, ...counted('ALSO', keys.slice(1)), ...counted('INTENT', intents)];
}

/** Pairs of a map: a Map, a plain object, or names and values by turns as RESP2 has them. */
function record(reply: unknown): Record<string, unknown> {
  if (reply instanceof Map) return Object.fromEntries(reply) as Record<string, unknown>;
  if (!Array.isArray(reply)) return reply as Record<string, unknown>;
  const pairs: [string, unknown][] = [];
  for (let index = 0; index + 1 < reply.length; index += 2) pairs.push([String(reply[index]), reply[index + 1]]);
  return Object.fromEntries(pairs);
}

function records(reply: unknown): Record<string, unknown>[] {
  return ((reply ?? []) as unknown[]).map(record);
}

function inspectionOf(reply: unknown): Inspection {
  const { holders, waiters } = record(reply);
  return {
    holders: records(holders).map((holder) => ({
      owner: String(holder['owner']),
      mode: String(holder['mode']),
      permits: Number(holder['permits']),
      token: Number(holder['token']),
      remainingMs: Number(holder['remaining-ms']),
    })),
    waiters: records(waiters).map((waiter) => ({
      owner: String(waiter['owner']),
      mode: String(waiter['mode']),
      waitedMs: Number(waiter['waited-ms']),
    })),
  };
}

/** A command that may wait. */
interface Waiting {
  readonly argv: readonly string[];
  readonly waitMs: number | undefined;
  readonly signal: AbortSignalLike | undefined;
  /** True for a reply that ends the wait. */
  readonly isFinal: (reply: unknown) => boolean;
}

/** The last reply to a command, and when it was sent. */
interface Answer {
  readonly reply: unknown;
  readonly sent: Instant;
}

/** Locks as the LATCH commands have them. */
export class LatchCoordination implements Coordination {
  readonly #commander: Commander;
  readonly #time: Time;
  readonly #watcher: KeyWatcher | undefined;

  constructor(commander: Commander, time: Time) {
    this.#commander = commander;
    this.#time = time;
    this.#watcher = commander.trackers && watcherOf(commander.trackers, time);
  }

  async acquire(request: AcquireRequest): Promise<Grant | null> {
    const { waitMs, signal, ttlMs } = request;
    const isFinal = (reply: unknown): boolean => reply !== null;
    const { reply, sent } = await this.#waiting({ argv: acquisition(request), waitMs, signal, isFinal });
    return reply === null ? null : { token: Number(reply), sent, validMs: ttlMs };
  }

  async renew(claim: Claim, ttlMs: number, asShared = false): Promise<number> {
    const shared = asShared ? ['SHARED'] : [];
    const argv = ['LATCH.RENEW', claim.keys[0] as string, claim.owner, 'TTL', String(ttlMs), ...shared];
    const leftMs = Number(await this.#send([...argv, ...others(claim)]));
    // A lease without an end, since HPERSIST.
    return leftMs === -1 ? Number.POSITIVE_INFINITY : leftMs;
  }

  async release(claim: Claim, token?: number): Promise<boolean> {
    const { keys, intents, owner } = claim;
    // By its token, a release that is sent again is known.
    const granted = token === undefined ? [] : ['TOKEN', String(token)];
    const released = await this.#send(['LATCH.RELEASE', keys[0] as string, owner, ...granted, ...others(claim)]);
    return Number(released) === keys.length + intents.length;
  }

  async check({ keys, intents, owner }: Claim, token: number): Promise<boolean> {
    const asked = [...keys, ...intents].map((key) => this.#send(['LATCH.CHECK', key, owner, String(token)]));
    try {
      await Promise.all(asked);
      return true;
    } catch (error) {
      if (isLoss(error)) return false;
      throw error;
    }
  }

  async inspect(key: string): Promise<Inspection> {
    return inspectionOf(await this.#send(['LATCH.INSPECT', key]));
  }

  watch({ keys, intents, owner }: Claim, token: number, lost: () => void): (() => void) | undefined {
    const watcher = this.#watcher;
    if (watcher === undefined) return undefined;
    // Without a connection, renewals decide.
    const look = ({ error }: Outcome): void => {
      if (!isLoss(error)) return;
      end();
      lost();
    };
    const ends: (() => void)[] = [];
    const end = (): void => ends.splice(0).forEach((one) => one());
    for (const key of [...keys, ...intents])
      ends.push(watcher.watch(key, ['LATCH.CHECK', key, owner, String(token)], look));
    return end;
  }

  changes(key: string, changed: () => void): (() => void) | undefined {
    return this.#watcher?.watch(key, ['LATCH.INSPECT', key], changed);
  }

  async limit(request: LimitRequest): Promise<LimitResult> {
    const { key, limit, periodMs, burst, cost, kind, peek } = request;
    const argv = ['LATCH.LIMIT', key, String(limit), 'PERIOD', String(periodMs)];
    if (burst !== undefined) argv.push('BURST', String(burst));
    if (cost !== 1) argv.push('COST', String(cost));
    if (kind !== 'smooth') argv.push(kind.toUpperCase());
    if (peek) argv.push('PEEK');
    return limitResultOf(await this.#send(argv));
  }

  async once(request: OnceRequest): Promise<OnceState> {
    const { key, owner, ttlMs, waitMs, signal } = request;
    const argv = ['LATCH.ONCE', key, owner, 'TTL', String(ttlMs)];
    const isFinal = (reply: unknown): boolean => String((reply as unknown[])[0]) !== 'busy';
    const { reply, sent } = await this.#waiting({ argv, waitMs, signal, isFinal });
    const [state, first] = (reply ?? ['busy']) as unknown[];
    if (state === 'run') return { state, grant: { token: Number(first), sent, validMs: ttlMs } };
    if (state === 'done') return { state, result: first };
    return { state: 'busy' };
  }

  async done({ key, owner, token, result, keepMs }: DoneRequest): Promise<boolean> {
    try {
      await this.#send(['LATCH.DONE', key, owner, result, 'TTL', String(keepMs), 'TOKEN', String(token)]);
      return true;
    } catch (error) {
      if (hasCode(error, 'FENCED')) return false;
      throw error;
    }
  }

  async run({ claim, token, command }: RunRequest): Promise<{ readonly reply: unknown } | null> {
    const { keys, intents, owner } = claim;
    const checks = [...keys, ...intents].map((key) => ['LATCH.CHECK', key, owner, String(token)]);
    try {
      return { reply: await this.#commander.transact([...checks, command.argv]) };
    } catch (error) {
      if (hasCode(error, 'FENCED')) return null;
      throw error;
    }
  }

  async arrive(request: ArriveRequest): Promise<BarrierState> {
    const { key, member, parties, ttlMs, waitMs, peek, signal } = request;
    const argv = ['LATCH.ARRIVE', key, member, 'PARTIES', String(parties), 'TTL', String(ttlMs)];
    if (peek) argv.push('PEEK');
    const isFinal = (reply: unknown): boolean => Number((reply as unknown[])[0]) === 1;
    const { reply } = await this.#waiting({ argv, waitMs, signal, isFinal });
    return barrierStateOf(reply ?? [0, 0, parties]);
  }

  /**
   * Runs a command, and again with WAIT while its reply is not final. Only the second run blocks, on a connection of its
   * own; if that is lost, both begin again, at once and then with pauses. Where there are none, as over HTTP, the first run
   * is repeated.
   */
  async #waiting({ argv, waitMs, signal, isFinal }: Waiting): Promise<Answer> {
    const start = instant(this.#time);
    for (let losses = 0; ; losses += 1) {
      let last = await this.#answer(argv);
      const leftMs = waitMs && Math.max(0, waitMs - elapsedMs(this.#time, start));
      if (isFinal(last.reply) || leftMs === 0 || signal?.aborted) return last;
      if (!this.#commander.sendBlocking) {
        await repeated(this.#time, { waitMs: leftMs, signal }, async () => {
          last = await this.#answer(argv);
          return isFinal(last.reply) ? last : null;
        });
        return last;
      }
      if (losses > 0) await pause(this.#time, backOffMs(this.#time, losses), signal);
      try {
        return (await this.#blocked(argv, leftMs, signal)) ?? last;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
    }
  }

  async #answer(argv: readonly string[]): Promise<Answer> {
    const sent = instant(this.#time);
    return { reply: await this.#send(argv), sent };
  }

  /** Runs a command with WAIT. Undefined after an abort without a reply. */
  async #blocked(
    argv: readonly string[],
    waitMs: number | undefined,
    signal: AbortSignalLike | undefined,
  ): Promise<Answer | undefined> {
    const sent = instant(this.#time);
    // Options may come in any order; lists of keys are counted.
    const waiting = [...argv, 'WAIT', String(Math.ceil(waitMs ?? FOREVER_MS))];
    const options = { timed: waitMs !== undefined, signal };
    try {
      return { reply: await this.#commander.sendBlocking?.(waiting, options), sent };
    } catch (error) {
      if (signal?.aborted) return undefined;
      throw translated(error);
    }
  }

  async #send(argv: readonly string[]): Promise<unknown> {
    try {
      return await this.#commander.send(argv);
    } catch (error) {
      throw translated(error);
    }
  }
}

/** Whether the reply to LATCH.CHECK says that a lease is over. WRONGTYPE: a key was set to something else by hand. */
function isLoss(error: unknown): boolean {
  return hasCode(error, 'FENCED', 'WRONGTYPE');
}
