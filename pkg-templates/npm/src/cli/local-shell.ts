/** Runs typed lines on an engine in this process. */
import type { Stream } from '../host/streams.js';
import { concat } from '../resp/concat.js';
import { encodeRequests } from '../resp/encode.js';
import type { CommandRows } from './package-files.js';
import { Shell, type ShellOptions } from './shell.js';

const NOTHING = /* @__PURE__ */ new Uint8Array();

export class LocalShell extends Shell {
  #stream: Stream;
  #whenUnblocked: (() => void) | undefined;
  #isMonitor = false;

  constructor(rows: CommandRows, options: ShellOptions) {
    super(rows, options);
    this.#stream = this.#open();
  }

  /** `keylatch[2](TX)(subscribed mode)> `: the database beyond the first, an open transaction, and subscriptions. */
  override get prompt(): string {
    const { db, inTransaction, listening } = this.#stream;
    const isSubscribed = listening && !this.#isMonitor;
    const state = `${inTransaction ? '(TX)' : ''}${isSubscribed ? '(subscribed mode)' : ''}`;
    return `keylatch${db === 0 ? '' : `[${db}]`}${state}> `;
  }

  override get waiting(): boolean {
    return this.#stream.parked;
  }

  /** Unblocks the client as if its timeout had passed. */
  override giveUp(): boolean {
    try {
      return this.engine.call('CLIENT', 'UNBLOCK', this.#stream.id) === 1;
    } catch {
      // All clients are paused.
      return false;
    }
  }

  override async settled(): Promise<string | undefined> {
    if (!this.waiting) return undefined;
    if (this.engine.nextExpiry() === null) return 'would block forever: no other client is connected';
    // The engine's own timer does not keep the process alive.
    const alive = setInterval(() => {}, 1 << 30);
    await new Promise<void>((resolve) => (this.#whenUnblocked = resolve));
    clearInterval(alive);
    return undefined;
  }

  override async keys(prefix: string, limit: number): Promise<readonly string[]> {
    if (this.#stream.inTransaction) return [];
    const { keys } = this.engine.inspectPage({ db: this.#stream.db, limit: 1000 });
    return keys
      .map(({ key }) => key)
      .filter((key) => key.startsWith(prefix))
      .sort()
      .slice(0, limit);
  }

  protected override send(argv: readonly Uint8Array[], words: readonly string[], times: number): void {
    const request = encodeRequests([argv]);
    for (let left = times; left > 0; left -= 1) this.#feed(request, words);
  }

  #open(): Stream {
    return this.engine.streams.open({ reached: () => this.#feed(NOTHING) });
  }

  /** `words` are those of the command in the chunk, if there is one. */
  #feed(chunk: Uint8Array, words: readonly string[] = []): void {
    const pieces: Uint8Array[] = [];
    const keep = (output: Uint8Array): void => void pieces.push(output.slice());
    if (words[0]?.toUpperCase() === 'MONITOR') this.#isMonitor = true;
    this.#stream.feed(chunk, keep);
    while (this.#stream.more) this.#stream.feed(NOTHING, keep);
    // If the client ended itself, the next line runs on a new one, as in redis-cli.
    if (this.#stream.closed) {
      this.#stream.close();
      this.#stream = this.#open();
    }
    if (!this.#stream.listening) this.#isMonitor = false;
    this.showReply(concat(pieces), words);
    if (!this.waiting) this.#whenUnblocked?.();
  }
}
