/** One sentence on a reply that refuses or finds nothing, from the state at the moment of the command. Pure. */

import { type Case, caseOf, type Explanation, optionValue, type RunCommand, timeoutOf } from './case.ts';
import { missing, negativeReply, NILS, ZEROS } from './conditions.ts';
import { execRefused, explainError } from './errors.ts';
import { LATCHES } from './latches.ts';
import { clockTime, heldBy, holdersOf } from './phrases.ts';

/** The explanation of a command's reply; undefined where there is nothing to add. */
export function explain(entry: RunCommand): Explanation | undefined {
  const said = caseOf(entry);
  if (!said) return undefined;
  if (said.reply.startsWith('(error)')) return explainError(said);
  const text = sentence(said);
  return text === undefined ? undefined : { text, drafts: [] };
}

function sentence(said: Case): string | undefined {
  const { name, printed, reply } = said;
  if (printed.length === 0) return waiting(said);
  if (name.startsWith('LATCH.')) return LATCHES[name]?.(said);
  if (name === 'EXEC') return reply === '(nil)' ? execRefused(said) : undefined;
  if (reply === '(nil)') return NILS[name]?.(said) ?? missing(said);
  if (reply === '(integer) 0') return NAMES_OF_COUNTS.has(name) ? undefined : (ZEROS[name]?.(said) ?? missing(said));
  return /^\(integer\) -[12]$/.test(reply) ? negativeReply(said) : undefined;
}

/** Commands with a number as their reply, of which 0 is one as any other. */
const NAMES_OF_COUNTS = new Set([
  'DBSIZE',
  'TTL',
  'PTTL',
  'INCR',
  'DECR',
  'INCRBY',
  'DECRBY',
  'HINCRBY',
  'GETBIT',
  'SETBIT',
  'CLIENT ID',
  'LASTSAVE',
  'WAIT',
  'ZRANK',
  'ZREVRANK',
  'LPOS',
]);

/** Wakers of blocked commands, by the beginning of the name. */
const WAKERS: readonly (readonly [begins: RegExp, waker: string])[] = [
  [/^B[LR]|^BRPOP/, 'a push (LPUSH, RPUSH, LMOVE)'],
  [/^BZ/, 'ZADD'],
];

/** A command without a reply: what it waits for. */
function waiting(said: Case): string | undefined {
  const { name, circumstances, nowMs } = said;
  const keys = circumstances.keys.map(({ key }) => key).join(', ');
  if (name.startsWith('LATCH.')) {
    const holders = holdersOf(said.key, nowMs);
    const until = optionValue(said, 'WAIT', 1);
    const held = holders.length > 0 ? `, held by ${heldBy(holders, nowMs)}` : '';
    return `This client stands in line for ${keys}${held}. A release or the end of the lease wakes it${until === undefined ? '' : `; at ${clockTime(nowMs + Number(until))} it gives up`}.`;
  }
  const waker = WAKERS.find(([begins]) => begins.test(name))?.[1];
  if (waker === undefined)
    return /^(?:WAIT|WAITAOF|CLIENT REPLY)$/.test(name)
      ? undefined
      : 'No reply yet: CLIENT PAUSE holds commands back, an earlier command of this client waits, or CLIENT REPLY is off.';
  return `This client is blocked: ${waker} to ${keys} wakes it${untilText(said)}.`;
}

function untilText(said: Case): string {
  const seconds = Number(timeoutOf(said));
  if (seconds === 0) return ', and it waits for ever';
  return Number.isFinite(seconds) ? `, or it gives up at ${clockTime(said.nowMs + seconds * 1000)}` : '';
}
