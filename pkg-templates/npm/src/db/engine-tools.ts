/** Functions of redis-cli that an engine's object carries, by a symbol. */
import type { Fact } from '../host/facts.js';
import type { SessionOptions, SessionReport } from '../session/session.js';

/** @internal Key of the functions in an engine's object. A global symbol: each entry of the package holds a copy of this file. */
export const TOOLS: unique symbol = Symbol.for('keylatch.tools') as never;

/** @internal Functions of an engine. */
export interface Tools {
  printReply(reply: Uint8Array): string;
  splitLine(line: string): Uint8Array[];
  runSession(text: string, options: SessionOptions): SessionReport;
  /** Whether a session of one step expects this reply. */
  expectsReply(step: string, reply: Uint8Array): boolean;
  /** Takes the facts since the last call, with the ids of clients, and starts or stops their queue. */
  takeFacts(goesOn: boolean): readonly Fact<number>[];
  /** Loads a snapshot into an engine that then goes on as a fresh one would. */
  loadFresh(snapshot: Uint8Array): void;
}
