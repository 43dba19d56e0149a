/** Commands that change a value in the inspector, and their text as the log shows it. Pure. */

import { keyLabel } from './key-label.ts';

export type Word = string | Uint8Array;

/** Runs commands of the inspector. */
export interface KeyCommands {
  runForKeys(...words: readonly Word[]): void;
}

/** An element of a value as a form has it. Which parts are used depends on the type. */
export interface Draft {
  /** Position in a list. */
  readonly index?: number;
  /** Field of a hash, member of a sorted set or set. */
  readonly name: Word;
  /** Value of a string, field or list element; score of a member. */
  readonly value: Word;
  /** True when the field or the key keeps a deadline that a plain write would remove. */
  readonly mortal?: boolean;
}

/** The command that writes an element; without an index, an element of a list is appended. */
export function writeCommand(type: string, key: Uint8Array, draft: Draft): readonly Word[] {
  const { index, name, value, mortal = false } = draft;
  switch (type) {
    case 'hash':
      return mortal ? ['HSETEX', key, 'KEEPTTL', 'FIELDS', '1', name, value] : ['HSET', key, name, value];
    case 'list':
      return index === undefined ? ['RPUSH', key, value] : ['LSET', key, String(index), value];
    case 'set':
      return ['SADD', key, name];
    case 'zset':
      return ['ZADD', key, value, name];
    default:
      return mortal ? ['SET', key, value, 'KEEPTTL'] : ['SET', key, value];
  }
}

/** The command that removes an element; undefined where a position names it. */
export function removeCommand(type: string, key: Uint8Array, name: Word): readonly Word[] | undefined {
  const command = { hash: 'HDEL', set: 'SREM', zset: 'ZREM' }[type];
  return command === undefined ? undefined : [command, key, name];
}

const encoder = new TextEncoder();

export function commandText(words: readonly Word[]): string {
  return words.map((word) => keyLabel(typeof word === 'string' ? encoder.encode(word) : word)).join(' ');
}
