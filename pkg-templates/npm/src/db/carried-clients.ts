/** Clients that outlive their engine: each is exported as words, which another engine adopts. */
import { Client } from '../client/client.js';
import { Connection } from '../client/connection.js';
import { clientId, exportClient, queuePosition, watchesKeys } from '../host/client-words.js';
import type { Host } from '../host/host.js';
import { NO_CLIENT } from '../host/instance.js';
import type { Keylatch } from './keylatch.js';
import { toolsOf } from './tools.js';

/** A client that was exported. */
export interface ExportedClient {
  /** Name, database, protocol, subscriptions, and the command it is blocked in, with its deadline. */
  readonly bytes: Uint8Array;
  /** Whether keys are watched, which count as changed once it is adopted. */
  readonly watches: boolean;
}

/** A client for `adoptClients`, where an open transaction is aborted. Undefined if it is to be disconnected. */
export function exportedClient(db: Keylatch, client: Client): ExportedClient | undefined {
  const bytes = exportClient(toolsOf(db).host, client.id);
  return bytes && { bytes, watches: watchesKeys(bytes) };
}

/**
 * Connects clients from the bytes that another engine exported, those that are blocked in the order of their queue. Undefined for one that
 * cannot be connected.
 */
export function adoptClients(db: Keylatch, exported: readonly Uint8Array[]): (Client | undefined)[] {
  const { host } = toolsOf(db);
  const queue = [...exported].sort((one, other) => queuePosition(one) - queuePosition(other));
  const adopted = new Map(queue.map((words) => [words, adopt(host, words)]));
  host.tick();
  return exported.map((words) => adopted.get(words));
}

function adopt(host: Host, words: Uint8Array): Client | undefined {
  return host.enter((instance) => {
    // A client with the id would be replaced.
    if (instance.guarded(() => instance.engine.client(clientId(words))) !== null) return undefined;
    const id = instance.withInput(words, (length) => instance.engine.importState(length, true));
    return id === NO_CLIENT ? undefined : new Client(Connection.adopted(host, id));
  });
}
