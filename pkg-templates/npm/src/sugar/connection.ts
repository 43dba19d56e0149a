/** Connection and server. */
import type { Argument } from '../argument.js';
import type { Carried, Carrier } from '../carrier.js';
import { PublishCommands } from './pubsub.js';

export abstract class ConnectionCommands<C extends Carrier, Text extends string | Uint8Array>
  extends PublishCommands<C, Text> {
  ping(): Carried<C, 'PONG'>;
  ping(message: Argument): Carried<C, Text>;
  ping(message?: Argument): Carried<C, 'PONG' | Text> {
    return this.execute<'PONG' | Text>(message === undefined ? ['PING'] : ['PING', message]);
  }

  echo(message: Argument): Carried<C, Text> {
    return this.execute<Text>(['ECHO', message]);
  }

  select(db: number): Carried<C, 'OK'> {
    return this.execute<'OK'>(['SELECT', db]);
  }

  dbsize(): Carried<C, number> {
    return this.execute<number>(['DBSIZE']);
  }

  flushdb(): Carried<C, 'OK'> {
    return this.execute<'OK'>(['FLUSHDB']);
  }

  flushall(): Carried<C, 'OK'> {
    return this.execute<'OK'>(['FLUSHALL']);
  }

  /** Seconds since the epoch, and microseconds on top. */
  time(): Carried<C, [seconds: Text, microseconds: Text]> {
    return this.execute<[Text, Text]>(['TIME']);
  }

  swapdb(first: number, second: number): Carried<C, 'OK'> {
    return this.execute<'OK'>(['SWAPDB', first, second]);
  }
}
