/** One client of a tab in the leader's engine: commands in, replies and messages out, as RESP. */
import type { Stream, Streams, StreamUser } from '../host/streams.js';
import { concat } from '../resp/concat.js';

const NOTHING = /* @__PURE__ */ new Uint8Array(0);

interface Waiting {
  readonly output: Uint8Array[];
  readonly answer: (bytes: Uint8Array) => void;
}

export class ServedClient implements StreamUser {
  readonly #stream: Stream;
  readonly #push: (bytes: Uint8Array) => void;
  #waiting: Waiting | undefined;

  /** `push` takes the messages that come by themselves. */
  constructor(streams: Streams, push: (bytes: Uint8Array) => void) {
    this.#push = push;
    this.#stream = streams.open(this, 'tab');
  }

  /** True after CLIENT KILL. */
  get closed(): boolean {
    return this.#stream.closed;
  }

  /** Runs commands; `answer` takes the bytes of all replies, later if one of them waits. */
  run(commands: Uint8Array, answer: (bytes: Uint8Array) => void): void {
    this.#waiting = { output: [], answer };
    this.#feed(commands);
  }

  /** Disconnects. False if the commands that ran last are answered already. */
  close(): boolean {
    const isWaiting = this.#waiting !== undefined;
    this.#waiting = undefined;
    this.#stream.close();
    return isWaiting;
  }

  reached(): void {
    this.#feed(NOTHING);
  }

  #feed(commands: Uint8Array): void {
    this.#stream.feed(commands, this.#write);
    while (this.#stream.more) this.#stream.feed(NOTHING, this.#write);
    const waiting = this.#waiting;
    if (waiting === undefined || this.#stream.parked) return;
    this.#waiting = undefined;
    waiting.answer(concat(waiting.output));
  }

  /** The output is a view of the engine's memory. */
  readonly #write = (output: Uint8Array): void => {
    const bytes = output.slice();
    if (this.#waiting === undefined) this.#push(bytes);
    else this.#waiting.output.push(bytes);
  };
}
