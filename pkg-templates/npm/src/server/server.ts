/** The server: listens, counts its connections, and follows changes of the configuration. */
import type { Socket } from 'node:net';
import { PoisonedError } from '../base/errors.js';
import type { Keylatch } from '../db/built-in.js';
import type { ShutdownRequest } from '../host/streams.js';
import type { PersistentKeylatch } from '../persist/persistent.js';
import { encodeError } from '../resp/encode.js';
import { endsOf } from './addresses.js';
import { IdleTimeout } from './idle.js';
import { Listeners } from './listeners.js';
import {
  exposure,
  isLoopback,
  parametersOf,
  listenAddressesOf,
  type ListenAddresses,
  type ServerOptions,
} from './options.js';
import { OutputBatch } from './output-batch.js';
import { outputLimitOf, type OutputLimit } from './output-limit.js';
import { Peer } from './peer.js';
import { ScriptSlices } from './script-slices.js';
import { hasStore, Storage } from './storage.js';
import type { StreamSource } from './stream-source.js';

const TOO_MANY = 'ERR max number of clients reached';
const PROTECTED =
  'DENIED protected mode: without a password for the default user this server accepts connections from ' +
  'its own machine only. From there, set one (CONFIG SET requirepass) or send CONFIG SET protected-mode no.';

/** How the server ends. */
interface Ending {
  /** Whether a snapshot is saved; undefined: if the parameter `save` has a rule. */
  readonly saves?: boolean | undefined;
  /** Whether a script that runs is dropped, with what it did. */
  readonly abandonsScript?: boolean;
}

/**
 * A server of Redis clients: `await using server = await createServer({ port: 0 }).listen()` ends it with its scope.
 */
export class Server implements AsyncDisposable {
  readonly #ownsDb: boolean;
  readonly #openStorage: (() => Promise<PersistentKeylatch>) | undefined;
  #db: Keylatch | undefined;
  #storage: Storage | undefined;
  readonly #source: StreamSource | undefined;
  readonly #addresses: ListenAddresses;
  readonly #listeners: Listeners;
  readonly #parameters: Map<string, string>;
  readonly #onError: (error: unknown) => void;
  readonly #peers = new Set<Peer>();
  readonly #idle = new IdleTimeout(this.#peers);
  /** Resolves when the server has ended, by `close` or by SHUTDOWN of a client; rejects if its data could not be written. */
  readonly closed: Promise<void>;
  #ended!: (closing: Promise<void>) => void;
  #stopServing: (() => void) | undefined;
  #slices: ScriptSlices | undefined;
  #maxClients = 0;
  #isGuarded = true;
  #isPoisoned = false;
  /** @internal */
  outputLimit!: OutputLimit;
  /** @internal */
  readonly output = new OutputBatch();

  /**
   * @internal Use `createServer`. Connections are clients of `source`, the engine's streams unless given. An engine with a
   * store is opened when the server listens.
   */
  constructor(
    options: ServerOptions,
    makeDb: (() => Keylatch) | { readonly open: () => Promise<PersistentKeylatch> },
    source?: StreamSource,
  ) {
    this.closed = new Promise((resolve) => {
      this.#ended = resolve;
    });
    // `close` rejects, too, and a failure after SHUTDOWN is reported.
    this.closed.catch(() => {});
    this.#addresses = listenAddressesOf(options);
    this.#listeners = new Listeners(this.#addresses, (socket, path) => this.#accept(socket, path));
    this.#parameters = parametersOf(options, this.#addresses);
    this.#onError =
      options.onError ??
      ((error) => {
        // An uncaught error: the call that meets it first belongs to a connection, which would swallow it.
        setImmediate(() => {
          throw error;
        });
      });
    this.#ownsDb = options.db === undefined;
    if (typeof makeDb === 'function') this.#db = options.db ?? makeDb();
    else this.#openStorage = makeDb.open;
    this.#source = source;
  }

