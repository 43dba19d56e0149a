/**
 * Keys of one database in the inspector: loaded page by page, sorted, with the changes since the last refresh. Rows are
 * read from the engine; the countdown between two refreshes is computed from their deadlines.
 */

import { type Argument, type Client, decodeReplies, type Keylatch, type KeyEvent, ReplyError } from 'keylatch/core';
import { printReply } from 'keylatch/hints';
import { Emitter } from './emitter.ts';
import { keyLabel } from './key-label.ts';

export type KeyOrder = 'name' | 'expiry';

export interface KeyRow {
  /** Text form of the key, also its identity in the list. */
  readonly label: string;
  readonly key: Uint8Array;
  readonly type: string;
  readonly size: number;
  readonly deadlineMs: number | null;
  /** Remaining time in milliseconds when this deadline was first seen: the full length of the fuse. */
  readonly fuseMs: number;
  /** Number of changes seen, so that a row can flash at each. */
  readonly version: number;
  /** Set while a removed row is still shown: the event that removed it. */
  readonly goneBy: string | undefined;
}

const PAGE_KEYS = 100;
/** Time that a removed row stays visible, in milliseconds. */
const FAREWELL_MS = 1600;
const DATABASES = 16;
const COMPLETION_KEYS = 2000;
/** Minimum length of a HyperLogLog in bytes. */
const SKETCH_BYTES = 16;
const NOTHING = new Uint8Array();
export const PREVIEW_BYTES = 512;
export const PREVIEW_ITEMS = 50;

export class KeyList {
  readonly changes = new Emitter<'keys'>();
  rows: readonly KeyRow[] = [];
  hasMore = false;
  order: KeyOrder = 'name';
  private pages = 1;
  private database = 0;
  private known = new Map<string, KeyRow>();
  private touched = new Map<string, string>();
  private reader: Client | undefined;

  constructor(private readonly db: Keylatch) {}

  /** Records an event until the next refresh. */
  noteEvent(event: KeyEvent<Uint8Array>): void {
    if (event.db === this.database) this.touched.set(keyLabel(event.key), event.event);
  }

  /** Reads the loaded pages again. */
  refresh(database: number, nowMs: number): void {
    if (database !== this.database) this.forget(database);
    const fresh = this.load(nowMs);
    for (const gone of this.farewells(fresh)) fresh.set(gone.label, gone);
    this.known = fresh;
    this.touched = new Map();
    this.sort();
  }

  loadMore(nowMs: number): void {
    this.pages += 1;
    this.refresh(this.database, nowMs);
  }

  sortBy(order: KeyOrder): void {
    this.order = order;
    this.sort();
  }

  /** The value, or its beginning, as redis-cli prints it; undefined when it has no short form. */
  preview(row: KeyRow): string | undefined {
    const command = row.goneBy ? undefined : previewCommand(row);
    const reply = command && this.ask(command);
    return reply && reply[0] !== '-'.charCodeAt(0) ? printReply(this.db, reply) : undefined;
  }

  /** Fields of a small hash with a deadline, each with its instant, the earliest first. */
  mortalFields(row: KeyRow): { readonly label: string; readonly deadlineMs: number }[] {
    const fields =
      row.type === 'hash' && row.size <= PREVIEW_ITEMS ? this.read<Uint8Array[]>(['HKEYS', row.key]) : undefined;
    if (!fields || fields.length === 0) return [];
    const deadlines = this.read<number[]>(['HPEXPIRETIME', row.key, 'FIELDS', fields.length, ...fields]) ?? [];
    const all = deadlines.map((deadlineMs, index) => ({ label: keyLabel(fields[index] ?? NOTHING), deadlineMs }));
    return all.filter(({ deadlineMs }) => deadlineMs >= 0).sort((one, other) => one.deadlineMs - other.deadlineMs);
  }

  /** Estimated number of elements, if a string is a HyperLogLog. */
  sketched(row: KeyRow): number | undefined {
    const start =
      row.type === 'string' && row.size >= SKETCH_BYTES
        ? this.read<Uint8Array>(['GETRANGE', row.key, 0, 3])
        : undefined;
    return start && keyLabel(start) === 'HYLL' ? this.read<number>(['PFCOUNT', row.key]) : undefined;
  }

