/** Streams in `keylatch dump`: as commands that make the same stream, and as JSON. */
import type { StreamFacts, StreamGroup } from '../client/sugar/stream-facts.js';
import { quoted, readable } from './dump-texts.js';

/** Commands of Redis 7.0 and later. `key` is quoted. */
export function* streamCommands(key: string, stream: StreamFacts): Generator<string> {
  for (const [id, fields] of stream.entries) yield ['XADD', key, id, ...fields.map(quoted)].join(' ');
  // A stream without entries is made by an entry that is trimmed at once.
  if (stream.entries.length === 0) yield `XADD ${key} MAXLEN 0 0-1 x y`;
  yield `XSETID ${key} ${stream.lastId} ENTRIESADDED ${stream.entriesAdded} MAXDELETEDID ${stream.maxDeletedId}`;
  for (const group of stream.groups) yield* groupCommands(key, group);
}

function* groupCommands(
  key: string,
  { name, lastId, entriesRead, consumers, pending }: StreamGroup,
): Generator<string> {
  const group = `${key} ${quoted(name)}`;
  yield `XGROUP CREATE ${group} ${lastId}${entriesRead === null ? '' : ` ENTRIESREAD ${entriesRead}`}`;
  for (const consumer of consumers) yield `XGROUP CREATECONSUMER ${group} ${quoted(consumer)}`;
  for (const { id, consumer, deliveredMs, deliveries } of pending) {
    const delivery = `TIME ${deliveredMs} RETRYCOUNT ${deliveries}`;
    yield `XCLAIM ${group} ${quoted(consumer)} 0 ${id} ${delivery} FORCE JUSTID`;
  }
}

/** Value of a line of JSON. */
export function streamAsJson({ entries, lastId, maxDeletedId, entriesAdded, groups }: StreamFacts): object {
  return {
    entries: entries.map(([id, fields]) => [id, pairsOf(fields.map(readable))]),
    lastId,
    maxDeletedId,
    entriesAdded: Number(entriesAdded),
    groups: groups.map(groupAsJson),
  };
}

function groupAsJson({ name, lastId, entriesRead, consumers, pending }: StreamGroup): object {
  return {
    name: readable(name),
    lastId,
    entriesRead: entriesRead === null ? null : Number(entriesRead),
    consumers: consumers.map(readable),
    pending: pending.map(({ id, consumer, deliveredMs, deliveries }) => {
      return { id, consumer: readable(consumer), deliveredAt: Number(deliveredMs), deliveries: Number(deliveries) };
    }),
  };
}

/** Elements that follow each other in turns, as pairs. */
export function pairsOf<T>(elements: readonly T[]): [T, T][] {
  return elements.flatMap((first, index): [T, T][] => (index % 2 === 0 ? [[first, elements[index + 1] as T]] : []));
}
