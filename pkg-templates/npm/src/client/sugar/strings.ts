/** Strings: SET and GET with all their relatives. Arguments in the order of the command, options as an object. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../../host/generated/convention.js';
import { DELEX, GETEX, MSETEX } from '../generated/options.js';
import { type PairNames, type Pairs, pushAll, pushPairs } from './arguments.js';
import { checked, type Shape, tooMany } from '../../base/option-check.js';
import {
  type DelexOptions,
  type ExpiryOrKeep,
  type ExpiryOrPersist,
  type MsetexOptions,
  pushCondition,
  pushExpiry,
  pushExpiryOrPersist,
  type SetCondition,
  type SetOptions,
  type SetResult,
  setWords,
} from './set-options.js';

const LCS: Shape<{ readonly len?: boolean | undefined }> = { len: 'flag' };

function keysOf(method: string): () => PairNames {
  return () => ({ at: method, name: 'key', value: 'value' });
}

export abstract class StringCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /**
   * Sets a string. Returns OK; null if a condition such as `nx` refused; with `get` the value from before, or null. At
   * most one condition and one expiry.
   */
  set(key: Argument, value: Argument): Carried<C, 'OK'>;
  /**
   * Sets a string. Returns OK; null if a condition such as `nx` refused; with `get` the value from before, or null. At
   * most one condition and one expiry.
   */
  set<const O extends SetOptions = SetOptions>(
    key: Argument,
    value: Argument,
    options: O | SetOptions | undefined,
  ): Carried<C, SetResult<O, Text>>;
  set(key: Argument, value: Argument, options?: SetOptions): Carried<C, Text | 'OK' | null> {
    if (options === undefined) {
      if (arguments.length > 3) tooMany('set', 3, arguments.length);
      return this.run2<Text | 'OK' | null>(Row.SET_WITHOUT_OPTIONS, key, value);
    }
    const argv = setWords(key, value, options);
    if (arguments.length > 3) tooMany('set', 3, arguments.length);
    return this.run<Text | 'OK' | null>(Row.SET, argv);
  }

  /** Returns a string and changes its expiry: a new one, or none with `persist`. */
  getex(key: Argument, options?: ExpiryOrPersist): Carried<C, Text | null> {
    const argv: Argument[] = ['GETEX', key];
    pushExpiryOrPersist('getex', argv, checked('getex', options, GETEX));
    if (arguments.length > 2) tooMany('getex', 2, arguments.length);
    return this.run<Text | null>(Row.GETEX, argv);
  }

  /** Sets keys to values: an object, a Map, pairs, or keys and values by turns. */
  mset(pairs: Pairs): Carried<C, 'OK'>;
  mset(key: Argument, value: Argument, ...more: Argument[]): Carried<C, 'OK'>;
  mset(...given: unknown[]): Carried<C, 'OK'> {
    const argv: Argument[] = ['MSET'];
    pushPairs(argv, given, keysOf('mset'));
    return this.run<'OK'>(Row.MSET, argv);
  }

  /** Sets keys if none of them exists. Returns 1 if all were set, 0 if nothing was done. */
  msetnx(pairs: Pairs): Carried<C, 0 | 1>;
  msetnx(key: Argument, value: Argument, ...more: Argument[]): Carried<C, 0 | 1>;
  msetnx(...given: unknown[]): Carried<C, 0 | 1> {
    const argv: Argument[] = ['MSETNX'];
    pushPairs(argv, given, keysOf('msetnx'));
    return this.run<0 | 1>(Row.MSETNX, argv);
  }

  /** Sets keys with one expiry. Returns 1 if all were set, 0 if the condition refused. */
  msetex(pairs: Pairs, options?: MsetexOptions): Carried<C, 0 | 1> {
    if (arguments.length > 2) tooMany('msetex', 2, arguments.length);
    const given = checked('msetex', options, MSETEX);
    const keys: Argument[] = [];
    const count = pushPairs(keys, [pairs], keysOf('msetex'));
    const argv = pushAll(['MSETEX', count], keys);
    pushCondition('msetex', argv, given as SetCondition);
    pushExpiry('msetex', argv, given as ExpiryOrKeep);
    return this.run<0 | 1>(Row.MSETEX, argv);
  }

  /** Deletes the key if its value (`ifeq`, `ifne`) or its digest (`ifdeq`, `ifdne`) is as told; 1 when it did. */
  delex(key: Argument, options?: DelexOptions): Carried<C, 0 | 1> {
    const argv: Argument[] = ['DELEX', key];
    pushCondition('delex', argv, checked('delex', options, DELEX) as SetCondition);
    if (arguments.length > 2) tooMany('delex', 2, arguments.length);
    return this.run<0 | 1>(Row.DELEX, argv);
  }

  /** The longest text that is in both in this order, with gaps allowed; with `len` its length. */
  lcs(first: Argument, second: Argument, options: { readonly len: true }): Carried<C, number>;
  lcs(first: Argument, second: Argument, options?: { readonly len?: false | undefined }): Carried<C, Text>;
  lcs(first: Argument, second: Argument, options?: { readonly len?: boolean | undefined }): Carried<C, Text | number> {
    const { len } = checked('lcs', options, LCS);
    if (arguments.length > 3) tooMany('lcs', 3, arguments.length);
    return this.execute<Text | number>(len ? ['LCS', first, second, 'LEN'] : ['LCS', first, second]);
  }
}
