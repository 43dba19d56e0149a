/** Sizes of a log and the snapshot in front of it, and whether the log is worth replacing by another snapshot. */
import { COMPACT_BYTES_MIN, isDue } from './limits.js';

export class LogSize {
  #logBytes: number;
  #snapshotBytes: number;
  readonly #bytesMin: number | undefined;
  /** Bytes that were appended since the running replacement began. */
  #bytesSinceReplace = 0;
  /** Log size from which a failed compaction is tried again. */
  #compactFrom = 0;

  /** Sizes of what was restored; `bytesMin` is the store's minimum. */
  constructor(logBytes: number, snapshotBytes: number, bytesMin: number | undefined) {
    this.#logBytes = logBytes;
    this.#snapshotBytes = snapshotBytes;
    this.#bytesMin = bytesMin;
  }

  /** Bytes of the log since the last snapshot, and of that snapshot. */
  get bytes(): { readonly logBytes: number; readonly snapshotBytes: number } {
    return { logBytes: this.#logBytes, snapshotBytes: this.#snapshotBytes };
  }

  /** Whether effects of this size outweigh the snapshot. */
  isDue(bytes: number): boolean {
    return isDue(bytes, this.#snapshotBytes, this.#bytesMin);
  }

  /** Whether the log is worth replacing, with what waits to be appended. */
  isLong(waitingBytes: number): boolean {
    const bytes = this.#logBytes + waitingBytes;
    return bytes >= this.#compactFrom && this.isDue(bytes);
  }

  appended(bytes: number): void {
    this.#logBytes += bytes;
    this.#bytesSinceReplace += bytes;
  }

  replaceBegan(): void {
    this.#bytesSinceReplace = 0;
  }

  replaced(snapshotBytes: number): void {
    this.#snapshotBytes = snapshotBytes;
    this.#logBytes = this.#bytesSinceReplace;
    this.#compactFrom = 0;
  }

  replaceFailed(waitingBytes: number): void {
    this.#compactFrom = this.#logBytes + waitingBytes + COMPACT_BYTES_MIN;
  }
}
