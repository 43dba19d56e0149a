/**
 * Result types of running a session. The session format is described in the documentation; the engine parses and runs
 * it.
 */

import type { Shape } from './sugar/option-check.js';

export interface SessionExpectation {
  /** Line of the expectation; lines count from 1. */
  readonly line: number;
  readonly text: string;
}

export interface SessionStep {
  readonly line: number;
  readonly kind: 'command' | 'receive' | 'clock' | 'heading' | 'comment';
  /** '' is the default client. */
  readonly client: string;
  /** Prefix of the text, with the current database and transaction: `A[2](TX)>`, `A<`, `@`, `##`, `#`. */
  readonly prompt: string;
  readonly text: string;
  /** Output as redis-cli prints it, one entry a line. */
  readonly printed: readonly string[];
  readonly expected: readonly SessionExpectation[];
  /** In the order they happened, each as `KIND KEY`. */
  readonly events: readonly string[];
  readonly expectedEvents: readonly SessionExpectation[];
  /** `ran`: nothing was expected. */
  readonly verdict: 'ran' | 'matched' | 'mismatched';
  /** Explanation of the output, for example where the quotes of a command are wrong. */
  readonly message: string | null;
  /** The clock after the step. */
  readonly nowMs: number;
}

export interface SessionClient {
  readonly name: string;
  readonly id: number;
  readonly database: number;
  readonly inTransaction: boolean;
}

/** A mismatch in the reply or the events of a step. */
export interface SessionMismatch {
  readonly line: number;
  readonly command: string;
  readonly expected: readonly string[];
  readonly got: readonly string[];
  readonly message: string | null;
}

export interface Report {
  readonly steps: readonly SessionStep[];
  /** In the order of their first use. */
  readonly clients: readonly SessionClient[];
  readonly nowMs: number;
  /** Number of steps with a mismatch. */
  readonly mismatches: number;
  readonly failures: readonly SessionMismatch[];
  /** The session with its actual replies, in the same format: it can be parsed again. */
  readonly text: string;
}

export interface SessionOptions {
  /** Last line to run. */
  readonly untilLine?: number | undefined;
}

/** @internal */
export const SESSION: Shape<SessionOptions> = { untilLine: 'integer' };
