/** Connection and server. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../generated/convention.js';

export abstract class ConnectionCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<
  C,
  Text
> {
  ping(): Carried<C, 'PONG'>;
  ping(message: Argument): Carried<C, Text>;
  ping(message?: Argument): Carried<C, 'PONG' | Text> {
    return message === undefined
      ? this.run<'PONG' | Text>(Row.PING, ['PING'])
      : this.run1<'PONG' | Text>(Row.PING, message);
  }

  flushdb(): Carried<C, 'OK'> {
    return this.run<'OK'>(Row.FLUSHDB, ['FLUSHDB']);
  }

  flushall(): Carried<C, 'OK'> {
    return this.run<'OK'>(Row.FLUSHALL, ['FLUSHALL']);
  }
}
