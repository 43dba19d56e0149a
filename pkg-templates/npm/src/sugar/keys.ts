/** Keys of any type: existence, names, expiry, walking over them. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Row } from '../generated/convention.js';
import { pushPage, type PageOptions } from './arguments.js';
import { CounterCommands } from './counters.js';

/** When to change an expiry. */
export type ExpireCondition = 'NX' | 'XX' | 'GT' | 'LT';

export interface CopyOptions {
  /** The database to copy into. */
  readonly db?: number;
  readonly replace?: boolean;
}

export interface ScanOptions extends PageOptions {
  /** Only keys of this type. */
  readonly type?: string;
}

export interface RestoreOptions {
  readonly replace?: boolean;
  /** The lifetime is an instant in milliseconds since the epoch. */
  readonly absttl?: boolean;
}

export abstract class KeyCommands<C extends ResultMode, Text extends string | Uint8Array> extends CounterCommands<
  C,
  Text
> {
  /** How many of the keys were there. */
  del(...keys: Argument[]): Carried<C, number> {
    return this.run<number>(Row.DEL, ['DEL', ...keys]);
  }

  unlink(...keys: Argument[]): Carried<C, number> {
    return this.run<number>(Row.UNLINK, ['UNLINK', ...keys]);
  }

  exists(...keys: Argument[]): Carried<C, number> {
    return this.run<number>(Row.EXISTS, ['EXISTS', ...keys]);
  }

  touch(...keys: Argument[]): Carried<C, number> {
    return this.run<number>(Row.TOUCH, ['TOUCH', ...keys]);
  }

  /** `none` for an absent key. */
  type(key: Argument): Carried<C, string> {
    return this.run1<string>(Row.TYPE, key);
  }

  keys(pattern: Argument = '*'): Carried<C, Text[]> {
    return this.run1<Text[]>(Row.KEYS, pattern);
  }

  randomkey(): Carried<C, Text | null> {
    return this.run<Text | null>(Row.RANDOMKEY, ['RANDOMKEY']);
  }

  rename(from: Argument, to: Argument): Carried<C, 'OK'> {
    return this.run2<'OK'>(Row.RENAME, from, to);
  }

  renamenx(from: Argument, to: Argument): Carried<C, 0 | 1> {
    return this.run2<0 | 1>(Row.RENAMENX, from, to);
  }

  copy(from: Argument, to: Argument, options: CopyOptions = {}): Carried<C, 0 | 1> {
    const argv: Argument[] = ['COPY', from, to];
    if (options.db !== undefined) argv.push('DB', options.db);
    if (options.replace) argv.push('REPLACE');
    return this.run<0 | 1>(Row.COPY, argv);
  }

  /** 1 when the key was moved to another database. */
  move(key: Argument, db: number): Carried<C, 0 | 1> {
    return this.run2<0 | 1>(Row.MOVE, key, db);
  }

  /** The value of a key as bytes for RESTORE: use it on `bytes`. */
  dump(key: Argument): Carried<C, Text | null> {
    return this.run1<Text | null>(Row.DUMP, key);
  }

  /** Makes a key from what DUMP answered, with a lifetime in milliseconds; 0 for none. */
  restore(key: Argument, milliseconds: number, dumped: Uint8Array, options: RestoreOptions = {}): Carried<C, 'OK'> {
    const argv: Argument[] = ['RESTORE', key, milliseconds, dumped];
    if (options.replace) argv.push('REPLACE');
    if (options.absttl) argv.push('ABSTTL');
    return this.run<'OK'>(Row.RESTORE, argv);
  }

  /** One page of keys and the cursor of the next; '0' starts and ends. `scanKeys` walks through all. */
  scan(cursor: Argument = 0, options: ScanOptions = {}): Carried<C, [cursor: Text, keys: Text[]]> {
    const argv = pushPage(['SCAN', cursor], options);
    if (options.type !== undefined) argv.push('TYPE', options.type);
    return this.execute<[Text, Text[]]>(argv);
  }

  expire(key: Argument, seconds: number, condition?: ExpireCondition): Carried<C, 0 | 1> {
    return this.#deadline(Row.EXPIRE, key, seconds, condition);
  }

  pexpire(key: Argument, milliseconds: number, condition?: ExpireCondition): Carried<C, 0 | 1> {
    return this.#deadline(Row.PEXPIRE, key, milliseconds, condition);
  }

  expireat(key: Argument, seconds: number, condition?: ExpireCondition): Carried<C, 0 | 1> {
    return this.#deadline(Row.EXPIREAT, key, seconds, condition);
  }

  pexpireat(key: Argument, milliseconds: number, condition?: ExpireCondition): Carried<C, 0 | 1> {
    return this.#deadline(Row.PEXPIREAT, key, milliseconds, condition);
  }

  /** Seconds left; -1 without an expiry, -2 without a key. */
  ttl(key: Argument): Carried<C, number | bigint> {
    return this.run1<number | bigint>(Row.TTL, key);
  }

  /** Milliseconds left; -1 without an expiry, -2 without a key. */
  pttl(key: Argument): Carried<C, number | bigint> {
    return this.run1<number | bigint>(Row.PTTL, key);
  }

  /** The instant of expiry in seconds since the epoch; -1 without one, -2 without a key. */
  expiretime(key: Argument): Carried<C, number | bigint> {
    return this.run1<number | bigint>(Row.EXPIRETIME, key);
  }

  pexpiretime(key: Argument): Carried<C, number | bigint> {
    return this.run1<number | bigint>(Row.PEXPIRETIME, key);
  }

  persist(key: Argument): Carried<C, 0 | 1> {
    return this.run1<0 | 1>(Row.PERSIST, key);
  }

  #deadline(row: Row, key: Argument, time: number, condition: ExpireCondition | undefined): Carried<C, 0 | 1> {
    return condition === undefined ? this.run2<0 | 1>(row, key, time) : this.run3<0 | 1>(row, key, time, condition);
  }
}
