/**
 * Locks of any Redis or Valkey with scripts: that of the folder latch, run by its hash. A place in line is a lease that the waiting client renews by
 * looking at the instants that the script names, and earlier when a message asks for it.
 */
import type { Commander } from './commander.js';
import type { AcquireRequest, Claim, Grant, Inspection } from './coordination.js';
import { hasCode, translated } from './errors.js';
import { LATCH_SCRIPT, LATCH_SCRIPT_SHA1 } from './generated/latch-script.js';
import { Looks } from './looks.js';
import { messagesOf, type Messages } from './messages.js';
import { PartialCoordination } from './partial.js';
import { scriptKeys } from './script-keys.js';
import { elapsedMs, instant, type Time } from './time.js';

/** How long a place in line lasts without a look. */
const LIVENESS_MS = 10_000;

/** Status, value, and whether dead waiters are left. */
type Reply = readonly [status: number, value: number, left: number];

/** Status of a reply that asks for all keys. */
const NEEDS_ALL = 2;

export class ScriptCoordination extends PartialCoordination {
  protected readonly limits = "a Redis or Valkey does not have; keylatch's server has it";
  readonly #commander: Commander;
  readonly #time: Time;
  readonly #messages: Messages | undefined;

  constructor(commander: Commander, time: Time) {
    super();
    this.#commander = commander;
    this.#time = time;
    this.#messages = commander.subscriber && messagesOf(commander.subscriber, time);
  }

  async acquire(request: AcquireRequest): Promise<Grant | null> {
    this.refuseSeveral(request);
    const { owner, waitMs, signal } = request;
    if (waitMs === 0) return (await this.#look(request, 0)).grant;
    const start = instant(this.#time);
    const looks = new Looks(this.#time, signal);
    const stopListening = this.#messages?.listen(owner, looks.request);
    try {
      for (;;) {
        const leftMs = waitMs === undefined ? Number.POSITIVE_INFINITY : waitMs - elapsedMs(this.#time, start);
        looks.begin();
        // The last look leaves the line.
        const { grant, lookMs } = await this.#look(request, leftMs > 0 ? LIVENESS_MS : 0);
        if (signal?.aborted) this.#leave(request);
        if (grant !== null || leftMs <= 0 || signal?.aborted) return grant;
        this.#messages?.open();
        await looks.next(Math.min(lookMs, leftMs));
        if (signal?.aborted) {
          this.#leave(request);
          return null;
        }
      }
    } finally {
      looks.end();
      stopListening?.();
    }
  }

  /** Asks once. A request with a liveness enters the line, or renews its place there. */
  async #look(request: AcquireRequest, livenessMs: number): Promise<{ grant: Grant | null; lookMs: number }> {
    const { mode, permits, ttlMs, steal, delayMs } = request;
    const { count, limit } = permits ?? { count: 1, limit: 1 };
    const kind = permits === undefined ? (mode === 'shared' ? 's' : 'x') : 'p';
    const channel = this.#messages?.channel ?? '-';
    const sent = instant(this.#time);
    const args = [kind, ttlMs, livenessMs, channel, delayMs, steal ? 1 : 0, count, limit];
    const [status, value] = await this.#run('acquire', request, args);
    return status === 1 ? { grant: { token: value, sent, validMs: ttlMs }, lookMs: 0 } : { grant: null, lookMs: value };
  }

  /** Gives up a place in line, and a grant that is not known here. */
  #leave(claim: Claim): void {
    this.#run('leave', claim, []).catch(() => {});
  }

  async renew(claim: Claim, ttlMs: number, asShared = false): Promise<number> {
    const [, leftMs] = await this.#run('renew', claim, [ttlMs, asShared ? 1 : 0]);
    return leftMs;
  }

  async release(claim: Claim, token = 0): Promise<boolean> {
    const [status] = await this.#run('release', claim, [token]);
    return status === 1;
  }

  async check(claim: Claim, token: number | undefined): Promise<boolean> {
    const [status] = await this.#run('check', claim, [token ?? 0]);
    return status === 1;
  }

  watch(claim: Claim, token: number, lost: () => void): (() => void) | undefined {
    const messages = this.#messages;
    if (messages === undefined) return undefined;
    const look = (): void => {
      // Without a connection, renewals decide.
      const found = this.check(claim, token).catch(() => true);
      void found.then((isHeld) => {
        if (!isHeld && end !== undefined) lost();
      });
    };
    let end: (() => void) | undefined = messages.listen(claim.owner, look);
    messages.open();
    // A thief's message may have been sent before this.
    look();
    return () => {
      end?.();
      end = undefined;
    };
  }

  async inspect(key: string): Promise<Inspection> {
    const reply = await this.#evaluate(scriptKeys(key), ['inspect', '']);
    const [holders, waiters] = reply as [unknown[][], unknown[][]];
    return {
      holders: holders.map(([owner, mode, permits, token, remainingMs]) => ({
        owner: String(owner),
        mode: String(mode),
        permits: Number(permits),
        token: Number(token),
        remainingMs: Number(remainingMs),
      })),
      waiters: waiters.map(([owner, mode, waitedMs]) => ({
        owner: String(owner),
        mode: String(mode),
        waitedMs: Number(waitedMs),
      })),
    };
  }

  /** Runs an operation; once more if it left dead waiters that could have been in its way. */
  async #run(operation: string, claim: Claim, args: readonly (number | string)[]): Promise<Reply> {
    const { keys, owner } = claim;
    const all = scriptKeys(keys[0] as string);
    const argv = [operation, owner, ...args.map(String)];
    const reply = await this.#asked(all, argv);
    if (reply[2] === 0) return reply;
    while ((await this.#asked(all, ['leave', '']))[2] !== 0);
    return operation === 'acquire' && reply[0] === 0 ? this.#asked(all, argv) : reply;
  }

  /** On a cluster, the state alone while that is enough: commands with one key succeed while its slot moves to another node. */
  async #asked(all: readonly string[], argv: readonly string[]): Promise<Reply> {
    const few = this.#commander.isCluster ? all.slice(0, 1) : all;
    let reply = (await this.#evaluate(few, argv)) as unknown[];
    if (Number(reply[0]) === NEEDS_ALL) reply = (await this.#evaluate(all, argv)) as unknown[];
    const [status = 0, value = 0, left = 0] = reply.map(Number);
    return [status, value, left];
  }

  async #evaluate(keys: readonly string[], argv: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...argv];
    try {
      return await this.#commander.send(['EVALSHA', LATCH_SCRIPT_SHA1, ...rest]).catch((error: unknown) => {
        if (!hasCode(error, 'NOSCRIPT')) throw error;
        return this.#commander.send(['EVAL', LATCH_SCRIPT, ...rest]);
      });
    } catch (error) {
      throw translated(error);
    }
  }
}
