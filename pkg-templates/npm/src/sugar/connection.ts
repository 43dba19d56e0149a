/** Connection and server. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Row } from '../generated/convention.js';
import { PublishCommands } from './pubsub.js';

export abstract class ConnectionCommands<
  C extends ResultMode,
  Text extends string | Uint8Array,
> extends PublishCommands<C, Text> {
  ping(): Carried<C, 'PONG'>;
  ping(message: Argument): Carried<C, Text>;
  ping(message?: Argument): Carried<C, 'PONG' | Text> {
    return message === undefined
      ? this.run<'PONG' | Text>(Row.PING, ['PING'])
      : this.run1<'PONG' | Text>(Row.PING, message);
  }

  echo(message: Argument): Carried<C, Text> {
    return this.run1<Text>(Row.ECHO, message);
  }

  select(db: number): Carried<C, 'OK'> {
    return this.run1<'OK'>(Row.SELECT, db);
  }

  dbsize(): Carried<C, number> {
    return this.run<number>(Row.DBSIZE, ['DBSIZE']);
  }

  flushdb(): Carried<C, 'OK'> {
    return this.run<'OK'>(Row.FLUSHDB, ['FLUSHDB']);
  }

  flushall(): Carried<C, 'OK'> {
    return this.run<'OK'>(Row.FLUSHALL, ['FLUSHALL']);
  }

  /** Seconds since the epoch, and microseconds on top. */
  time(): Carried<C, [seconds: Text, microseconds: Text]> {
    return this.run<[Text, Text]>(Row.TIME, ['TIME']);
  }

  swapdb(first: number, second: number): Carried<C, 'OK'> {
    return this.run2<'OK'>(Row.SWAPDB, first, second);
  }
}
