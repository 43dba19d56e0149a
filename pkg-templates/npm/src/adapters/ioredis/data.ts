/** Options of ioredis-mock that ioredis lacks: keys to begin with, and keyspace notifications. */
import type { Client } from '../../client/client.js';
import type { InProcessServer } from './servers.js';
import { CallerTypeError } from '../../base/caller-errors.js';

export interface MockOptions {
  /** Keys by name: text, numbers and bytes are strings, arrays are lists, Sets are sets, other objects are hashes. */
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  /** Value of `notify-keyspace-events`. */
  readonly notifyKeyspaceEvents?: string | null | undefined;
  readonly db?: number | null | undefined;
}

/** Gives a server what the options of a client ask for. */
export function applyMockOptions(server: InProcessServer, { data, notifyKeyspaceEvents, db }: MockOptions): void {
  const client = server.db.client({ db: db ?? 0 });
  try {
    if (typeof notifyKeyspaceEvents === 'string') {
      client.call('CONFIG', 'SET', 'notify-keyspace-events', notifyKeyspaceEvents);
    }
    for (const [key, value] of Object.entries(data ?? {})) {
      client.call('DEL', key);
      const [command, words] = commandOf(key, value);
      if (words.length > 0) client.call(command, key, ...words);
    }
  } finally {
    client.close();
  }
}

type Word = Parameters<Client['call']>[1];

/** The command that writes a value, and its arguments behind the key. */
function commandOf(key: string, value: unknown): [command: string, words: Word[]] {
  if (value instanceof Set) return ['SADD', [...value].map((member) => wordOf(key, member))];
  if (Array.isArray(value)) return ['RPUSH', value.map((element) => wordOf(key, element))];
  const isHash = typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === PLAIN;
  if (!isHash) return ['SET', [wordOf(key, value)]];
  return ['HSET', Object.entries(value).flatMap(([field, text]) => [field, wordOf(key, text)])];
}

const PLAIN = '[object Object]';

function wordOf(key: string, value: unknown): Word {
  if (typeof value === 'string' || typeof value === 'number' || ArrayBuffer.isView(value)) return value as Word;
  throw new CallerTypeError(
    `data: the value of '${key}' must be text, a number, bytes, an array, a Set or an object of those`,
  );
}
