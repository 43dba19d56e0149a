/** A server of a test: engine, clock and faults behind any kind of connection. */
import { Keylatch } from '../db/built-in.js';
import type { Client } from '../client/client.js';
import type { KeylatchOptions } from '../db/options.js';
import type { StreamUser } from '../host/streams.js';
import { TestClock } from './clock.js';
import { Faults, type Fault, type FaultKind, type FaultOptions, type Latency, type RequestFilter } from './faults.js';
import { FaultStream } from './fault-stream.js';

/** A client that is connected to a server of a test. */
export interface ConnectedClient {
  /** Number of the client, as CLIENT ID answers it. */
  readonly id: number;
  /** Name given by CLIENT SETNAME; '' without one. */
  readonly name: string;
  /** Number of the selected database. */
  readonly db: number;
  /** True for subscribers and monitors. */
  readonly isListening: boolean;
  /** True while a command of the client is blocked or delayed. */
  readonly isBlocked: boolean;
  /** True between MULTI and EXEC. */
  readonly inTransaction: boolean;
}

/** Flags of commands by name, the same for all engines. */
const flagsByCommand = new Map<string, ReadonlySet<string>>();

/** A server for tests: an engine, its clock, and faults on demand. */
export abstract class TestServer {
  /** Clock of the engine. */
  readonly clock = new TestClock();
  /** @internal */
  readonly faults = new Faults(
    (command, flag) => this.#hasFlag(command, flag),
    () => this.#faultsChanged(),
  );
  /** Host of the server. */
  abstract readonly host: string;
  /** Port of the server. */
  abstract readonly port: number;
  /** The engine, without remembering its configuration. */
  protected readonly engine: Keylatch;
  readonly #streams = new Set<FaultStream>();
  readonly #unfollow: () => void;
  /** Configuration to return to, read before anything can change it. */
  #parameters: ReadonlyMap<string, string> | undefined;
  #isDown = false;

  /** @internal Use `startServer`, or `serverAt`. */
  constructor(options: KeylatchOptions = {}) {
    this.engine = new Keylatch({ ...options, now: this.clock.now });
    this.#unfollow = this.clock.follow(this.engine);
  }

  /** The engine; commands of the test run as a client without a socket, which faults do not concern. */
  get db(): Keylatch {
    this.#rememberConfiguration();
    return this.engine;
  }

  /** @internal */
  get acceptsAnyPassword(): boolean {
    return false;
  }

  /** Number of connected clients. */
  get connections(): number {
    return this.#streams.size;
  }

  /** True between `down` and `up`. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /**
   * Makes the next request of a client fail: with an error reply (`'READONLY'`, `'OOM'`, `'ERR any text'`, an Error
   * with such a message), or with the end of its connection (`'DISCONNECT'`). The command does not run, unless
   * `afterwards` is true. Requests that clients send on connecting fail only if `command` names them.
   */
  failNext(kind: FaultKind | Error | (string & {}), options: FaultOptions = {}): Fault {
    return this.faults.add(kind, options);
  }

  /**
   * Delays requests by `ms` milliseconds of the global `setTimeout`; `Infinity`: they get no reply. Requests behind a
   * delayed one wait too, other connections do not. Of several delays the latest that concerns a request counts.
   */
  latency(ms: number, filter: RequestFilter = {}): Latency {
    return this.faults.delay(ms, filter);
  }

  /** Ends the connections of clients, all unless a filter is given. Returns their number. */
  disconnect(filter: (client: ConnectedClient) => boolean = () => true): number {
    const streams = [...this.#streams].filter((stream) => filter(connectedClient(stream)));
    for (const stream of streams) stream.kill();
    return streams.length;
  }

  /** Ends all connections and refuses new ones, as a server that is down; keys stay. */
  down(): void {
    this.#isDown = true;
    this.disconnect();
  }

  /** Accepts connections again. */
  up(): void {
    this.#isDown = false;
  }

  /**
   * Returns to the state after the start: no keys, scripts and functions, the configuration and the clock of the start,
   * no faults, up.
   * Connected clients stay, with their names, databases and subscriptions.
   */
  reset(): void {
    this.faults.clear();
    this.up();
    this.#byClient((client) => {
      client.call('CLIENT', 'UNPAUSE');
      client.call('FLUSHALL');
      // Settings of cjson end with the scripts and the functions.
      client.call('SCRIPT', 'FLUSH');
      client.call('FUNCTION', 'FLUSH');
    });
    this.#restoreConfiguration();
    this.resetClock();
    this.#byClient((client) => {
      client.call('SLOWLOG', 'RESET');
      client.call('CONFIG', 'RESETSTAT');
    });
  }

  /** Lets the clock run with the system again. */
  protected resetClock(): void {
    this.clock.reset();
  }

  #rememberConfiguration(): void {
    this.#parameters ??= this.#byClient((client) => new Map(client.configGet('*')));
  }

  #restoreConfiguration(): void {
    if (this.#parameters === undefined) return;
    for (const [name, value] of this.#byClient((client) => client.configGet('*'))) {
      const before = this.#parameters.get(name);
      if (before !== undefined && before !== value) this.engine.streams.configure(name, before);
    }
  }

  /** @internal */
  open(user: StreamUser, address: string, localAddress: string): FaultStream {
    this.#rememberConfiguration();
    const stream = new FaultStream(this.engine.streams.open(user, address, localAddress), user, this);
    this.#streams.add(stream);
    return stream;
  }

  /** @internal */
  streamEnded(stream: FaultStream): void {
    this.#streams.delete(stream);
  }

  /** @internal Closes the engine. */
  close(): void {
    this.#unfollow();
    this.engine.close();
  }

  /** Runs commands on a client of their own, whatever state the default client is in. */
  #byClient<T>(work: (client: Client) => T): T {
    const client = this.engine.client();
    try {
      return work(client);
    } finally {
      client.close();
    }
  }

  #faultsChanged(): void {
    for (const stream of this.#streams) stream.faultsChanged();
  }

  #hasFlag(command: string, flag: string): boolean {
    let flags = flagsByCommand.get(command);
    if (flags === undefined) {
      const rows = this.#byClient((client) => client.call('COMMAND', 'INFO', command));
      const [row] = rows as unknown as [readonly unknown[] | null];
      flags = new Set(row?.[2] as Iterable<string> | undefined);
      flagsByCommand.set(command, flags);
    }
    return flags.has(flag);
  }
}

function connectedClient(stream: FaultStream): ConnectedClient {
  const { id, name, db, listening, parked, inTransaction } = stream;
  return { id, name, db, isListening: listening, isBlocked: parked, inTransaction };
}
