/** Meaning of a command and its reply for keys as locks: what was taken, renewed, given back or refused. Pure. */

import type { LatchMode } from 'keylatch/hints';
import type { Grant } from './spans.ts';

/** A command with the first line of its reply. */
export interface Answer {
  readonly client: string;
  /** Name of the command, in capitals. */
  readonly command: string;
  readonly words: readonly string[];
  readonly reply: string;
  readonly nowMs: number;
  /** Milliseconds for which the command gave a key or the hold of its owner, as facts state them; undefined if it set no deadline. */
  forMs(key: string): number | undefined;
}

/** Commands that leave a key without a deadline, unless an option gives it one. */
const LASTING = /^(?:SET|SETNX|GETSET|PERSIST)$/;
/** A value this far from now is no instant. */
const FAR_MS = 3.2e10;

/** Words of a command, without the quotes around them. */
export function wordsOf(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\S+/g)].map(
    ([all, double, single]) => double ?? single ?? all,
  );
}

/** True for OK, text and a number other than 0; a queued command, a message or no reply at all says nothing yet. */
export function saysYes(reply: string): boolean {
  return /^(?:OK$|"|\(integer\) (?!0$))/.test(reply);
}

/** True for a reply that tells a client that a key is not its own. */
export function saysNo({ command, reply }: Answer): boolean {
  return /^(?:\(nil\)|\(integer\) 0$|\(error\) FENCED)/.test(reply) || (command === 'LATCH.ONCE' && !isRun(reply));
}

/** Keys that a command has taken; `seen` is what its client has last read of its key. */
export function grantsOf(answer: Answer, seen: string | undefined): Grant[] {
  const { client, command, words, reply } = answer;
  const [, key = '', value = ''] = words;
  const plain = (name: string): Grant => ({ key: name, client, mode: 'x' });
  const written = [{ ...plain(key), value }];
  if (command === 'SET') return hasSet(answer, seen) ? written : [];
  if (command === 'GETSET') return reply === '(nil)' || isPast(answer) ? written : [];
  if (command === 'LATCH.ONCE') return isRun(reply) ? latchGrants(answer) : [];
  if (!saysYes(reply)) return [];
  if (command === 'SETNX') return written;
  if (command === 'HSETNX') return [{ key, client, mode: `#${value}` }];
  if (command === 'MSETNX') return words.filter((_, index) => index % 2 === 1).map(plain);
  if (command === 'MSETEX' && has(words, 'NX')) return pairs(words).map(plain);
  return command === 'LATCH.ACQUIRE' ? latchGrants(answer) : [];
}

/** A lock by SET: with NX, or after its client has seen that there is none. */
function hasSet({ words, reply }: Answer, seen: string | undefined): boolean {
  if (has(words, 'NX')) return has(words, 'GET') ? reply === '(nil)' : saysYes(reply);
  const hasLooked = seen === '(nil)' || seen === '(integer) 0';
  return hasLooked && saysYes(reply) && !words.slice(3).some((word) => /^(?:XX|IF.*)$/i.test(word));
}

function latchGrants({ client, words }: Answer): Grant[] {
  const [, key = '', owner] = words;
  const permits = Number(option(words, 'PERMITS') ?? 0);
  const mode: LatchMode = permits > 0 ? 'p' : has(words, 'SHARED') ? 's' : 'x';
  const grant = { client, owner, mode, permits, limit: Number(option(words, 'LIMIT') ?? 0) };
  const above: LatchMode = mode === 's' ? 'is' : 'ix';
  return [
    ...[key, ...list(words, 'ALSO')].map((name) => ({ ...grant, key: name })),
    ...list(words, 'INTENT').map((name) => ({ client, owner, key: name, mode: above })),
  ];
}

/** Keys that a command is about. */
export function keysOf({ command, words }: Answer): readonly string[] {
  if (/^(?:DEL|UNLINK)$/.test(command)) return words.slice(1);
  if (/^(?:EVAL|FCALL)/.test(command)) return words.slice(3, 3 + Number(words[2]));
  return [...words.slice(1, 2), ...(command.startsWith('LATCH.') ? list(words, 'ALSO') : [])];
}

/** Instant up to which a command that said yes gives a key; undefined for no end, null if it leaves the lease as it is. */
export function leaseEnd({ command, words, reply, nowMs, forMs }: Answer, key: string): number | undefined | null {
  // The reply of a renewal is what remains: a lease is never shortened.
  if (command === 'LATCH.RENEW') return nowMs + Number(reply.slice('(integer) '.length));
  const given = forMs(key);
  if (given !== undefined) return nowMs + given;
  const instant = /^(?:SETNX|GETSET)$/.test(command) ? instantOf(words[2] ?? '', nowMs) : undefined;
  if (instant !== undefined && instant > nowMs) return instant;
  const lasts =
    command === 'GETEX' ? /^PERSIST$/i.test(words[2] ?? '') : LASTING.test(command) && !has(words, 'KEEPTTL');
  return lasts ? undefined : null;
}

/** True if the last hold of an owner is given back, by LATCH.RELEASE or with the result of LATCH.DONE. */
export function endsLatch({ command, words }: Answer): boolean {
  if (command === 'LATCH.RELEASE') return Number(option(words, 'DEPTH') ?? 0) === 0;
  return command === 'LATCH.DONE';
}

/** The option of a command, whatever its case. */
export function has(words: readonly string[], name: string): boolean {
  return indexOf(words, name) > 0;
}

function indexOf(words: readonly string[], name: string): number {
  return words.findIndex((word, index) => index > 2 && word.toUpperCase() === name);
}

function option(words: readonly string[], name: string): string | undefined {
  return has(words, name) ? words[indexOf(words, name) + 1] : undefined;
}

/** Keys behind an option and their number. */
function list(words: readonly string[], name: string): string[] {
  const first = indexOf(words, name) + 2;
  return words.slice(first, first + Number(option(words, name) ?? 0));
}

/** Keys of MSETEX, behind their number. */
function pairs(words: readonly string[]): string[] {
  return words.slice(2, 2 + 2 * Number(words[1])).filter((_, index) => index % 2 === 0);
}

function isRun(reply: string): boolean {
  return reply === '1) "run"';
}

/** True if what GETSET has replaced is an instant that is over: the lock had ended. */
function isPast({ reply, nowMs }: Answer): boolean {
  const instant = instantOf(reply.slice(1, -1), nowMs);
  return instant !== undefined && instant < nowMs;
}

/** A value that is a Unix time near now, in seconds or milliseconds: old locks contain their end. */
function instantOf(value: string, nowMs: number): number | undefined {
  return [Number(value) * 1000, Number(value)].find((ms) => Math.abs(ms - nowMs) < FAR_MS);
}
