/** Functions of redis-cli that an engine's object carries. */
import type { Fact } from '../host/facts.js';
import type { Host } from '../host/host.js';
import type { SessionOptions, SessionReport } from '../session/session.js';
import type { SessionLine } from '../session/session-lines.js';

/** @internal Functions of an engine. */
export interface Tools {
  readonly host: Host;
  printReply(reply: Uint8Array): string;
  splitLine(line: string): Uint8Array[];
  sessionLines(text: string): SessionLine[];
  runSession(text: string, options: SessionOptions): SessionReport;
  /** Whether a session of one step expects this reply. */
  expectsReply(step: string, reply: Uint8Array): boolean;
  /** Takes the facts since the last call, with the ids of clients, and starts or stops their queue. */
  takeFacts(goesOn: boolean): readonly Fact<number>[];
  /** Loads a snapshot into an engine that then goes on as a fresh one would. */
  loadFresh(snapshot: Uint8Array): void;
}
