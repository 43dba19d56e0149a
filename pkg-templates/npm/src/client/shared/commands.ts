/** The commands of a shared database: methods of the same names and types as those of an engine, with promises of their results. */
import { doubleOf, textOf } from '../../resp/reply.js';
import { checked } from '../../base/option-check.js';
import { PAGE, type PageOptions } from '../sugar/arguments.js';
import { SCAN, type ScanOptions } from '../sugar/keys.js';
import type { Argument } from '../../base/argument.js';
import type { Later } from '../../base/result-mode.js';
import { BlockingCommands } from '../sugar/blocking.js';
import type { WaitOptions } from '../waits.js';
import { SharedMulti } from './multi.js';
import type { CommandSender } from './command-sender.js';

type Page<Text> = readonly [cursor: Text, items: Text[]];

async function* items<Text extends string | Uint8Array>(
  page: (cursor: Argument) => Promise<Page<Text>>,
): AsyncGenerator<Text, void, undefined> {
  let cursor: Argument = 0;
  do {
    const [next, found]: Page<Text> = await page(cursor);
    yield* found;
    cursor = next;
  } while ((typeof cursor === 'string' ? cursor : textOf(cursor)) !== '0');
}

async function* pairs<Text extends string | Uint8Array>(
  page: (cursor: Argument) => Promise<Page<Text>>,
): AsyncGenerator<[Text, Text], void, undefined> {
  let first: Text | undefined;
  for await (const item of items(page)) {
    if (first === undefined) {
      first = item;
    } else {
      yield [first, item];
      first = undefined;
    }
  }
}

async function* scored<Text extends string | Uint8Array>(
  found: AsyncIterable<readonly [Text, Text]>,
): AsyncGenerator<[Text, number], void, undefined> {
  for await (const [member, score] of found)
    yield [member, doubleOf(typeof score === 'string' ? score : textOf(score))];
}

/** Methods of the executor, which are not the program's. */
const INNER = /^(constructor|execute|executeWaiting|run\d?|mapped)$/;

/** Commands that run elsewhere; bulk strings as Text. Every error is a rejected promise. */
export class SharedCommands<Text extends string | Uint8Array> extends BlockingCommands<Later, Text> {
  /** @internal */
  static readonly rejects: boolean = /* @__PURE__ */ rejectInherited(this);
  readonly #client: CommandSender;
  readonly #asBytes: boolean;

  /** @internal */
  constructor(client: CommandSender, asBytes: boolean) {
    super();
    this.#client = client;
    this.#asBytes = asBytes;
  }

  protected override execute<T>(argv: readonly Argument[]): Promise<T> {
    return this.#client.run(argv, this.#asBytes) as Promise<T>;
  }

  protected override executeWaiting<T>(argv: readonly Argument[], timeout: number, options: WaitOptions): Promise<T> {
    return this.#client.wait(argv, timeout, this.#asBytes, options) as Promise<T>;
  }

  /** A transaction: queue commands on it, then `await exec()`. */
  multi(): SharedMulti<[], Text> {
    return new SharedMulti<[], Text>((queue) => this.#client.transaction(queue, this.#asBytes));
  }

  /** Forgets all watched keys of this client. */
  unwatch(): Promise<'OK'> {
    return this.execute<'OK'>(['UNWATCH']);
  }

  /** All keys of the database. */
  scanKeys(options?: ScanOptions): AsyncGenerator<Text, void, undefined> {
    const given = checked('scanKeys', options, SCAN);
    return items<Text>((cursor) => this.scan(cursor, given) as Promise<Page<Text>>);
  }

  /** All members of a set. */
  scanSet(key: Argument, options?: PageOptions): AsyncGenerator<Text, void, undefined> {
    const given = checked('scanSet', options, PAGE);
    return items<Text>((cursor) => this.sscan(key, cursor, given) as Promise<Page<Text>>);
  }

  /** All fields of a hash with their values. */
  scanHash(key: Argument, options?: PageOptions): AsyncGenerator<[field: Text, value: Text], void, undefined> {
    const given = checked('scanHash', options, PAGE);
    return pairs<Text>((cursor) => this.hscan(key, cursor, given) as Promise<Page<Text>>);
  }

  /** All members of a sorted set with their scores, in no order. */
  scanSortedSet(key: Argument, options?: PageOptions): AsyncGenerator<[member: Text, score: number], void, undefined> {
    const given = checked('scanSortedSet', options, PAGE);
    return scored(pairs<Text>((cursor) => this.zscan(key, cursor, given) as Promise<Page<Text>>));
  }
}

type Method = (...given: unknown[]) => unknown;

/** Makes the inherited methods of a class reject where they would throw: each returns a promise. */
function rejectInherited({ prototype: target }: { readonly prototype: object }): true {
  for (let from = Object.getPrototypeOf(target); from !== Object.prototype; from = Object.getPrototypeOf(from)) {
    for (const name of Object.getOwnPropertyNames(from)) {
      const method = Object.getOwnPropertyDescriptor(from, name)?.value as Method | undefined;
      if (INNER.test(name) || Object.hasOwn(target, name) || typeof method !== 'function') continue;
      const value = function rejecting(this: unknown, ...given: unknown[]): unknown {
        try {
          return method.apply(this, given);
        } catch (error) {
          return Promise.reject(error);
        }
      };
      Object.defineProperty(target, name, { value, configurable: true, writable: true });
    }
  }
  return true;
}
