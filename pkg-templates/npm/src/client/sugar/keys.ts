/** Keys of any type: copies, dumps, pages of names. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../../host/generated/convention.js';
import { PAGE, type PageOptions, pushPage } from './arguments.js';
import { checked, type Shape, tooMany, whole } from '../../base/option-check.js';

export interface CopyOptions {
  /** The database to copy into. */
  readonly db?: number | undefined;
  /** Overwrite a key that exists. */
  readonly replace?: boolean | undefined;
}

export interface ScanOptions extends PageOptions {
  /** Only keys of this type. */
  readonly type?: string | undefined;
}

export interface RestoreOptions {
  /** Overwrite a key that exists. */
  readonly replace?: boolean | undefined;
  /** The lifetime is an instant in milliseconds since the epoch. */
  readonly absttl?: boolean | undefined;
}

const COPY: Shape<CopyOptions> = { db: 'integer', replace: 'flag' };
const RESTORE: Shape<RestoreOptions> = { replace: 'flag', absttl: 'flag' };
/** @internal */
export const SCAN: Shape<ScanOptions> = { ...PAGE, type: 'text' };

export abstract class KeyCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** All keys that match a glob pattern, in no order. `scanKeys` takes less at a time. */
  keys(pattern: Argument = '*'): Carried<C, Text[]> {
    if (arguments.length > 1) tooMany('keys', 1, arguments.length);
    return this.run1<Text[]>(Row.KEYS, pattern);
  }

  /** Copies a key with its expiry. Returns 0 if there is nothing to copy, or the target exists and stays. */
  copy(from: Argument, to: Argument, options?: CopyOptions): Carried<C, 0 | 1> {
    const { db, replace } = checked('copy', options, COPY);
    if (arguments.length > 3) tooMany('copy', 3, arguments.length);
    const argv: Argument[] = ['COPY', from, to];
    if (db !== undefined) argv.push('DB', db);
    if (replace) argv.push('REPLACE');
    return this.run<0 | 1>(Row.COPY, argv);
  }

  /** Makes a key from what DUMP answered, with a lifetime in milliseconds; 0 for none. */
  restore(key: Argument, milliseconds: number, dumped: Uint8Array, options?: RestoreOptions): Carried<C, 'OK'> {
    const { replace, absttl } = checked('restore', options, RESTORE);
    if (arguments.length > 4) tooMany('restore', 4, arguments.length);
    whole('restore', 'milliseconds', milliseconds);
    const argv: Argument[] = ['RESTORE', key, milliseconds, dumped];
    if (replace) argv.push('REPLACE');
    if (absttl) argv.push('ABSTTL');
    return this.run<'OK'>(Row.RESTORE, argv);
  }

  /** One page of keys and the cursor of the next; '0' starts and ends. `scanKeys` walks through all. */
  scan(cursor: Argument = 0, options?: ScanOptions): Carried<C, [cursor: Text, keys: Text[]]> {
    const given = checked('scan', options, SCAN);
    if (arguments.length > 2) tooMany('scan', 2, arguments.length);
    const argv = pushPage(['SCAN', cursor], given);
    if (given.type !== undefined) argv.push('TYPE', given.type);
    return this.execute<[Text, Text[]]>(argv);
  }
}
