/**
 * Notes the reasons of a reply at the moment of its command: the keys as they were, the client that changed a watched
 * one, the removal of a missing one. Keys are read outside of commands, so that nothing is counted or touched.
 */

import type { Keylatch, KeyEvent } from 'keylatch/core';
import { keyIndicesOf } from 'keylatch/hints';
import { rowOf } from '../commands/command-names.ts';
import { keyLabel, textOf } from '../keys/key-label.ts';

type Word = string | Uint8Array;

export interface FieldFacts {
  readonly name: string;
  readonly value: string;
  readonly deadlineMs: number | null;
}

/** A change of a key. */
export interface Touch {
  readonly key: string;
  readonly event: string;
  readonly atMs: number;
  /** Name of the client that made it; undefined: the passing of time. */
  readonly by: string | undefined;
}

export interface KeyFacts {
  /** Text form of the key. */
  readonly key: string;
  /** Undefined: there is no such key. */
  readonly type: string | undefined;
  readonly size: number;
  readonly deadlineMs: number | null;
  /** A short string. */
  readonly value: string | undefined;
  /** The first fields of a hash. */
  readonly fields: readonly FieldFacts[];
  /** How a missing key went. */
  readonly gone: Touch | undefined;
}

/** Circumstances of a command. */
export interface Circumstances {
  /** The words in text form; of a long command the first. */
  readonly words: readonly string[];
  readonly keys: readonly KeyFacts[];
  /** With EXEC: the first change of a key that the client had watched. */
  readonly watched: Touch | undefined;
  /** With EXEC: the queued command that was refused, with its error. */
  readonly refused: string | undefined;
}

/** Client that sends a command. */
interface Sender {
  readonly name: string;
  readonly connection: { readonly db: number };
}

interface Outcome {
  readonly reply: Uint8Array;
  /** True when keys may have changed without events. */
  readonly isSilent: boolean;
}

interface Transaction {
  readonly keys: ReadonlySet<string>;
  readonly touch: Touch | undefined;
  readonly refused: string | undefined;
}

const NO_TRANSACTION: Transaction = { keys: new Set(), touch: undefined, refused: undefined };
const MAX_WORDS = 64;
const MAX_KEYS = 8;
const MAX_FIELDS = 16;
const MAX_VALUE_BYTES = 64;
const MAX_GONE = 500;
/** Replies that may need words: errors, nulls, 0, -1 and -2, none. Those of latches are arrays as well. */
const SHORT = /^(?:-|\$-1|\*-1|_\r|:0\r|:-[12]\r|$)/;
const TEXT_BYTES = 64;

export class Witness {
  /** Removed keys, the oldest first. */
  private readonly gone = new Map<string, Touch>();
  private readonly transactions = new Map<string, Transaction>();
  private running: string | undefined;

  constructor(
    private readonly db: Keylatch,
    private readonly clock: { now(): number },
    /** Rows of the inspector, which still show a key as it was before its event. */
    private readonly keys: { row(label: string): { readonly deadlineMs: number | null } | undefined },
  ) {}

  /** Notes that a client's command is about to run. */
  begin(client: string): void {
    this.running = client;
  }

  noteEvent({ key, event, db }: KeyEvent<Uint8Array>): void {
    const label = keyLabel(key);
    const place = `${db} ${label}`;
    const by = event === 'expired' || event === 'evicted' ? undefined : this.running;
    const deadlineMs = event === 'expired' ? this.keys.row(label)?.deadlineMs : undefined;
    const touch: Touch = { key: label, event, atMs: deadlineMs ?? this.clock.now(), by };
    this.gone.delete(place);
    if (REMOVALS.has(event)) this.gone.set(place, touch);
    const [oldest] = this.gone.keys();
    if (this.gone.size > MAX_GONE && oldest !== undefined) this.gone.delete(oldest);
    for (const [client, transaction] of this.transactions) if (transaction.keys.has(place)) this.touched(client, touch);
  }

  /** Forgets everything, because other keys were loaded. */
  reset(): void {
    this.gone.clear();
    this.transactions.clear();
  }

  /** Forgets a client that was disconnected: nothing is watched any more. */
  forget(client: string): void {
    this.transactions.delete(client);
  }

