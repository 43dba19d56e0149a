/** Clients of an earlier visit: subscriptions and commands that wait go on, transactions and watched keys have ended. */

import type { Client, Keylatch } from 'keylatch/core';
import { adoptClients, splitLine } from 'keylatch/hints';
import { endOf, type Recorded, type RecordedClient } from '../recording/recording.ts';
import { NamedClient } from './named-client.ts';
import type { KeptClient } from './workspace-state.ts';

/** The client in the recording for the next visit. */
export function recordedClient({ name, db, inTransaction = false, exported }: KeptClient): RecordedClient {
  return { name, db, inTransaction, isCarried: exported !== undefined, watches: exported?.watches };
}

/** Connects the clients in their order; one that cannot continue is connected anew. */
export function connectedAgain(engine: Keylatch, kept: readonly KeptClient[]): NamedClient[] {
  const exported = kept.flatMap((client) => (client.exported ? [client.exported.bytes] : []));
  const adopted = adoptClients(engine, exported);
  return kept.map((client, index) => {
    const carried = client.exported && adopted[exported.indexOf(client.exported.bytes)];
    if (carried) endTransaction(carried, client);
    const named = new NamedClient(engine, client.name, index + 1, 0, carried);
    if (!carried && client.db !== 0) named.connection.callRaw('SELECT', String(client.db));
    return named;
  });
}

/** Does something that clients with subscriptions or a command that waits forbid: they are apart meanwhile, and go on then. */
export function aroundClients(engine: Keylatch, clients: readonly NamedClient[], act: () => void): void {
  const kept = clients.map((client) => client.kept);
  const mayEnd = !kept.some(({ inTransaction, exported }) => inTransaction || exported?.watches);
  const apart = mayEnd ? clients.filter((_, index) => kept[index]?.exported) : [];
  for (const client of apart) client.connection.close();
  try {
    act();
  } finally {
    const exported = kept.flatMap((client) => client.exported?.bytes ?? []);
    const adopted = apart.length > 0 ? adoptClients(engine, exported) : [];
    for (const [index, client] of apart.entries()) client.connect(adopted[index]);
  }
}

function endTransaction(carried: Client, { inTransaction = false, exported }: KeptClient): void {
  const end = endOf({ inTransaction, watches: exported?.watches });
  if (end) carried.callRaw(end);
}

/** Sentences for the log about what ended with the last visit. */
export function endTexts({ name, inTransaction, exported }: KeptClient): string[] {
  if (inTransaction) return [`${name}: MULTI ended with the last visit, and nothing of it has run`];
  return exported?.watches ? [`${name}: WATCH ended with the last visit`] : [];
}

/** Sets again what no snapshot holds, by a client of its own. */
export function applySettings(engine: Keylatch, { settings }: Recorded): void {
  const client = engine.client();
  for (const { text } of settings) client.callRaw(...splitLine(engine, text));
  client.close();
}
