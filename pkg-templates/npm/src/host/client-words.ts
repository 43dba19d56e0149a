/** Clients that the engine exports as words: a count, their lengths, the words. */
import type { Host } from './host.js';

/** Indices of words that are numbers. */
const ID = 0;
const STATE = 10;
const QUEUE_POSITION = 12;
const WORD_BYTES = 4;
/** Bit of the state of a client that watches keys. */
const WATCHES = 2;

/** A client as words, which another engine adopts; undefined if it is to be disconnected. */
export function exportClient(host: Host, id: number): Uint8Array | undefined {
  const words = host.enter((instance) => instance.guarded(() => instance.engine.exportState(id)));
  return words.length > 0 ? words : undefined;
}

/** Id of an exported client. */
export function clientId(client: Uint8Array): number {
  return numberAt(client, ID);
}

/** Whether an exported client watches keys. */
export function watchesKeys(client: Uint8Array): boolean {
  return (numberAt(client, STATE) & WATCHES) !== 0;
}

/** Position of an exported client in the queue of blocked clients; 0 for others. */
export function queuePosition(client: Uint8Array): number {
  return numberAt(client, QUEUE_POSITION);
}

function numberAt(client: Uint8Array, index: number): number {
  const view = new DataView(client.buffer, client.byteOffset, client.length);
  const count = view.getUint32(0, true);
  let start = WORD_BYTES * (count + 1);
  for (let word = 0; word < index; word += 1) start += view.getUint32(WORD_BYTES * (word + 1), true);
  const end = start + view.getUint32(WORD_BYTES * (index + 1), true);
  return Number(String.fromCharCode(...client.subarray(start, end)));
}