  /** Ends a command: its circumstances, if its reply may need words. */
  end(client: Sender, words: readonly Word[], { reply, isSilent }: Outcome): Circumstances | undefined {
    this.running = undefined;
    const { db } = client.connection;
    const texts = words.slice(0, MAX_WORDS).map((word) => textForm(word));
    const name = (texts[0] ?? '').toUpperCase();
    const head = new TextDecoder().decode(reply.subarray(0, TEXT_BYTES * 4));
    const { touch, refused } = this.transactions.get(client.name) ?? NO_TRANSACTION;
    this.follow(client.name, { name, db, keys: words.slice(1), text: texts.join(' ') }, head);
    if (isSilent) this.noteSilent(name.toLowerCase(), client.name);
    if (!SHORT.test(head) && !name.startsWith('LATCH.')) return undefined;
    // Keys behind a keyword are those of results.
    const specs = (rowOf(name, texts[1])?.keys ?? []).filter((spec) => !spec.includes('@'));
    const indices = keyIndicesOf(specs, words);
    const keys = indices.slice(0, MAX_KEYS).flatMap((index) => {
      const word = words[index];
      return word === undefined ? [] : [this.factsOf(word, db)];
    });
    const isExec = name === 'EXEC';
    return { words: texts, keys, watched: isExec ? touch : undefined, refused: isExec ? refused : undefined };
  }

  /** Notes that a command changed keys without events. */
  private noteSilent(event: string, by: string): void {
    const touch: Touch = { key: '', event, atMs: this.clock.now(), by };
    for (const [client, { keys }] of this.transactions) if (keys.size > 0) this.touched(client, touch);
  }

  private touched(client: string, touch: Touch): void {
    const transaction = this.transactions.get(client);
    if (transaction && !transaction.touch) this.transactions.set(client, { ...transaction, touch });
  }

  /** Follows the client's watched keys and the errors of its queued commands. */
  private follow(
    client: string,
    { name, db, keys, text }: { name: string; db: number; keys: readonly Word[]; text: string },
    head: string,
  ): void {
    const before = this.transactions.get(client) ?? NO_TRANSACTION;
    if (ENDS.has(name) && !head.startsWith('-ERR')) this.transactions.delete(client);
    else if (name === 'WATCH' && head.startsWith('+OK')) {
      const watched = keys.map((key) => `${db} ${textForm(key)}`);
      this.transactions.set(client, { ...before, keys: new Set([...before.keys, ...watched]) });
    } else if (head.startsWith('-') && before.refused === undefined) {
      const [error = ''] = head.slice(1).split('\r\n');
      this.transactions.set(client, { ...before, refused: `${text}: ${error}` });
    } else if (name === 'MULTI') this.transactions.set(client, { ...before, refused: undefined });
  }

  private factsOf(word: Word, db: number): KeyFacts {
    const key = typeof word === 'string' ? encoder.encode(word) : word;
    const label = keyLabel(key);
    const found = this.db.inspectKey(key, { count: MAX_VALUE_BYTES, db, buffer: true });
    const gone = found ? undefined : this.gone.get(`${db} ${label}`);
    const value = found?.type === 'string' && found.size <= MAX_VALUE_BYTES ? textForm(found.value) : undefined;
    const fields = found?.type === 'hash' ? found.fields.slice(0, MAX_FIELDS) : [];
    return {
      key: label,
      type: found?.type,
      size: found?.size ?? 0,
      deadlineMs: found?.deadlineMs ?? null,
      value,
      fields: fields.map(({ field, value, deadlineMs }) => {
        return { name: textForm(field), value: textForm(value), deadlineMs };
      }),
      gone,
    };
  }
}

const encoder = new TextEncoder();
const REMOVALS = new Set(['del', 'expired', 'evicted', 'rename_from', 'move_from']);
const ENDS = new Set(['EXEC', 'DISCARD', 'UNWATCH', 'RESET']);

/** A word without quotes, cut short. */
function textForm(word: Word): string {
  if (typeof word === 'string') return word.slice(0, TEXT_BYTES);
  return textOf(word.subarray(0, TEXT_BYTES)) ?? keyLabel(word.subarray(0, TEXT_BYTES));
}
