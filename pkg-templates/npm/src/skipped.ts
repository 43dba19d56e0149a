/** Parts of a snapshot or log that a load leaves out on request, because the engine lacks their type. */
import { textOf } from './reply.js';
import type { Shape } from './sugar/option-check.js';

/** Options of `load` and `replay`. */
export interface SkipOptions {
  /**
   * `unsupported`: leaves out values of types that the engine lacks, such as streams, and commands on them. Without it they
   * are refused.
   */
  readonly skip?: 'unsupported' | undefined;
}

/** A key, or data of a module, that was left out. */
export interface SkippedKey {
  /** The key as text; null for data of a module that belongs to no key. */
  readonly key: string | null;
  /** Number of the database. */
  readonly db: number;
  /** Name of the type as TYPE replies it, such as `stream` or `ReJSON-RL`. */
  readonly type: string;
  /** Bytes before the type of the key in a snapshot, or before the command in a log. */
  readonly offset: number;
  /** File of a store, to which the offset belongs; absent if the bytes came from the caller. */
  readonly file?: string | undefined;
}

/** Parts that were left out. */
export interface Skipped {
  /** Number of values of a snapshot and of commands of a log. */
  readonly count: number;
  /** These numbers by type. */
  readonly types: Readonly<Record<string, number>>;
  /** The first 100 keys. */
  readonly keys: readonly SkippedKey[];
}

/** Result of `load`. */
export interface LoadResult {
  /** Parts that were left out: none without `skip`. */
  readonly skipped: Skipped;
}

/** Parts that were left out, as the engine describes them. */
export interface RawSkipped {
  readonly count: number;
  readonly types: readonly (readonly [string, number])[];
  readonly keys: readonly {
    readonly key: Uint8Array | null;
    readonly db: number;
    readonly type: string;
    readonly offset: number;
  }[];
}

export const SKIP: Shape<SkipOptions> = { skip: ['unsupported'] };

export function skippedOf({ count, types, keys }: RawSkipped): Skipped {
  const described = keys.map((part) => ({ ...part, key: part.key === null ? null : textOf(part.key) }));
  return { count, types: Object.fromEntries(types), keys: described };
}
