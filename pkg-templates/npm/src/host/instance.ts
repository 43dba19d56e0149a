/** One WebAssembly instance and its memory: commands go through the frame, bytes through the input area. */
import { ARGUMENT_MAX, commandName, type Argument } from '../base/argument.js';
import {
  ClosedError,
  type ClockError,
  ENDED,
  LoadError,
  NoReplyError,
  ReplyError,
  WaitingError,
} from '../base/errors.js';
import { Frame, NO_ROW, BLOCKED, ROW_MASK } from './frame.js';
import { CONVENTION, RowBit, Status } from './generated/convention.js';
import { type Glue, type GlueEngine, type GlueOptions, type RawCall, StackNeed, type StackProbe } from './glue.js';
import type { Reply } from '../resp/reply.js';
import { CallerRangeError, CallerTypeError } from '../base/caller-errors.js';

/** Defined by the bundler: `keylatch` or `keylatch-scripting`. */
declare const PACKAGE_NAME: string;

/** Minimum size of the input area, to which it returns after a larger input. */
const AREA_MIN = 4 * 1024;
const AREA_KEPT_MAX = 1024 * 1024;

/** Client number returned when memory is exhausted. */
export const NO_CLIENT = 0;

/** Least number that stands for a command which may run a script: it has no row, or the bit of such a row. */
const MAY_RUN_SCRIPT = NO_ROW;

/** Status returned when the time is needed and nothing ran. */
const NEED_TIME = -1;

/** Status returned when a script of a stream is suspended and nothing ran. */
const SUSPENDED = -2;

/** Thrown when the clock failed and nothing ran; the host has the failure. */
export const CLOCK_FAILED = -1;

/** Number of a new client; throws when memory is exhausted. */
export function connected(client: number): number {
  if (client === NO_CLIENT) throw new ReplyError('OOM not enough memory for another client', 'HELLO');
  return client;
}

/** Where the program is, seen from the engine. An exception inside may have left its memory inconsistent. */
export const enum Inside {
  No,
  /** A method that may refuse its input with an error. */
  Method,
  /** A command, of which any error is a trap. */
  Command,
}

export class Instance {
  readonly engine: GlueEngine;
  readonly frame: Frame;
  readonly #memory: { readonly buffer: ArrayBuffer };
  /** The export itself: the binding's method adds nothing for plain numbers and costs as much as the call. */
  readonly #call: RawCall;
  /** Called before each entry: an overflow of the stack is harmless there, and would be a trap within the engine. */
  readonly #probe: StackProbe;
  /** Status bits of the last call. */
  #status = 0;
  /** Reads the clock; NaN when it failed, or is moved by hand. */
  readonly #now: () => number;
  readonly #outline: Glue['outline'];
  readonly #clockFailure: () => ClockError;
  #view = new Uint8Array(0);
  #area = 0;
  #areaSize = 0;
  inside = Inside.No;

  /** `parameters` are names of redis.conf with their values. */
  constructor(
    glue: Glue,
    options: GlueOptions,
    now: () => number,
    clockFailure: () => ClockError,
    parameters: readonly [string, string][],
  ) {
    this.#memory = glue.raw.memory;
    this.engine = new glue.Engine(options, now);
    this.#outline = glue.outline;
    this.#call = glue.raw.engine_call;
    this.#probe = glue.raw.probe_stack;
    if (this.engine.convention() !== CONVENTION) {
      throw new LoadError(
        `the engine and the script are of different versions of ${PACKAGE_NAME}: load both from one package`,
      );
    }
    this.frame = new Frame(glue.raw.memory, this.engine, this.#probe);
    this.#now = options.manual ? () => NaN : now;
    this.#clockFailure = clockFailure;
    for (const [name, value] of parameters) {
      const refusal = this.engine.configure(name, value);
      if (refusal !== undefined) throw new CallerRangeError(`${name}: ${refusal}`);
    }
  }

  /** Bytes of memory, in use or not. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Connects a client of this process that uses the given protocol. */
  connect(protocol: 2 | 3): number {
    const client = connected(this.guarded(() => this.engine.connect()));
    this.guarded(() => this.engine.setProtocol(client, protocol));
    return client;
  }

  /**
   * Runs the command in the frame: that of a row, or of the name that stands first. Returns the
   * bits of `Status`; the reply is in the frame. Throws when the clock failed and nothing ran.
   */
  call(client: number, row: number, count: number): number {
    const { engine } = this;
    const timed = (row & RowBit.Timed) !== 0 || (this.#status & Status.Timed) !== 0;
    const now = timed ? this.#now() : NaN;
    this.#probe(row >= MAY_RUN_SCRIPT ? StackNeed.Script : StackNeed.Command);
    this.inside = Inside.Command;
    let status = this.#call(engine.__wbg_ptr, client, row & ROW_MASK, count, now);
    if (status < 0) status = this.#callAgain(client, row, count, status === SUSPENDED);
    this.inside = Inside.No;
    this.#status = status;
    return status;
  }

  /** Calls with the time, and after the end of a suspended script. */
  #callAgain(client: number, row: number, count: number, isSuspended: boolean): number {
    this.inside = Inside.No;
    if (isSuspended) this.guarded(() => this.engine.endScript('finish'));
    const now = this.#now();
    this.#probe(row >= MAY_RUN_SCRIPT ? StackNeed.Script : StackNeed.Command);
    this.inside = Inside.Command;
    const status = this.#call(this.engine.__wbg_ptr, client, row & ROW_MASK, count, now);
    if (status !== NEED_TIME) return status;
    this.inside = Inside.No;
    throw this.#clockFailure();
  }

  /** Runs one command; its reply, or BLOCKED while the client is blocked. */
  run(client: number, argv: readonly Argument[], asBytes: boolean): Reply<string | Uint8Array> | typeof BLOCKED {
    const status = this.#execute(client, argv);
    return this.frame.reply((status & Status.Ascii) !== 0, asBytes);
  }

  /** Runs one command that must not block. */
  execute(client: number, argv: readonly Argument[], asBytes: boolean): Reply<string | Uint8Array> {
    const reply = this.run(client, argv, asBytes);
    return reply === BLOCKED ? this.withoutReply(client, commandName(argv[0])) : reply;
  }

  /** Throws the reason why a command has no reply; null for CLIENT REPLY, which turned replies off. */
  withoutReply(client: number, command: string): null {
    this.#refuseEnded(client);
    const isBlocked = this.guarded(() => this.engine.client(client))?.blocked ?? false;
    if (isBlocked) throw new WaitingError(command);
    if (command !== 'CLIENT') throw new NoReplyError(command);
    return null;
  }

  #refuseEnded(client: number): void {
    if (this.guarded(() => this.engine.closing(client))) throw new ClosedError('client', ENDED);
  }

