/** Information about the engine and its keys, and the configuration. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { type Pairs, pushPairs } from './arguments.js';
import { tooMany } from '../../base/option-check.js';

export abstract class InspectionCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<
  C,
  Text
> {
  /** Bytes that a key takes with its value. */
  memoryUsage(key: Argument): Carried<C, number | null> {
    if (arguments.length > 1) tooMany('memoryUsage', 1, arguments.length);
    return this.execute<number | null>(['MEMORY', 'USAGE', key]);
  }

  /** `configSet({ 'notify-keyspace-events': 'KEA' })`: all of them or none. */
  configSet(settings: Pairs): Carried<C, 'OK'>;
  configSet(parameter: Argument, value: Argument, ...more: Argument[]): Carried<C, 'OK'>;
  configSet(...given: unknown[]): Carried<C, 'OK'> {
    const argv: Argument[] = ['CONFIG', 'SET'];
    pushPairs(argv, given, () => ({ at: 'configSet', name: 'parameter', value: 'value' }));
    return this.execute<'OK'>(argv);
  }

  /** The channels that have subscribers, those that match a pattern or all. */
  pubsubChannels(pattern: Argument = '*'): Carried<C, Text[]> {
    if (arguments.length > 1) tooMany('pubsubChannels', 1, arguments.length);
    return this.execute<Text[]>(['PUBSUB', 'CHANNELS', pattern]);
  }
}
