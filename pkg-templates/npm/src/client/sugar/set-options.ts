/** The options of SET and of its relatives as types, and what SET answers for which of them. */
import type { Argument } from '../../base/argument.js';
import {
  excluded,
  flag,
  givenNames,
  integer,
  isArgument,
  notOptions,
  refuse,
  requirePlain,
  type Shape,
  unknownOption,
} from '../../base/option-check.js';
import { isSetOption, SET as SET_OPTIONS } from '../generated/options.js';

type None<Names extends string> = { readonly [Name in Names]?: undefined };
type One<Name extends string, Value, Names extends string> = { readonly [N in Name]?: Value | undefined } & None<
  Exclude<Names, Name>
>;

type Comparisons = 'ifeq' | 'ifne' | 'ifdeq' | 'ifdne';
type Conditions = 'nx' | 'xx' | Comparisons;

/** When to write: at most one. `nx` if the key is absent, `xx` if present, the others compare the value or its digest. */
export type SetCondition =
  | One<'nx', boolean, Conditions>
  | One<'xx', boolean, Conditions>
  | One<'ifeq', Argument, Conditions>
  | One<'ifne', Argument, Conditions>
  | One<'ifdeq', string, Conditions>
  | One<'ifdne', string, Conditions>;

/** When to delete: at most one. */
export type DelexOptions =
  | One<'ifeq', Argument, Comparisons>
  | One<'ifne', Argument, Comparisons>
  | One<'ifdeq', string, Comparisons>
  | One<'ifdne', string, Comparisons>;

type Lives = 'ex' | 'px' | 'exat' | 'pxat';

/** How long the key lives, at most one: seconds, milliseconds, or an instant in either since the epoch. */
export type Expiry =
  | One<'ex', number | bigint, Lives>
  | One<'px', number | bigint, Lives>
  | One<'exat', number | bigint, Lives>
  | One<'pxat', number | bigint, Lives>;

/** An expiry, or keep the one the key has. */
export type ExpiryOrKeep =
  | (Expiry & { readonly keepttl?: undefined })
  | (None<Lives> & { readonly keepttl?: boolean | undefined });

export type SetOptions = SetCondition &
  ExpiryOrKeep & {
    /** Answer the value from before instead of OK. */
    readonly get?: boolean | undefined;
  };

type Given<Options, Name extends string> = Name extends keyof Options
  ? Options[Name] extends false | undefined
    ? false
    : true
  : false;

type MayRefuse<Options> = true extends { [Name in Conditions]: Given<Options, Name> }[Conditions] ? true : false;

/** With `get` the old value or null, with a condition OK or null, else OK. */
export type SetResult<Options, Text> =
  Given<Options, 'get'> extends true
    ? boolean extends (Options extends { readonly get?: infer Get } ? Get : never)
      ? Text | 'OK' | null
      : Text | null
    : MayRefuse<Options> extends true
      ? 'OK' | null
      : 'OK';

/** An expiry, or `persist` to remove the one the key has. */
export type ExpiryOrPersist =
  | (Expiry & { readonly persist?: undefined })
  | (None<Lives> & { readonly persist?: boolean | undefined });

/** Condition of MSETEX and an expiry. */
export type MsetexOptions = (One<'nx', boolean, 'nx' | 'xx'> | One<'xx', boolean, 'nx' | 'xx'>) & ExpiryOrKeep;

/** `fnx`: only if none of the fields is there. `fxx`: only if all are. */
export type FieldCondition = One<'fnx', boolean, 'fnx' | 'fxx'> | One<'fxx', boolean, 'fnx' | 'fxx'>;

/** Types above and row have the same options. */
const SET: Shape<SetOptions> = SET_OPTIONS;

/**
 * Arguments of SET with options. Here and below each name is written out, because a lookup by a name in a variable takes
 * ten times as long; each option is read once, because it may be a getter.
 */
