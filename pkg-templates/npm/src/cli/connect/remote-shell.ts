/** Runs typed lines on a keylatch elsewhere, one command after another, over a WebSocket that is opened again after a loss. */
import { encodeRequests } from '../../resp/encode.js';
import { concat } from '../../resp/concat.js';
import { decodeReplies, textOf } from '../../resp/reply.js';
import { isError } from '../../resp/reply-kinds.js';
import { movedOf } from '../../remote/shards.js';
import { type ConnectionListener, SocketConnection } from '../../remote/socket-connection.js';
import type { CommandRows } from '../package-files.js';
import { Shell, type ShellOptions } from '../shell.js';
import { isMark, isOfChannels, MARKED, PromptState } from './prompt-state.js';
import { closeText } from './refusal.js';
import { CONNECT_MS, type ConnectTarget } from './target.js';
import { socketClassWith } from './web-socket.js';

/** Commands after which replies are missing: a prompt would wait for them. */
const WITHOUT_REPLY = /^CLIENT REPLY\b/i;
/** Keys that can be typed without quotes. */
const PLAIN = /^[^\s"'\\]+$/;
const SCANNED_KEYS = '1000';
/** Longest time for the names of keys. */
const KEYS_MS = 1000;

/** A command that waits to be sent, or for its reply. */
interface TypedCommand {
  readonly words: readonly string[];
  readonly request: Uint8Array;
  /** Takes the reply in place of the screen; undefined if there will be none. */
  readonly hidden?: (reply: Uint8Array | undefined) => void;
  /** Whether another shard has answered that this one has its keys. */
  readonly isMoved?: boolean;
}

export class RemoteShell extends Shell implements ConnectionListener {
  readonly #target: ConnectTarget;
  readonly #state = new PromptState();
  /** Path of the shard behind that of the namespace. */
  #shard = '';
  #connection: SocketConnection | undefined;
  #queue: TypedCommand[] = [];
  #current: TypedCommand | undefined;
  /** Number of replies to the commands that begin a connection, still to come. */
  #setup = 0;
  #problem: string | undefined;
  #changed = (): void => {};

  constructor(rows: CommandRows, options: ShellOptions, target: ConnectTarget) {
    super(rows, options);
    this.#target = target;
  }

  /** Connects. Rejects with the reason why that failed. */
  async begin(): Promise<void> {
    this.#connect();
    await this.#until(() => this.#connection?.isOpen === true);
    if (this.#problem !== undefined) throw new Error(this.#problem);
  }

  override get prompt(): string {
    return `${this.#target.shown}${this.#shard}${this.#state.shown}> `;
  }

  override get waiting(): boolean {
    return this.#queue.length > 0 || (this.#current !== undefined && this.#current.hidden === undefined);
  }

  /** The server ends a wait with the connection alone: its clients cannot unblock each other. */
  override giveUp(): boolean {
    const current = this.#current;
    if (current === undefined || current.hidden !== undefined) return false;
    this.#drop();
    this.show(`(error) ${nameOf(current)} was given up with its connection: it may have run`);
    this.#next();
    return true;
  }

  override async settled(): Promise<string | undefined> {
    await this.#until(() => !this.waiting);
    return this.#problem;
  }

  /** Messages come until the connection ends. */
  override async finished(): Promise<string | undefined> {
    await this.#until(() => !this.#state.isSubscribed);
    return this.#problem;
  }

  override async keys(prefix: string, limit: number): Promise<readonly string[]> {
    if (this.#current !== undefined || this.#state.inTransaction || this.#state.isSubscriber) return [];
    const pattern = `${prefix.replace(/[*?[\]\\^-]/g, String.raw`\$&`)}*`;
    const words = ['SCAN', '0', 'MATCH', pattern, 'COUNT', SCANNED_KEYS];
    const reply = await new Promise<Uint8Array | undefined>((resolve) => {
      // The line cannot be edited meanwhile.
      setTimeout(resolve, KEYS_MS, undefined);
      this.#queue.push({ words, request: encodeRequests([words]), hidden: resolve });
      this.#next();
    });
    return reply === undefined || isError(reply) ? [] : keysIn(reply).slice(0, limit);
  }

  override close(): void {
    this.#connection?.end();
    super.close();
  }

  protected override send(argv: readonly Uint8Array[], words: readonly string[], times: number): void {
    if (WITHOUT_REPLY.test(words.join(' '))) return this.show('(error) CLIENT REPLY is not available at this prompt');
    this.#problem = undefined;
    const request = encodeRequests([argv]);
    for (let left = times; left > 0; left -= 1) this.#queue.push({ words, request });
    this.#next();
  }

  opened(): void {
    const { setup } = this.#state;
    this.#setup = setup.length;
    if (setup.length > 0) this.#connection?.send(encodeRequests(setup));
    this.#changed();
    this.#next();
  }

  replies(replies: readonly Uint8Array[]): void {
    for (const reply of replies) this.#take(reply);
    this.#watch();
  }

  closed(code: number, reason: string, wasOpen: boolean): void {
    const text = closeText(code, reason);
    const running = this.#current?.hidden === undefined ? this.#current : undefined;
    this.#connection = undefined;
    if (running !== undefined) this.#failed(running, 'may have run', text);
    else if (!wasOpen || this.#queue.length > 0) this.#failed(this.#queue[0], 'has not run', text);
    else if (this.#state.isSubscribed) this.#failed(undefined, 'the subscriptions have ended', text);
    else if (this.#state.inTransaction) this.#failed(undefined, 'the transaction is discarded', text);
    else this.#drop();
  }

  #take(reply: Uint8Array): void {
    if (this.#setup > 0) {
      this.#setup -= 1;
      return;
    }
    const current = this.#current;
    const isConfirmed = current !== undefined && this.#isMarked(current);
    if (this.#state.hears(reply, isConfirmed)) return this.showReply(reply, []);
    if (isConfirmed && !isMark(reply)) return this.showReply(reply, []);
    this.#current = undefined;
    if (current === undefined) return this.showReply(reply, []);
    if (!isConfirmed) this.#answered(current, reply);
    this.#next();
    if (isConfirmed) this.idle();
  }

  #answered(command: TypedCommand, reply: Uint8Array): void {
    if (this.#moves(command, reply)) return;
    const { words, hidden } = command;
    this.#state.answered(words, reply);
    if (hidden !== undefined) hidden(reply);
    else this.showReply(reply, words);
  }

  /** Goes to the shard of a command that has not run here, as redis-cli does with a cluster. */
  #moves(command: TypedCommand, reply: Uint8Array): boolean {
    if (!isError(reply) || command.isMoved || this.#state.inTransaction || this.#state.isSubscribed) return false;
    const moved = movedOf(decodeReplies(reply)[0]);
    if (moved === undefined) return false;
    this.#shard = `/slot/${moved.slot}`;
    this.#drop();
    this.#queue.unshift({ ...command, isMoved: true });
    return true;
  }

  /** Whether a marked PING follows the command. A transaction queues it. */
  #isMarked({ words }: TypedCommand): boolean {
    return isOfChannels(words) && !this.#state.inTransaction;
  }

  #next(): void {
    if (this.#current !== undefined) return;
    if (this.#queue.length > 0 && this.#connection?.isOpen !== true) return this.#connect();
    const command = this.#queue.shift();
    if (command === undefined) return this.#changed();
    this.#current = command;
    this.#connection?.send(this.#isMarked(command) ? concat([command.request, MARKED]) : command.request);
    this.#watch();
  }

  #connect(): void {
    const { url, token } = this.#target;
    const options = { url: `${url}${this.#shard}`, token, WebSocket: socketClassWith(token), timeoutMs: CONNECT_MS };
    this.#connection ??= new SocketConnection(options, this);
  }

  /** A server that has gone silent is noticed while something is expected of it. */
  #watch(): void {
    this.#connection?.watch(this.#current !== undefined || this.#state.isSubscribed);
  }

  /** Lines behind a command that was lost are not run by themselves. */
  #failed(command: TypedCommand | undefined, outcome: string, reason: string): void {
    const isShown = command === undefined ? outcome !== 'has not run' : command.hidden === undefined;
    this.#problem = command === undefined && !isShown ? reason : `${outcome}: ${reason}`;
    this.#drop();
    for (const { hidden } of this.#queue.splice(0)) hidden?.(undefined);
    const name = command === undefined ? '' : `${nameOf(command)} `;
    if (isShown && this.isTerminal) this.show(`(error) ${name}${this.#problem}`);
    this.#changed();
  }

  /** Ends the connection, and what was expected of it. */
  #drop(): void {
    this.#connection?.end();
    this.#connection = undefined;
    this.#current?.hidden?.(undefined);
    this.#current = undefined;
    this.#state.disconnected();
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && this.#problem === undefined) await new Promise<void>((resolve) => (this.#changed = resolve));
  }
}

function nameOf({ words }: TypedCommand): string {
  return (words[0] ?? '').toUpperCase();
}

/** Keys of a page of SCAN that can be typed as they are. */
function keysIn(reply: Uint8Array): string[] {
  const [page] = decodeReplies(reply, { buffer: true });
  const [, keys] = page as unknown as [Uint8Array, Uint8Array[]];
  return keys
    .map((key) => textOf(key))
    .filter((key) => PLAIN.test(key))
    .sort();
}
