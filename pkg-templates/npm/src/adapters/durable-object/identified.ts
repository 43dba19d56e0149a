/**
 * Requests over a socket that may be repeated: `KEYLATCH.REQUEST id command argument ...`. The reply is kept as that of a REST
 * request with an id, in the turn of the command's effects.
 */
import type { Access } from '../upstash/access.js';
import { type Command, isOfConnection, isRead, nameOf, waits } from '../upstash/commands.js';
import { Failure } from '../upstash/exchange.js';
import { digestOf, KeptReply, requestIdOf } from '../upstash/kept-reply.js';
import type { Runner } from '../upstash/run.js';
import { textOf } from '../../resp/reply.js';

/** Name of the command, in capitals. */
const WITH_ID = 'KEYLATCH.REQUEST';

/** A command with the id of its request. */
export interface IdentifiedCommand {
  /** Undefined for a command that keeps nothing: it only reads, or changes the connection. */
  readonly id: string | undefined;
  readonly command: Command;
}

/** The command in a request that may be repeated; undefined for other requests. Throws Failure for one that cannot be. */
export function identifiedIn(words: Command): IdentifiedCommand | undefined {
  // Nearly all requests are others: those of another length need no decoding.
  if (words[0]?.length !== WITH_ID.length || nameOf(words) !== WITH_ID) return undefined;
  const [, sent, ...command] = words;
  if (sent === undefined || command.length === 0)
    throw new Failure(400, `ERR wrong number of arguments for '${WITH_ID.toLowerCase()}' command`);
  const id = requestIdOf(typeof sent === 'string' ? sent : textOf(sent));
  if (waits(command) || nameOf(command) === WITH_ID)
    throw new Failure(400, `ERR a request id cannot be that of '${nameOf(command)}'`);
  return { id: isRead(command) || isOfConnection(command) ? undefined : id, command };
}

/** The reply of an identified request, once its digest is known. */
export class IdentifiedReply {
  #kept: KeptReply | undefined;

  /** `ready` is called when the request may run. */
  constructor(runner: Runner, id: string, command: Command, { writes, limits }: Access, ready: () => void) {
    // Clients come back with another token of the same rights.
    const owner = JSON.stringify({ writes, limits });
    void digestOf(owner, [command]).then((digest) => {
      this.#kept = new KeptReply(runner, id, 0, digest);
      ready();
    });
  }

  get isReady(): boolean {
    return this.#kept !== undefined;
  }

  /** The reply that was kept, or that of the command, which is run then. Throws Failure for the id of another request. */
  replyOf(run: () => Uint8Array): Uint8Array {
    const found = this.#kept?.found();
    if (found !== undefined) return found;
    const reply = run();
    this.#kept?.keep(reply);
    return reply;
  }
}