  /**
   * Labels of keys that start with a prefix, for completion. Searches the first keys only, because it runs at each
   * keystroke.
   */
  labelsStartingWith(prefix: string, limit: number): string[] {
    const { keys } = this.db.inspectPage({ limit: COMPLETION_KEYS, db: this.database, buffer: true });
    const labels = keys.map((key) => keyLabel(key.key)).filter((label) => label.replace(/^"/, '').startsWith(prefix));
    return labels.sort().slice(0, limit);
  }

  /** Databases with keys, besides database 0. */
  inhabited(): number[] {
    const all = Array.from({ length: DATABASES }, (_, number) => number);
    return all.filter((number) => number > 0 && this.db.inspectPage({ limit: 1, db: number }).keys.length > 0);
  }

  /** The reply as RESP; undefined when the client cannot run commands at the moment. */
  private ask(command: readonly Argument[]): Uint8Array | undefined {
    this.reader ??= this.db.client({ name: 'preview', db: this.database, protocol: 2 });
    const reply = this.reader.callRaw(...command);
    if (reply.length > 0) return reply;
    // The client was paused or killed by CLIENT: the next refresh connects a new one.
    this.reader.close();
    this.reader = undefined;
    return undefined;
  }

  /** The reply as a value; undefined when there is none or it is an error. */
  private read<T>(command: readonly Argument[]): T | undefined {
    const reply = this.ask(command);
    const [value] = reply ? decodeReplies(reply, { buffer: true }) : [];
    return value === null || value instanceof ReplyError ? undefined : (value as T);
  }

  private load(nowMs: number): Map<string, KeyRow> {
    const rows = new Map<string, KeyRow>();
    let cursor = '0';
    for (let page = 0; page < this.pages; page += 1) {
      const part = this.db.inspectPage({ cursor, limit: PAGE_KEYS, db: this.database, buffer: true });
      for (const key of part.keys) {
        const row = this.makeRow(keyLabel(key.key), key, nowMs);
        rows.set(row.label, row);
      }
      cursor = part.cursor;
      if (cursor === '0') break;
    }
    this.hasMore = cursor !== '0';
    return rows;
  }

  private makeRow(label: string, key: Pick<KeyRow, 'key' | 'type' | 'size' | 'deadlineMs'>, nowMs: number): KeyRow {
    const before = this.known.get(label);
    const sameFuse = before !== undefined && !before.goneBy && before.deadlineMs === key.deadlineMs;
    return {
      label,
      key: key.key,
      type: key.type,
      size: key.size,
      deadlineMs: key.deadlineMs,
      fuseMs: sameFuse ? before.fuseMs : Math.max((key.deadlineMs ?? nowMs) - nowMs, 1),
      version: (before?.version ?? 0) + (this.touched.has(label) ? 1 : 0),
      goneBy: undefined,
    };
  }

  /** Rows that an event has just removed: shown a moment longer, then dropped. */
  private farewells(fresh: ReadonlyMap<string, KeyRow>): KeyRow[] {
    const rows: KeyRow[] = [];
    for (const row of this.known.values()) {
      const goneBy = row.goneBy ?? this.touched.get(row.label);
      if (fresh.has(row.label) || !goneBy) continue;
      rows.push({ ...row, goneBy });
      if (!row.goneBy) setTimeout(() => this.drop(row.label), FAREWELL_MS);
    }
    return rows;
  }

  private drop(label: string): void {
    if (!this.known.get(label)?.goneBy) return;
    this.known.delete(label);
    this.sort();
  }

  private sort(): void {
    const byName = (one: KeyRow, other: KeyRow): number => (one.label < other.label ? -1 : 1);
    const due = (row: KeyRow): number => row.deadlineMs ?? Number.POSITIVE_INFINITY;
    const byExpiry = (one: KeyRow, other: KeyRow): number =>
      due(one) === due(other) ? byName(one, other) : due(one) - due(other);
    this.rows = [...this.known.values()].sort(this.order === 'name' ? byName : byExpiry);
    this.changes.emit('keys');
  }

  private forget(database: number): void {
    this.reader?.close();
    this.reader = undefined;
    this.database = database;
    this.pages = 1;
    this.known = new Map();
    this.touched = new Map();
  }
}

/** The command that shows a value without requesting more than a screenful. */
function previewCommand({ key, type, size }: KeyRow): Argument[] | undefined {
  const few = size <= PREVIEW_ITEMS;
  switch (type) {
    case 'string':
      return ['GETRANGE', key, 0, PREVIEW_BYTES - 1];
    case 'list':
      return ['LRANGE', key, 0, PREVIEW_ITEMS - 1];
    case 'zset':
      return ['ZRANGE', key, 0, PREVIEW_ITEMS - 1, 'WITHSCORES'];
    case 'hash':
      return few ? ['HGETALL', key] : undefined;
    case 'set':
      return few ? ['SMEMBERS', key] : undefined;
    default:
      return undefined;
  }
}
