/** A client of the command line: its connection, its lane (colour and column), and how its prompt reads. */

import type { Client } from "keylatch/core";

/** The prompt name of the first client; session files take it for the default client. */
export const FIRST_NAME = "keylatch";

export class Speaker {
  constructor(
    readonly name: string,
    readonly lane: number,
    readonly client: Client,
  ) {}

  /** `keylatch>`, `C2[1](TX)>`: the name, the database unless it is 0, and whether commands are being queued. */
  get prompt(): string {
    const database = this.client.db === 0 ? "" : `[${this.client.db}]`;
    return `${this.name}${database}${this.client.inTransaction ? "(TX)" : ""}>`;
  }
}
