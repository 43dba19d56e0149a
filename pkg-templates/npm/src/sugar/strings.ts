/** Strings: SET and GET with all their relatives. Arguments in the order of the command, options as an object. */
import type { Argument } from '../argument.js';
import type { Carried, Carrier } from '../carrier.js';
import { Executor } from '../executor.js';
import { pushPairs, type Pairs } from './arguments.js';
import {
  pushCondition, pushExpiry, type DelexOptions, type Expiry, type ExpiryOrKeep, type SetCondition, type SetOptions, type SetResult,
} from './set-options.js';

export abstract class StringCommands<C extends Carrier, Text extends string | Uint8Array> extends Executor<C, Text> {
  set<const O extends SetOptions = {}>(key: Argument, value: Argument, options?: O): Carried<C, SetResult<O, Text>> {
    const argv: Argument[] = ['SET', key, value];
    if (options !== undefined) {
      pushCondition(argv, options);
      if (options.get) argv.push('GET');
      pushExpiry(argv, options);
    }
    return this.execute<SetResult<O, Text>>(argv);
  }

  /** 1 when the key was absent and is set now, 0 when nothing was done. */
  setnx(key: Argument, value: Argument): Carried<C, 0 | 1> {
    return this.execute<0 | 1>(['SETNX', key, value]);
  }

  setex(key: Argument, seconds: number, value: Argument): Carried<C, 'OK'> {
    return this.execute<'OK'>(['SETEX', key, seconds, value]);
  }

  psetex(key: Argument, milliseconds: number, value: Argument): Carried<C, 'OK'> {
    return this.execute<'OK'>(['PSETEX', key, milliseconds, value]);
  }

  get(key: Argument): Carried<C, Text | null> {
    return this.execute<Text | null>(['GET', key]);
  }

  getset(key: Argument, value: Argument): Carried<C, Text | null> {
    return this.execute<Text | null>(['GETSET', key, value]);
  }

  getdel(key: Argument): Carried<C, Text | null> {
    return this.execute<Text | null>(['GETDEL', key]);
  }

  getex(key: Argument, options: (Expiry & { persist?: undefined }) | { persist: boolean } = {}): Carried<C, Text | null> {
    const argv: Argument[] = ['GETEX', key];
    if (options.persist) argv.push('PERSIST');
    else pushExpiry(argv, options as Expiry);
    return this.execute<Text | null>(argv);
  }

  mget(...keys: Argument[]): Carried<C, (Text | null)[]> {
    return this.execute<(Text | null)[]>(['MGET', ...keys]);
  }

  mset(pairs: Pairs): Carried<C, 'OK'> {
    const argv: Argument[] = ['MSET'];
    pushPairs(argv, pairs);
    return this.execute<'OK'>(argv);
  }

  /** 1 when no key was there and all are set now, 0 when nothing was done. */
  msetnx(pairs: Pairs): Carried<C, 0 | 1> {
    const argv: Argument[] = ['MSETNX'];
    pushPairs(argv, pairs);
    return this.execute<0 | 1>(argv);
  }

  msetex(pairs: Pairs, options: Pick<SetCondition, 'nx' | 'xx'> & ExpiryOrKeep = {}): Carried<C, 0 | 1> {
    const keys: Argument[] = [];
    const count = pushPairs(keys, pairs);
    const argv: Argument[] = ['MSETEX', count, ...keys];
    if (options.nx) argv.push('NX');
    if (options.xx) argv.push('XX');
    pushExpiry(argv, options);
    return this.execute<0 | 1>(argv);
  }

  /** Deletes the key if its value (`ifeq`, `ifne`) or its digest (`ifdeq`, `ifdne`) is as told; 1 when it did. */
  delex(key: Argument, options: DelexOptions = {}): Carried<C, 0 | 1> {
    const argv: Argument[] = ['DELEX', key];
    pushCondition(argv, options);
    return this.execute<0 | 1>(argv);
  }

  /** Sixteen hexadecimal digits that stand for the value. */
  digest(key: Argument): Carried<C, Text | null> {
    return this.execute<Text | null>(['DIGEST', key]);
  }

  strlen(key: Argument): Carried<C, number> {
    return this.execute<number>(['STRLEN', key]);
  }

  append(key: Argument, value: Argument): Carried<C, number> {
    return this.execute<number>(['APPEND', key, value]);
  }

  getrange(key: Argument, start: number, end: number): Carried<C, Text> {
    return this.execute<Text>(['GETRANGE', key, start, end]);
  }

  setrange(key: Argument, offset: number, value: Argument): Carried<C, number> {
    return this.execute<number>(['SETRANGE', key, offset, value]);
  }

  /** The longest text that is in both in this order, with gaps allowed. */
  lcs(first: Argument, second: Argument): Carried<C, Text>;
  lcs(first: Argument, second: Argument, options: { readonly len: true }): Carried<C, number>;
  lcs(first: Argument, second: Argument, options?: { readonly len: true }): Carried<C, Text | number> {
    return this.execute<Text | number>(options?.len ? ['LCS', first, second, 'LEN'] : ['LCS', first, second]);
  }
}
