/** Lists, sets and sorted sets in another order. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { listed, type Keys } from './arguments.js';

export interface SortOptions {
  /** Key to compare by: `*` stands for the element, `->` leads to a field of a hash; `'nosort'` keeps the order. */
  readonly by?: Argument;
  /** Keys to return for each element, in the form of `by`; `'#'` is the element itself. */
  readonly get?: Keys;
  readonly limit?: readonly [offset: number, count: number];
  readonly order?: 'ASC' | 'DESC';
  /** Compare as text; as numbers without it. */
  readonly alpha?: boolean;
}

function pushSort(argv: Argument[], options: SortOptions): Argument[] {
  if (options.by !== undefined) argv.push('BY', options.by);
  if (options.limit !== undefined) argv.push('LIMIT', ...options.limit);
  if (options.get !== undefined) for (const pattern of listed(options.get)) argv.push('GET', pattern);
  if (options.order !== undefined) argv.push(options.order);
  if (options.alpha) argv.push('ALPHA');
  return argv;
}

export abstract class SortCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** The elements in order; with `get` what that names, null where there is nothing. */
  sort(key: Argument, options: SortOptions & { readonly get: Keys }): Carried<C, (Text | null)[]>;
  sort(key: Argument, options?: SortOptions): Carried<C, Text[]>;
  sort(key: Argument, options: SortOptions = {}): Carried<C, (Text | null)[]> {
    return this.execute<(Text | null)[]>(pushSort(['SORT', key], options));
  }

  /** Stores them as a list instead, and answers how many there are. */
  sortstore(destination: Argument, key: Argument, options: SortOptions = {}): Carried<C, number> {
    return this.execute<number>([...pushSort(['SORT', key], options), 'STORE', destination]);
  }
}
