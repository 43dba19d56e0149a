/** Words for the ends of races. Pure. */

import type { RaceClient, RaceOutcome, RaceReport } from 'keylatch/testing';

/** Number of clients that are named in an outcome. */
const NAMES_MAX = 6;

/** How a race has ended; `text` is the session, of which conditions that failed are quoted. */
export function verdictOf({ together, failed, deadlock }: RaceOutcome, text: string): string {
  if (together.length > 0) return `${together.map(clientName).join(' and ')} inside together`;
  if (failed.length > 0) {
    const lines = text.split('\n');
    return `${failed.map((line) => lines[line - 1]?.trim() ?? '').join(', ')}: another reply`;
  }
  return deadlock ? 'deadlock' : 'at most one inside';
}

function clientName(name: string): string {
  return name || 'keylatch';
}

export function countsOf({ orders, crashes, clockSteps }: RaceOutcome): string {
  const parts = [
    [orders, orders === 1 ? 'order' : 'orders'],
    [crashes, 'with a crash'],
    [clockSteps, 'with a clock step'],
  ] as const;
  return parts.flatMap(([runs, what]) => (runs > 0 ? [`${count(runs)} ${what}`] : [])).join(', ');
}

const ENDS: Readonly<Record<RaceClient['end'], string>> = {
  finished: 'finished',
  stopped: 'stopped',
  crashed: 'crashed',
  blocked: 'waits',
};

/** A line for each client; of many clients, one for those with equal ends. */
export function clientTexts(clients: readonly RaceClient[]): string[] {
  if (clients.length <= NAMES_MAX) return clients.map((client) => `${clientName(client.name)} ${endOf(client)}`);
  const groups = new Map<string, string[]>();
  for (const client of clients) {
    const end = endOf(client, '');
    groups.set(end, [...(groups.get(end) ?? []), clientName(client.name)]);
  }
  return [...groups].map(([end, names]) => {
    const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : '';
    return `${names.slice(0, NAMES_MAX).join(', ')}${more} ${end}`;
  });
}

function endOf(
  { end, line, reply }: RaceClient,
  place = ` ${end === 'crashed' ? 'after' : 'at'} line ${line}`,
): string {
  if (line === 0) return `${ENDS[end]} before its first line`;
  const ending = end === 'finished' ? end : `${ENDS[end]}${place}`;
  return `${ending}${reply === '' ? '' : `: ${reply.replaceAll('\n', ' ')}`}`;
}

/** A count; of one with more digits than a number holds, the power of ten. */
export function count(number: number): string {
  if (number < Number.MAX_SAFE_INTEGER) return number.toLocaleString('en');
  return Number.isFinite(number) ? `about 10^${Math.round(Math.log10(number))}` : 'more than 10^308';
}

export function summaryOf({ orders, runs, unsafe, sample, outcomes }: RaceReport): string {
  const which = sample
    ? `A sample of ${count(sample.orders)} of ${count(orders)} orders, seed ${sample.seed}`
    : orders === 1
      ? 'The only order'
      : `All ${count(orders)} orders`;
  const found = unsafe === 0 ? 'none fails' : `${count(unsafe)} fail`;
  const stuck = outcomes.reduce((sum, outcome) => sum + (outcome.deadlock ? outcome.orders : 0), 0);
  const deadlocks = stuck === 0 ? '' : `, ${count(stuck)} end in a deadlock`;
  return `${which}; with crashes and clock steps ${count(runs)} runs, ${found}${deadlocks}.`;
}
