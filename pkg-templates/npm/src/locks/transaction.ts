/** Transactions of client objects: MULTI, commands and EXEC as one step, which a lost connection does not tear apart. */
import { NotSupported } from './errors.js';
import { has } from './trackers.js';

type Commands = readonly (readonly string[])[];

/** Runs commands in a transaction. Resolves to the reply of the last one, and rejects with its error. */
export type Transact = (commands: Commands) => Promise<unknown>;

/** The queue of an engine's client and of ioredis. */
interface CallQueue {
  call(...argv: readonly string[]): unknown;
  exec(options?: { readonly errors: 'return' }): Promise<unknown>;
}

/** The queue of node-redis. */
interface CommandQueue {
  addCommand(argv: readonly string[]): unknown;
  exec(): Promise<unknown>;
}

function queueOf<Queue>(client: object): Queue {
  if (has(client, 'multi')) return (client as { multi(): Queue }).multi();
  throw new NotSupported('MULTI', 'a command that only the holder runs needs a client object with transactions');
}

/** Transactions of an engine. */
export function engineTransact(client: object): Transact {
  return async (commands) => {
    const queue = queueOf<CallQueue>(client);
    for (const argv of commands) queue.call(...argv);
    return lastOf(await queue.exec({ errors: 'return' }));
  };
}

/** Transactions of ioredis: each reply is a pair of an error and a result. */
export function callTransact(client: object): Transact {
  return async (commands) => {
    const queue = queueOf<CallQueue>(client);
    for (const argv of commands) queue.call(...argv);
    const pairs = (await queue.exec()) as [Error | null, unknown][] | null;
    return lastOf(pairs?.map(([error, reply]) => error ?? reply));
  };
}

/** Transactions of node-redis, which rejects if one of the replies is an error. */
export function sendTransact(client: object): Transact {
  return async (commands) => {
    const queue = queueOf<CommandQueue>(client);
    for (const argv of commands) queue.addCommand([...argv]);
    return lastOf(await queue.exec().catch(repliesOf));
  };
}

function repliesOf(error: { readonly replies?: unknown }): unknown {
  if (Array.isArray(error.replies)) return error.replies;
  throw error;
}

function lastOf(replies: unknown): unknown {
  if (!Array.isArray(replies))
    throw new Error('the transaction did not run: a key that its connection watched has changed');
  const last: unknown = replies.at(-1);
  if (last instanceof Error) throw last;
  return last;
}

/** Over HTTP there is no transaction of any commands. */
export const noTransact: Transact = async () => queueOf({});
