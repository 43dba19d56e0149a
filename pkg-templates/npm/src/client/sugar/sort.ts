/** Lists, sets and sorted sets in another order. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { listed, type Keys } from './arguments.js';
import { checked, type Shape, tooMany } from '../../base/option-check.js';

export interface SortOptions {
  /** Key to compare by: `*` stands for the element, `->` leads to a field of a hash; `'nosort'` keeps the order. */
  readonly by?: Argument | undefined;
  /** Keys to return for each element, in the form of `by`; `'#'` is the element itself. */
  readonly get?: Keys | undefined;
  readonly limit?: readonly [offset: number, count: number] | undefined;
  readonly order?: 'ASC' | 'DESC' | undefined;
  /** Compare as text; as numbers without it. */
  readonly alpha?: boolean | undefined;
}

const SORT: Shape<SortOptions> = {
  alpha: 'flag',
  order: ['ASC', 'DESC'],
  limit: 'limit',
  by: 'argument',
  get: 'arguments',
};

function pushSort(method: string, argv: Argument[], given: SortOptions | undefined): Argument[] {
  const options = checked(method, given, SORT);
  if (options.by !== undefined) argv.push('BY', options.by);
  if (options.limit !== undefined) argv.push('LIMIT', options.limit[0], options.limit[1]);
  if (options.get !== undefined) for (const pattern of listed(options.get)) argv.push('GET', pattern);
  if (options.order !== undefined) argv.push(options.order);
  if (options.alpha) argv.push('ALPHA');
  return argv;
}

export abstract class SortCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** The elements in order; with `get` what that names, null where there is nothing. */
  sort(key: Argument, options: SortOptions & { readonly get: Keys }): Carried<C, (Text | null)[]>;
  sort(key: Argument, options?: SortOptions): Carried<C, Text[]>;
  sort(key: Argument, options?: SortOptions): Carried<C, (Text | null)[]> {
    if (arguments.length > 2) tooMany('sort', 2, arguments.length);
    return this.execute<(Text | null)[]>(pushSort('sort', ['SORT', key], options));
  }

  /** Stores them as a list instead, and answers how many there are. */
  sortstore(destination: Argument, key: Argument, options?: SortOptions): Carried<C, number> {
    if (arguments.length > 3) tooMany('sortstore', 3, arguments.length);
    return this.execute<number>([...pushSort('sortstore', ['SORT', key], options), 'STORE', destination]);
  }
}
