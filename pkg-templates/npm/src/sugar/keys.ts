/** Keys of any type: copies, dumps, pages of names. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../generated/convention.js';
import { pushPage, type PageOptions } from './arguments.js';

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

export abstract class KeyCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  keys(pattern: Argument = '*'): Carried<C, Text[]> {
    return this.run1<Text[]>(Row.KEYS, pattern);
  }

  copy(from: Argument, to: Argument, options: CopyOptions = {}): Carried<C, 0 | 1> {
    const argv: Argument[] = ['COPY', from, to];
    if (options.db !== undefined) argv.push('DB', options.db);
    if (options.replace) argv.push('REPLACE');
    return this.run<0 | 1>(Row.COPY, argv);
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
}
