/** A Worker with namespaces of several shards, and keys that are on one of them. */

import { start } from './host.mjs';

export const SHARDS = 8;
const SLOTS = 16_384;

/** Starts a Worker with these options of `keylatchFetch`. */
export async function startSharded(t, options = {}, starting = {}) {
  const worker = await start(t, { bundle: 'configured', ...starting });
  const all = { shards: SHARDS, fanOut: true, ...options };
  const headersOf = (given = {}) => ({ 'x-options': JSON.stringify({ ...all, ...given }) });
  /** Status and answers of a request with other options too. */
  const ask = async (body, { path, options: given, headers, ...rest } = {}) => {
    const { status, json } = await worker.post(body, { path, headers: { ...headersOf(given), ...headers }, ...rest });
    const isReply = json !== null && 'result' in json;
    return [status, isReply ? json.result : (json?.error ?? json)];
  };
  const pipeline = async (commands, given) => (await ask(commands, { path: '/pipeline', ...given }))[1];
  return { ...worker, ask, pipeline, headersOf };
}

/** CRC-16/XMODEM, from its definition as a division of polynomials. */
export function slotOf(key) {
  const [, tag] = /^[^{]*\{([^}]+)\}/s.exec(key) ?? [];
  let bits = 0n;
  for (const byte of Buffer.from(tag ?? key)) bits = (bits << 8n) | BigInt(byte);
  bits <<= 16n;
  for (let length = bits.toString(2).length; bits > 0xffffn; length = bits.toString(2).length)
    bits ^= 0x11021n << BigInt(length - 17);
  return Number(bits) % SLOTS;
}

/** First slot of a shard, of a number of them. */
export const firstSlot = (index, count = SHARDS) => Math.floor((index * SLOTS) / count);

export const shardOf = (key, count = SHARDS) => {
  const slot = slotOf(key);
  return Array.from({ length: count }, (_, index) => index).findLast((index) => firstSlot(index, count) <= slot);
};

/** A key on a shard, with a name that begins with `prefix`. */
export function keyOn(index, prefix = 'k', count = SHARDS) {
  for (let n = 0; ; n += 1) if (shardOf(`${prefix}${n}`, count) === index) return `${prefix}${n}`;
}

/** A key on each shard. */
export const keysOnAll = (prefix) => Array.from({ length: SHARDS }, (_, index) => keyOn(index, prefix));
