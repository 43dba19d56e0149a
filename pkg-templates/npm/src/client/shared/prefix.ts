/** Views of a prefix in a shared database. */
import type { Argument } from '../../base/argument.js';
import { Prefix } from '../prefix.js';
import type { WaitOptions } from '../waits.js';
import { SharedCommands } from './commands.js';
import { SharedValues, type SharedValueCommands } from './json.js';
import { SharedMulti } from './multi.js';
import type { CommandSender } from './command-sender.js';

/** Commands of a view, with bulk strings as Text. */
export class SharedPrefixedCommands<Text extends string | Uint8Array> extends SharedCommands<Text> {
  readonly #client: CommandSender;
  readonly #prefix: Prefix;
  readonly #asBytes: boolean;

  /** @internal Use `db.prefix()`. */
  constructor(client: CommandSender, prefix: Prefix, asBytes: boolean) {
    super(client, asBytes);
    this.#client = client;
    this.#prefix = prefix;
    this.#asBytes = asBytes;
  }

  protected override async execute<T>(argv: readonly Argument[]): Promise<T> {
    return this.#prefix.strip(argv, await this.#client.run(this.#prefix.rewrite(argv), this.#asBytes)) as T;
  }

  protected override async executeWaiting<T>(
    argv: readonly Argument[],
    timeout: number,
    options: WaitOptions,
  ): Promise<T> {
    const reply = await this.#client.wait(this.#prefix.rewrite(argv), timeout, this.#asBytes, options);
    return this.#prefix.strip(argv, reply) as T;
  }

  /** A transaction: queue commands on it, then `await exec()`. */
  override multi(): SharedMulti<[], Text> {
    return new SharedMulti<[], Text>(async (queue) => {
      const replies = await this.#client.transaction(this.#prefix.rewriteEach(queue), this.#asBytes);
      return this.#prefix.stripEach(queue, replies);
    });
  }
}

/** View of a client in which each key gets a prefix: `db.prefix('user:').get('1')` reads `user:1`. */
export class SharedPrefixedClient extends SharedPrefixedCommands<string> {
  readonly #client: CommandSender;
  readonly #prefix: Prefix;

  /** @internal Use `db.prefix()`. */
  constructor(client: CommandSender, text: string) {
    const prefix = new Prefix(text);
    super(client, prefix, false);
    this.#client = client;
    this.#prefix = prefix;
  }

  /** This view with bulk strings as Uint8Array. */
  get bytes(): SharedPrefixedCommands<Uint8Array> {
    return new SharedPrefixedCommands(this.#client, this.#prefix, true);
  }

  /** Values of this view as JSON. */
  get json(): SharedValues {
    return new SharedValues(this as unknown as SharedValueCommands);
  }

  /** A view of a longer prefix: that of this view, then `text`. */
  prefix(text: string): SharedPrefixedClient {
    return new SharedPrefixedClient(this.#client, this.#prefix.text + new Prefix(text).text);
  }
}
