/** Counters. Results beyond 2^53 are bigints. */
import { Row } from '../generated/convention.js';
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { StringCommands } from './strings.js';

export abstract class CounterCommands<C extends ResultMode, Text extends string | Uint8Array> extends StringCommands<
  C,
  Text
> {
  incr(key: Argument): Carried<C, number | bigint> {
    return this.run1<number | bigint>(Row.INCR, key);
  }

  decr(key: Argument): Carried<C, number | bigint> {
    return this.run1<number | bigint>(Row.DECR, key);
  }

  incrby(key: Argument, increment: number | bigint): Carried<C, number | bigint> {
    return this.run2<number | bigint>(Row.INCRBY, key, increment);
  }

  decrby(key: Argument, decrement: number | bigint): Carried<C, number | bigint> {
    return this.run2<number | bigint>(Row.DECRBY, key, decrement);
  }

  /** The new value as text, with all its digits. */
  incrbyfloat(key: Argument, increment: number | string): Carried<C, Text> {
    return this.run2<Text>(Row.INCRBYFLOAT, key, increment);
  }
}
