/** Why a LATCH command was refused: the holders of the latch, and until when. Pure. */

import { type Case, optionValue, type Rules } from './case.ts';
import { absent, heldBy, holdersOf } from './phrases.ts';
import { remainingText } from '../text/durations.ts';

/** Sentences for refusals that are no errors, by command. */
export const LATCHES: Rules = {
  'LATCH.ACQUIRE': (said) => (said.reply === '(nil)' ? held(said) : undefined),
  'LATCH.RELEASE': (said) => (said.reply.endsWith(' 0') ? notHeld(said) : undefined),
  'LATCH.RENEW': (said) =>
    said.reply.endsWith(' 0') ? `${notHeld(said)} What is lost is not renewed: LATCH.ACQUIRE asks anew.` : undefined,
  'LATCH.LIMIT': limited,
  'LATCH.ONCE': (said) =>
    said.reply === '1) "busy"'
      ? `Another owner does the work: ${held(said)} Its result, or its failure, ends the wait of WAIT.`
      : undefined,
};

function held({ circumstances, nowMs }: Case): string {
  const busy = circumstances.keys
    .map((key) => ({ key, holders: holdersOf(key, nowMs) }))
    .filter(({ holders }) => holders.length > 0);
  if (busy.length === 0) return 'No holder is left, but the delay after its lease, or the clients in line, come first.';
  return busy.map(({ key, holders }) => `${key.key} is held by ${heldBy(holders, nowMs)}.`).join(' ');
}

function notHeld(said: Case): string {
  const { key, args, nowMs } = said;
  const owner = args[1] ?? '';
  const holders = holdersOf(key, nowMs);
  const own = holders.find((holder) => holder.owner === owner);
  const token = optionValue(said, 'TOKEN', 2);
  if (own && token !== undefined && own.token !== token)
    return `${owner} holds ${key.key} with token ${own.token}, not ${token}.`;
  if (holders.length > 0) return `${owner} does not hold ${key.key}. It is held by ${heldBy(holders, nowMs)}.`;
  return key.type
    ? `${owner} does not hold ${key.key}: its lease has ended.`
    : `${owner} does not hold it: ${absent(key, nowMs)}.`;
}

function limited({ printed, args }: Case): string | undefined {
  const [allowed = 0, remaining = 0, retryMs = 0] = printed.map((line) =>
    Number(/\(integer\) (-?\d+)/.exec(line)?.[1]),
  );
  if (allowed !== 0) return undefined;
  return `The limit of ${args[1] ?? ''} is used up: ${remaining} remain, and this is allowed again in ${remainingText(retryMs)}. A refusal changes nothing.`;
}

/** FENCED: the holder of now, and its token. */
export function fenced(said: Case): string {
  const { key, args, nowMs } = said;
  const token = optionValue(said, 'TOKEN', 2) ?? args[2] ?? '';
  const holders = holdersOf(key, nowMs);
  const owner = args[1] ?? '';
  if (holders.length === 0)
    return `${owner} holds nothing with token ${token}: ${key.type ? 'the lease has ended' : absent(key, nowMs)}. What it would write now is too late.`;
  const tokens = holders.map((holder) => `${holder.owner} with token ${holder.token}`).join(', ');
  return `${owner} came with token ${token}, and ${key.key} is held by ${tokens}. What ${owner} would write now is too late.`;
}