  /** The served engine; commands of this process run as another client. With `dir` there is none before `listen`. */
  get db(): Keylatch {
    if (this.#db === undefined) throw new Error('the folder of this server is not open yet: await listen() first');
    return this.#db;
  }

  /** Listens. Rejects, and listens nowhere, when an address is not available or protected mode forbids it. */
  async listen(): Promise<this> {
    const refusal = exposure(this.#addresses, this.#parameters);
    if (refusal !== undefined) throw new Error(refusal);
    if (this.#openStorage !== undefined) this.#db = await this.#openStorage();
    try {
      const { streams } = this.db;
      this.#attachStorage(this.db);
      for (const [name, value] of this.#parameters) streams.configure(name, value);
      await this.#listeners.open();
      streams.configure('port', String(this.port));
      this.#stopServing = streams.serve(this);
      const hasEnded = () => this.db.closed || this.db.poisoned;
      this.#slices = new ScriptSlices(streams, hasEnded, (error) => this.failed(error));
      this.configured();
    } catch (error) {
      this.#storage?.release();
      this.#storage = undefined;
      this.output.appendPending = undefined;
      // The folder is released for the next attempt.
      if (this.#openStorage !== undefined) await this.#db?.close();
      throw error;
    }
    return this;
  }

  #attachStorage(db: Keylatch): void {
    if (!hasStore(db)) return;
    const storage = new Storage(db);
    this.#storage = storage;
    if (storage.hasLog) this.output.appendPending = () => storage.appendPending();
    // The options of `open` are where the configuration begins.
    if (this.#openStorage === undefined && db.fsync !== undefined) {
      this.#parameters.set('appendonly', 'yes');
      if (!this.#parameters.has('appendfsync')) this.#parameters.set('appendfsync', db.fsync);
    }
  }

  /** Lets the process exit while the server listens, as `unref` of Node's servers does. */
  unref(): this {
    this.#listeners.unref();
    return this;
  }

  /** Addresses it listens on: `127.0.0.1:6379`, `[::1]:6379`, or the path of a Unix socket. */
  get addresses(): string[] {
    return this.#listeners.addresses;
  }

  /** The TCP port, or 0 when there is none. */
  get port(): number {
    return this.#listeners.port;
  }

  /** Number of connected clients. */
  get connections(): number {
    return this.#peers.size;
  }

  /**
   * Stops listening, sends pending output, and disconnects all clients. The engine is closed if the server created it,
   * after its data was written.
   */
  close(): Promise<void> {
    const closing = this.#close({});
    this.#ended(closing);
    return closing;
  }

  async #close({ saves, abandonsScript }: Ending): Promise<void> {
    const stopped = this.#listeners.stop();
    this.#idle.stop();
    this.#slices?.end(abandonsScript);
    for (const peer of this.#peers) peer.hangUp();
    await stopped;
    this.#stopServing?.();
    try {
      await this.#storage?.close(saves);
    } finally {
      this.output.appendPending = undefined;
      if (this.#ownsDb) await this.#db?.close();
    }
  }

  /** @internal Called when a client asks for the end by SHUTDOWN. */
  shutdown(request: ShutdownRequest): void {
    this.#shutDown(request).catch((error) => this.failed(error));
  }

  async #shutDown(request: ShutdownRequest): Promise<void> {
    const isSaved = await this.#savedLast(request.saves);
    if (this.db.closed || this.db.poisoned) return;
    if (!this.db.streams.endsByShutdown(!isSaved && !request.isForced)) return;
    // Changes since that snapshot are saved, too.
    const saves = isSaved && request.saves !== false ? undefined : false;
    const closing = this.#close({ saves, abandonsScript: request.saves === false && this.#ownsDb });
    this.#ended(closing);
    await closing;
  }

  async #savedLast(saves: boolean | undefined): Promise<boolean> {
    try {
      await this.#storage?.saveLast(saves);
      return true;
    } catch {
      return false;
    }
  }

  /** Closes the server at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Resolves when the log has all effects so far, as before replies to clients leave; rejects if it cannot be written. */
  async appended(): Promise<void> {
    const appended = this.#storage?.hasLog ? this.#storage.appendPending() : true;
    if (appended === false) throw new Error('the log cannot be written');
    await appended;
  }

  /** @internal Stops listening, so that the system refuses connections; data stays. */
  pause(): void {
    void this.#listeners.stop();
  }

  /** @internal Listens again at the addresses of `listen`. */
  resume(): Promise<void> {
    return this.#listeners.open();
  }

  /** @internal */
  get countsIdleness(): boolean {
    return this.#idle.isOn;
  }

  /** @internal Called when the configuration changed. */
  configured(): void {
    const { streams } = this.db;
    this.#maxClients = Number(streams.parameter('maxclients'));
    this.outputLimit = outputLimitOf(streams.parameter('client-output-buffer-limit'));
    this.#isGuarded = streams.parameter('protected-mode') === 'yes' && streams.parameter('requirepass') === '';
    this.#idle.setLimit(Number(streams.parameter('timeout')));
    if (this.#slices !== undefined) {
      this.#slices.busyAfterMs = Number(streams.parameter('busy-reply-threshold'));
      this.#slices.begin();
    }
    this.#storage?.configured();
  }

  /** @internal */
  grouped<T>(work: () => T): T {
    return this.#storage === undefined ? work() : this.#storage.grouped(work);
  }

  /** @internal */
  scriptSuspended(): void {
    this.#slices?.begin();
  }

  /** @internal */
  peerEnded(peer: Peer): void {
    this.#peers.delete(peer);
  }

  /** @internal */
  failed(error: unknown): void {
    // A trap fails every connection, and is reported once.
    if (error instanceof PoisonedError && this.#isPoisoned) return;
    this.#isPoisoned ||= error instanceof PoisonedError;
    this.#onError(error);
  }

  #accept(socket: Socket, path: string | undefined): void {
    if (path === undefined && this.#isGuarded && !isLoopback(socket.remoteAddress ?? ''))
      return refuse(socket, PROTECTED);
    if (this.#peers.size >= this.#maxClients) return refuse(socket, TOO_MANY);
    const source: StreamSource = this.#source ?? this.db.streams;
    try {
      this.#peers.add(new Peer(this, socket, source, ...endsOf(socket, path)));
    } catch (error) {
      socket.destroy();
      this.failed(error);
    }
    this.#idle.watch();
  }
}

function refuse(socket: Socket, reason: string): void {
  socket.on('error', () => {});
  socket.end(encodeError(reason), () => socket.destroy());
}
