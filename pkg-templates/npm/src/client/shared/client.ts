/// <reference lib="esnext.disposable" preserve="true" />
/** A client of a database that others share: its number, watched keys and a name of its own. */
import { fromCaller } from '../../base/stack.js';
import type { Argument } from '../../base/argument.js';
import { SharedCommands } from './commands.js';
import { SharedValues, type SharedValueCommands } from './json.js';
import { SharedPrefixedClient } from './prefix.js';
import type { CommandSender } from './command-sender.js';

function sharedWatch(sharedBy: string): Error {
  return new Error(
    `the client of the database is shared by the whole ${sharedBy}, so WATCH on it would lose updates: ` +
      'use db.transaction(async (client) => ...), or watch on a db.client() of your own',
  );
}

/** A client of a shared database. What it watches and selects is its own. */
export class SharedClient extends SharedCommands<string> implements AsyncDisposable {
  readonly #client: CommandSender;
  /** Users of the client, if it is that of the database. */
  readonly #sharedBy: string | undefined;

  /** @internal Use `db.client()`. */
  constructor(client: CommandSender, sharedBy?: string) {
    super(client, false);
    this.#client = client;
    this.#sharedBy = sharedBy;
  }

  /** This client with bulk strings as Uint8Array. */
  get bytes(): SharedCommands<Uint8Array> {
    return new SharedCommands(this.#client, true);
  }

  /** Values as JSON: `await db.json.set('k', { a: [1] })`. `db.json.with(codec)` has another form. */
  get json(): SharedValues {
    return new SharedValues(this as unknown as SharedValueCommands);
  }

  /** A view of this client in which each key gets a prefix. */
  prefix(text: string): SharedPrefixedClient {
    return new SharedPrefixedClient(this.#client, text);
  }

  /**
   * Watches keys: if one changes, the next transaction of this client returns null, and nothing has run. Across tabs, a change of
   * the leader makes it reject with TabsError instead; a lost connection makes it return null.
   */
  async watch(...keys: Argument[]): Promise<'OK'> {
    if (this.#sharedBy !== undefined) throw fromCaller(sharedWatch(this.#sharedBy));
    return this.execute<'OK'>(['WATCH', ...keys]);
  }

  /** Number of the client's database. */
  get db(): number {
    return this.#client.db;
  }

  /** True once the client or the database was closed. */
  get closed(): boolean {
    return this.#client.closed;
  }

  /** Disconnects the client and discards its watched keys. */
  async close(): Promise<void> {
    this.#client.close();
  }

  /** Closes the client at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
