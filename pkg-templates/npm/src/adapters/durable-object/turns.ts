/**
 * Turns of an object: commands run, and their effects are stored, in one synchronous step. The platform holds every message of
 * the object until what a step wrote is safe.
 *
 * A command that comes alone is a turn at once. In company commands wait for a timer, and run as one turn with one write: the
 * platform forces each event's writes onto the medium by themselves. Nothing runs before its turn, so memory is never ahead of
 * the log.
 */
import { Failure } from '../upstash/exchange.js';

/** Turns of one command after which a turn does not wait for others any more. */
const CROWD = 8;
/** Turns in quick succession after which one waits, to find out whether it has company; doubled each time that it has none. */
const PROBE_AFTER = 8;
const PROBE_AFTER_MAX = 1024;
/** Time between two turns in quick succession. */
const QUICK_MS = 1;
/** Commands that wait for a turn, at most. */
const WAITING_MAX = 10_000;

const NOT_STORED = 'UNAVAILABLE the object starts again from its log; the command may have run';

/** How an object stores what its commands did. */
export interface TurnOwner {
  /** Called in front of the commands of each turn. */
  begin(): void;
  /** Writes effects, and sends what may leave then; whether there were any. Throws if the object cannot go on, after these errors of commands among others. */
  store(errors: readonly unknown[]): boolean;
  /** Ends the object after an error of `store`. */
  end(cause: unknown): void;
}

/** One caller's part of a turn. */
interface Step {
  /** Runs the part, and adds its error to the list. Returns a function that fulfils or rejects its promise, for when the turn is stored. */
  run(errors: unknown[]): () => void;
  reject(cause: unknown): void;
}

export class Turns {
  readonly #owner: TurnOwner;
  #waiting: Step[] = [];
  #waits = 0;
  #crowd = 0;
  #lastMs = 0;
  #quickTurns = 0;
  #probeAfter = PROBE_AFTER;
  #isArmed = false;

  constructor(owner: TurnOwner) {
    this.#owner = owner;
  }

  /** Commands that waited for a turn so far. */
  get waits(): number {
    return this.#waits;
  }

  /** Runs work in a turn. Resolves once its effects are written. */
  readonly run = <T>(work: () => T): Promise<Awaited<T>> =>
    new Promise<Awaited<T>>((resolve, reject) => {
      const step = { run: partOf(work, resolve as (value: T) => void, reject), reject };
      if (!this.#isArmed && this.#crowd === 0 && !this.#isProbe()) this.#perform([step]);
      else this.#wait(step);
    });

  /** Whether a command waits for others though none are known: those that only read arm no timer. */
  #isProbe(): boolean {
    const nowMs = Date.now();
    this.#quickTurns = Math.abs(nowMs - this.#lastMs) <= QUICK_MS ? this.#quickTurns + 1 : 0;
    this.#lastMs = nowMs;
    if (this.#quickTurns < this.#probeAfter) return false;
    this.#quickTurns = 0;
    this.#probeAfter = Math.min(2 * this.#probeAfter, PROBE_AFTER_MAX);
    return true;
  }

  #wait(step: Step): void {
    if (this.#waiting.length >= WAITING_MAX)
      return step.reject(
        new Failure(429, 'OVERLOADED too many requests wait for this namespace; this one has not run'),
      );
    this.#waiting.push(step);
    this.#waits += 1;
    this.#arm();
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setTimeout(() => {
      this.#isArmed = false;
      const steps = this.#waiting;
      this.#waiting = [];
      if (steps.length > 1) [this.#crowd, this.#probeAfter] = [CROWD, PROBE_AFTER];
      else if (this.#crowd > 0) this.#crowd -= 1;
      if (steps.length > 0) this.#perform(steps);
    });
  }

  #perform(steps: readonly Step[]): void {
    const errors: unknown[] = [];
    let answers: readonly (() => void)[];
    try {
      this.#owner.begin();
      answers = steps.map((step) => step.run(errors));
      // While a write is on its way others may come: they are one turn.
      if (this.#owner.store(errors)) this.#arm();
    } catch (cause) {
      for (const step of steps) step.reject(new Failure(503, NOT_STORED));
      this.#owner.end(cause);
      return;
    }
    for (const answer of answers) answer();
  }
}

function partOf<T>(work: () => T, resolve: (value: T) => void, reject: (cause: unknown) => void): Step['run'] {
  return (errors) => {
    try {
      const value = work();
      return () => resolve(value);
    } catch (cause) {
      errors.push(cause);
      return () => reject(cause);
    }
  };
}