  /** Runs one command; its reply as RESP bytes. */
  callRaw(client: number, argv: readonly Argument[]): Uint8Array {
    this.#execute(client, argv);
    const reply = this.frame.takeReply();
    if (reply.length === 0) this.#refuseEnded(client);
    return reply;
  }

  #execute(client: number, argv: readonly Argument[]): number {
    if (argv.length === 0) throw new CallerTypeError('expected a command name');
    const { frame } = this;
    frame.putAll(NO_ROW, argv);
    const status = this.call(client, NO_ROW, argv.length);
    frame.end();
    return status;
  }

  feed(client: number, chunk: Uint8Array): Uint8Array | undefined {
    const length = this.#feed(client, chunk);
    return length === CLOCK_FAILED ? undefined : this.#takeOutput(length);
  }

  /** Variant of `feed` that returns a view of the engine's memory, valid until the next call. */
  feedStream(client: number, chunk: Uint8Array): Uint8Array | undefined {
    const length = this.#feed(client, chunk);
    return length === CLOCK_FAILED ? undefined : this.#viewOutput(length);
  }

  #feed(client: number, chunk: Uint8Array): number {
    if (chunk.length > 0) {
      const at = this.#reserve(chunk.length);
      this.#bytes().set(chunk, at);
    }
    // Read here, because a call out of the engine takes longer than several commands.
    const now = this.#now();
    this.#probe(StackNeed.Method);
    this.inside = Inside.Command;
    const length = this.engine.feed(client, chunk.length, now);
    this.inside = Inside.No;
    return length;
  }

  /** Messages and late replies of a client, as such a view; runs no request. */
  wakeStream(client: number): Uint8Array {
    return this.#viewOutput(this.guarded(() => this.engine.wake(client)));
  }

  /** Copies bytes into the input area and passes their length to an engine method. */
  withInput<T>(bytes: Uint8Array, use: (length: number) => T): T {
    const at = this.#reserve(bytes.length);
    this.#bytes().set(bytes, at);
    const result = this.guarded(() => use(bytes.length));
    this.#giveBack();
    return result;
  }

  /** Kinds of the lines of a text, as `outlined` reads them. */
  outline(text: Uint8Array): string {
    return this.withInput(text, (length) => this.#outline(this.engine, length));
  }

  /** Runs engine code; leaves `inside` set when it threw. */
  guarded<T>(work: () => T): T {
    this.#probe(StackNeed.Method);
    this.inside = Inside.Method;
    const result = work();
    this.inside = Inside.No;
    return result;
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

  /** Address at which `size` bytes may be written. */
  #reserve(size: number): number {
    if (size <= this.#areaSize) return this.#area;
    const wanted = Math.max(size, AREA_MIN);
    // The old area is freed first, also when memory for the new one is exhausted.
    this.#areaSize = 0;
    const pointer = size > 2 * ARGUMENT_MAX ? 0 : this.guarded(() => this.engine.reserve(wanted));
    if (pointer === 0) throw new ReplyError('OOM the input does not fit into the memory of the engine', '');
    this.#area = pointer;
    this.#areaSize = wanted;
    return pointer;
  }

  /** Shrinks the input area after a large command, so that its memory is not kept. */
  #giveBack(): void {
    if (this.#areaSize <= AREA_KEPT_MAX) return;
    this.#areaSize = 0;
    this.guarded(() => this.engine.reserve(0));
  }

  /** The memory; growing detaches the old view. */
  #bytes(): Uint8Array {
    if (this.#view.length === 0) this.#view = new Uint8Array(this.#memory.buffer);
    return this.#view;
  }
}
