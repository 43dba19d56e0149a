/**
 * How a command hands back its result: at once, as a promise, or queued in a transaction. The sugar is written once
 * against `Carried<C, T>`; whoever executes chooses C.
 */

/** A function on types: set `value`, read `carried`. */
export interface ResultMode {
  readonly value: unknown;
  readonly carried: unknown;
}

/** The result itself: the engine in this process. */
export interface Now extends ResultMode {
  readonly carried: this['value'];
}

/** A promise of the result: an engine somewhere else. */
export interface Later extends ResultMode {
  readonly carried: Promise<this['value']>;
}

/** What a command with result T returns when C carries it. */
export type Carried<C extends ResultMode, T> = (C & { readonly value: T })['carried'];
