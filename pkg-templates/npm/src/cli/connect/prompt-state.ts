/** State of a client at a prompt, taken from its commands and replies: what the prompt shows, and a new connection lacks. */
import { encodeRequests } from '../../resp/encode.js';
import { isError, isPush } from '../../resp/reply-kinds.js';
import { decodeReplies, type Reply } from '../../resp/reply.js';

const CHANNEL_COMMANDS = /^[PS]?(?:UN)?SUBSCRIBE$/;
const CHANNEL_REPLIES = /^(?:[ps]?message|[ps]?(?:un)?subscribe)$/;
const SHARD = /^s(?:un)?subscribe$/;
/** Text of the PING that ends the replies of a command about channels: their number is not known before. */
const MARK = 'keylatch: the end of the confirmations';
const RESP2 = 2;

/** The request for the mark. */
export const MARKED = /* @__PURE__ */ encodeRequests([['PING', MARK]]);

/** Whether a command is about channels, so that it has a reply for each. */
export function isOfChannels([name = '']: readonly string[]): boolean {
  return CHANNEL_COMMANDS.test(name.toUpperCase());
}

/** Whether a reply is that to the marked PING, alone or within the array of a subscriber. */
export function isMark(reply: Uint8Array): boolean {
  const decoded = decoded1(reply);
  return decoded === MARK || (Array.isArray(decoded) && decoded[0] === 'pong' && decoded[1] === MARK);
}

function decoded1(reply: Uint8Array): Reply {
  return decodeReplies(reply)[0] as Reply;
}

export class PromptState {
  #db = 0;
  /** Database that EXEC selects. */
  #queuedDb: number | undefined;
  #protocol = RESP2;
  #inTransaction = false;
  #channels = 0;
  #shardChannels = 0;

  get db(): number {
    return this.#db;
  }

  get inTransaction(): boolean {
    return this.#inTransaction;
  }

  get isSubscribed(): boolean {
    return this.#channels + this.#shardChannels > 0;
  }

  /** Whether commands about keys would be refused, or their replies be taken for messages. */
  get isSubscriber(): boolean {
    return this.isSubscribed && this.#protocol === RESP2;
  }

  /** `[2](TX)(subscribed mode)`, without what is as at the beginning. */
  get shown(): string {
    const db = this.#db === 0 ? '' : `[${this.#db}]`;
    return `${db}${this.#inTransaction ? '(TX)' : ''}${this.isSubscriber ? '(subscribed mode)' : ''}`;
  }

  /** Commands that bring a new connection into this state. */
  get setup(): string[][] {
    const setup: string[][] = [];
    if (this.#protocol !== RESP2) setup.push(['HELLO', String(this.#protocol)]);
    if (this.#db !== 0) setup.push(['SELECT', String(this.#db)]);
    return setup;
  }

  /** Transactions and subscriptions end with their connection. */
  disconnected(): void {
    this.#inTransaction = false;
    this.#queuedDb = undefined;
    this.#channels = 0;
    this.#shardChannels = 0;
  }

  /** Takes what came by itself, or confirms a subscription; false if the bytes are the reply of a command. */
  hears(reply: Uint8Array, isExpected: boolean): boolean {
    if (!isPush(reply) && !isExpected && !this.isSubscriber) return false;
    const decoded = decoded1(reply);
    const [kind, , count] = Array.isArray(decoded) ? (decoded as Reply[]) : [];
    if (typeof kind !== 'string' || !CHANNEL_REPLIES.test(kind)) return isPush(reply);
    if (kind.endsWith('subscribe') && SHARD.test(kind)) this.#shardChannels = Number(count);
    else if (kind.endsWith('subscribe')) this.#channels = Number(count);
    return true;
  }

  /** Takes the reply of a command. */
  answered(words: readonly string[], reply: Uint8Array): void {
    const [name = '', first = ''] = words;
    const command = name.toUpperCase();
    const isRefused = isError(reply);
    if (command === 'EXEC' || command === 'DISCARD') this.#transacted(command === 'EXEC' && !isRefused);
    if (isRefused) return;
    if (command === 'MULTI') this.#inTransaction = true;
    else if (command === 'RESET') this.#reset();
    else if (command === 'HELLO' && first !== '' && !this.#inTransaction) this.#protocol = Number(first);
    else if (command === 'SELECT' && this.#inTransaction) this.#queuedDb = Number(first);
    else if (command === 'SELECT') this.#db = Number(first);
  }

  #transacted(hasRun: boolean): void {
    this.#inTransaction = false;
    if (hasRun) this.#db = this.#queuedDb ?? this.#db;
    this.#queuedDb = undefined;
  }

  #reset(): void {
    this.disconnected();
    this.#db = 0;
    this.#protocol = RESP2;
  }
}
