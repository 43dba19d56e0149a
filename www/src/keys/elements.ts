/** Elements of a value, read page by page when they are asked for. */

import type { InspectedKey } from 'keylatch/core';
import type { KeyList, KeyRow } from './key-list.ts';

export interface Element {
  /** Field, or member; empty in a list. */
  readonly name: Uint8Array;
  /** Value of a field, element of a list, score of a member. */
  readonly value: Uint8Array;
  readonly deadlineMs: number | null;
}

const PAGE_ELEMENTS = 100;
const NOTHING = new Uint8Array();
const encoder = new TextEncoder();

/** Reader of elements by index. Its pages belong to one state of the key. */
export function elementPages(list: KeyList, row: KeyRow): (index: number) => Element | undefined {
  const pages = new Map<number, readonly Element[]>();
  return (index) => {
    const from = index - (index % PAGE_ELEMENTS);
    let page = pages.get(from);
    if (!page) pages.set(from, (page = elementsOf(list.read(row, from, PAGE_ELEMENTS))));
    return page[index - from];
  };
}

function elementsOf(found: InspectedKey<Uint8Array> | null): readonly Element[] {
  switch (found?.type) {
    case 'hash':
      return found.fields.map(({ field, value, deadlineMs }) => ({ name: field, value, deadlineMs }));
    case 'list':
      return found.elements.map((value) => ({ name: NOTHING, value, deadlineMs: null }));
    case 'set':
      return found.members.map((name) => ({ name, value: NOTHING, deadlineMs: null }));
    case 'zset':
      return found.members.map(([name, score]) => ({
        name,
        value: encoder.encode(scoreText(score)),
        deadlineMs: null,
      }));
    default:
      return [];
  }
}

/** A score as commands print it. */
function scoreText(score: number): string {
  if (Number.isFinite(score)) return String(score);
  return score > 0 ? 'inf' : '-inf';
}
