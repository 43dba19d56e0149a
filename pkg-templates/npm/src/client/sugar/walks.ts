/**
 * Walks over everything there is, page by page, as generators: for engines in this process. What is there from the
 * beginning of a walk to its end comes at least once, whatever changes meanwhile.
 */
import type { Argument } from '../../base/argument.js';
import type { Now } from '../../base/result-mode.js';
import { doubleOf, textOf } from '../../resp/reply.js';
import { PAGE, type PageOptions } from './arguments.js';
import { BlockingCommands } from './blocking.js';
import { SCAN, type ScanOptions } from './keys.js';
import { checked } from '../../base/option-check.js';

type Page<Text> = readonly [cursor: Text, items: Text[]];

function inText(word: string | Uint8Array): string {
  return typeof word === 'string' ? word : textOf(word);
}

function* items<Text extends string | Uint8Array>(
  page: (cursor: Argument) => Page<Text>,
): Generator<Text, void, undefined> {
  let cursor: Argument = 0;
  do {
    const [next, found]: Page<Text> = page(cursor);
    yield* found;
    cursor = next;
  } while (inText(cursor) !== '0');
}

function* pairs<Text extends string | Uint8Array>(
  page: (cursor: Argument) => Page<Text>,
): Generator<[Text, Text], void, undefined> {
  let first: Text | undefined;
  for (const item of items(page)) {
    if (first === undefined) {
      first = item;
    } else {
      yield [first, item];
      first = undefined;
    }
  }
}

function* scored<Text extends string | Uint8Array>(
  found: Iterable<readonly [Text, Text]>,
): Generator<[Text, number], void, undefined> {
  for (const [member, score] of found) yield [member, doubleOf(inText(score))];
}

export abstract class Walks<Text extends string | Uint8Array> extends BlockingCommands<Now, Text> {
  /** All keys of the database. */
  scanKeys(options?: ScanOptions): Generator<Text, void, undefined> {
    const given = checked('scanKeys', options, SCAN);
    return items<Text>((cursor) => this.scan(cursor, given));
  }

  /** All members of a set. */
  scanSet(key: Argument, options?: PageOptions): Generator<Text, void, undefined> {
    const given = checked('scanSet', options, PAGE);
    return items<Text>((cursor) => this.sscan(key, cursor, given));
  }

  /** All fields of a hash with their values. */
  scanHash(key: Argument, options?: PageOptions): Generator<[field: Text, value: Text], void, undefined> {
    const given = checked('scanHash', options, PAGE);
    return pairs<Text>((cursor) => this.hscan(key, cursor, given));
  }

  /** All members of a sorted set with their scores, in no order. */
  scanSortedSet(key: Argument, options?: PageOptions): Generator<[member: Text, score: number], void, undefined> {
    const given = checked('scanSortedSet', options, PAGE);
    return scored(pairs<Text>((cursor) => this.zscan(key, cursor, given)));
  }
}
