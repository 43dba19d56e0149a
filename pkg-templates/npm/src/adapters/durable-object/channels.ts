/** Commands with channels, and channels that are the server's own. */
import { textOf } from '../../resp/reply.js';
import type { Word } from '../upstash/commands.js';

/** Commands of which the first argument is a channel. */
export const WITH_CHANNEL = ['PUBLISH', 'SPUBLISH'];
/** Channels of events of keys, which each shard has for its own. */
const EVENTS = /^__key(space|event)@/;

/** Whether a channel is one of events of keys. */
export function isOfEvents(channel: Word): boolean {
  return EVENTS.test(typeof channel === 'string' ? channel : textOf(channel));
}
