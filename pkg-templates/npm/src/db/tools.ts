/**
 * Functions of redis-cli over an engine: printing replies, splitting lines, reading and running sessions. The engine's own code does
 * the work.
 */
import type { Tools } from './engine-tools.js';
import type { Keylatch } from './keylatch.js';
import type { SessionReport, SessionOptions } from '../session/session.js';
import type { SessionLine } from '../session/session-lines.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** @internal */
export function toolsOf(db: Keylatch): Tools {
  const tools = (db as Keylatch | undefined)?.tools;
  if (tools === undefined) throw new CallerTypeError('the first argument must be a Keylatch');
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
 * Lines of a session text with their kinds and clients, as `runSessionOn` reads them, without running anything. Text that is no
 * session has lines, too.
 *
 * @example sessionLines(db, 'A> GET door')[0] // { kind: 'command', client: 'A', head: 'A>', rest: ' GET door', ... }
 */
export function sessionLines(db: Keylatch, text: string): SessionLine[] {
  return toolsOf(db).sessionLines(text);
}

/**
 * Printed lines of a reply as lines of a session, behind a bar where a session would read something else.
 *
 * @example replyLines(db, ['OK', '# no comment']) // ['OK', '| # no comment']
 */
export function replyLines(db: Keylatch, printed: readonly string[]): string[] {
  // A blank line ends a block, so that no line is read by those around it.
  const lines = sessionLines(db, printed.join('\n\n'));
  const isPlain = (line: string, index: number): boolean => lines[2 * index]?.kind === 'reply' && !/^\s/.test(line);
  return printed.map((line, index) => (isPlain(line, index) ? line : `| ${line}`.trimEnd()));
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
