/** Nodes of the graph of a race, and the outcomes at which its runs end: each names the other. */
import type { RaceOutcome } from './report.js';
import type { Action, RaceState } from './state.js';

/** A state that runs pass. */
export interface Node {
  readonly state: RaceState;
  readonly parent: Node | undefined;
  /** The action that led here from the parent. */
  readonly action: Action | undefined;
  /** Number of actions since the beginning. */
  readonly depth: number;
  /** Bytes of all keys, as text. */
  readonly keys: string;
  /** Nodes that follow, one for each action; undefined while they are not known. */
  next: Node[] | undefined;
  /** The outcome, if no client has a line that may run. */
  kind: Kind | undefined;
  /** Number of runs that pass here. */
  runs: number;
}

export type Counts = Pick<RaceOutcome, 'orders' | 'crashes' | 'clockSteps'>;
export type Description = Omit<RaceOutcome, keyof Counts | 'session'>;

/** Runs with equal ends, or all those that are not listed. */
export interface Kind {
  readonly counts: { -readonly [Name in keyof Counts]: number };
  readonly safe: boolean;
  readonly rank: number;
  /** Undefined if the outcomes are not listed. */
  readonly description: Description | undefined;
  /** A node at which a shortest run ends. */
  node: Node;
}
