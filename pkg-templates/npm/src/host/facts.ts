/** Facts: changes of keys, and of fields of hashes, as the engine states them. Pure. */
import { ADMITTED, type LatchMode } from './generated/modes.js';

/** Kind of a change. */
export type FactKind = 'created' | 'changed' | 'removed' | 'expired' | 'evicted' | 'renamed';

/** A change of a key. Fields of a removed key, or of a replaced value, are gone without facts of their own. */
export interface Fact<Client = string> {
  /** Client of the command that changed the key, also if it was queued or blocked; null if time or memory did. */
  readonly client: Client | null;
  /** Database of the key. */
  readonly db: number;
  /** The key; null stands for all keys of the database. */
  readonly key: Uint8Array | null;
  /** Kind of the change. */
  readonly kind: FactKind;
  /** Deadline of the key after the change. */
  readonly deadlineMs: number | null;
  /**
   * True if the command set the deadline, even to the one before. False for deadlines that the engine finds itself: that of a
   * limit is the end of its window.
   */
  readonly setsDeadline: boolean;
  /** True if the value was replaced as a whole: fields that it had are gone. */
  readonly replaces: boolean;
  /** True if the command wrote only because the key or the fields were missing, as with NX. */
  readonly ifMissing: boolean;
  /** The text that the command put as a whole, as SET does. */
  readonly text: Uint8Array | null;
  /** Database and name of a renamed key; without a name, of all keys of the database. */
  readonly to: { readonly db: number; readonly key: Uint8Array | null } | null;
  /** Changed fields of a hash. */
  readonly fields: readonly FieldFact[];
}

/** A change of a field of a hash. */
export interface FieldFact {
  /** Name of the field; the owner of a latch. */
  readonly field: Uint8Array;
  /** Kind of the change. */
  readonly kind: FactKind;
  /** Deadline of the field after the change. */
  readonly deadlineMs: number | null;
  /** True if the command set the deadline, even to the one before. */
  readonly setsDeadline: boolean;
  /** The hold that the field has after the change, if the hash is a latch. */
  readonly hold: Hold | null;
}

/** A hold of a latch. */
export interface Hold {
  /** Exclusive, shared, an intention of either, or permits. */
  readonly mode: LatchMode;
  /** Number of permits; 1 in other modes. */
  readonly permits: number;
  /** Limit of the permits of all holders, if the command named one. */
  readonly limit: number | null;
  /** Token of the grant, in decimal. */
  readonly token: string;
  /** Last instant of the lease; null without an end. The deadline of the field adds the delay after the lease. */
  readonly endMs: number | null;
}

/**
 * True if two owners may hold a latch in these modes at once, whatever the number of permits.
 *
 * @example modesAdmit('s', 'is') // true
 */
export function modesAdmit(one: LatchMode, other: LatchMode): boolean {
  return ADMITTED[one].includes(other);
}
