/**
 * A report arranged for reading: prose joined to paragraphs, a lane for each client, the position of each step in time.
 * Pure.
 */

import type { SessionStep as Step } from 'keylatch/hints';

export type Item =
  | { readonly kind: 'heading'; readonly line: number; readonly text: string }
  | { readonly kind: 'prose'; readonly line: number; readonly text: string }
  | { readonly kind: 'stop'; readonly line: number; readonly step: Step; readonly stop: number };

/** Steps as items; stops are counted from 1, as in the scrubber. */
export function arrange(steps: readonly Step[]): Item[] {
  const items: Item[] = [];
  let stop = 0;
  let lastProseLine = -1;
  for (const step of steps) {
    const text = step.text.replace(/^\s*#+\s?/, '').trim();
    const previous = items.at(-1);
    if (step.kind === 'heading') items.push({ kind: 'heading', line: step.line, text });
    else if (step.kind !== 'comment') items.push({ kind: 'stop', line: step.line, step, stop: (stop += 1) });
    else if (previous?.kind === 'prose' && lastProseLine === step.line - 1 && text !== '')
      items[items.length - 1] = { ...previous, text: `${previous.text} ${text}` };
    else if (text !== '') items.push({ kind: 'prose', line: step.line, text });
    if (step.kind === 'comment') lastProseLine = text === '' ? -1 : step.line;
  }
  return items;
}

/** Names of the clients in the order of their first command; "" is the default client. */
export function clientNamesOf(steps: readonly Step[]): string[] {
  const speaking = steps.filter((step) => step.kind === 'command' || step.kind === 'receive');
  return [...new Set(speaking.map((step) => step.client))];
}
