/** Loads of missing values: concurrent callers of one engine share one load of a key. */
import { bytesOf, type Argument } from '../base/argument.js';
import { Connection } from './connection.js';
import { ReplyError } from '../base/errors.js';
import type { Host } from '../host/host.js';
import { runTransaction } from './transaction.js';
import { abortReason, onAbort, type AbortSignalLike } from '../base/abort.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** How long a loaded value lives, at most one of both; without any, until it is deleted. */
export type Lifetime =
  | { readonly px?: number | undefined; readonly ex?: undefined }
  | { readonly ex: number | undefined; readonly px?: undefined };

/** @internal Client of the keys, and the names of a view's keys in the database. */
export interface Site {
  readonly connection: Connection;
  absolute(key: Argument): Argument;
}

/** AbortSignal, where the program's own types declare it. */
export type PlatformSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : AbortSignalLike;

/** @internal Result of a load: the stored form, or a value that is not stored. */
export type Loaded = { readonly stored: string | Uint8Array } | { readonly value: null | undefined };

/** @internal */
export interface LoadRequest {
  /** Callers with the same codec share a load. */
  readonly codec: { readonly bytes?: boolean };
  /** Words of SET for the time to live. */
  readonly lifetime: readonly Argument[];
  readonly signal: AbortSignalLike | undefined;
  load(context: { readonly signal: PlatformSignal }): Promise<Loaded>;
}

const OPTIONS = ['px', 'ex', 'jitter', 'signal', 'as'];

/** @internal The words of SET for checked options, with the jitter taken off. */
export function lifetimeOf(options: Lifetime & { readonly jitter?: number | undefined }): readonly Argument[] {
  if (!options) throw new CallerTypeError('getOrSet takes a time to live in milliseconds, or options');
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined)
    throw new CallerTypeError(`getOrSet has no option '${unknown}': it has ${OPTIONS.join(', ')}`);
  const { px, ex, jitter = 0 } = options;
  if (px !== undefined && ex !== undefined) throw new CallerTypeError('getOrSet takes px or ex, not both');
  if (!(jitter >= 0 && jitter <= 1)) throw new CallerTypeError(`jitter must be from 0 to 1, got ${jitter}`);
  const life = px ?? ex;
  if (life === undefined) return [];
  if (!Number.isSafeInteger(life) || life <= 0)
    throw new CallerTypeError(`the time to live must be a positive integer, got ${String(life)}`);
  const ms = (ex === undefined ? life : life * 1000) * (1 - jitter * Math.random());
  return ['PX', Math.max(1, Math.round(ms))];
}

const flightsOfEngines = new WeakMap<Host, Map<string, Flight>>();

/** @internal Joins the load of a key, or starts it. */
export function loadOnce(site: Site, key: Argument, request: LoadRequest): Promise<Loaded> {
  const { connection } = site;
  if (request.signal?.aborted) return Promise.reject(abortReason(request.signal));
  const { db } = connection.info();
  const absolute = bytesOf(site.absolute(key), 1, 'getOrSet');
  const flights = flightsOfEngines.get(connection.host) ?? new Map<string, Flight>();
  flightsOfEngines.set(connection.host, flights);
  const id = `${db} ${absolute}`;
  let flight = flights.get(id);
  // Another codec has another result.
  if (flight?.request.codec !== request.codec) {
    flight = new Flight(new Connection(connection.host, { db }), absolute, request, () => {
      if (flights.get(id) === flight) flights.delete(id);
    });
    flights.set(id, flight);
    flight.start();
  }
  return (flight as Flight).join(request.signal);
}

/** One load in progress. Its client watches the key meanwhile. */
class Flight {
  #callers = 0;
  #result: Promise<Loaded> | undefined;
  readonly #abandoned = new AbortController();

  constructor(
    private readonly client: Connection,
    private readonly key: Argument,
    readonly request: LoadRequest,
    private readonly forget: () => void,
  ) {}

  start(): void {
    this.#result = this.#run().finally(() => {
      this.forget();
      this.client.disconnect();
    });
    // Every caller may have given up by then.
    this.#result.catch(() => {});
  }

  async #run(): Promise<Loaded> {
    this.#reply(['WATCH', this.key]);
    const { signal } = this.#abandoned;
    const loaded = await this.request.load({ signal });
    if (signal.aborted || !('stored' in loaded)) return loaded;
    // Null: the key was written meanwhile, and what was written is newer than what was loaded.
    if (runTransaction(this.client, [], false) === null) {
      const newer = this.#reply(['GET', this.key]);
      return newer === null ? loaded : { stored: newer as string | Uint8Array };
    }
    this.#reply(['SET', this.key, loaded.stored, ...this.request.lifetime]);
    return loaded;
  }

  #reply(argv: readonly Argument[]): unknown {
    const reply = this.client.reply(argv, this.request.codec.bytes ?? false);
    if (reply instanceof ReplyError) throw reply;
    return reply;
  }

  /** The result for one more caller, until its signal is aborted. */
  join(signal: AbortSignalLike | undefined): Promise<Loaded> {
    const result = this.#result as Promise<Loaded>;
    this.#callers += 1;
    if (signal === undefined) return result;
    return new Promise((resolve, reject) => {
      const stopListening = onAbort(signal, () => {
        reject(abortReason(signal));
        this.#callers -= 1;
        if (this.#callers > 0) return;
        this.forget();
        this.#abandoned.abort();
      });
      result.then(resolve, reject).finally(stopListening);
    });
  }
}
