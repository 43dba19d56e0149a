/** Loads of missing values: concurrent callers of one engine share one load of a key. */
import { bytesOf, type Argument } from './argument.js';
import { Connection } from './connection.js';
import { ReplyError } from './errors.js';
import { NO_ROW } from './frame.js';
import type { Host } from './host.js';
import { runTransaction } from './transaction.js';
import { abortReason, type AbortSignalLike } from './waits.js';

/** How long a loaded value lives, at most one of both; without any, until it is deleted. */
export type Lifetime =
  | { readonly px?: number | undefined; readonly ex?: undefined }
  | { readonly ex: number | undefined; readonly px?: undefined };

/** Client whose keys are meant, and the names of a view's keys in the database. */
export interface Site {
  readonly connection: Connection;
  absolute(key: Argument): Argument;
}

/** AbortSignal, where the program's own types declare it. */
export type PlatformSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : AbortSignalLike;

/** Result of a load: the stored form, or a value that is not stored. */
export type Loaded = { readonly stored: string | Uint8Array } | { readonly value: null | undefined };

export interface LoadRequest {
  /** Callers with the same codec share a load. */
  readonly codec: { readonly bytes?: boolean };
  /** Words of SET for the time to live. */
  readonly lifetime: readonly Argument[];
  readonly signal: AbortSignalLike | undefined;
  load(context: { readonly signal: PlatformSignal }): Promise<Loaded>;
}

const OPTIONS = ['px', 'ex', 'jitter', 'signal', 'as'];

/** The words of SET for checked options, with the jitter taken off. */
export function lifetimeOf(options: Lifetime & { readonly jitter?: number | undefined }): readonly Argument[] {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('getOrSet takes a time to live in milliseconds, or options such as { ex: 60 }');
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new TypeError(`getOrSet has no option '${unknown}': it has ${OPTIONS.join(', ')}`);
  const { px, ex, jitter = 0 } = options;
  if (px !== undefined && ex !== undefined) throw new TypeError('getOrSet takes px or ex, not both');
  if (!(jitter >= 0 && jitter <= 1)) throw new TypeError(`jitter must be a number from 0 to 1, got ${jitter}`);
  const [name, life] = ex === undefined ? ['px', px] : ['ex', ex];
  if (life === undefined) return [];
  if (!Number.isSafeInteger(life) || life <= 0)
    throw new TypeError(`${name} must be a positive integer, got ${String(life)}`);
  const ms = name === 'ex' ? life * 1000 : life;
  return ['PX', Math.max(1, Math.round(ms * (1 - jitter * Math.random())))];
}

const flightsOfEngines = new WeakMap<Host, WeakMap<object, Map<string, Flight>>>();

function flightsOf(host: Host, codec: object): Map<string, Flight> {
  const ofEngine = flightsOfEngines.get(host) ?? new WeakMap<object, Map<string, Flight>>();
  flightsOfEngines.set(host, ofEngine);
  const flights = ofEngine.get(codec) ?? new Map<string, Flight>();
  ofEngine.set(codec, flights);
  return flights;
}

/** Text that is equal for equal keys of one database. */
function idOf(db: number, key: Argument): string {
  let id = `${db} `;
  for (const byte of bytesOf(key, 1, 'getOrSet')) id += String.fromCharCode(byte);
  return id;
}

/** Joins the load of a key, or starts it. */
export function loadOnce(site: Site, key: Argument, request: LoadRequest): Promise<Loaded> {
  const { connection } = site;
  const absolute = site.absolute(key);
  const { db } = connection.info();
  const flights = flightsOf(connection.host, request.codec);
  const id = idOf(db, absolute);
  if (request.signal?.aborted) return Promise.reject(abortReason(request.signal));
  let flight = flights.get(id);
  if (flight === undefined) {
    const forget = (): void => {
      if (flights.get(id) === flight) flights.delete(id);
    };
    const started = new Flight(new Connection(connection.host, { db }), absolute, request, forget);
    flights.set(id, started);
    flight = started;
    started.start();
  }
  return flight.join(request.signal);
}

/** One load in progress. */
class Flight {
  readonly #client: Connection;
  readonly #key: Argument;
  readonly #request: LoadRequest;
  readonly #forget: () => void;
  readonly #abandoned = new AbortController();
  #callers = 0;
  #result: Promise<Loaded> | undefined;

  /** The client is the flight's own: it watches the key during the load. */
  constructor(client: Connection, key: Argument, request: LoadRequest, forget: () => void) {
    this.#client = client;
    this.#key = key;
    this.#request = request;
    this.#forget = forget;
  }

  start(): void {
    this.#result = this.#run().finally(() => {
      this.#forget();
      this.#client.disconnect();
    });
    // Every caller may have given up by then.
    this.#result.catch(() => {});
  }

  async #run(): Promise<Loaded> {
    this.#reply(['WATCH', this.#key]);
    const loaded = await this.#request.load({ signal: this.#abandoned.signal });
    if (this.#abandoned.signal.aborted || !('stored' in loaded)) return loaded;
    const set = ['SET', this.#key, loaded.stored, ...this.#request.lifetime];
    const replies = runTransaction(this.#client, [set], false);
    if (Array.isArray(replies) && replies[0] instanceof ReplyError) throw replies[0];
    // Null: the key was written meanwhile, and what was written is newer than what was loaded.
    const newer = replies === null ? this.#reply(['GET', this.#key]) : null;
    return newer === null ? loaded : { stored: newer as string | Uint8Array };
  }

  #reply(argv: readonly Argument[]): unknown {
    const reply = this.#client.reply(NO_ROW, argv, this.#request.codec.bytes ?? false);
    if (reply instanceof ReplyError) throw reply;
    return reply;
  }

  /** The result for one more caller, until its signal is aborted. */
  join(signal: AbortSignalLike | undefined): Promise<Loaded> {
    const result = this.#result as Promise<Loaded>;
    this.#callers += 1;
    if (signal === undefined) return result;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        reject(abortReason(signal));
        this.#leave();
      };
      signal.addEventListener('abort', abort);
      const end = (): void => signal.removeEventListener('abort', abort);
      result.then(resolve, reject).finally(end);
    });
  }

  #leave(): void {
    this.#callers -= 1;
    if (this.#callers > 0) return;
    this.#forget();
    this.#abandoned.abort();
  }
}
