/** A client of the command line: its connection, its lane (colour and column), and its prompt. */

import type { Client, Keylatch } from 'keylatch/core';

/** Prompt name of the first client, which session files read as the default client. */
export const FIRST_NAME = 'keylatch';

const NOTHING = new Uint8Array();

export class NamedClient {
  connection: Client;

  constructor(
    private readonly database: Keylatch,
    readonly name: string,
    readonly lane: number,
  ) {
    this.connection = this.connect();
  }

  /** Messages and late replies that reached the client, as RESP bytes. */
  takeOutbox(): Uint8Array {
    return this.connection.takeOutbox();
  }

  /** Connects again after QUIT or CLIENT KILL, as redis-cli does. True when that was needed. */
  reconnect(): boolean {
    if (!this.connection.feed(NOTHING).closed) return false;
    this.connection.close();
    this.connection = this.connect();
    return true;
  }

  private connect(): Client {
    return this.database.client({ name: this.name, protocol: 2 });
  }

  /** `keylatch>`, `C2[1](TX)>`: the name, the database unless it is 0, and whether commands are being queued. */
  get prompt(): string {
    const database = this.connection.db === 0 ? '' : `[${this.connection.db}]`;
    return `${this.name}${database}${this.connection.inTransaction ? '(TX)' : ''}>`;
  }
}
