/**
 * Index of the keys of one database, for the inspector and for completion. Filled in slices from pages of the keyspace,
 * then kept up to date by events. All reading is outside commands and clients, so that it leaves no trace in the engine.
 */

import type { InspectedKey, Keylatch, KeyEvent, KeyInfo } from 'keylatch/core';
import { Emitter } from '../base/emitter.ts';
import { keyLabel, keyName } from './key-label.ts';
import { byExpiry, byName, dueMs, firstIndex, type KeyRow, SortedRows } from './sorted-rows.ts';

export type { KeyRow } from './sorted-rows.ts';

/** Keys read at once while the index is filled. */
const PAGE_KEYS = 500;
/** Time of one slice of work in milliseconds, half of a frame. */
const SLICE_MS = 8;
/** Time that a removed row stays visible, in milliseconds. */
const FAREWELL_MS = 1600;
/** Number of keys removed at once above which their rows disappear immediately. */
const FAREWELLS_MAX = 50;
const DATABASES = 16;

interface Touched {
  readonly key: Uint8Array;
  readonly event: string;
}

export class KeyList {
  readonly changes = new Emitter<'keys'>();
  /** Number of changes of the index. */
  revision = 0;
  private database = 0;
  private nowMs = 0;
  private readonly index = new Map<string, KeyRow>();
  private readonly named = new SortedRows(byName);
  private readonly dated = new SortedRows(byExpiry);
  private readonly undated = new SortedRows(byName);
  private touched = new Map<string, Touched>();
  private gone = new Set<string>();
  /** Cursor of the next page while the index is being filled. */
  private cursor: string | undefined = '0';
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly db: Keylatch) {}

  /** Rows by name, removed ones that are still shown among them. */
  get rows(): readonly KeyRow[] {
    return this.named.rows;
  }

  /** Rows with a deadline, the next expiry first. */
  get datedRows(): readonly KeyRow[] {
    return this.dated.rows;
  }

  /** Rows without a deadline, by name. */
  get undatedRows(): readonly KeyRow[] {
    return this.undated.rows;
  }

  /** Number of keys in the index. */
  get count(): number {
    return this.index.size - this.gone.size;
  }

  /** True until all keys were read once. */
  get isFilling(): boolean {
    return this.cursor !== undefined;
  }

  row(label: string): KeyRow | undefined {
    return this.index.get(label);
  }

  /** Records an event until the next refresh. */
  noteEvent(event: KeyEvent<Uint8Array>): void {
    if (event.db !== this.database || event.event === 'clock') return;
    this.touched.set(keyLabel(event.key), { key: event.key, event: event.event });
  }

  /** Brings the index up to date; what takes longer than a slice goes on later. */
  refresh(database: number, nowMs: number): void {
    this.nowMs = nowMs;
    if (database !== this.database) this.refill(database);
    this.work();
    // FLUSHALL, SWAPDB and the like have no event for each key.
    const settled = !this.isFilling && this.touched.size === 0;
    if (settled && this.db.inspectPage({ limit: 1, db: database }).total !== this.count) {
      this.refill(database);
      this.work();
    }
  }

  /** Reads all keys anew, after a change without events. */
  refill(database = this.database): void {
    this.database = database;
    this.index.clear();
    for (const rows of [this.named, this.dated, this.undated]) rows.clear();
    this.touched.clear();
    this.gone.clear();
    this.cursor = '0';
  }

  /** Ends work that is under way, before the engine is closed. */
  stop(): void {
    clearTimeout(this.timer);
    this.cursor = undefined;
    this.touched.clear();
  }

  /** The key with a part of its value: `count` bytes or elements behind the first `from`. */
  read(row: KeyRow, from: number, count: number): InspectedKey<Uint8Array> | null {
    return this.db.inspectKey(row.key, { from, count, db: this.database, buffer: true });
  }

  /** Labels of keys that start with a prefix, for completion. */
  labelsStartingWith(prefix: string, limit: number): string[] {
    const { rows } = this.named;
    const from = firstIndex(rows, (row) => row.name >= prefix);
    const found: string[] = [];
    for (let at = from; at < rows.length && found.length < limit; at += 1) {
      const row = rows[at] as KeyRow;
      if (!row.name.startsWith(prefix)) break;
      if (!row.goneBy) found.push(row.label);
    }
    return found;
  }

  /** Databases with keys, besides database 0. */
  inhabited(): number[] {
    const all = Array.from({ length: DATABASES }, (_, number) => number);
    return all.filter((number) => number > 0 && this.db.inspectPage({ limit: 1, db: number }).total > 0);
  }

  /** Whether there is a key in any database. */
  get hasAny(): boolean {
    return this.inhabited().length > 0 || this.db.inspectPage({ limit: 1 }).total > 0;
  }

  /** One slice of work, and a timer for the next. */
  private work(): void {
    clearTimeout(this.timer);
    const endMs = performance.now() + SLICE_MS;
    this.follow(endMs);
    if (this.touched.size === 0) this.fill(endMs);
    if (this.touched.size > 0 || this.isFilling) this.timer = setTimeout(() => this.work());
    this.announce();
  }

  private announce(): void {
    this.revision += 1;
    this.changes.emit('keys');
  }

  /** Reads the keys of events again. */
  private follow(endMs: number): void {
    const removed: KeyRow[] = [];
    const added: KeyRow[] = [];
    const mayShow = this.touched.size <= FAREWELLS_MAX;
    for (const [label, { key, event }] of this.touched) {
      this.touched.delete(label);
      const before = this.index.get(label);
      const found = this.db.inspectKey(key, { count: 0, db: this.database, buffer: true });
      const row = found ? this.makeRow(label, { ...found, key }, 1) : mayShow && before && farewell(before, event);
      if (before) removed.push(before);
      if (row) added.push(row);
      this.note(label, row || undefined);
      if (performance.now() > endMs) break;
    }
    this.change(removed, added);
  }

  private fill(endMs: number): void {
    const added: KeyRow[] = [];
    while (this.cursor !== undefined && performance.now() < endMs) {
      const page = this.db.inspectPage({ cursor: this.cursor, limit: PAGE_KEYS, db: this.database, buffer: true });
      for (const info of page.keys) {
        const label = keyLabel(info.key);
        if (this.index.has(label)) continue;
        const row = this.makeRow(label, info, 0);
        this.note(label, row);
        added.push(row);
      }
      this.cursor = page.cursor === '0' ? undefined : page.cursor;
    }
    this.change([], added);
  }

  private note(label: string, row: KeyRow | undefined): void {
    if (row) this.index.set(label, row);
    else this.index.delete(label);
    if (!row?.goneBy) this.gone.delete(label);
    else if (!this.gone.has(label)) {
      this.gone.add(label);
      setTimeout(() => this.drop(label), FAREWELL_MS);
    }
  }

  private change(removed: readonly KeyRow[], added: readonly KeyRow[]): void {
    if (removed.length + added.length === 0) return;
    const isDated = (row: KeyRow): boolean => dueMs(row) !== null;
    const isUndated = (row: KeyRow): boolean => !isDated(row);
    this.named.change(removed, added);
    this.dated.change(removed.filter(isDated), added.filter(isDated));
    this.undated.change(removed.filter(isUndated), added.filter(isUndated));
  }

  private makeRow(label: string, info: Omit<KeyInfo<Uint8Array>, 'type'> & { type: string }, changes: number): KeyRow {
    const { key, type, size, deadlineMs, fieldDeadlineMs } = info;
    const before = this.index.get(label);
    const isSame = before && !before.goneBy && before.deadlineMs === deadlineMs;
    return {
      label,
      name: keyName(key, label),
      key,
      type,
      size,
      deadlineMs,
      fieldDeadlineMs,
      fuseMs: isSame ? before.fuseMs : Math.max((deadlineMs ?? this.nowMs) - this.nowMs, 1),
      version: (before?.version ?? 0) + changes,
      changedAt: changes > 0 ? performance.now() : Number.NEGATIVE_INFINITY,
      goneBy: undefined,
    };
  }

  private drop(label: string): void {
    const row = this.index.get(label);
    if (!row?.goneBy) return;
    this.note(label, undefined);
    this.change([row], []);
    this.announce();
  }
}

/** Row of a key that was just removed: shown a moment longer. */
function farewell(row: KeyRow, event: string): KeyRow {
  return row.goneBy ? row : { ...row, goneBy: event };
}
