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
} from './coordination.js';
import { LatchCoordination } from './latch.js';
import { featuresOf, PlainCoordination, understands, type Features } from './plain.js';
import type { Time } from './time.js';
import { isLocalEngine } from './trackers.js';

/** Abilities of a server: the LATCH commands, or which others. */
type Known = 'latch' | Features;

/** Answers of servers, by client object: several stores of one client ask once. */
const known = new WeakMap<object, Promise<Known>>();

/** A key that no lock has: a prefix ends in front of a name. */
const PROBE = 'keylatch:locks:probe';

async function ask(commander: Commander): Promise<Known> {
  return (await understands(commander, ['LATCH.INSPECT', PROBE])) ? 'latch' : featuresOf(commander, PROBE);
}

/** Server's abilities; a failed question is asked again. */
function knownOf(store: object, commander: Commander): Promise<Known> {
  const earlier = known.get(store);
  if (earlier !== undefined) return earlier;
  const asked = ask(commander);
  known.set(store, asked);
  asked.catch(() => known.delete(store));
  return asked;
}

/** Passes everything to the store that the server turns out to have. */
export class AskedCoordination implements Coordination {
  readonly #store: LockStore;
  readonly #commander: Commander;
  readonly #time: Time;
  readonly isLocal: boolean;
  #found: Coordination | undefined;

  constructor(store: LockStore, time: Time) {
    this.#store = store;
    this.#commander = commanderOf(store);
    this.#time = time;
    this.isLocal = isLocalEngine(store);
  }

  /** The store, once known: operations on it begin within the caller's call. */
  #then<T>(run: (found: Coordination) => Promise<T>): Promise<T> {
    return this.#found === undefined ? this.#find().then(run) : run(this.#found);
  }

  async #find(): Promise<Coordination> {
    const answer = await knownOf(this.#store, this.#commander);
    this.#found ??=
      answer === 'latch'
        ? new LatchCoordination(this.#commander, this.#time)
        : new PlainCoordination(this.#commander, answer, this.#time);
    return this.#found;
  }

  acquire(request: AcquireRequest): Promise<Grant | null> {
    return this.#then((found) => found.acquire(request));
  }

  renew(claim: Claim, ttlMs: number, asShared?: boolean): Promise<number> {
    return this.#then((found) => found.renew(claim, ttlMs, asShared));
  }

  release(claim: Claim): Promise<boolean> {
    return this.#then((found) => found.release(claim));
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
