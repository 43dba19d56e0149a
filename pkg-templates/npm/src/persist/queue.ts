/** Pieces and snapshots that wait to be written, in order. */
import { concat } from '../resp/concat.js';

interface Entry {
  /** Number of the last entry of the batch. */
  readonly seq: number;
  readonly nowMs: number;
}

/** Effects that are written next, as one. */
export interface PieceBatch extends Entry {
  readonly bytes: Uint8Array;
  readonly snapshot?: undefined;
}

/** A snapshot that replaces everything before it. */
interface Replacement extends Entry {
  readonly bytes?: undefined;
  readonly snapshot: Uint8Array;
}

export type Batch = PieceBatch | Replacement;

export class Queue {
  #batches: Batch[] = [];
  readonly #running = new Set<Batch>();
  readonly #tried = new WeakSet<Batch>();
  #lastSeq = 0;
  #bytes = 0;

  /** Number of the last entry ever queued. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Bytes of effects. */
  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  get hasSnapshot(): boolean {
    return this.#batches.some(({ snapshot }) => snapshot !== undefined);
  }

  push(bytes: Uint8Array, nowMs: number): void {
    this.#lastSeq += 1;
    this.#bytes += bytes.length;
    this.#batches.push({ bytes, nowMs, seq: this.#lastSeq });
  }

  pushSnapshot(snapshot: Uint8Array, nowMs: number): void {
    this.#lastSeq += 1;
    this.#batches.push({ snapshot, nowMs, seq: this.#lastSeq });
  }

  /** The next batch to write: a snapshot, or all pieces in front of one, joined. Stays until `done`. */
  next(): Batch | undefined {
    let start = 0;
    while (this.#running.has(this.#batches[start] as Batch)) start += 1;
    let end = start;
    while (this.#isJoinable(this.#batches[end])) end += 1;
    if (end - start > 1) this.#batches.splice(start, end - start, joined(this.#batches.slice(start, end)));
    return this.#batches[start];
  }

  /** Notes that a batch is being written: `next` passes over it. */
  started(batch: Batch): void {
    this.#running.add(batch);
    this.#tried.add(batch);
  }

  /** Notes that writing a batch failed: it is the next one again, with the same bytes. */
  failed(batch: Batch): void {
    this.#running.delete(batch);
  }

  /** A store knows a piece that it was given before by its array. */
  #isJoinable(batch: Batch | undefined): boolean {
    return batch !== undefined && batch.snapshot === undefined && !this.#tried.has(batch);
  }

  /** Removes a batch that was written. */
  done(batch: Batch): void {
    this.#running.delete(batch);
    // The queue may have been cleared meanwhile.
    const index = this.#batches.indexOf(batch);
    if (index < 0) return;
    this.#batches.splice(index, 1);
    this.#bytes -= batch.bytes?.length ?? 0;
  }

  /** Drops everything, because a later snapshot will contain it. The snapshot counts as one more entry. */
  clear(): void {
    this.#batches = [];
    this.#running.clear();
    this.#bytes = 0;
    this.#lastSeq += 1;
  }
}

function joined(batches: readonly Batch[]): Batch {
  const { nowMs, seq } = batches.at(-1) as Batch;
  return { bytes: concat(batches.flatMap(({ bytes }) => bytes ?? [])), nowMs, seq };
}
