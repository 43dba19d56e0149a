/** One client of a server: its commands as requests on a line, and the state that a new connection does not have. */
import { commandName, type Argument } from '../base/argument.js';
import { abortReason } from '../base/abort.js';
import { ClosedError, ReplyError } from '../base/errors.js';
import type { ClientOptions } from '../client/connection.js';
import type { CommandSender } from '../client/shared/command-sender.js';
import { isResent, mayWait } from '../client/shared/resent.js';
import { ClientState, fullName, refuseOfConnection, resultOfTransaction } from '../client/shared/state.js';
import type { WaitOptions } from '../client/waits.js';
import { encodeRequests } from '../resp/encode.js';
import { decodeReplies, type Reply } from '../resp/reply.js';
import type { CachedReads } from './cached-reads.js';
import { MayHaveRun } from './errors.js';
import type { Line, RemoteRequest, Transport } from './transport.js';
import { waitOf } from './wait.js';

type Replies = Reply<string | Uint8Array>;
type Queue = readonly (readonly Argument[])[];

const WHERE = 'over a connection';
/** Commands that may run twice, and lack the flag readonly: they change nothing but their connection. */
const HARMLESS = /^(PING|ECHO|TIME|COMMAND|INFO|(UN)?WATCH|SELECT|CLIENT (ID|INFO|GETNAME|SETNAME))$/;

function isRepeatable(name: string): boolean {
  return isResent(name) || HARMLESS.test(name);
}

/** Options of a client, and the cache of its database. */
export interface RemoteClientOptions extends ClientOptions {
  readonly cache?: CachedReads | undefined;
  /** Whether reads are taken from the cache: those of other clients, which watch keys, are not. */
  readonly isCached?: boolean;
}

export class RemoteClient implements CommandSender {
  readonly #transport: Transport;
  readonly #cache: CachedReads | undefined;
  readonly #isCached: boolean;
  readonly #state: ClientState;
  readonly #line: Line;
  /** Lines of commands that wait. */
  readonly #waits = new Set<Line>();
  #closed = false;
  /** Whether the last EXEC ran nothing because a watched key had changed. */
  isAborted = false;

  constructor(transport: Transport, { cache, isCached = false, ...options }: RemoteClientOptions = {}) {
    this.#transport = transport;
    this.#cache = cache;
    this.#isCached = isCached;
    this.#state = new ClientState(options);
    this.#line = transport.line(this.#state);
  }

  get closed(): boolean {
    return this.#closed;
  }

  get db(): number {
    return this.#state.db;
  }

  async run(argv: readonly Argument[], asBytes: boolean): Promise<Replies> {
    const name = fullName(argv);
    refuseOfConnection(name, WHERE);
    if (mayWait(name)) return this.wait(argv, 0, asBytes, {});
    const request = {
      kind: 'commands',
      commands: [argv],
      name: commandName(argv[0]),
      isRead: isRepeatable(name),
    } as const;
    const reply = await this.#reply(this.#line, request, asBytes);
    this.#state.keep(name, argv);
    return reply;
  }

  async wait(argv: readonly Argument[], _: number, asBytes: boolean, { signal }: WaitOptions): Promise<Replies> {
    if (this.#closed) throw new ClosedError('client');
    if (signal?.aborted) throw abortReason(signal);
    const line = this.#transport.waitingLine(this.db);
    this.#waits.add(line);
    const name = commandName(argv[0]);
    try {
      const request = { kind: 'wait', commands: [argv], name, isRead: false, wait: waitOf(argv), signal } as const;
      return await this.#reply(line, request, asBytes);
    } finally {
      this.#waits.delete(line);
      line.close();
    }
  }

  async transaction(queue: Queue, asBytes: boolean): Promise<unknown> {
    this.isAborted = false;
    const replies = await this.#transacted(queue);
    this.#state.endWatch();
    const decoded = replies.map((bytes) => decodedReply(bytes, 'EXEC', asBytes));
    const result = resultOfTransaction(decoded, queue);
    this.isAborted = result === null;
    return result;
  }

  async #transacted(queue: Queue): Promise<readonly Uint8Array[]> {
    try {
      return await this.#send(this.#line, { kind: 'transaction', commands: queue, name: 'EXEC', isRead: false });
    } catch (error) {
      // EXEC ends the watch, if it ran. One that was never sent leaves it lost: the next one answers null.
      if (error instanceof MayHaveRun) this.#state.endWatch();
      throw error;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#isCached) this.#cache?.forget();
    this.#line.close();
    for (const line of this.#waits) line.close();
  }

  async #reply(line: Line, request: Omit<RemoteRequest, 'bytes'>, asBytes: boolean): Promise<Replies> {
    const [bytes] = await this.#send(line, request);
    const reply = decodedReply(bytes as Uint8Array, request.name, asBytes);
    if (reply instanceof ReplyError) throw reply;
    return reply;
  }

  #send(line: Line, request: Omit<RemoteRequest, 'bytes'>): Promise<readonly Uint8Array[]> {
    if (this.#closed) throw new ClosedError('client');
    // Whatever is no argument is refused here, before others are sent with it.
    const bytes = encodeRequests(request.commands);
    const send = (): Promise<readonly Uint8Array[]> => line.send({ ...request, bytes });
    return this.#cache === undefined ? send() : this.#throughCache(this.#cache, request, send);
  }

  #throughCache(
    cache: CachedReads,
    { commands, name, isRead }: Omit<RemoteRequest, 'bytes'>,
    send: () => Promise<readonly Uint8Array[]>,
  ): Promise<readonly Uint8Array[]> {
    const [argv] = commands;
    if (!isRead || (name === 'SELECT' && this.#isCached)) return cache.change(commands, send);
    return this.#isCached && argv !== undefined ? cache.read(argv, this.db, send) : send();
  }
}

function decodedReply(bytes: Uint8Array, command: string, asBytes: boolean): Replies {
  const replies: readonly Replies[] = decodeReplies(bytes, { buffer: asBytes as true, command });
  return replies[0] as Replies;
}
