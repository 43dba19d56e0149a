/**
 * Functions of redis-cli over an engine: printing replies, splitting lines, running sessions. The engine's own code does
 * the work; an object with this symbol carries it.
 */
import type { Fact } from './facts.js';
import type { Keylatch } from './keylatch.js';
import type { SessionReport, SessionOptions } from './session.js';

/** @internal Key of the functions in an engine's object. A global symbol: each entry of the package holds a copy of this file. */
export const TOOLS: unique symbol = Symbol.for('keylatch.tools') as never;

/** @internal Functions of an engine. */
export interface Tools {
  printReply(reply: Uint8Array): string;
  splitLine(line: string): Uint8Array[];
  runSession(text: string, options: SessionOptions): SessionReport;
  /** Whether a session of one step expects this reply. */
  expectsReply(step: string, reply: Uint8Array): boolean;
  /** Loads a snapshot into an engine that then goes on as a fresh one would. */
  loadFresh(snapshot: Uint8Array): void;
  /** Takes the facts since the last call, with the ids of clients, and starts or stops their queue. */
  takeFacts(goesOn: boolean): readonly Fact<number>[];
}

/** @internal */
export function toolsOf(db: Keylatch): Tools {
  const tools = (db as { readonly [TOOLS]?: Tools } | undefined)?.[TOOLS];
  if (tools === undefined) throw new TypeError('the first argument must be a Keylatch');
  return tools;
}

/**
 * A reply as redis-cli prints it, lines joined by line feeds.
 *
 * @example printReply(db, db.callRaw('MGET', 'a', 'b')) // '1) "1"\n2) (nil)'
 */
export function printReply(db: Keylatch, reply: Uint8Array): string {
  return toolsOf(db).printReply(reply);
}

/**
 * Splits a typed line into arguments, with the quotes and escapes of redis-cli.
 *
 * @throws LineError The line has an open quote, or text right behind one.
 */
export function splitLine(db: Keylatch, line: string): Uint8Array[] {
  return toolsOf(db).splitLine(line);
}

/**
 * Runs a session on an engine that goes on. The engine must have a ManualClock, which the session moves.
 *
 * @throws SessionError The text is not a session.
 */
export function runSessionOn(db: Keylatch, text: string, options: SessionOptions = {}): SessionReport {
  return toolsOf(db).runSession(text, options);
}

/**
 * Loads a snapshot into an engine that then goes on as a fresh one would: tokens of latches do not continue above those that
 * were granted before. For runs that begin again from the same keys.
 */
export function loadFresh(db: Keylatch, snapshot: Uint8Array): void {
  toolsOf(db).loadFresh(snapshot);
}
