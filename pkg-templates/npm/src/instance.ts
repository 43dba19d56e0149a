/** One WebAssembly instance and its memory: packs arguments into it, reads replies out of it. Decides nothing. */
import { ARGUMENT_MAX, commandName, measure, writePacked, type Argument } from './argument.js';
import { ReplyError, WaitingError } from './errors.js';
import type { Glue, GlueEngine, GlueOptions } from './glue.js';
import { ReplyReader, type Reply } from './reply.js';

/** What the input area holds at least, and goes back to after something larger. */
const AREA_MIN = 4 * 1024;
const AREA_KEPT_MAX = 1024 * 1024;

/** Answered in place of a reply: the command waits for something. */
export const PARKED = Symbol('parked');

/** Answered in place of a client when there is no memory for one. */
const NO_CLIENT = 0;

/** Signals that the clock failed and nothing ran; the host knows the failure. */
export const CLOCK_FAILED = -1;

/** The number of a client that the engine was asked for. */
export function connected(client: number): number {
  if (client === NO_CLIENT) throw new ReplyError('OOM there is no memory for another client', 'HELLO');
  return client;
}

/** Some commands answer with several messages, as SUBSCRIBE does: one for each channel. */
function readRest(reader: ReplyReader): Reply<string | Uint8Array>[] {
  const rest: Reply<string | Uint8Array>[] = [];
  while (!reader.done) rest.push(reader.read());
  return rest;
}

export class Instance {
  readonly engine: GlueEngine;
  readonly #memory: { readonly buffer: ArrayBuffer };
  /** What the clock shows; NaN when it failed, or is moved by hand. */
  readonly #now: () => number;
  #view = new Uint8Array(0);
  #area = 0;
  #areaSize = 0;
  /** True while WebAssembly runs: what is thrown meanwhile may have left it in pieces. */
  inside = false;

  /** `parameters` are names of redis.conf with their values. */
  constructor(glue: Glue, options: GlueOptions, now: () => number, parameters: readonly [string, string][]) {
    this.#memory = glue.raw.memory;
    this.engine = new glue.Engine(options, now);
    this.#now = options.manual ? () => NaN : now;
    for (const [name, value] of parameters) {
      const refusal = this.engine.configure(name, value);
      if (refusal !== undefined) throw new RangeError(`${name}: ${refusal}`);
    }
  }

  /** Bytes of memory, in use or not. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** A client within the process, which speaks a protocol. */
  connect(protocol: 2 | 3): number {
    const client = connected(this.guarded(() => this.engine.connect()));
    this.guarded(() => this.engine.setProtocol(client, protocol));
    return client;
  }

  /** Runs one command that should not wait; `undefined` when the clock failed. */
  call(client: number, argv: readonly Argument[], asBytes: boolean): Reply<string | Uint8Array> | undefined {
    const reply = this.run(client, argv, asBytes);
    if (reply === PARKED) throw new WaitingError(commandName(argv));
    return reply;
  }

  /** Runs one command that may wait. */
  run(client: number, argv: readonly Argument[], asBytes: boolean): Reply<string | Uint8Array> | undefined | typeof PARKED {
    const length = this.#execute(client, argv);
    if (length === CLOCK_FAILED) return undefined;
    if (length === 0) return PARKED;
    const start = this.engine.output();
    const reader = new ReplyReader(this.#bytes(), start, start + length, asBytes, argv);
    const reply = reader.read();
    const replies = reader.done ? reply : [reply, ...readRest(reader)];
    this.#giveBack();
    return replies;
  }

  /** Runs one command; its reply as the bytes a socket would carry. */
  callRaw(client: number, argv: readonly Argument[]): Uint8Array | undefined {
    const length = this.#execute(client, argv);
    return length === CLOCK_FAILED ? undefined : this.#takeOutput(length);
  }

  feed(client: number, chunk: Uint8Array): Uint8Array | undefined {
    const length = this.#feed(client, chunk);
    return length === CLOCK_FAILED ? undefined : this.#takeOutput(length);
  }

  /** As `feed`; the answer is a view of the engine's memory until the next call. */
  feedStream(client: number, chunk: Uint8Array): Uint8Array | undefined {
    const length = this.#feed(client, chunk);
    return length === CLOCK_FAILED ? undefined : this.#viewOutput(length);
  }

  #feed(client: number, chunk: Uint8Array): number {
    if (chunk.length > 0) {
      const at = this.#reserve(chunk.length, []);
      this.#bytes().set(chunk, at);
    }
    // Read here, because a call out of the engine takes longer than several commands.
    const now = this.#now();
    this.inside = true;
    const length = this.engine.feed(client, chunk.length, now);
    this.inside = false;
    return length;
  }

  /** What reached a client, as such a view; none of its requests run. */
  wakeStream(client: number): Uint8Array {
    return this.#viewOutput(this.guarded(() => this.engine.wake(client)));
  }

  /** Puts bytes into the input area and hands their length to an engine method. */
  withInput<T>(bytes: Uint8Array, use: (length: number) => T): T {
    const at = this.#reserve(bytes.length, []);
    this.#bytes().set(bytes, at);
    const result = this.guarded(() => use(bytes.length));
    this.#giveBack();
    return result;
  }

  /** Runs engine code; leaves `inside` set when it threw. */
  guarded<T>(work: () => T): T {
    this.inside = true;
    const result = work();
    this.inside = false;
    return result;
  }

  #execute(client: number, argv: readonly Argument[]): number {
    const packing = measure(argv);
    const at = this.#reserve(packing.room, argv);
    const length = writePacked(argv, packing, this.#bytes(), at);
    this.inside = true;
    const replyLength = this.engine.call(client, length);
    this.inside = false;
    return replyLength;
  }

  #viewOutput(length: number): Uint8Array {
    const start = this.engine.output();
    return this.#bytes().subarray(start, start + length);
  }

  #takeOutput(length: number): Uint8Array {
    const start = this.engine.output();
    const output = this.#bytes().slice(start, start + length);
    this.#giveBack();
    return output;
  }

  /** Where `size` bytes may be written. */
  #reserve(size: number, argv: readonly Argument[]): number {
    if (size <= this.#areaSize) return this.#area;
    const wanted = Math.max(size, AREA_MIN);
    // The old area is given back first, also where there is no memory for the new one.
    this.#areaSize = 0;
    const pointer = size > 3 * ARGUMENT_MAX ? 0 : this.guarded(() => this.engine.reserve(wanted));
    if (pointer === 0) throw new ReplyError('OOM the arguments do not fit into the memory of the engine', commandName(argv));
    this.#area = pointer;
    this.#areaSize = wanted;
    return pointer;
  }

  /** One huge command must not hold its memory for ever. */
  #giveBack(): void {
    if (this.#areaSize <= AREA_KEPT_MAX) return;
    this.#areaSize = 0;
    this.guarded(() => this.engine.reserve(0));
  }

  /** The memory; growing it detaches the old view. */
  #bytes(): Uint8Array {
    if (this.#view.length === 0) this.#view = new Uint8Array(this.#memory.buffer);
    return this.#view;
  }
}
