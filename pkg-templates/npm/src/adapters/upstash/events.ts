/** Server-sent events: messages of a channel, of a pattern, or lines of MONITOR, until the client goes. */
import { decodeReplies } from '../../resp/reply.js';
import type { LiveBody, Sink } from './exchange.js';
import { encodeRequests } from '../../resp/encode.js';
import type { MessageListener } from '../../client/channels.js';
import type { Database } from '../../db/database.js';

/** Messages that a subscriber may leave unread. */
const UNREAD_MAX = 1024;
/** Time between comment lines, which only tell whether the client is there: clients do not read them. */
const PING_MS = 15_000;
const PING = ': ping\n\n';
const NOTHING = /* @__PURE__ */ new Uint8Array(0);

/** One of the two ways to subscribe. */
export type SubscriptionKind = 'subscribe' | 'psubscribe';

/** A source of lines: called with a recipient, returns a function that ends it. */
type Source = (onLine: (line: string) => void) => () => void;

/** Lines that a subscriber reads. */
export function subscription({ subscriptions }: Database, kind: SubscriptionKind, name: string): Source {
  return (onLine) => {
    const [event, listener]: ['message' | 'pmessage', MessageListener] =
      kind === 'subscribe'
        ? ['message', (message, channel) => onLine(`message,${channel},${message}`)]
        : ['pmessage', (message, channel, pattern) => onLine(`pmessage,${pattern},${channel},${message}`)];
    const end = subscriptions.add(event, name, listener);
    onLine(`${kind},${name},1`);
    return end;
  };
}

/** Lines of MONITOR behind an OK in quotes. */
export function monitor({ streams }: Database): Source {
  return (onLine) => {
    const take = (input: Uint8Array): void =>
      stream.feed(input, (output) => {
        for (const line of decodeReplies(output)) onLine(line === 'OK' ? '"OK"' : String(line));
      });
    const stream = streams.openOwn({ reached: () => take(NOTHING) });
    take(encodeRequests([['MONITOR']]));
    return () => stream.close();
  };
}

/** The body of a response that shows the lines of a source. */
export function eventStream(source: Source): LiveBody {
  return (sink) => new Events(source, sink).end;
}

class Events {
  readonly #sink: Sink;
  readonly #stop: () => void;
  readonly #pings: ReturnType<typeof setInterval>;
  #isOver = false;

  constructor(source: Source, sink: Sink) {
    this.#sink = sink;
    // A client that has gone is noticed when something is written to it.
    this.#pings = setInterval(() => this.#write(PING), PING_MS);
    this.#stop = source((line) => this.#write(`data: ${line.replaceAll('\n', '\ndata: ')}\n\n`));
  }

  readonly end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#pings);
    this.#stop();
  };

  #write(text: string): void {
    if (this.#isOver) return;
    if (this.#sink.unread < UNREAD_MAX) return this.#sink.write(text);
    this.end();
    this.#sink.fail(new Error(`the subscriber left ${UNREAD_MAX} messages unread`));
  }
}
