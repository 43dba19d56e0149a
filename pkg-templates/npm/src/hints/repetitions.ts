/** The number of repetitions in front of a typed command: `3 INCR n`, as in redis-cli. */

/** Largest number; src/session/typed.rs has the same. */
const REPETITIONS_MAX = 10_000;
/** Reply of redis-cli to a number that it refuses. */
export const INVALID_REPETITIONS = 'Invalid redis-cli repeat command option value.';

/** The number in front of a typed command. */
export interface Repetitions {
  /** How often the command is to run. */
  readonly times: number;
  /** Number of words in front of the command: 1 for a number, else 0. */
  readonly skipped: number;
}

/** Reads the number in front of a command, which is not needed. Undefined if the number is refused. */
export function repetitionsOf(words: readonly string[]): Repetitions | undefined {
  const [first = ''] = words;
  if (words.length < 2 || !/^-?\d+$/.test(first)) return { times: 1, skipped: 0 };
  const times = Number(first);
  return times >= 1 && times <= REPETITIONS_MAX ? { times, skipped: 1 } : undefined;
}
