/** Strings: SET and GET with all their relatives. Arguments in the order of the command, options as an object. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../generated/convention.js';
import { pushPairs, type Pairs } from './arguments.js';
import {
  pushCondition,
  pushExpiry,
  type DelexOptions,
  type Expiry,
  type ExpiryOrKeep,
  type SetCondition,
  type SetOptions,
  type SetResult,
} from './set-options.js';

const enum Bare {
  Set = Row.SET & 0xffff,
}

export abstract class StringCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  // biome-ignore lint/complexity/noBannedTypes: the type of a call without options.
  set<const O extends SetOptions = {}>(key: Argument, value: Argument, options?: O): Carried<C, SetResult<O, Text>> {
    // Without options it tells no time.
    if (options === undefined) return this.run2<SetResult<O, Text>>(Bare.Set as number as Row, key, value);
    const argv: Argument[] = ['SET', key, value];
    pushCondition(argv, options);
    if (options.get) argv.push('GET');
    pushExpiry(argv, options);
    return this.run<SetResult<O, Text>>(Row.SET, argv);
  }

  getex(
    key: Argument,
    options: (Expiry & { persist?: undefined }) | { persist: boolean } = {},
  ): Carried<C, Text | null> {
    const argv: Argument[] = ['GETEX', key];
    if (options.persist) argv.push('PERSIST');
    else pushExpiry(argv, options as Expiry);
    return this.run<Text | null>(Row.GETEX, argv);
  }

  mset(pairs: Pairs): Carried<C, 'OK'> {
    const argv: Argument[] = ['MSET'];
    pushPairs(argv, pairs);
    return this.run<'OK'>(Row.MSET, argv);
  }

  /** 1 when no key was there and all are set now, 0 when nothing was done. */
  msetnx(pairs: Pairs): Carried<C, 0 | 1> {
    const argv: Argument[] = ['MSETNX'];
    pushPairs(argv, pairs);
    return this.run<0 | 1>(Row.MSETNX, argv);
  }

  msetex(pairs: Pairs, options: Pick<SetCondition, 'nx' | 'xx'> & ExpiryOrKeep = {}): Carried<C, 0 | 1> {
    const keys: Argument[] = [];
    const count = pushPairs(keys, pairs);
    const argv: Argument[] = ['MSETEX', count, ...keys];
    if (options.nx) argv.push('NX');
    if (options.xx) argv.push('XX');
    pushExpiry(argv, options);
    return this.run<0 | 1>(Row.MSETEX, argv);
  }

  /** Deletes the key if its value (`ifeq`, `ifne`) or its digest (`ifdeq`, `ifdne`) is as told; 1 when it did. */
  delex(key: Argument, options: DelexOptions = {}): Carried<C, 0 | 1> {
    const argv: Argument[] = ['DELEX', key];
    pushCondition(argv, options);
    return this.run<0 | 1>(Row.DELEX, argv);
  }

  /** The longest text that is in both in this order, with gaps allowed. */
  lcs(first: Argument, second: Argument): Carried<C, Text>;
  lcs(first: Argument, second: Argument, options: { readonly len: true }): Carried<C, number>;
  lcs(first: Argument, second: Argument, options?: { readonly len: true }): Carried<C, Text | number> {
    return this.execute<Text | number>(options?.len ? ['LCS', first, second, 'LEN'] : ['LCS', first, second]);
  }
}
