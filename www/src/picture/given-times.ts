/** Times for which clients were given keys and holds of latches, from the change up to the reply that tells of it. Pure. */

import type { Fact, FieldFact } from 'keylatch/hints';

const decoder = new TextDecoder();

export class GivenTimes {
  /** Milliseconds by client, then by key and owner. */
  private readonly times = new Map<string, Map<string, number>>();

  /** A command of a client has changed a key. */
  note(client: string, key: string, fact: Fact, nowMs: number): void {
    this.set(client, nameOf(key), fact.setsDeadline, fact.deadlineMs, nowMs);
    for (const field of fact.fields)
      this.set(client, nameOf(key, decoder.decode(field.field)), field.setsDeadline, endOf(field), nowMs);
  }

  /** Milliseconds that a command of a client gave since its last reply; of a latch, those of its owner. */
  forMs(client: string, key: string, owner: string | undefined): number | undefined {
    const own = this.times.get(client);
    return own?.get(nameOf(key, owner)) ?? own?.get(nameOf(key));
  }

  /** A client has its reply. */
  forget(client: string): void {
    this.times.delete(client);
  }

  private set(client: string, name: string, isSet: boolean, untilMs: number | null, nowMs: number): void {
    if (!isSet || untilMs === null) return;
    const own = this.times.get(client) ?? new Map<string, number>();
    this.times.set(client, own.set(name, untilMs - nowMs));
  }
}

function endOf({ hold, deadlineMs }: FieldFact): number | null {
  return hold ? hold.endMs : deadlineMs;
}

function nameOf(key: string, owner?: string): string {
  return JSON.stringify([key, owner]);
}
