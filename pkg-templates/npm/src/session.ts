/** What running a session answers. The session format is described in the documentation; the engine reads and runs it. */

export interface SessionExpectation {
  /** The line that says so; lines count from 1. */
  readonly line: number;
  readonly text: string;
}

export interface SessionStep {
  readonly line: number;
  readonly kind: 'command' | 'receive' | 'clock' | 'heading' | 'comment';
  /** '' is the default client. */
  readonly client: string;
  /** What stands before the text, with the real database and transaction: `A[2](TX)>`, `A<`, `@`, `##`, `#`. */
  readonly prompt: string;
  readonly text: string;
  /** What redis-cli would print, one entry a line. */
  readonly printed: readonly string[];
  readonly expected: readonly SessionExpectation[];
  /** In the order they happened, each as `KIND KEY`. */
  readonly events: readonly string[];
  readonly expectedEvents: readonly SessionExpectation[];
  /** `ran`: nothing was expected. */
  readonly verdict: 'ran' | 'matched' | 'mismatched';
  /** Explains what was printed, for example where the quotes of a command went wrong. */
  readonly message: string | null;
  /** The clock behind the step. */
  readonly nowMs: number;
}

export interface SessionClient {
  readonly name: string;
  readonly id: number;
  readonly database: number;
  readonly inTransaction: boolean;
}

/** One thing that differed from what was expected: the reply or the events of a step. */
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
  /** Steps that did not do what was expected. */
  readonly mismatches: number;
  readonly failures: readonly SessionMismatch[];
  /** The session with its real replies, in the same format: it can be read back. */
  readonly text: string;
}

export interface SessionOptions {
  /** Stop behind this line. */
  readonly untilLine?: number;
}
