/** Order, filter and folders of the inspector's list: which items stand where. Independent of engine and DOM. */

import { keyMatcher } from 'keylatch/hints';
import type { KeyList } from './key-list.ts';
import { firstIndex, type KeyRow } from './sorted-rows.ts';

export type KeyOrder = 'name' | 'expiry' | 'tree';

export interface KeyItem {
  readonly kind: 'key';
  readonly row: KeyRow;
  /** Text of the row: in a folder without the folder's name. */
  readonly text: string;
  readonly level: number;
}

/** Keys with a common beginning up to a colon. */
export interface FolderItem {
  readonly kind: 'folder';
  readonly prefix: string;
  readonly text: string;
  readonly level: number;
  readonly count: number;
  readonly open: boolean;
}

export type Item = KeyItem | FolderItem;

/** Identity of an item among all. */
export function itemId(item: Item): string {
  return item.kind === 'key' ? `k${item.row.label}` : `f${item.prefix}`;
}

const SEPARATOR = ':';

export class KeyView {
  order: KeyOrder = 'name';
  private pattern = '';
  private accepts: ((row: KeyRow) => boolean) | undefined;
  private readonly open = new Set<string>();
  /** Number of changes of this view. */
  private settings = 0;
  private arranged: { list: KeyList; revision: number; settings: number; parts: readonly Part[] } | undefined;

  get filter(): string {
    return this.pattern;
  }

  /** A glob pattern as KEYS has it; a text without wildcards is searched for anywhere in the key. */
  set filter(pattern: string) {
    this.pattern = pattern;
    this.accepts = pattern === '' ? undefined : rowFilter(pattern);
    this.settings += 1;
  }

  sortBy(order: KeyOrder): void {
    this.order = order;
    this.settings += 1;
  }

  toggle(prefix: string): void {
    if (!this.open.delete(prefix)) this.open.add(prefix);
    this.settings += 1;
  }

  /** Number of items. */
  count(list: KeyList): number {
    return this.parts(list).reduce((sum, part) => sum + part.length, 0);
  }

  /** Number of keys that pass the filter. */
  keyCount(list: KeyList): number {
    if (!this.accepts) return list.count;
    const { accepts } = this;
    return list.rows.reduce((sum, row) => sum + (!row.goneBy && accepts(row) ? 1 : 0), 0);
  }

  at(list: KeyList, index: number): Item | undefined {
    let rest = index;
    for (const part of this.parts(list)) {
      const item = rest < part.length ? part[rest] : undefined;
      if (item) return 'kind' in item ? item : { kind: 'key', row: item, text: item.label, level: 0 };
      rest -= part.length;
    }
    return undefined;
  }

  /** Index of an item, -1 if it is not in the list. Searches all items, so it is for keystrokes only. */
  indexOf(list: KeyList, id: string): number {
    let before = 0;
    for (const part of this.parts(list)) {
      const found = part.findIndex((item) => ('kind' in item ? itemId(item) : `k${item.label}`) === id);
      if (found >= 0) return before + found;
      before += part.length;
    }
    return -1;
  }

  private parts(list: KeyList): readonly Part[] {
    const { arranged, settings } = this;
    const isFresh = arranged?.list === list && arranged.revision === list.revision && arranged.settings === settings;
    if (isFresh) return arranged.parts;
    const parts = this.arrange(list);
    this.arranged = { list, revision: list.revision, settings, parts };
    return parts;
  }

  private arrange(list: KeyList): readonly Part[] {
    const rows = this.order === 'expiry' ? [list.datedRows, list.undatedRows] : [list.rows];
    const { accepts } = this;
    const kept = accepts ? rows.map((part) => part.filter(accepts)) : rows;
    return this.order === 'tree' ? [folded(kept[0] ?? [], this.open)] : kept;
  }
}

type Part = readonly (KeyRow | Item)[];

function rowFilter(pattern: string): (row: KeyRow) => boolean {
  if (!/[*?[\\]/.test(pattern)) {
    const part = pattern.toLowerCase();
    return (row) => row.name.toLowerCase().includes(part);
  }
  const matches = keyMatcher(pattern);
  return (row) => matches(row.key);
}

/** Rows in the order of their names, as folders and keys. Closed folders are skipped, however many keys they have. */
function folded(rows: readonly KeyRow[], open: ReadonlySet<string>): Item[] {
  const items: Item[] = [];
  const walk = (from: number, to: number, prefix: string, level: number): void => {
    for (let at = from; at < to; ) {
      const row = rows[at] as KeyRow;
      const end = row.name.indexOf(SEPARATOR, prefix.length);
      if (end < 0) {
        items.push({ kind: 'key', row, text: shortName(row, prefix), level });
        at += 1;
        continue;
      }
      const inner = row.name.slice(0, end + 1);
      const next = Math.min(
        firstIndex(rows, (other) => !other.name.startsWith(inner), at),
        to,
      );
      const isOpen = open.has(inner);
      items.push({
        kind: 'folder',
        prefix: inner,
        text: inner.slice(prefix.length),
        level,
        count: next - at,
        open: isOpen,
      });
      if (isOpen) walk(at, next, inner, level + 1);
      at = next;
    }
  };
  walk(0, rows.length, '', 0);
  return items;
}

function shortName({ name, label }: KeyRow, prefix: string): string {
  return prefix === '' ? label : name.slice(prefix.length) || label;
}
