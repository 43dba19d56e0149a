/** State of a client that a new connection does not have, and the commands that would change a connection unseen. */
import { commandName, type Argument } from '../../base/argument.js';
import { CallerTypeError } from '../../base/caller-errors.js';
import { ReplyError } from '../../base/errors.js';
import type { ClientOptions } from '../connection.js';
import { wordOf } from '../key-specs.js';
import { transactionResult } from '../transaction.js';
import type { Reply } from '../../resp/reply.js';

type Replies = Reply<string | Uint8Array>;

/** Commands with a method that keeps their state across connections. */
const BY_METHOD: Readonly<Record<string, string>> = {
  MULTI: 'multi()',
  EXEC: 'multi()',
  DISCARD: 'multi()',
  SUBSCRIBE: 'subscribe()',
  UNSUBSCRIBE: 'the function that subscribe() resolves to',
  PSUBSCRIBE: 'psubscribe()',
  PUNSUBSCRIBE: 'the function that psubscribe() resolves to',
  SSUBSCRIBE: 'ssubscribe()',
  SUNSUBSCRIBE: 'the function that ssubscribe() resolves to',
  QUIT: 'close()',
};

/** Commands that change how a connection works, which is not the program's. */
const REFUSED = /^(HELLO|RESET|MONITOR|CLIENT (REPLY|TRACKING|CACHING))$/;

/** Name of a command with its subcommand, if it has one: `OBJECT ENCODING`. */
export function fullName(argv: readonly Argument[]): string {
  const name = commandName(argv[0]);
  return /^(CLIENT|OBJECT|MEMORY)$/.test(name) ? `${name} ${wordOf(argv[1])}` : name;
}

/** Refuses a command about the connection. `where` is the kind of the database: `across tabs`. */
export function refuseOfConnection(name: string, where: string): void {
  const method = BY_METHOD[name];
  if (method !== undefined) throw new CallerTypeError(`${name}: ${where} use ${method}`);
  if (REFUSED.test(name)) throw new CallerTypeError(`${name} is not available ${where}`);
}

/** The results of a transaction out of the replies to MULTI, its commands and EXEC. Throws if it was refused. */
export function resultOfTransaction(replies: readonly Replies[], queue: readonly (readonly Argument[])[]): unknown {
  const refusals = queue.flatMap((argv, index) => {
    const reply = replies[index + 1];
    return reply instanceof ReplyError ? [new ReplyError(reply.message, commandName(argv[0]))] : [];
  });
  return transactionResult(replies.at(-1) as Replies, queue, refusals);
}

/** Database, name and watched keys of a client. */
export class ClientState {
  #name: string | undefined;
  #db: number;
  #isWatching = false;
  #hasLostWatch = false;

  constructor({ name, db = 0 }: ClientOptions = {}) {
    this.#name = name;
    this.#db = db;
  }

  get db(): number {
    return this.#db;
  }

  /** Whether keys were watched on a connection that is gone: they may have changed. */
  get hasLostWatch(): boolean {
    return this.#hasLostWatch;
  }

  /** Commands that bring a new connection into this state. Watched keys are lost. */
  setup(): readonly (readonly Argument[])[] {
    if (this.#isWatching) this.#hasLostWatch = true;
    const setup: Argument[][] = [['HELLO', 3]];
    if (this.#name !== undefined) setup.push(['CLIENT', 'SETNAME', this.#name]);
    if (this.#db !== 0) setup.push(['SELECT', this.#db]);
    return setup;
  }

  /** Remembers what a command has changed; `name` is in capitals, with a subcommand. */
  keep(name: string, argv: readonly Argument[]): void {
    if (name === 'SELECT') this.#db = Number(argv[1]);
    else if (name === 'CLIENT SETNAME') this.#name = wordOf(argv[2]) === '' ? undefined : String(argv[2]);
    else if (name === 'WATCH') this.#isWatching = true;
    else if (name === 'UNWATCH') this.endWatch();
  }

  /** No keys are watched any more. */
  endWatch(): void {
    this.#isWatching = false;
    this.#hasLostWatch = false;
  }
}
