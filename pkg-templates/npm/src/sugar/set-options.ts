/** The options of SET and of its relatives, and what SET answers for which of them. */
import type { Argument } from '../argument.js';

type None<Names extends string> = { readonly [Name in Names]?: undefined };
type One<Name extends string, Value, Names extends string> = { readonly [N in Name]: Value } & None<
  Exclude<Names, Name>
>;

type Conditions = 'nx' | 'xx' | 'ifeq' | 'ifne' | 'ifdeq' | 'ifdne';

/** When to write: at most one. `nx` if the key is absent, `xx` if present, the others compare the value or its digest. */
export type SetCondition =
  | None<Conditions>
  | One<'nx', boolean, Conditions>
  | One<'xx', boolean, Conditions>
  | One<'ifeq', Argument, Conditions>
  | One<'ifne', Argument, Conditions>
  | One<'ifdeq', string, Conditions>
  | One<'ifdne', string, Conditions>;

/** When to delete: at most one. */
export type DelexOptions = SetCondition & { readonly nx?: undefined; readonly xx?: undefined };

type Lives = 'ex' | 'px' | 'exat' | 'pxat';

/** How long the key lives, at most one: seconds, milliseconds, or an instant in either since the epoch. */
export type Expiry =
  | None<Lives>
  | One<'ex', number, Lives>
  | One<'px', number, Lives>
  | One<'exat', number, Lives>
  | One<'pxat', number, Lives>;

/** An expiry, or keep the one the key has. */
export type ExpiryOrKeep = (Expiry & { readonly keepttl?: undefined }) | (None<Lives> & { readonly keepttl: boolean });

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

/** Adds NX, XX or a comparison. Each name is written out: a lookup by a name in a variable takes ten times as long. */
export function pushCondition(argv: Argument[], options: SetCondition): void {
  const { nx, xx, ifeq, ifne, ifdeq, ifdne } = options;
  if (nx) argv.push('NX');
  if (xx) argv.push('XX');
  if (ifeq !== undefined) argv.push('IFEQ', ifeq);
  if (ifne !== undefined) argv.push('IFNE', ifne);
  if (ifdeq !== undefined) argv.push('IFDEQ', ifdeq);
  if (ifdne !== undefined) argv.push('IFDNE', ifdne);
}

/** Adds EX, PX, EXAT, PXAT or KEEPTTL. */
export function pushExpiry(argv: Argument[], options: ExpiryOrKeep | Expiry): void {
  const { ex, px, exat, pxat } = options;
  if (ex !== undefined) argv.push('EX', ex);
  if (px !== undefined) argv.push('PX', px);
  if (exat !== undefined) argv.push('EXAT', exat);
  if (pxat !== undefined) argv.push('PXAT', pxat);
  if ('keepttl' in options && options.keepttl) argv.push('KEEPTTL');
}
