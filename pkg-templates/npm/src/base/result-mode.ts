/**
 * The form in which a command returns its result: immediately, as a promise, or queued in a transaction. The command
 * methods are written once against `Carried<C, T>`; the executor's class chooses C.
 */

/** A result mode, which is a function on types: set `value`, read `carried`. */
export interface ResultMode {
  /** Result type of the command. */
  readonly value: unknown;
  /** Return type of the method. */
  readonly carried: unknown;
}

/** Immediate results: the engine in this process. */
export interface Now extends ResultMode {
  /** The result itself. */
  readonly carried: this['value'];
}

/** Promises of results: an engine in another process or thread. */
export interface Later extends ResultMode {
  /** A promise of the result. */
  readonly carried: Promise<this['value']>;
}

/** Return type of a command with result T in the mode C. */
export type Carried<C extends ResultMode, T> = (C & { readonly value: T })['carried'];
