/** Condition of a new expiry: a word as in Redis, or options. */
import type { Argument } from '../../base/argument.js';
import { checked, refuse, type Shape } from '../../base/option-check.js';

/** Condition of EXPIRE as a word: no expiry yet (NX), one (XX), a later one (GT), an earlier one (LT). */
export type ExpireCondition = 'NX' | 'XX' | 'GT' | 'LT';

type None<Names extends string> = { readonly [Name in Names]?: undefined };

/** Condition of EXPIRE: `nx` without an expiry yet, `xx` with one, `gt` for a later one, `lt` for an earlier one. */
export type ExpireOptions =
  | ({ readonly nx?: boolean | undefined } & None<'xx' | 'gt' | 'lt'>)
  | ({ readonly xx?: boolean | undefined } & None<'nx' | 'gt' | 'lt'>)
  | ({ readonly gt?: boolean | undefined } & None<'nx' | 'xx' | 'lt'>)
  | ({ readonly lt?: boolean | undefined } & None<'nx' | 'xx' | 'gt'>);

const WORDS = ['NX', 'XX', 'GT', 'LT'];
const EXPIRE: Shape<ExpireOptions> = { nx: 'flag', xx: 'flag', gt: 'flag', lt: 'flag' };

/** Adds the word of a condition. */
export function pushWhen(method: string, argv: Argument[], condition: ExpireCondition | ExpireOptions): Argument[] {
  if (typeof condition === 'string') {
    if (!WORDS.includes(condition.toUpperCase()))
      refuse(method, 'the condition', "'NX', 'XX', 'GT', 'LT' or an object such as { nx: true }", condition);
    argv.push(condition);
    return argv;
  }
  const { nx, xx, gt, lt } = checked<ExpireOptions>(method, condition, EXPIRE, [['nx', 'xx', 'gt', 'lt']]);
  if (nx) argv.push('NX');
  if (xx) argv.push('XX');
  if (gt) argv.push('GT');
  if (lt) argv.push('LT');
  return argv;
}
