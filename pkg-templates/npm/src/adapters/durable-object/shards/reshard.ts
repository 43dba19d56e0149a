/**
 * A change of the number of shards, in each object: closed and copied, then filled with the keys of its new slots. A request for
 * that is about one object, whatever the Worker's option says.
 */
import { checkFullAccess, type Copy, copyFile } from '../copies.js';
import { Failure } from '../../upstash/exchange.js';
import { requestOf, type WireRequest, type WireResponse } from '../wire.js';
import { SHARDS_MAX, type Shard } from './slots.js';
import type { ShardTable } from './table.js';

/** Path of such requests, below the namespace. */
export const RESHARD = 'reshard';
/** Longest copy that an object is filled with: a call between Worker and object has at most 32 MiB. */
export const COPY_BYTES_MAX = 31 * 1024 * 1024;

/** The object that is changed. */
export interface ReshardedObject {
  readonly shards: ShardTable;
  /** Position of the log's end. */
  readonly position: number;
  /** Disconnects all sockets. */
  disconnect(): Promise<void>;
  copy(): Promise<Copy>;
  /** Replaces all data by a snapshot, and runs `stored` in the same turn. */
  replace(snapshot: Uint8Array, stored: () => void): Promise<void>;
}

/** The response to a request of a change. */
export async function resharded(request: WireRequest, object: ReshardedObject): Promise<WireResponse> {
  checkFullAccess(request.access);
  if (request.method === 'POST') return closed(request, object);
  if (request.method === 'PUT') return filled(request, object);
  throw new Failure(405, `ERR the method ${request.method} is not allowed`);
}

async function closed(request: WireRequest, object: ReshardedObject): Promise<WireResponse> {
  const [count, index] = [numberIn(request, 'from', 1, SHARDS_MAX), shardIn(request)];
  object.shards.close({ index, count }, numberIn(request, 'to', 1, SHARDS_MAX));
  await object.disconnect();
  return copyFile(await object.copy());
}

async function filled(request: WireRequest, object: ReshardedObject): Promise<WireResponse> {
  const shard: Shard = { index: shardIn(request), count: numberIn(request, 'to', 1, SHARDS_MAX) };
  if (!object.shards.isDone(shard)) {
    checkPosition(request, object.position);
    const snapshot = await requestOf(request).body(COPY_BYTES_MAX);
    await object.replace(snapshot, () => object.shards.open(shard));
  }
  return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"result":"OK"}' };
}

/** Refuses to replace what is not in the copy of a shard. */
function checkPosition(request: WireRequest, end: number): void {
  if (!new Map(request.query).has('position')) return;
  const position = numberIn(request, 'position', 0, Number.MAX_SAFE_INTEGER);
  if (position !== end)
    throw new Failure(
      409,
      `ERR the shard was copied at position ${position} of its log, which ends at ${end}: copy it again`,
    );
}

/** The shard that a request is about. */
export function shardIn(request: Pick<WireRequest, 'query'>): number {
  return numberIn(request, 'shard', 0, SHARDS_MAX - 1);
}

function numberIn({ query }: Pick<WireRequest, 'query'>, name: string, min: number, max: number): number {
  const text = new Map(query).get(name) ?? '';
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max)
    throw new Failure(400, `ERR ${name} must be a number from ${min} to ${max}, found '${text}'`);
  return number;
}
