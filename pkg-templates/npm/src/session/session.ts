/**
 * Result types of running a session. The session format is described in the documentation; the engine parses and runs
 * it.
 */

import type { Fact } from '../host/facts.js';
import type { Shape } from '../base/option-check.js';

/** An expected line of output. */
export interface SessionExpectation {
  /** Line of the expectation; lines count from 1. */
  readonly line: number;
  /** The line as it was written. */
  readonly text: string;
  /** True for `...`, which stands for any number of lines. */
  readonly anything: boolean;
}

/** A step of a session: a line that does something, with the lines expected of it. */
export interface SessionStep {
  /** Line of the step; lines count from 1. */
  readonly line: number;
  /** Kind of the line. */
  readonly kind: 'command' | 'receive' | 'clock' | 'race' | 'join' | 'enter' | 'leave' | 'heading' | 'comment';
  /** '' is the default client. */
  readonly client: string;
  /** Prefix of the text, with the current database and transaction: `A[2](TX)>`, `A<`, `A+`, `A-`, `@`, `##`, `#`. */
  readonly prompt: string;
  /** The line behind the prompt. */
  readonly text: string;
  /** Output as redis-cli prints it, one entry a line. */
  readonly printed: readonly string[];
  /** Expected output; empty if nothing was expected. */
  readonly expected: readonly SessionExpectation[];
  /** In the order they happened, each as `KIND KEY`. */
  readonly events: readonly string[];
  /** Expected events; empty if none were listed. */
  readonly expectedEvents: readonly SessionExpectation[];
  /** Database of the client before the step; 0 for lines without a client. */
  readonly database: number;
  /** Words of the command without quotes, behind a number of repetitions; empty unless facts are asked for. */
  readonly words: readonly Uint8Array[];
  /** The reply as RESP, or that of each repetition; empty without one, and unless facts are asked for. */
  readonly reply: Uint8Array;
  /** Changes of keys in the order they happened, with the names of clients; empty unless asked for. */
  readonly facts: readonly Fact[];
  /** `ran`: nothing was expected. */
  readonly verdict: 'ran' | 'matched' | 'mismatched';
  /** Explanation of the output, for example where the quotes of a command are wrong. */
  readonly message: string | null;
  /** The clock after the step. */
  readonly nowMs: number;
}

/** A client of a session, as it was at the end. */
export interface SessionClient {
  /** Name in the session; '' is the default client. */
  readonly name: string;
  /** Number of the client, as CLIENT ID returns it. */
  readonly id: number;
  /** Database of the client. */
  readonly database: number;
  /** True between MULTI and EXEC. */
  readonly inTransaction: boolean;
}

/** A mismatch in the reply or the events of a step. */
export interface SessionMismatch {
  /** Line of the step; lines count from 1. */
  readonly line: number;
  /** Line of the command, with its prompt. */
  readonly command: string;
  /** Expected lines. */
  readonly expected: readonly string[];
  /** Printed lines. */
  readonly got: readonly string[];
  /** Explanation, or null. */
  readonly message: string | null;
}

/** Result of a session. */
export interface SessionReport {
  /** All steps in the order of their lines. */
  readonly steps: readonly SessionStep[];
  /** In the order of their first use. */
  readonly clients: readonly SessionClient[];
  /** The clock at the end, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Number of steps with a mismatch. */
  readonly mismatches: number;
  /** The mismatches, for messages. */
  readonly failures: readonly SessionMismatch[];
  /** The session with its actual replies, in the same format: it can be parsed again. */
  readonly text: string;
}

/** Options of running a session. */
export interface SessionOptions {
  /** Last line to run. */
  readonly untilLine?: number | undefined;
  /** Leaves steps, mismatches and text out of the report, which saves time when only the keys at a line are wanted. */
  readonly brief?: boolean | undefined;
  /** Puts the words of commands, their replies as RESP, and the changes of keys into the steps. */
  readonly facts?: boolean | undefined;
}

/** @internal */
export const SESSION: Shape<SessionOptions> = { untilLine: 'integer', brief: 'flag', facts: 'flag' };
