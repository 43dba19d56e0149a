/** One client of a tab: its commands as calls, and the state that a new leader does not have. */
import { ClosedError, ReplyError } from '../base/errors.js';
import { abortReason, onAbort } from '../base/abort.js';
import { type Argument, commandName } from '../base/argument.js';
import type { ClientOptions } from '../client/connection.js';
import { decodeReplies, type Reply } from '../resp/reply.js';
import type { WaitOptions } from '../client/waits.js';
import type { Hub } from './hub.js';
import { concat } from '../resp/concat.js';
import { encodeRequests } from '../resp/encode.js';
import type { CommandSender } from '../client/shared/command-sender.js';
import { isResent, mayWait } from '../client/shared/resent.js';
import { ClientState, fullName, refuseOfConnection, resultOfTransaction } from '../client/shared/state.js';
import { TabsError } from './tabs-error.js';
import type { CommandRequest, Outcome } from './wire.js';

type Replies = Reply<string | Uint8Array>;
type Commands = readonly (readonly Argument[])[];

/** True if the leader changed before EXEC was sent: nothing ran, and the work of a transaction can begin anew. */
export function isLostTransaction(error: unknown): boolean {
  return error instanceof TabsError && error.code === 'LEADER_CHANGED' && !error.mayHaveRun;
}

export class TabClient implements CommandSender {
  readonly #hub: Hub;
  readonly #number: number;
  readonly #state: ClientState;
  /** Epoch of the leader that has connected the client. */
  #epoch: number | undefined;
  #closed = false;
  /** Ends the waits of this client. */
  readonly #cancels = new Set<() => void>();
  /** Whether the last EXEC ran nothing because a watched key had changed. */
  isAborted = false;

  constructor(hub: Hub, options?: ClientOptions) {
    this.#hub = hub;
    this.#number = hub.nextClient();
    this.#state = new ClientState(options);
  }

  get hub(): Hub {
    return this.#hub;
  }

  get closed(): boolean {
    return this.#closed || this.#hub.closed;
  }

  get db(): number {
    return this.#state.db;
  }

  /** Runs a command. Rejects with its error. */
  async run(argv: readonly Argument[], asBytes: boolean): Promise<Replies> {
    const name = fullName(argv);
    refuseOfConnection(name, 'across tabs');
    if (mayWait(name)) return this.wait(argv, 0, asBytes, {});
    const replies = await this.#send([argv], name, asBytes);
    // Some commands have several replies.
    const reply = replies.length === 1 ? (replies[0] as Replies) : replies;
    if (reply instanceof ReplyError) throw reply;
    this.#state.keep(name, argv);
    return reply;
  }

  /** Runs a command that may wait, on a client of its own. */
  async wait(
    argv: readonly Argument[],
    timeoutSeconds: number,
    asBytes: boolean,
    { signal }: WaitOptions,
  ): Promise<Replies> {
    if (this.closed) throw new ClosedError('client');
    if (signal?.aborted) throw abortReason(signal);
    const own = new TabClient(this.#hub, { db: this.db });
    const deadlineMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 + this.#hub.options.deadlineMs : Infinity;
    const bytes = encodeRequests([argv]);
    let skipped = 0;
    const make = (epoch: number): CommandRequest => {
      const setup = own.#setup(epoch);
      skipped = setup.length;
      const all = concat([encodeRequests(setup), bytes]);
      return { kind: 'command', client: own.#number, bytes: all, opens: true, once: true };
    };
    const started = this.#hub.start({ make, isResent: false, deadlineMs });
    const end = (): void => started.cancel();
    this.#cancels.add(end);
    const stopListening = onAbort(signal, end);
    try {
      const outcome = await started.outcome;
      if (outcome.kind !== 'bytes') throw signal?.aborted ? abortReason(signal) : new ClosedError('client');
      const [reply] = this.#decoded(outcome.bytes, skipped, commandName(argv[0]), asBytes);
      if (reply instanceof ReplyError) throw reply;
      return reply as Replies;
    } finally {
      this.#cancels.delete(end);
      stopListening();
    }
  }

  /** Runs MULTI, the commands and EXEC in one call. */
  async transaction(queue: Commands, asBytes: boolean): Promise<unknown> {
    const replies = await this.#send([['MULTI'], ...queue, ['EXEC']], 'EXEC', asBytes);
    this.#state.endWatch();
    const result = resultOfTransaction(replies, queue);
    this.isAborted = result === null;
    return result;
  }

  /** Disconnects. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const cancel of this.#cancels) cancel();
    if (this.#epoch !== undefined) this.#hub.post({ kind: 'close', client: this.#number });
  }

  /** Sends commands; the replies of all of them. */
  async #send(commands: Commands, name: string, asBytes: boolean): Promise<Replies[]> {
    if (this.closed) throw new ClosedError('client');
    const bytes = encodeRequests(commands);
    const { deadlineMs, flushed } = this.#hub.options;
    const isRead = isResent(name);
    let skipped = 0;
    const make = (epoch: number): CommandRequest => {
      const setup = this.#setup(epoch);
      if (name === 'EXEC' && this.#state.hasLostWatch) this.#failWatch();
      skipped = setup.length;
      const all = skipped === 0 ? bytes : concat([encodeRequests(setup), bytes]);
      const request = { kind: 'command', client: this.#number, bytes: all, opens: skipped > 0 } as const;
      return flushed && !isRead ? { ...request, flushed } : request;
    };
    const outcome = await this.#call(make, isRead, deadlineMs);
    // A client that the leader does not know ran nothing: it was killed, or its first call was lost.
    if (outcome.kind === 'unknown') return this.#send(commands, name, asBytes);
    if (outcome.kind !== 'bytes') throw new ClosedError('client');
    return this.#decoded(outcome.bytes, skipped, commandName(name.split(' ')[0]), asBytes);
  }

  async #call(make: (epoch: number) => CommandRequest, isRead: boolean, deadlineMs: number): Promise<Outcome> {
    try {
      const outcome = await this.#hub.call({ make, isResent: isRead, deadlineMs });
      if (outcome.kind === 'unknown') this.#epoch = undefined;
      return outcome;
    } catch (error) {
      // The call that connects may be the one that was lost.
      if (error instanceof TabsError && error.code === 'NO_ANSWER') this.#epoch = undefined;
      throw error;
    }
  }

  #decoded(bytes: Uint8Array, skipped: number, command: string, asBytes: boolean): Replies[] {
    const all = decodeReplies(bytes, { buffer: asBytes as true, command }) as Replies[];
    const failed = all.slice(0, skipped).find((reply) => reply instanceof ReplyError);
    if (failed !== undefined) throw failed;
    return all.slice(skipped);
  }

  /** Commands that connect the client to the leader of an epoch, if it is not connected. */
  #setup(epoch: number): readonly (readonly Argument[])[] {
    if (this.#epoch === epoch) return [];
    this.#epoch = epoch;
    return this.#state.setup();
  }

  /** Watched keys may have changed while no leader watched them. Nothing ran. */
  #failWatch(): never {
    this.#state.endWatch();
    throw new TabsError('LEADER_CHANGED');
  }
}
