/** A client of the command line: its connection, its lane (colour and column), and its prompt. */

import type { Client, Keylatch } from 'keylatch/core';
import { exportedClient } from 'keylatch/hints';
import { callRaw, isClosed, type Word } from '../engine/raw-call.ts';
import type { Address } from '../text/addressed-line.ts';
import type { RecordedClient } from '../recording/recording.ts';
import type { KeptClient } from './workspace-state.ts';

/** Commands that change keys without an event for each. */
const SILENT = new Set(['FLUSHALL', 'FLUSHDB', 'SWAPDB']);

/** Number of clients of a command line. */
export const MAX_CLIENTS = 8;

export class NamedClient {
  connection: Client;

  /** True when a queued command will change keys without events. */
  private queuedSilent = false;

  constructor(
    private readonly engine: Keylatch,
    readonly name: string,
    readonly lane: number,
    private readonly database = 0,
    carried?: Client,
  ) {
    this.connection = carried ?? this.connected();
  }

  /** Uses another connection, or a new one. */
  connect(connection = this.connected()): void {
    this.connection = connection;
  }

  /** Notes a command that ran. True when keys may have changed without events, then or in its transaction. */
  changesSilently(words: readonly Word[]): boolean {
    const [first = ''] = words;
    const name = typeof first === 'string' ? first : new TextDecoder().decode(first);
    this.queuedSilent ||= SILENT.has(name.toUpperCase());
    if (!this.queuedSilent || this.connection.inTransaction) return false;
    this.queuedSilent = false;
    return true;
  }

  /** Runs a command; its reply as RESP bytes. */
  call(words: readonly Word[]): Uint8Array {
    return callRaw(this.connection, words);
  }

  /** Messages and late replies that reached the client, as RESP bytes. */
  takeOutbox(): Uint8Array {
    return this.connection.takeOutbox();
  }

  /** Connects again after QUIT or CLIENT KILL, as redis-cli does. True when that was needed. */
  reconnect(): boolean {
    if (!isClosed(this.connection)) return false;
    this.connection.close();
    this.connect();
    return true;
  }

  private connected(): Client {
    const options = { db: this.database, protocol: 2 } as const;
    return this.engine.client(this.lane === 0 ? options : { ...options, name: this.name });
  }

  /** State of the client, as recordings have it. */
  get recorded(): RecordedClient {
    const { db, inTransaction } = this.connection;
    return { name: this.name, db, inTransaction };
  }

  /** State of the client for another visit. */
  get kept(): KeptClient {
    return { ...this.recorded, exported: exportedClient(this.engine, this.connection) };
  }

  /** `keylatch>`, `C2[1](TX)>`: the name, the database unless it is 0, and whether commands are being queued. */
  get prompt(): string {
    const database = this.connection.db === 0 ? '' : `[${this.connection.db}]`;
    return `${this.name}${database}${this.connection.inTransaction ? '(TX)' : ''}>`;
  }
}

export function freeName(clients: readonly NamedClient[]): string {
  let number = clients.length + 1;
  while (clients.some((client) => client.name === `C${number}`)) number += 1;
  return `C${number}`;
}

export function freeLane(clients: readonly NamedClient[]): number {
  let lane = 1;
  while (clients.some((client) => client.lane === lane)) lane += 1;
  return lane;
}

/** Reason why lines cannot run: they name more clients than there can be. */
export function crowd(clients: readonly NamedClient[], lines: readonly Address[]): string | undefined {
  const names = new Set(clients.map(({ name }) => name));
  for (const { client: name } of lines) {
    if (name === undefined || names.has(name)) continue;
    if (names.size >= MAX_CLIENTS)
      return `${name} is one client too many: there can be ${MAX_CLIENTS}. Close a client first. Nothing was run.`;
    names.add(name);
  }
  return undefined;
}
