/**
 * One log file that pieces are appended to. At most one sync runs at a time. A barrier waits for a sync that began after its
 * bytes were written, and no descriptor is closed under a sync.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import { PersistenceError } from '../errors.js';
import { codeOf, fileError, onFile } from './file-error.js';
import { HEADER_BYTES_MAX, writeHeader } from './frames.js';

/** Size of a piece up to which it is written together with the line in front of it. */
const COPIED_BYTES_MAX = 4096;
/** Where the line in front of a piece is made, and a small piece is put behind it. */
const joined = /* @__PURE__ */ Buffer.alloc(HEADER_BYTES_MAX + COPIED_BYTES_MAX);

export class LogFile {
  readonly path: string;
  readonly #fd: number;
  readonly #inode: number;
  /** Length without a piece that was written in part. */
  #bytes: number;
  /** Length that is forced to the medium. What was there before may be the system's still. */
  #syncedBytes = 0;
  /** True if the file may be longer than `#bytes`. */
  #hasRest = false;
  #failure: PersistenceError | undefined;
  #running: Promise<void> | undefined;
  /** Number of callers that wait for a sync. */
  #waiting = 0;

  constructor(path: string) {
    const [fd, { size, ino }] = onFile(path, () => {
      const opened = openSync(path, 'a');
      return [opened, fstatSync(opened)] as const;
    });
    this.path = path;
    this.#fd = fd;
    this.#inode = ino;
    this.#bytes = size;
  }

  /** Set once a sync has failed: the system may have dropped bytes, whatever it says later. */
  get failure(): PersistenceError | undefined {
    return this.#failure;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True while appended bytes are not forced to the medium. */
  get isDirty(): boolean {
    return this.#syncedBytes < this.#bytes;
  }

  /** Appends a piece. After a failure nothing of it is there, or it is cut off by the next call. */
  append(piece: Uint8Array): void {
    if (this.#failure !== undefined) throw this.#failure;
    onFile(this.path, () => {
      this.cut();
      const headerBytes = writeHeader(joined, piece);
      const bytes = headerBytes + piece.length;
      this.#hasRest = true;
      // A copy of a small piece takes less time than another call of the system.
      if (piece.length <= COPIED_BYTES_MAX) {
        joined.set(piece, headerBytes);
        this.#write(joined, bytes);
      } else {
        this.#write(joined, headerBytes);
        this.#write(piece, piece.length);
      }
      this.#bytes += bytes;
      this.#hasRest = false;
    });
  }

  #write(bytes: Uint8Array, length: number): void {
    for (let done = 0; done < length; ) done += writeSync(this.#fd, bytes, done, length - done);
  }

  /** Removes what a failed append left behind. */
  cut(): void {
    if (!this.#hasRest) return;
    onFile(this.path, () => ftruncateSync(this.#fd, this.#bytes));
    this.#hasRest = false;
  }

  /** Forces everything appended to the medium before it returns. */
  syncNow(): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#refuseReplaced();
    try {
      fdatasyncSync(this.#fd);
    } catch (error) {
      throw this.#failed(error);
    }
    this.#syncedBytes = this.#bytes;
  }

  /** Resolves when a sync that covers everything appended before the call has ended; rejects if one fails. */
  async sync(): Promise<void> {
    const wantedBytes = this.#bytes;
    this.#waiting += 1;
    try {
      // The running sync may have begun before the last append.
      while (this.#syncedBytes < wantedBytes) {
        if (this.#failure !== undefined) throw this.#failure;
        await (this.#running ?? this.#begin());
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Closes the file, once no sync runs and none is waited for. An error says nothing of what was forced to the medium. */
  async close(): Promise<void> {
    while (this.#running !== undefined || this.#waiting > 0) await this.#running?.catch(() => {});
    try {
      closeSync(this.#fd);
    } catch {
      // The descriptor is gone in any case.
    }
  }

  #begin(): Promise<void> {
    this.#refuseReplaced();
    this.#running = this.#forced(this.#bytes).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Forces the bytes that are there to the medium. */
  async #forced(coveredBytes: number): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        fdatasync(this.#fd, (error) => (error === null ? resolve() : reject(error)));
      });
    } catch (error) {
      throw this.#failed(error);
    }
    // The system reports a failure once: another sync of these bytes may have met it.
    if (this.#failure !== undefined) throw this.#failure;
    this.#syncedBytes = Math.max(this.#syncedBytes, coveredBytes);
  }

  #failed(error: unknown): PersistenceError {
    this.#failure = fileError(error, this.path);
    return this.#failure;
  }

  /** A log that was deleted or replaced takes bytes that no reader will find. */
  #refuseReplaced(): void {
    let inode: number | undefined;
    try {
      inode = statSync(this.path).ino;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') return;
    }
    if (inode === this.#inode) return;
    const reason = inode === undefined ? 'the log was deleted' : 'the log was replaced by another file';
    throw new PersistenceError('LOST', `${this.path}: ${reason}; what this process holds is in memory only`, {
      file: this.path,
    });
  }
}
