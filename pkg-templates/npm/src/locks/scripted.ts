/**
 * Locks of any Redis or Valkey with scripts: that of the folder latch, run by its hash. A place in line is a lease that the waiting client renews by
 * looking at the instants that the script names, and earlier when a message asks for it.
 */
import type { Commander } from './commander.js';
import type { Bounds } from './bounds.js';
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
import { hasCode, NotSupported, translated } from './errors.js';
import { LATCH_SCRIPT, LATCH_SCRIPT_SHA1 } from './generated/latch-script.js';
import { Looks } from './looks.js';
import { messagesOf, type Messages } from './messages.js';
import { barrierStateOf, limitResultOf } from './replies.js';
import { functionOf, type ScriptForm } from './script-forms.js';
import { barrierKeys, scriptKeys, taskKeys } from './script-keys.js';
import { elapsedMs, instant, type Time } from './time.js';

/** How long a place in line lasts without a look. */
const LIVENESS_MS = 10_000;

type Argv = readonly (number | string)[];
type Demand = Pick<AcquireRequest, 'intents' | 'mode' | 'permits' | 'ttlMs' | 'steal' | 'delayMs'>;

/** Status, value as a number, whether dead waiters are left, value. */
type Reply = readonly [status: number, value: number, left: number, given: unknown];

/** Status of a reply that asks for all keys, and of one with the result of a task. */
const NEEDS_ALL = 2;
const DONE = 3;

/** Number of keys of one name, of which the first may be enough. Tasks and several names have more. */
const NAME_KEYS = 5;

/** Pause between looks at a barrier without messages. */
const REPEAT_MS = 250;

/** An answer, and the pause until the next look; without one it is final. */
interface Looked<T> {
  readonly result: T;
  readonly lookMs: number | undefined;
}

export class ScriptCoordination implements Coordination {
  readonly #commander: Commander;
  readonly #time: Time;
  readonly #form: ScriptForm;
  readonly #messages: Messages | undefined;

  constructor(commander: Commander, time: Time, form: ScriptForm) {
    this.#commander = commander;
    this.#time = time;
    this.#form = form;
    this.#messages = commander.subscriber && messagesOf(commander.subscriber, time);
  }

