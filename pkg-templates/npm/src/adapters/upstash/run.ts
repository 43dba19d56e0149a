/** Commands of the REST protocol on an engine: at once, as a transaction, and such that wait. */
import { isReplyError } from '../../base/errors.js';
import type { Connection } from '../../client/connection.js';
import type { Database } from '../../db/database.js';
import type { Streams } from '../../host/streams.js';
import { decodeReplies } from '../../resp/reply.js';
import { splitReplies } from '../../resp/split-replies.js';
import type { Command } from './commands.js';
import { RefusedRequest } from './commands.js';
import type { RestReply } from './json.js';
import { concat } from '../../resp/concat.js';
import { encodeError, encodeNull, encodeRequests } from '../../resp/encode.js';

const MULTI: Command = ['MULTI'];
const EXEC: Command = ['EXEC'];
const NOTHING = /* @__PURE__ */ new Uint8Array(0);

/** The log of a database that persists: a unit of effects is appended as one. */
export interface UnitLog {
  grouped<T>(work: () => T): T;
  appendPending(): boolean | Promise<void>;
}

/** Runs requests of one database, on clients of its own. */
export class Runner {
  /** Number of requests so far that may have changed something. */
  changes = 0;
  readonly database: Database;
  readonly log: UnitLog | undefined;
  /** Clients by the version of RESP that they speak. */
  readonly #clients = new Map<2 | 3, Connection>();

  constructor(database: Database, log?: UnitLog) {
    this.database = database;
    this.log = log;
  }

  /** Reply of a command that does not wait; an error is a value. Bulk strings are bytes if asked for. */
  reply(command: Command, asBytes: boolean): RestReply {
    return this.#connected().reply(command, asBytes) as RestReply;
  }

  /** Reply of a command that does not wait, as bytes of RESP. */
  replyBytes(command: Command, resp?: 2 | 3): Uint8Array {
    return this.#connected(resp).replyBytes(command);
  }

  /** Reply of EXEC, as bytes of RESP. A refused transaction throws, and nothing has run. */
  transactionBytes(commands: readonly Command[], resp?: 2 | 3): Uint8Array {
    // One call: nothing of another client, and no listener, runs in between.
    const client = this.#connected(resp);
    const outputs: Uint8Array[] = [];
    let fed = client.feed(encodeRequests([MULTI, ...commands, EXEC]));
    outputs.push(fed.output);
    for (; fed.more; outputs.push(fed.output)) fed = client.feed(NOTHING);
    const replies = splitReplies(concat(outputs));
    const last = replies[commands.length + 1];
    if (last !== undefined && Array.isArray(decodedReply(last))) return last;
    client.disconnect();
    const errors = replies.slice(1).map(errorIn);
    const reason = errors.slice(0, -1).find((error) => error !== undefined);
    const message = errors.at(-1) ?? 'ERR the transaction did not end';
    throw new RefusedRequest(reason === undefined ? message : `${message} (${reason})`);
  }

  /** Runs a command that may wait, on a client of its own. */
  waiting(command: Command, resp?: 2 | 3): WaitingCommand {
    return new WaitingCommand(this.database.streams, command, resp);
  }

  #connected(protocol: 2 | 3 = 2): Connection {
    const known = this.#clients.get(protocol);
    if (known !== undefined && !known.closed) return known;
    const client = this.database.connection({ protocol, name: 'upstash-rest' });
    this.#clients.set(protocol, client);
    return client;
  }
}

function decodedReply(reply: Uint8Array): RestReply | undefined {
  return decodeReplies(reply)[0];
}

/** The error of a reply in RESP2; undefined for other replies. */
export function errorIn(reply: Uint8Array): string | undefined {
  const value = decodedReply(reply);
  return isReplyError(value) ? value.message : undefined;
}

const CUT_OFF = /* @__PURE__ */ encodeError('ERR the client was ended');

/** A command on a client of its own, which it may block. */
export class WaitingCommand {
  /** The reply as bytes of RESP. Rejects when the engine ends. */
  readonly reply: Promise<Uint8Array>;
  /** The reply if the command did not have to wait. */
  readonly replyAtOnce: Uint8Array | undefined;
  /** Called with the reply of a command that had to wait, in the call that ended the wait: its effects join those. */
  beforeReply: (reply: Uint8Array) => void = () => {};
  #end!: (reply: Uint8Array) => void;
  #fail!: (reason: Error) => void;
  #disconnect: () => void;
  #hasEnded = false;

  constructor(streams: Streams, command: Command, resp: 2 | 3 = 2) {
    this.reply = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    // Without a handler, an engine that ends would end the process.
    this.reply.catch(() => {});
    const outputs: Uint8Array[] = [];
    const keep = (output: Uint8Array): void => {
      outputs.push(output.slice());
    };
    const take = (input: Uint8Array): Uint8Array | undefined => {
      for (stream.feed(input, keep); stream.more; ) stream.feed(NOTHING, keep);
      return outputs.length > 0 && !stream.parked ? concat(outputs) : undefined;
    };
    const stream = streams.openOwn({
      reached: () => {
        const reply = take(NOTHING);
        if (reply !== undefined) this.#finish(reply);
        else if (stream.closed) this.#finish(CUT_OFF);
      },
      ended: (error) => this.#fail(error),
    });
    this.#disconnect = () => stream.close();
    if (resp === 3) {
      take(encodeRequests([['HELLO', 3]]));
      outputs.length = 0;
    }
    this.replyAtOnce = take(encodeRequests([command]));
    if (this.replyAtOnce !== undefined) this.#finish(this.replyAtOnce);
  }

  /** Ends the wait, with a null. Nothing is taken afterwards. */
  abandon(): void {
    // There was nothing.
    this.#finish(encodeNull());
  }

  #finish(reply: Uint8Array): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#disconnect();
    this.beforeReply(reply);
    this.#end(reply);
  }
}
