/** A store of locks behind a client object: what its server can do is asked with the first request. */
import { commanderOf, type Commander, type LockStore } from './commander.js';
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
import { NotSupported } from './errors.js';
import { LatchCoordination } from './latch.js';
import type { ScriptForm } from './script-forms.js';
import { ScriptCoordination } from './scripted.js';
import type { Time } from './time.js';
import { isLocalEngine } from './trackers.js';

/** Commands by which locks are made. */
type Ability = 'latch' | 'script';

/** Answers of servers, by client object: several stores of one client ask once. */
const known = { eval: new WeakMap<object, Promise<Ability>>(), function: new WeakMap<object, Promise<Ability>>() };

/** A key that no lock has: a prefix ends in front of a name. */
const PROBE = 'keylatch:locks:probe';

/** Errors of a server that lacks a command, or of a user without the right to it. */
const LACKING = /unknown command|NOPERM|not (available|supported|allowed|permitted)|disabled/i;

/** Whether a server has a command: asked by running it. Errors of other kinds pass through. */
async function understands(commander: Commander, argv: readonly string[]): Promise<boolean> {
  try {
    await commander.send(argv);
    return true;
  } catch (error) {
    if (error instanceof Error && LACKING.test(error.message)) return false;
    throw error;
  }
}

async function ask(commander: Commander, form: ScriptForm): Promise<Ability> {
  if (await understands(commander, ['LATCH.INSPECT', PROBE])) return 'latch';
  if (form === 'function' || (await understands(commander, ['EVAL', 'return 1', '0']))) return 'script';
  throw new NotSupported(
    'EVAL',
    'locks need the LATCH commands of keylatch, or EVAL and EVALSHA: the server lacks both, or its user may run neither',
  );
}

/** Server's abilities; a failed question is asked again. */
function knownOf(store: object, commander: Commander, form: ScriptForm): Promise<Ability> {
  const answers = known[form];
  const earlier = answers.get(store);
  if (earlier !== undefined) return earlier;
  const asked = ask(commander, form);
  answers.set(store, asked);
  asked.catch(() => answers.delete(store));
  return asked;
}

/** Passes everything to the store that the server turns out to have. */
export class AskedCoordination implements Coordination {
  readonly #store: LockStore;
  readonly #commander: Commander;
  readonly #time: Time;
  readonly #form: ScriptForm;
  readonly isLocal: boolean;
  #found: Coordination | undefined;

  constructor(store: LockStore, time: Time, form: ScriptForm = 'eval') {
    this.#store = store;
    this.#commander = commanderOf(store);
    this.#time = time;
    this.#form = form;
    this.isLocal = isLocalEngine(store);
  }

  /** The store, once known: operations on it begin within the caller's call. */
  #then<T>(run: (found: Coordination) => Promise<T>): Promise<T> {
    return this.#found === undefined ? this.#find().then(run) : run(this.#found);
  }

  async #find(): Promise<Coordination> {
    const answer = await knownOf(this.#store, this.#commander, this.#form);
    this.#found ??=
      answer === 'latch'
        ? new LatchCoordination(this.#commander, this.#time)
        : new ScriptCoordination(this.#commander, this.#time, this.#form);
    return this.#found;
  }

  acquire(request: AcquireRequest): Promise<Grant | null> {
    return this.#then((found) => found.acquire(request));
  }

  renew(claim: Claim, ttlMs: number, asShared?: boolean): Promise<number> {
    return this.#then((found) => found.renew(claim, ttlMs, asShared));
  }

  release(claim: Claim, token?: number): Promise<boolean> {
    return this.#then((found) => found.release(claim, token));
  }

  check(claim: Claim, token: number | undefined): Promise<boolean> {
    return this.#then((found) => found.check(claim, token));
  }

  inspect(key: string): Promise<Inspection> {
    return this.#then((found) => found.inspect(key));
  }

  watch(claim: Claim, token: number, lost: () => void): (() => void) | undefined {
    return this.#found?.watch?.(claim, token, lost);
  }

  changes(key: string, changed: () => void): (() => void) | undefined {
    return this.#found?.changes?.(key, changed);
  }

  limit(request: LimitRequest): Promise<LimitResult> {
    return this.#then((found) => found.limit(request));
  }

  run(request: RunRequest): Promise<{ readonly reply: unknown } | null> {
    return this.#then((found) => found.run(request));
  }

  once(request: OnceRequest): Promise<OnceState> {
    return this.#then((found) => found.once(request));
  }

  done(request: DoneRequest): Promise<boolean> {
    return this.#then((found) => found.done(request));
  }

  arrive(request: ArriveRequest): Promise<BarrierState> {
    return this.#then((found) => found.arrive(request));
  }
}
