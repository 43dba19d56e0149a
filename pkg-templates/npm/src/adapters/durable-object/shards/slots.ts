/** Slots of Redis Cluster, and the shards of a namespace, each with a range of them. Pure. */
import { SLOTS, slotOfBytes } from '../../../base/cluster-slot.js';
import { Encoder } from '../../../base/encoders.js';
import type { Word } from '../../upstash/commands.js';

export { SLOTS };
export const SHARDS_MAX = 64;
/** Refusal of a command with keys in several slots, in the words of Redis. */
export const CROSSSLOT = "CROSSSLOT Keys in request don't hash to the same slot";

/** One of the shards of a namespace, by its index. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

const encoder = /* @__PURE__ */ new Encoder();

/** The slot of a key, or of the part in braces that it has. */
export function slotOf(word: Word): number {
  return slotOfBytes(typeof word === 'string' ? encoder.encode(word) : word);
}

/** Index of the shard that has a slot. */
export function shardOf(slot: number, count: number): number {
  return Math.floor(((slot + 1) * count - 1) / SLOTS);
}

/** First and last slot of a shard. Ranges differ by one slot at most. */
export function rangeOf({ index, count }: Shard): readonly [first: number, last: number] {
  return [Math.floor((index * SLOTS) / count), Math.floor(((index + 1) * SLOTS) / count) - 1];
}

/** Between the name of a namespace, which has none, and the index of a shard, in the name of an object. */
export const SHARD_MARK = '\0';

/** Name of a shard's object. The first shard is the object of a namespace that has no others. */
export function objectName(namespace: string, index: number): string {
  return index === 0 ? namespace : `${namespace}${SHARD_MARK}${index}`;
}
