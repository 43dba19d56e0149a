/** A client of the command line: its connection, its lane (colour and column), and its prompt. */

import type { Client, Keylatch } from 'keylatch/core';
import type { Address } from '../text/addressed-line.ts';
import type { RecordedClient } from '../recording/recording.ts';

/** Commands that change keys without an event for each. */
const SILENT = new Set(['FLUSHALL', 'FLUSHDB', 'SWAPDB']);

/** Number of clients of a command line. */
export const MAX_CLIENTS = 8;

const NOTHING = new Uint8Array();
const ARGUMENTS_MAX = 1000;
const encoder = new TextEncoder();
const LINE_END = encoder.encode('\r\n');

export class NamedClient {
  connection: Client;

  /** True when a queued command will change keys without events. */
  private queuedSilent = false;

  constructor(
    private readonly engine: Keylatch,
    readonly name: string,
    readonly lane: number,
    private readonly database = 0,
  ) {
    this.connection = this.connect();
  }

  /** Notes a command that ran. True when keys may have changed without events, then or in its transaction. */
  changesSilently(words: readonly (string | Uint8Array)[]): boolean {
    const [first = ''] = words;
    const name = typeof first === 'string' ? first : new TextDecoder().decode(first);
    this.queuedSilent ||= SILENT.has(name.toUpperCase());
    if (!this.queuedSilent || this.connection.inTransaction) return false;
    this.queuedSilent = false;
    return true;
  }

  /** Runs a command; its reply as RESP bytes. */
  call(words: readonly (string | Uint8Array)[]): Uint8Array {
    // More words than a function can have arguments are sent as a request on the wire.
    return words.length <= ARGUMENTS_MAX ? this.connection.callRaw(...words) : this.request(words);
  }

  private request(words: readonly (string | Uint8Array)[]): Uint8Array {
    const pieces: Uint8Array[] = [];
    let fed = this.connection.feed(requestBytes(words));
    for (; fed.more; fed = this.connection.feed(NOTHING)) pieces.push(fed.output);
    return joined([...pieces, fed.output]);
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
    const options = { db: this.database, protocol: 2 } as const;
    return this.engine.client(this.lane === 0 ? options : { ...options, name: this.name });
  }

  /** `keylatch>`, `C2[1](TX)>`: the name, the database unless it is 0, and whether commands are being queued. */
  /** State of the client, as recordings keep it. */
  get recorded(): RecordedClient {
    const { db, inTransaction } = this.connection;
    return { name: this.name, db, inTransaction };
  }

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

/** A command in the form of the protocol. Most words have one of a few lengths, so their headers are encoded once. */
function requestBytes(words: readonly (string | Uint8Array)[]): Uint8Array {
  const headers = new Map<number, Uint8Array<ArrayBuffer>>();
  const pieces: Uint8Array[] = [encoder.encode(`*${words.length}`)];
  for (const word of words) {
    const bytes = typeof word === 'string' ? encoder.encode(word) : word;
    let header = headers.get(bytes.length);
    if (!header) headers.set(bytes.length, (header = encoder.encode(`\r\n$${bytes.length}\r\n`)));
    pieces.push(header, bytes);
  }
  return joined([...pieces, LINE_END]);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
