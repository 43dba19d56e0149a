/** Rows of the inspector, one for each key, and arrays of them that stay sorted. Independent of the engine. */

export interface KeyRow {
  /** Text form of the key, also its identity in the list. */
  readonly label: string;
  /** The key as text: by it rows are sorted, filtered and put into folders. */
  readonly name: string;
  readonly key: Uint8Array;
  readonly type: string;
  readonly size: number;
  readonly deadlineMs: number | null;
  /** Earliest deadline of a hash's fields. */
  readonly fieldDeadlineMs: number | null;
  /** Remaining time in milliseconds when this deadline was first seen: the full length of the fuse. */
  readonly fuseMs: number;
  /** Number of changes seen, so that a row can flash at each. */
  readonly version: number;
  /** Time of the last change that was seen, on the clock of `performance.now()`. */
  readonly changedAt: number;
  /** Set while a removed row is still shown: the event that removed it. */
  readonly goneBy: string | undefined;
}

export type RowOrder = (one: KeyRow, other: KeyRow) => number;

/** First instant at which the key or one of its fields expires; null: none does. */
export function dueMs({ deadlineMs, fieldDeadlineMs }: KeyRow): number | null {
  if (deadlineMs === null || fieldDeadlineMs === null) return deadlineMs ?? fieldDeadlineMs;
  return Math.min(deadlineMs, fieldDeadlineMs);
}

export function byName(one: KeyRow, other: KeyRow): number {
  if (one.name !== other.name) return one.name < other.name ? -1 : 1;
  if (one.label === other.label) return 0;
  return one.label < other.label ? -1 : 1;
}

export function byExpiry(one: KeyRow, other: KeyRow): number {
  return (dueMs(one) ?? Number.POSITIVE_INFINITY) - (dueMs(other) ?? Number.POSITIVE_INFINITY) || byName(one, other);
}

/** Number of changes above which merging is faster than inserting one by one. */
const MERGE_MIN = 32;

/** Rows in an order that distinguishes all of them. */
export class SortedRows {
  rows: KeyRow[] = [];

  constructor(private readonly order: RowOrder) {}

  /** Replaces rows. Takes time for each change while there are few, and once through all rows for many. */
  change(removed: readonly KeyRow[], added: readonly KeyRow[]): void {
    if (removed.length + added.length < MERGE_MIN) {
      for (const row of removed) this.remove(row);
      for (const row of added) this.rows.splice(this.position(row), 0, row);
      return;
    }
    const gone = new Set(removed);
    const kept = gone.size === 0 ? this.rows : this.rows.filter((row) => !gone.has(row));
    this.rows = merged(kept, [...added].sort(this.order), this.order);
  }

  clear(): void {
    this.rows = [];
  }

  private remove(row: KeyRow): void {
    const at = this.position(row);
    if (this.rows[at] === row) this.rows.splice(at, 1);
  }

  /** Index of the first row that is not before the given one. */
  private position(row: KeyRow): number {
    return firstIndex(this.rows, (other) => this.order(other, row) >= 0);
  }
}

/** Index of the first row for which a test holds, if it holds for all rows behind that one too. */
export function firstIndex(rows: readonly KeyRow[], test: (row: KeyRow) => boolean, from = 0): number {
  let low = from;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(rows[middle] as KeyRow)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function merged(one: readonly KeyRow[], other: readonly KeyRow[], order: RowOrder): KeyRow[] {
  if (one.length === 0) return [...other];
  const all: KeyRow[] = [];
  let at = 0;
  for (const row of other) {
    for (let next = one[at]; next !== undefined && order(next, row) < 0; next = one[at]) {
      all.push(next);
      at += 1;
    }
    all.push(row);
  }
  for (; at < one.length; at += 1) all.push(one[at] as KeyRow);
  return all;
}
