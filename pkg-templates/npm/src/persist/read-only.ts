/** An engine with the data of a folder that is only read. */
import type { LoadResult, ReplayResult, SkipOptions } from '../db/skipped.js';
import { PersistenceError } from './errors.js';
import type { PersistentLog } from './log.js';
import { PersistentKeylatch, type Persistence, type Restored } from './persistent.js';
import type { Restoration } from './restore.js';

/** Facts about the data when it was read. */
interface Reading {
  readonly title: string;
  readonly restored: Restored;
  readonly restoration: Restoration;
}

/** An engine from `open` with `readOnly`: commands that write are refused, and nothing is written to the folder. */
export class ReadOnlyKeylatch extends PersistentKeylatch {
  #reading: Reading | undefined;

  /** @internal Refuses writes from now on. */
  begin(reading: Reading): void {
    this.#reading = reading;
    this.saves.setReadOnly();
  }

  /** @internal There is no log. */
  override get log(): PersistentLog {
    throw this.#refusal();
  }

  /** State of the data: `readonly`, or `closed`. */
  override get persistence(): Persistence {
    const { restored, restoration } = this.#reading as Reading;
    const { logBytes, snapshotBytes } = restoration;
    const state = this.closed ? 'closed' : 'readonly';
    return { state, logBytes, snapshotBytes, pendingBytes: 0, lastFlushMs: null, error: undefined, restored };
  }

  /** Resolves: there is nothing to flush. */
  override async flush(): Promise<void> {}

  /** Rejects with the code READ_ONLY. */
  override rewrite(): Promise<void> {
    return Promise.reject(this.#refusal());
  }

  /** Throws PersistenceError with the code READ_ONLY. `fork()` makes an engine that may be changed. */
  override load(snapshot: Uint8Array, options?: SkipOptions): LoadResult {
    if (this.#reading !== undefined) throw this.#refusal();
    return super.load(snapshot, options);
  }

  /** Throws PersistenceError with the code READ_ONLY. */
  override replay(log: Uint8Array, options?: SkipOptions): ReplayResult {
    if (this.#reading !== undefined) throw this.#refusal();
    return super.replay(log, options);
  }

  #refusal(): PersistenceError {
    const reason = 'it was opened with readOnly: true; fork() makes an engine that may be changed';
    return new PersistenceError('READ_ONLY', `${this.#reading?.title ?? 'the folder'}: ${reason}`);
  }
}
