/** Connection and server. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../../host/generated/convention.js';
import { tooMany } from '../../base/option-check.js';

export abstract class ConnectionCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<
  C,
  Text
> {
  /** Returns PONG, or the message. */
  ping(): Carried<C, 'PONG'>;
  ping(message: Argument): Carried<C, Text>;
  ping(message?: Argument): Carried<C, 'PONG' | Text> {
    if (arguments.length > 1) tooMany('ping', 1, arguments.length);
    return message === undefined
      ? this.run<'PONG' | Text>(Row.PING, ['PING'])
      : this.run1<'PONG' | Text>(Row.PING, message);
  }

  /** Deletes all keys of the database. */
  flushdb(): Carried<C, 'OK'> {
    if (arguments.length > 0) tooMany('flushdb', 0, arguments.length);
    return this.run<'OK'>(Row.FLUSHDB, ['FLUSHDB']);
  }

  /** Deletes all keys of all databases. */
  flushall(): Carried<C, 'OK'> {
    if (arguments.length > 0) tooMany('flushall', 0, arguments.length);
    return this.run<'OK'>(Row.FLUSHALL, ['FLUSHALL']);
  }
}
