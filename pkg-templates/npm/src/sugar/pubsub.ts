/** Sending messages. What receives them is `subscribe` of the database. */
import { Row } from '../generated/convention.js';
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { SortCommands } from './sort.js';

export abstract class PublishCommands<C extends ResultMode, Text extends string | Uint8Array> extends SortCommands<
  C,
  Text
> {
  /** How many clients got the message; the callbacks of one database are one client. */
  publish(channel: Argument, message: Argument): Carried<C, number> {
    return this.run2<number>(Row.PUBLISH, channel, message);
  }

  /** The same on a shard channel, which has a name space of its own. */
  spublish(channel: Argument, message: Argument): Carried<C, number> {
    return this.run2<number>(Row.SPUBLISH, channel, message);
  }

  /** The channels that have subscribers, those that match a pattern or all. */
  pubsubChannels(pattern: Argument = '*'): Carried<C, Text[]> {
    return this.execute<Text[]>(['PUBSUB', 'CHANNELS', pattern]);
  }
}
