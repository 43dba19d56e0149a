/** Replies as they came, for the view of bytes. Pure. */

/** A reply in the protocol of its client. */
export interface Received {
  /** Of a long reply the beginning. */
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly protocol: 2 | 3;
}

/** Number of bytes of a reply that are kept. */
const KEPT_BYTES = 8 * 1024;

export function receivedBy(client: { readonly protocol: 2 | 3 }, reply: Uint8Array): Received {
  return { bytes: reply.slice(0, KEPT_BYTES), size: reply.length, protocol: client.protocol };
}
