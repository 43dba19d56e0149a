/** Replies of a step as values, each with its command: those of a transaction too. Pure. */

import { decodeReplies, type Reply } from 'keylatch/core';
import { keyIndicesOf, type SessionStep as Step } from 'keylatch/hints';

/** A bulk string is bytes; other texts are strings. */
type Value = Reply<Uint8Array>;

/** Columns of the command table that the picture reads. */
export interface Row {
  readonly flags: readonly string[];
  readonly keys?: readonly string[];
}

/** Finds the row of a command by its first words. */
export type RowOf = (first: string, second: string | undefined) => Row | undefined;

/** A command, and the number of its client's database. */
export interface Sent {
  readonly words: readonly Uint8Array[];
  readonly db: number;
}

/** A command with its reply. */
export interface Answer extends Sent {
  readonly reply: Value;
}

const NO_COMMAND: Sent = { words: [], db: 0 };
const decoder = new TextDecoder();

/** Commands that wait for their replies, by client. */
export class Exchanges {
  /** Blocked commands. */
  private readonly blocked = new Map<string, Sent>();
  /** Commands of open transactions. */
  private readonly queued = new Map<string, Sent[]>();

  /** The replies that a step brings to its client. */
  answersOf(step: Step): Answer[] {
    const { client, kind, words, database: db } = step;
    const own = kind === 'command' ? { words, db } : this.blocked.get(client);
    const replies: Value[] = decodeReplies(step.reply, { buffer: true });
    if (kind === 'command' && replies.length === 0) this.blocked.set(client, { words, db });
    else if (replies.length > 0) this.blocked.delete(client);
    return replies.flatMap((reply) => this.answered(client, own ?? NO_COMMAND, reply));
  }

  private answered(client: string, own: Sent, reply: Value): Answer[] {
    const queued = this.queued.get(client) ?? [];
    if (reply === 'QUEUED') {
      this.queued.set(client, [...queued, own]);
      return [];
    }
    // An error leaves the transaction open, or EXEC has refused it.
    if (!(reply instanceof Error)) this.queued.delete(client);
    const parts = Array.isArray(reply) && reply.length === queued.length ? reply : [];
    const elements = parts.map((part, index) => ({ ...(queued[index] ?? NO_COMMAND), reply: part }));
    return [...elements, { ...own, reply }];
  }
}

/** Keys that a command names. */
export function keysOf(sent: Sent, rowOf: RowOf): Uint8Array[] {
  const { words } = sent;
  const specs = rowFor(sent, rowOf)?.keys ?? [];
  return keyIndicesOf(specs, words).flatMap((index) => words.slice(index, index + 1));
}

/** Row of a command. */
export function rowFor({ words: [first, second] }: Sent, rowOf: RowOf): Row | undefined {
  return first && rowOf(decoder.decode(first), second && decoder.decode(second));
}

/** True for a reply that says that there is nothing. */
export function isNothing(reply: Value): boolean {
  return reply === null || reply === 0;
}

/** True for a reply that tells a client that something is not its own; `isLatch` says that a latch was asked for. */
export function saysNo(reply: Value, isLatch: boolean): boolean {
  if (reply instanceof Error) return reply.message.startsWith('FENCED');
  if (isLatch && Array.isArray(reply)) return /^(?:busy|done)$/.test(bulkText(reply[0] ?? null) ?? '');
  return isNothing(reply);
}

/** Text of a bulk string; undefined for other replies. */
export function bulkText(reply: Value): string | undefined {
  return reply instanceof Uint8Array ? decoder.decode(reply) : undefined;
}

/** True if a reply contains a number, in decimal. */
export function tells(reply: Value, number: string): boolean {
  return Array.isArray(reply) ? reply.some((part) => tells(part, number)) : String(reply) === number;
}
