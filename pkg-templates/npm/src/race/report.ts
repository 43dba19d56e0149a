/** Result types of exploring a race. */

/** A client at the end of a run. */
export interface RaceClient {
  /** Name in the session; '' is the default client. */
  readonly name: string;
  /** `stopped`: a reply differed from its guard. `blocked`: it still waits for a reply or a message. */
  readonly end: 'finished' | 'stopped' | 'crashed' | 'blocked';
  /** Line of the session at which it ended; 0 if it ran none. */
  readonly line: number;
  /** Its last reply as redis-cli prints it, shortened if it is long; empty if there was none. */
  readonly reply: string;
}

/** A key at the end of a run. */
export interface RaceKey {
  /** Database of the key. */
  readonly database: number;
  /** The key, quoted where a command would need it. */
  readonly key: string;
  /** Its value as redis-cli prints it; of a long one the beginning or the size, with a digest. */
  readonly value: string;
  /** Remaining time to live in milliseconds, or null. */
  readonly ttlMs: number | null;
}

/** A way in which runs end, with the number of runs that end so. */
export interface RaceOutcome {
  /** Number of orders without a crash or a clock step. */
  readonly orders: number;
  /** Number of runs with a crash of one client. */
  readonly crashes: number;
  /** Number of runs with a clock step. */
  readonly clockSteps: number;
  /** False if clients were inside together, or a condition failed. */
  readonly safe: boolean;
  /** Clients that believed themselves inside at the same time, the first such pair or group; empty if none did. */
  readonly together: readonly string[];
  /** Lines of replies behind the race that differ: conditions that fail. */
  readonly failed: readonly number[];
  /** Clients that believe themselves inside at the end. */
  readonly inside: readonly string[];
  /** True if several clients are blocked, and none is left that could wake them before a timeout. */
  readonly deadlock: boolean;
  /** The clients of the race in the order of their first lines. */
  readonly clients: readonly RaceClient[];
  /** All keys. */
  readonly keys: readonly RaceKey[];
  /**
   * A shortest run with this outcome as a session, with replies that match; undefined behind the first 500 outcomes, behind 20 of
   * an exploration that was ended.
   */
  readonly session: string | undefined;
}

/** Result of exploring a race. */
export interface RaceReport {
  /** Line of `@ race`. */
  readonly line: number;
  /** Number of orders that keep the lines of each client in their order. */
  readonly orders: number;
  /** The sample that was run in place of all orders, with the number of orders that were run, or null. */
  readonly sample: { readonly orders: number; readonly seed: number } | null;
  /** True if the exploration was ended before all runs were made. */
  readonly cancelled: boolean;
  /** Number of runs: orders, orders with a crash, orders with a clock step. */
  readonly runs: number;
  /** Number of runs that are not safe. */
  readonly unsafe: number;
  /**
   * Outcomes: those that are not safe first, then deadlocks, then further ones; the most frequent of each first. At most 1,000 of
   * each are listed.
   */
  readonly outcomes: readonly RaceOutcome[];
  /** Number of runs with outcomes that are not listed. */
  readonly others: number;
}

/** How far an exploration is. */
export interface RaceProgress {
  /** Share of the work that is done, from 0 to 1. */
  readonly share: number;
  /** Number of commands that were run. */
  readonly commands: number;
}
