/** A keyspace without a client of its own: its clock, its contents and effects as a whole, and the clients that connect. */
import { checkBytes } from '../base/argument.js';
import { LineError, LoadError } from '../base/errors.js';
import { CallerTypeError } from '../base/caller-errors.js';
import { Encoder } from '../base/encoders.js';
import { checked } from '../base/option-check.js';
import { CLIENT, Connection, type ClientOptions } from '../client/connection.js';
import { Subscriptions } from '../client/subscriptions.js';
import { GuardedClock, ManualClock } from '../host/clock.js';
import { Host } from '../host/host.js';
import { Instance } from '../host/instance.js';
import { instantiate } from '../host/module.js';
import { Streams } from '../host/streams.js';
import { glueOptions, parametersOf, type KeylatchOptions } from './options.js';
import { NOTHING, SKIP, skippedOf, type LoadResult, type ReplayResult, type SkipOptions } from './skipped.js';

const encoder = /* @__PURE__ */ new Encoder();

/** @internal */
export class Database {
  readonly host: Host;
  #streams: Streams | undefined;
  #subscriptions: Subscriptions | undefined;

  /** Options with a module. Nothing is compiled or allocated before the first command. */
  constructor(options: KeylatchOptions) {
    const { module } = options;
    if (module === undefined)
      throw new CallerTypeError('this entry point contains no engine: use Keylatch.from(module)');
    const manual = options.clock instanceof ManualClock ? options.clock : undefined;
    // Date.now is looked up at every reading: fake timers may replace it at any time.
    const clock = new GuardedClock(options.now ?? (() => Date.now()));
    const settings = glueOptions(options);
    const parameters = parametersOf(options);
    const make = (floorMs?: number): Instance => {
      const given = settings();
      const floored =
        floorMs === undefined ? given : { ...given, floorMs: Math.max(floorMs, given.floorMs ?? floorMs) };
      return new Instance(instantiate(module), floored, clock.read, () => host.clockFailure(), parameters);
    };
    const host: Host = new Host(make, clock, manual);
    this.host = host;
  }

  /** A client, which the engine connects at its first command. */
  connection(options?: ClientOptions): Connection {
    return new Connection(this.host, checked('client', options, CLIENT));
  }

  /** Clients over byte streams. */
  get streams(): Streams {
    return (this.#streams ??= new Streams(this.host));
  }

  /** Callbacks for messages of channels. */
  get subscriptions(): Subscriptions {
    return (this.#subscriptions ??= new Subscriptions(this.host));
  }

  /** Time of the engine's clock. */
  now(): number {
    return this.host.enter((instance) => {
      const now = instance.guarded(() => instance.engine.now());
      if (Number.isNaN(now)) throw this.host.clockFailure();
      return now;
    });
  }

  /** Words of a line, as redis-cli splits it. */
  splitLine(line: string): Uint8Array[] {
    const split = this.input(encoder.encode(line), (engine, length) => engine.splitLine(length));
    if (Array.isArray(split)) return split;
    throw new LineError(split.message, split.column);
  }

  /** See `Keylatch.replay`. */
  replay(log: Uint8Array, options?: SkipOptions): ReplayResult {
    const skips = checked('replay', options, SKIP).skip !== undefined;
    return this.loading('replay', log, (engine, length) => {
      const replayed = engine.replay(length, skips);
      return skips ? { ...replayed, skipped: skippedOf(engine.skipped()) } : replayed;
    });
  }

  /** All databases as bytes for `load`. */
  snapshot(): Uint8Array {
    return this.host.enter((instance) => instance.guarded(() => instance.engine.snapshot()));
  }

  /** See `Keylatch.load`. */
  load(snapshot: Uint8Array, options?: SkipOptions): LoadResult {
    const skips = checked('load', options, SKIP).skip !== undefined;
    return this.loading('load', snapshot, (engine, length) => {
      engine.load(length, skips);
      return { skipped: skips ? skippedOf(engine.skipped()) : NOTHING };
    });
  }

  /** Runs work of the engine on bytes. */
  input<T>(bytes: Uint8Array, use: (engine: Instance['engine'], length: number) => T): T {
    return this.host.enter((instance) => instance.withInput(bytes, (length) => use(instance.engine, length)));
  }

  /** Variant of `input` for bytes that replace or extend the contents: LoadError says where they are wrong. */
  loading<T>(method: string, bytes: Uint8Array, use: (engine: Instance['engine'], length: number) => T): T {
    checkBytes(bytes, method);
    try {
      return this.input(bytes, use);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'Error') throw error;
      // The engine's texts end with the offset, if it is known.
      const [, offset] = / at byte (\d+)$/.exec(error.message) ?? [];
      throw new LoadError(error.message, { offset: offset === undefined ? undefined : Number(offset) });
    }
  }
}
