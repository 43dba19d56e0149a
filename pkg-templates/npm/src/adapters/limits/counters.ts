/** Counts in a store, each for a period that begins with its first use. Needs the commands of any Redis, and no scripts. */
import { ANSWER_MS, answered } from '../../locks/bounds.js';
import { commanderOf, type Commander, type LockStore } from '../../locks/commander.js';
import { timeOf } from '../../locks/open.js';
import { wholeNumber } from '../../locks/options.js';
import type { Time } from '../../locks/time.js';
import { isLocalEngine } from '../../locks/trackers.js';

/** A count. */
export interface Count {
  readonly count: number;
  /** Milliseconds until the count begins anew; -1 for never. */
  readonly leftMs: number;
}

/** Most keys that one step of `removeAll` looks at. */
const SCANNED = '1000';

/** Reply to PTTL of a key without an end. */
const NO_END = -1;

/** Counts by their keys. Every method rejects with NoAnswer if the store does not answer in time. */
export class Counters {
  readonly time: Time;
  readonly #commander: Commander;
  readonly #isLocal: boolean;
  readonly #timeoutMs: number;

  constructor(method: string, store: LockStore, timeout: number = ANSWER_MS) {
    this.#commander = commanderOf(store);
    this.#isLocal = isLocalEngine(store);
    this.#timeoutMs = wholeNumber(method, 'timeout', timeout, 1);
    this.time = timeOf(store);
  }

  /**
   * Adds to a count, which begins with the first use. The three commands are sent at once and give the same result in any
   * order. A count that is left without an end by the death of a process gets one with its next use.
   */
  add(key: string, amount: number, periodMs: number): Promise<Count> {
    return this.#ask(async (send) => {
      const [, count, left] = await Promise.all([
        send(['SET', key, '0', ...ending(periodMs), 'NX']),
        send(['INCRBY', key, String(amount)]),
        send(['PTTL', key]),
      ]);
      const leftMs = Number(left);
      if (leftMs >= 0 || periodMs === 0) return { count: Number(count), leftMs: Math.max(leftMs, NO_END) };
      await send(['PEXPIRE', key, String(periodMs)]);
      return { count: Number(count), leftMs: periodMs };
    });
  }

  /** A count; null where there is none. */
  read(key: string): Promise<Count | null> {
    return this.#ask(async (send) => {
      const [count, left] = await Promise.all([send(['GET', key]), send(['PTTL', key])]);
      return count === null ? null : { count: Number(count), leftMs: Math.max(Number(left), NO_END) };
    });
  }

  /** Replaces a count; a period of 0 is one without an end. */
  async write(key: string, count: number, periodMs: number): Promise<void> {
    await this.#ask((send) => send(['SET', key, String(count), ...ending(periodMs)]));
  }

  /** Removes a count; false where there is none. */
  async remove(key: string): Promise<boolean> {
    return Number(await this.#ask((send) => send(['DEL', key]))) === 1;
  }

  /** Removes all counts of keys that begin with a text. */
  async removeAll(prefix: string): Promise<void> {
    const pattern = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`;
    let cursor = '0';
    do {
      const reply = await this.#ask((send) => send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', SCANNED]));
      const [next, keys] = reply as [unknown, readonly unknown[]];
      if (keys.length > 0) await this.#ask((send) => send(['DEL', ...keys.map(String)]));
      cursor = String(next);
    } while (cursor !== '0');
  }

  #ask<T>(run: (send: Commander['send']) => Promise<T>): Promise<T> {
    return answered({ isLocal: this.#isLocal }, this.time, {
      limitMs: this.#timeoutMs,
      ask: () => run((argv) => this.#commander.send(argv)),
    });
  }
}

/** Words of SET for the end of a period. */
function ending(periodMs: number): string[] {
  return periodMs === 0 ? [] : ['PX', String(periodMs)];
}