  async acquire(request: AcquireRequest): Promise<Grant | null> {
    return this.#waitFor(request.owner, request, async (waits) => {
      const sent = instant(this.#time);
      const [status, value] = await this.#run('acquire', request, this.#demand(request, waits));
      const isGranted = status === 1;
      return {
        result: isGranted ? { token: value, sent, validMs: request.ttlMs } : null,
        lookMs: isGranted ? undefined : value,
      };
    });
  }

  /** Looks until there is a final answer, or the wait is over. The last look, also after an abort, leaves the line. */
  async #waitFor<T>(owner: string, bounds: Bounds, look: (waits: boolean) => Promise<Looked<T>>): Promise<T> {
    const { waitMs = Number.POSITIVE_INFINITY, signal } = bounds;
    if (waitMs === 0) return (await look(false)).result;
    const start = instant(this.#time);
    const looks = new Looks(this.#time, signal);
    const stopListening = this.#messages?.listen(owner, looks.request);
    try {
      for (;;) {
        const leftMs = waitMs - elapsedMs(this.#time, start);
        const waits = leftMs > 0 && !signal?.aborted;
        looks.begin();
        const { result, lookMs } = await look(waits);
        if (lookMs === undefined || !waits) return result;
        this.#messages?.open();
        await looks.next(Math.min(lookMs, leftMs));
      }
    } finally {
      looks.end();
      stopListening?.();
    }
  }

  get #channel(): string {
    return this.#messages?.channel ?? '-';
  }

  /** Arguments of a request. One that waits enters the line, or renews its place there. */
  #demand({ intents, mode, permits, ttlMs, steal, delayMs }: Demand, waits: boolean): (number | string)[] {
    const { count, limit } = permits ?? { count: 1, limit: 1 };
    const kind = permits === undefined ? (mode === 'shared' ? 's' : 'x') : 'p';
    return [kind, ttlMs, waits ? LIVENESS_MS : 0, this.#channel, delayMs, steal ? 1 : 0, count, limit, intents.length];
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

  async limit(request: LimitRequest): Promise<LimitResult> {
    const { key, limit, periodMs, burst = limit, cost, kind, peek } = request;
    const argv = ['limit', '', kind, limit, periodMs, burst, cost, peek ? 0 : 1];
    return limitResultOf(await this.#evaluate([key], argv));
  }

  async run({ claim, token, command }: RunRequest): Promise<{ readonly reply: unknown } | null> {
    const names = [...claim.keys, ...claim.intents];
    const keys = [...names.flatMap(scriptKeys), ...command.keys];
    const answer = await this.#evaluate(keys, ['run', claim.owner, token, names.length, ...command.argv]);
    const [status, reply] = answer as [number, unknown];
    return Number(status) === 1 ? { reply } : null;
  }

  once(request: OnceRequest): Promise<OnceState> {
    const { key, owner, ttlMs } = request;
    const claim = { keys: [key], intents: [], owner };
    const demand = { intents: [], mode: 'exclusive', permits: undefined, ttlMs, steal: false, delayMs: 0 } as const;
    return this.#waitFor<OnceState>(owner, request, async (waits) => {
      const sent = instant(this.#time);
      const [status, value, , stored] = await this.#run('once', claim, this.#demand(demand, waits), taskKeys(key));
      if (status === DONE) return { result: { state: 'done', result: stored }, lookMs: undefined };
      if (status === 0) return { result: { state: 'busy' }, lookMs: value };
      return { result: { state: 'run', grant: { token: value, sent, validMs: ttlMs } }, lookMs: undefined };
    });
  }

  async done({ key, owner, token, result, keepMs }: DoneRequest): Promise<boolean> {
    const claim = { keys: [key], intents: [], owner };
    const [status] = await this.#run('done', claim, [token, result, keepMs], taskKeys(key));
    return status === 1;
  }

  arrive(request: ArriveRequest): Promise<BarrierState> {
    const { key, member, parties, ttlMs, peek } = request;
    let hasArrived = peek;
    return this.#waitFor(member, request, async (waits) => {
      const argv = ['arrive', member, parties, ttlMs, hasArrived ? 1 : 0, this.#channel, waits ? 1 : 0];
      const result = barrierStateOf(await this.#evaluate(barrierKeys(key), argv));
      hasArrived = true;
      const lookMs = this.#channel === '-' ? REPEAT_MS : LIVENESS_MS / 3;
      return { result, lookMs: result.open ? undefined : lookMs };
    });
  }

  /** Runs an operation; once more if it left dead waiters that could have been in its way. */
  async #run(
    operation: string,
    { keys, intents, owner }: Claim,
    args: Argv,
    all = [...keys, ...intents].flatMap(scriptKeys),
  ): Promise<Reply> {
    const argv = [operation, owner, ...args];
    const reply = await this.#asked(all, argv);
    if (reply[2] === 0) return reply;
    while ((await this.#asked(all, ['leave', '']))[2] !== 0);
    const isRefused = reply[0] === 0 && (operation === 'acquire' || operation === 'once');
    return isRefused ? this.#asked(all, argv) : reply;
  }

  /** On a cluster, the state alone while that is enough: commands with one key succeed while its slot moves to another node. */
  async #asked(all: readonly string[], argv: Argv): Promise<Reply> {
    const few = this.#commander.isCluster && all.length === NAME_KEYS ? all.slice(0, 1) : all;
    let reply = (await this.#evaluate(few, argv)) as unknown[];
    if (Number(reply[0]) === NEEDS_ALL) reply = (await this.#evaluate(all, argv)) as unknown[];
    const [status, value, left = 0] = reply;
    return [Number(status), Number(value), Number(left), value];
  }

  async #evaluate(keys: readonly string[], argv: Argv): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...argv.map(String)];
    try {
      return await (this.#form === 'function' ? this.#called(String(argv[0]), rest) : this.#sent(rest));
    } catch (error) {
      throw translated(error);
    }
  }

  #sent(rest: readonly string[]): Promise<unknown> {
    return this.#commander.send(['EVALSHA', LATCH_SCRIPT_SHA1, ...rest]).catch((error: unknown) => {
      if (!hasCode(error, 'NOSCRIPT')) throw error;
      return this.#commander.send(['EVAL', LATCH_SCRIPT, ...rest]);
    });
  }

  #called(operation: string, rest: readonly string[]): Promise<unknown> {
    const name = functionOf(operation);
    return this.#commander.send(['FCALL', name, ...rest]).catch((error: unknown) => {
      if (!(error instanceof Error && /function not found/i.test(error.message))) throw error;
      const how = 'keylatch latch.lua --function | redis-cli -x FUNCTION LOAD REPLACE';
      throw new NotSupported('FCALL', `the server lacks the function ${name} of this version: ${how}`);
    });
  }
}
