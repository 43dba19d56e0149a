/** Slots of Redis Cluster, and the shards of a namespace, each with a range of them. Pure. */
import { Encoder } from '../../../base/encoders.js';
import type { Word } from '../../upstash/commands.js';

export const SLOTS = 16_384;
export const SHARDS_MAX = 64;
/** Refusal of a command with keys in several slots, in the words of Redis. */
export const CROSSSLOT = "CROSSSLOT Keys in request don't hash to the same slot";

/** One of the shards of a namespace, by its index. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

const OPEN = 0x7b;
const CLOSE = 0x7d;
/** CRC-16/XMODEM, which Redis Cluster has: no reflection, and this polynomial. */
const POLYNOMIAL = 0x1021;
const encoder = /* @__PURE__ */ new Encoder();

/** The slot of a key, or of the part in braces that it has. */
export function slotOf(word: Word): number {
  const key = typeof word === 'string' ? encoder.encode(word) : word;
  return crc16(hashedPart(key)) % SLOTS;
}

function hashedPart(key: Uint8Array): Uint8Array {
  const open = key.indexOf(OPEN);
  const close = open === -1 ? -1 : key.indexOf(CLOSE, open + 1);
  return close > open + 1 ? key.subarray(open + 1, close) : key;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ POLYNOMIAL) & 0xffff : crc << 1;
  }
  return crc;
}

/** Index of the shard that has a slot. */
export function shardOf(slot: number, count: number): number {
  return Math.floor(((slot + 1) * count - 1) / SLOTS);
}

/** First and last slot of a shard. Ranges differ by one slot at most. */
export function rangeOf({ index, count }: Shard): readonly [first: number, last: number] {
  return [Math.floor((index * SLOTS) / count), Math.floor(((index + 1) * SLOTS) / count) - 1];
}

/** Name of a shard's object. The first shard is the object of a namespace that has no others. */
export function objectName(namespace: string, index: number): string {
  return index === 0 ? namespace : `${namespace}\0${index}`;
}
