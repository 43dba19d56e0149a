/** Where a connection gets its client of the engine from: the engine's streams, or a test's with faults in front. */
import type { Stream, StreamUser } from '../host/streams.js';

/** Members of a stream that connections use. */
export type ClientStream = Pick<
  Stream,
  | 'id'
  | 'name'
  | 'db'
  | 'more'
  | 'parked'
  | 'closed'
  | 'wrote'
  | 'suspended'
  | 'listening'
  | 'inTransaction'
  | 'feed'
  | 'wake'
  | 'close'
>;

export interface StreamSource {
  open(user: StreamUser, address: string, localAddress: string): ClientStream;
}
