/**
 * Bounds of what is asked of a store, kept by timers of this process: a server that is down, silent or busy, and a client object
 * that waits for a connection, delay no caller beyond them.
 */
import { onAbort, type AbortSignalLike } from '../base/abort.js';
import { backOffMs } from './backoff.js';
import type { Coordination } from './coordination.js';
import { hasCode, NoAnswer } from './errors.js';
import { elapsedMs, instant, pause, type Time } from './time.js';

/** How long a request that waits for no other owner waits for the store. */
export const ANSWER_MS = 2000;
/** How much later the answer to a wait may arrive than the wait ends. */
const ARRIVAL_MS = 100;

/** A question to a store. */
export interface Question<T> {
  /** Longest time for the answer; undefined for no limit. */
  readonly limitMs: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
  /** Asks once. The signal is aborted when no answer is wanted any more; `leftMs` is the rest of the limit. */
  ask(signal: AbortSignalLike | undefined, leftMs: number | undefined): Promise<T>;
  /** Gets an answer that came after the end. */
  readonly late?: ((answer: T) => void) | undefined;
}

/** Bounds of a request that may wait. */
export interface Bounds {
  /** Longest time to wait; 0 to answer at once, undefined for no limit. */
  readonly waitMs: number | undefined;
  readonly signal: AbortSignalLike | undefined;
}

/** The answer to a request that may wait: `ask` gets the bounds of one attempt. */
export function answeredWithin<T>(
  coordination: Coordination,
  time: Time,
  { waitMs, signal }: Bounds,
  ask: (bounds: Bounds) => Promise<T>,
  late?: (answer: T) => void,
): Promise<T> {
  return answered(coordination, time, {
    limitMs: waitMs === 0 ? ANSWER_MS : waitMs && waitMs + ARRIVAL_MS,
    signal,
    ask: (end, leftMs = Infinity) =>
      ask({ waitMs: waitMs && Math.max(1, Math.min(waitMs, leftMs - ARRIVAL_MS)), signal: end }),
    late,
  });
}

/**
 * The answer of a store. A state of the server that passes is waited for, until the limit. Rejects with NoAnswer at the limit,
 * and with the signal's reason at an abort.
 */
export function answered<T>({ isLocal }: Pick<Coordination, 'isLocal'>, time: Time, question: Question<T>): Promise<T> {
  const { limitMs = Infinity, signal } = question;
  // An engine of this process answers at once, and ends waits by its own clock.
  if (isLocal) return question.ask(signal, question.limitMs);
  const end = new AbortController();
  return new Promise((resolve, reject) => {
    const cancel = Number.isFinite(limitMs) ? time.after(limitMs, () => finish(new NoAnswer(limitMs)), true) : () => {};
    const stopListening = onAbort(signal, () => finish(signal?.reason));
    const release = (): void => {
      cancel();
      stopListening();
    };
    const finish = (reason: unknown): void => {
      release();
      reject(reason);
      end.abort();
    };
    if (signal?.aborted) return finish(signal.reason);
    repeatedly(time, question, end.signal).then(
      (answer) => {
        if (end.signal.aborted) return question.late?.(answer);
        release();
        resolve(answer);
      },
      (error: unknown) => {
        release();
        reject(error);
      },
    );
  });
}

/** Asks until there is an answer, or an error that does not pass. */
async function repeatedly<T>(time: Time, { limitMs, ask }: Question<T>, end: AbortSignalLike): Promise<T> {
  const start = instant(time);
  for (let count = 0; ; count += 1) {
    try {
      return await ask(end, limitMs && Math.max(0, limitMs - elapsedMs(time, start)));
    } catch (error) {
      if (!hasCode(error, ...PASSING) || end.aborted) throw error;
    }
    await pause(time, backOffMs(time, count), end);
  }
}

/** Codes of states that a server leaves by itself: it starts, moves a slot, fails over, or runs a script. */
const PASSING = ['LOADING', 'TRYAGAIN', 'CLUSTERDOWN', 'MASTERDOWN', 'READONLY', 'BUSY'];
