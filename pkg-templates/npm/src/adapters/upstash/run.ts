/** Commands of the REST protocol on an engine: single ones, pipelines and transactions, with replies in RESP2. */
import type { Client } from '../../client/client.js';
import type { Keylatch } from '../../db/keylatch.js';
import { commandName } from '../../base/argument.js';
import { ReplyError } from '../../base/errors.js';
import { concat } from '../../resp/concat.js';
import { encodeError, encodeRequests } from '../../resp/encode.js';
import { decodeReplies } from '../../resp/reply.js';
import type { RestValue } from './json.js';

/** Part of a database that the REST protocol needs. */
export type UpstashDatabase = Pick<Keylatch, 'client' | 'subscribe' | 'psubscribe' | 'closed'>;

/** Commands that change or need the state of a connection, which a request of REST does not have. */
const OF_CONNECTIONS = new Set(
  (
    'ASKING AUTH CLIENT DISCARD EXEC HELLO MONITOR MULTI PSUBSCRIBE PUNSUBSCRIBE QUIT READONLY READWRITE RESET SELECT ' +
    'SSUBSCRIBE SUBSCRIBE SUNSUBSCRIBE UNSUBSCRIBE UNWATCH WATCH'
  ).split(' '),
);

const HINTS: Readonly<Record<string, string>> = {
  MULTI: 'send the commands to /multi-exec',
  EXEC: 'send the commands to /multi-exec',
  SUBSCRIBE: 'send the channel to /subscribe/CHANNEL',
  PSUBSCRIBE: 'send the pattern to /psubscribe/PATTERN',
};

const encoder = new TextEncoder();

/** A request that is refused as a whole. */
export class RefusedRequest extends Error {
  // The name of the errors of @upstash/redis.
  override readonly name = 'UpstashError';
}

/** One command as the body of a request has it. */
export function commandOf(body: unknown): Uint8Array[] {
  if (!Array.isArray(body) || body.length === 0)
    throw new RefusedRequest('ERR a command is a JSON array of its name and arguments');
  return body.map((word: unknown, index) => {
    if (word === null || word === undefined) return new Uint8Array(0);
    if (typeof word === 'object' || typeof word === 'function' || typeof word === 'symbol')
      throw new RefusedRequest(`ERR argument ${index} of the command must be a string, a number, a boolean or null`);
    return encoder.encode(String(word));
  });
}

/** Commands of a pipeline or a transaction. */
export function commandsOf(body: unknown): Uint8Array[][] {
  if (Array.isArray(body) && body.every(Array.isArray)) return body.map(commandOf);
  throw new RefusedRequest('ERR a pipeline is a JSON array of commands, which are arrays');
}

function refusal(argv: readonly Uint8Array[]): string | undefined {
  const name = commandName(argv[0]);
  if (!OF_CONNECTIONS.has(name)) return undefined;
  const hint = HINTS[name];
  return `ERR ${name} is not available over REST${hint === undefined ? '' : `: ${hint}`}`;
}

/** Runs requests of one database, on a client of its own. */
class Runner {
  /** Number of requests so far. */
  requests = 0;
  readonly #db: UpstashDatabase;
  #client: Client | undefined;

  constructor(db: UpstashDatabase) {
    this.#db = db;
  }

  /** Replies of the commands, RESP2 bytes for each. */
  pipeline(commands: readonly (readonly Uint8Array[])[]): Uint8Array[] {
    this.requests += 1;
    return commands.map((argv) => this.#run(argv));
  }

  #run(argv: readonly Uint8Array[]): Uint8Array {
    const refused = refusal(argv);
    if (refused !== undefined) return encodeError(refused);
    const reply = this.#connected().callRaw(...argv);
    if (reply.length > 0) return reply;
    // The client is blocked. Without it the command ends, and no element is lost.
    this.#disconnect();
    return encodeError(`ERR ${commandName(argv[0])} has to wait, which REST does not`);
  }

  /** Replies of a transaction. A refused transaction throws, and nothing has run. */
  transaction(commands: readonly (readonly Uint8Array[])[]): RestValue[] {
    this.requests += 1;
    const refused = commands.map(refusal).find((message) => message !== undefined);
    if (refused !== undefined) throw new RefusedRequest(refused);
    const client = this.#connected();
    // One call: nothing of another client, and no listener, runs in between.
    const outputs: Uint8Array[] = [];
    let fed = client.feed(encodeRequests([['MULTI'], ...commands, ['EXEC']]));
    outputs.push(fed.output);
    for (; fed.more; outputs.push(fed.output)) fed = client.feed(new Uint8Array(0));
    const replies = decodeReplies(concat(outputs), { buffer: true }) as RestValue[];
    const result = replies[commands.length + 1];
    if (Array.isArray(result)) return result;
    this.#disconnect();
    const reason = replies.slice(1, -1).find((reply) => reply instanceof ReplyError);
    const message =
      result instanceof ReplyError ? result.message : 'ERR the transaction has to wait, which REST does not';
    throw new RefusedRequest(reason === undefined ? message : `${message} (${reason.message})`);
  }

  #connected(): Client {
    if (this.#client === undefined || this.#client.closed) {
      this.#client = this.#db.client({ protocol: 2, name: 'upstash-rest' });
    }
    return this.#client;
  }

  #disconnect(): void {
    this.#client?.close();
    this.#client = undefined;
  }
}

const runners = new WeakMap<object, Runner>();

/** The runner of a database; all requesters and handlers share it. */
export function runnerOf(db: UpstashDatabase): Runner {
  if (typeof db?.client !== 'function') throw new TypeError('a database is needed: new Keylatch()');
  const runner = runners.get(db) ?? new Runner(db);
  runners.set(db, runner);
  return runner;
}

export type { Runner };

/** One of the two ways to subscribe. */
export type SubscriptionKind = 'subscribe' | 'psubscribe';

/** Calls back with the lines that a subscriber reads. Returns a function that ends the subscription. */
export function subscribe(
  db: UpstashDatabase,
  kind: SubscriptionKind,
  name: string,
  onLine: (line: string) => void,
): () => void {
  const end =
    kind === 'subscribe'
      ? db.subscribe(name, (message, channel) => onLine(`message,${channel},${message}`))
      : db.psubscribe(name, (message, channel, pattern) => onLine(`pmessage,${pattern},${channel},${message}`));
  onLine(`${kind},${name},1`);
  return end;
}
