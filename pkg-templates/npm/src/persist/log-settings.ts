/** Types around the log of an engine. */
import type { Keylatch } from '../db/keylatch.js';
import type { PersistenceError } from './errors.js';

/** The part of an engine that a log uses. */
export interface LogSource extends Pick<Keylatch, 'onEffects' | 'takeEffects' | 'snapshot' | 'now' | 'record'> {
  /** Effects without those of a script that is suspended. */
  takeEndedEffects(): Uint8Array;
}

/** `running`; `failed`: writing is tried again; `lost`: the store is gone; `readonly`: opened so; `closed`. */
export type PersistenceState = 'running' | 'failed' | 'lost' | 'readonly' | 'closed';

/** Settings of a log. */
export interface LogSettings {
  readonly seed: bigint;
  /** Sizes of what was restored. */
  readonly snapshotBytes: number;
  readonly logBytes: number;
  /** True if effects are appended before the call that caused them returns. */
  readonly isImmediate: () => boolean;
  /** Makes the call in progress throw: its change is in memory only. */
  readonly failCall: (error: PersistenceError) => void;
  /** Called after each change of the state. */
  readonly changed: () => void;
}
