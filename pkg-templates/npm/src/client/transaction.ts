/** MULTI, the queued commands and EXEC as one step of the engine. */
import { commandName, type Argument } from '../base/argument.js';
import type { Connection } from './connection.js';
import { ReplyError } from '../base/errors.js';
import type { Reply } from '../resp/reply.js';

type Queue = readonly (readonly Argument[])[];
type Replies = Reply<string | Uint8Array>;

/** Events are delivered after EXEC, so that no listener finds this client inside its transaction. */
export function runTransaction(connection: Connection, queue: Queue, asBytes: boolean): unknown {
  return connection.host.enter(() => {
    try {
      throwIfError(connection.reply(['MULTI'], false));
      const refusals = enqueue(connection, queue);
      const replies = connection.reply(['EXEC'], asBytes);
      connection.isAborted = replies === null;
      return transactionResult(replies, queue, refusals);
    } catch (error) {
      // An invalid argument or a failed clock must not leave the transaction open.
      if (!(error instanceof ReplyError)) connection.discard();
      throw error;
    }
  });
}

/** Queues the commands; returns the errors of refused ones. */
function enqueue(connection: Connection, queue: Queue): ReplyError[] {
  const refusals: ReplyError[] = [];
  for (const argv of queue) {
    const reply = connection.reply(argv, false);
    if (reply instanceof ReplyError) refusals.push(reply);
  }
  return refusals;
}

/** The results of EXEC with the commands' names in errors; a refused transaction is thrown. */
export function transactionResult(replies: Replies, queue: Queue, refusals: readonly ReplyError[]): unknown {
  if (replies instanceof ReplyError) throw new ReplyError(replies.message, 'EXEC', { cause: causeOf(refusals) });
  return Array.isArray(replies) ? replies.map((reply, index) => named(reply, queue[index])) : replies;
}

function throwIfError(reply: Replies): void {
  if (reply instanceof ReplyError) throw reply;
}

/** An error among the results names its own command instead of EXEC. */
function named(reply: Replies, argv: readonly Argument[] | undefined): Replies {
  return reply instanceof ReplyError && argv !== undefined
    ? new ReplyError(reply.message, commandName(argv[0]))
    : reply;
}

function causeOf(refusals: readonly ReplyError[]): unknown {
  return refusals.length === 1 ? refusals[0] : refusals;
}
