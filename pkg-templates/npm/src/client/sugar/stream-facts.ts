/** Whole streams with their groups, as XINFO replies them: for tools that copy or compare keys. */
import type { Client } from '../client.js';
import { textOf } from '../../resp/reply.js';

/** Entry that was delivered to a consumer, and not acknowledged. */
export interface PendingEntry {
  readonly id: string;
  readonly consumer: Uint8Array;
  /** Instant of the last delivery in milliseconds since the epoch. */
  readonly deliveredMs: string;
  readonly deliveries: string;
}

/** Consumer group. */
export interface StreamGroup {
  readonly name: Uint8Array;
  readonly lastId: string;
  /** Number of entries that the group has read; null if it is not known. */
  readonly entriesRead: string | null;
  readonly consumers: readonly Uint8Array[];
  readonly pending: readonly PendingEntry[];
}

/** Stream with all its entries. Numbers and ids are texts, since they may exceed 2^53. */
export interface StreamFacts {
  /** Id, and fields and values in turns. */
  readonly entries: readonly (readonly [id: string, fields: readonly Uint8Array[]])[];
  readonly lastId: string;
  readonly maxDeletedId: string;
  readonly entriesAdded: string;
  readonly groups: readonly StreamGroup[];
}

/** Reads an existing stream. */
export function streamFactsOf(client: Client['bytes'], key: Uint8Array): StreamFacts {
  const facts = named(client.call('XINFO', 'STREAM', key, 'FULL', 'COUNT', '0'));
  return {
    entries: (facts['entries'] as [Uint8Array, Uint8Array[]][]).map(([id, fields]) => [textOf(id), fields]),
    lastId: textOf(facts['last-generated-id'] as Uint8Array),
    maxDeletedId: textOf(facts['max-deleted-entry-id'] as Uint8Array),
    entriesAdded: String(facts['entries-added']),
    groups: (facts['groups'] as unknown[]).map(groupOf),
  };
}

function groupOf(found: unknown): StreamGroup {
  const facts = named(found);
  const read = facts['entries-read'];
  const pending = facts['pending'] as [Uint8Array, Uint8Array, unknown, unknown][];
  return {
    name: facts['name'] as Uint8Array,
    lastId: textOf(facts['last-delivered-id'] as Uint8Array),
    entriesRead: read === null ? null : String(read),
    consumers: (facts['consumers'] as unknown[]).map((consumer) => named(consumer)['name'] as Uint8Array),
    pending: pending.map(([id, consumer, deliveredMs, deliveries]) => {
      return { id: textOf(id), consumer, deliveredMs: String(deliveredMs), deliveries: String(deliveries) };
    }),
  };
}

/** A reply with names, as an object. */
function named(reply: unknown): Record<string, unknown> {
  const pairs = [...(reply as Iterable<[Uint8Array, unknown]>)];
  return Object.fromEntries(pairs.map(([name, fact]) => [textOf(name), fact]));
}
