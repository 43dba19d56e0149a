/** Information about the engine and its keys, and the configuration. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { pushPairs, type Pairs } from './arguments.js';

export abstract class InspectionCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<
  C,
  Text
> {
  /** Bytes that a key takes with its value. */
  memoryUsage(key: Argument): Carried<C, number | null> {
    return this.execute<number | null>(['MEMORY', 'USAGE', key]);
  }

  /** `configSet({ 'notify-keyspace-events': 'KEA' })`: all of them or none. */
  configSet(settings: Pairs): Carried<C, 'OK'> {
    const argv: Argument[] = ['CONFIG', 'SET'];
    pushPairs(argv, settings);
    return this.execute<'OK'>(argv);
  }

  /** The channels that have subscribers, those that match a pattern or all. */
  pubsubChannels(pattern: Argument = '*'): Carried<C, Text[]> {
    return this.execute<Text[]>(['PUBSUB', 'CHANNELS', pattern]);
  }
}