export function setWords(key: Argument, value: Argument, options: SetOptions): Argument[] {
  if (typeof options !== 'object' || options === null) notOptions('set', options, SET);
  for (const name in options) if (!isSetOption(name)) unknownOption('set', name, options, SET);
  const { ex, px, nx, xx, get, keepttl, exat, pxat, ifeq, ifne, ifdeq, ifdne } = options;
  const isRare = xx !== undefined || get !== undefined || keepttl !== undefined || exat !== undefined;
  const compares = ifeq !== undefined || ifne !== undefined || ifdeq !== undefined || ifdne !== undefined;
  // Locks and caches: `{ px }`, `{ nx, px }`. A list written at once is not copied while it grows.
  if (px !== undefined && ex === undefined && pxat === undefined && !isRare && !compares) {
    const time = integer('set', 'px', px);
    return nx !== undefined && flag('set', 'nx', nx)
      ? ['SET', key, value, 'NX', 'PX', time]
      : ['SET', key, value, 'PX', time];
  }
  // A Map has a method of this name.
  if (typeof get === 'function') notOptions('set', options, SET);
  const argv: Argument[] = ['SET', key, value];
  pushCondition('set', argv, { nx, xx, ifeq, ifne, ifdeq, ifdne } as SetCondition);
  if (get !== undefined && flag('set', 'get', get)) argv.push('GET');
  pushExpiry('set', argv, { ex, px, exat, pxat, keepttl } as ExpiryOrKeep);
  if (argv.length === 3) requirePlain('set', options, SET);
  return argv;
}

/** Adds NX, XX or a comparison. */
export function pushCondition(method: string, argv: Argument[], options: SetCondition): void {
  const { nx, xx, ifeq, ifne, ifdeq, ifdne } = options;
  let count = 0;
  if (nx !== undefined && flag(method, 'nx', nx)) count += addFlag(argv, 'NX');
  if (xx !== undefined && flag(method, 'xx', xx)) count += addFlag(argv, 'XX');
  if (ifeq !== undefined) count += add(argv, 'IFEQ', value(method, 'ifeq', ifeq));
  if (ifne !== undefined) count += add(argv, 'IFNE', value(method, 'ifne', ifne));
  if (ifdeq !== undefined) count += add(argv, 'IFDEQ', value(method, 'ifdeq', ifdeq));
  if (ifdne !== undefined) count += add(argv, 'IFDNE', value(method, 'ifdne', ifdne));
  if (count > 1) excluded(method, givenNames({ nx, xx, ifeq, ifne, ifdeq, ifdne }));
}

/** Adds EX, PX, EXAT, PXAT or KEEPTTL. */
export function pushExpiry(method: string, argv: Argument[], options: ExpiryOrKeep): void {
  const { ex, px, exat, pxat, keepttl } = options;
  let count = 0;
  if (ex !== undefined) count += add(argv, 'EX', integer(method, 'ex', ex));
  if (px !== undefined) count += add(argv, 'PX', integer(method, 'px', px));
  if (exat !== undefined) count += add(argv, 'EXAT', integer(method, 'exat', exat));
  if (pxat !== undefined) count += add(argv, 'PXAT', integer(method, 'pxat', pxat));
  if (keepttl !== undefined && flag(method, 'keepttl', keepttl)) count += addFlag(argv, 'KEEPTTL');
  if (count > 1) excluded(method, givenNames({ ex, px, exat, pxat, keepttl }));
}

/** Adds an expiry or PERSIST. */
export function pushExpiryOrPersist(method: string, argv: Argument[], options: ExpiryOrPersist): void {
  const { persist, ...expiry } = options;
  if (persist) argv.push('PERSIST');
  const before = argv.length;
  pushExpiry(method, argv, expiry as ExpiryOrKeep);
  if (persist && argv.length > before) excluded(method, givenNames(options));
}

/** Adds a word. Returns 1, the number of options. */
function addFlag(argv: Argument[], word: string): number {
  argv.push(word);
  return 1;
}

/** Adds a word with its value. Returns 1, the number of options. */
function add(argv: Argument[], word: string, given: Argument): number {
  argv.push(word, given);
  return 1;
}

function value(method: string, name: string, given: Argument): Argument {
  if (!isArgument(given)) refuse(method, name, 'a string, a number, a bigint or a Uint8Array', given);
  return given;
}
