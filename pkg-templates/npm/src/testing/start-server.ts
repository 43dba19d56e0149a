/** Servers of tests on free ports, in place of a redis-server of its own process. */
import type { KeylatchOptions } from '../db/options.js';
import { Server } from '../server/server.js';
import { SERVER, type ServerOptions } from '../server/options.js';
import { checked, type Shape } from '../base/option-check.js';
import { registry } from './registry.js';
import { TestServer } from './test-server.js';

/** Options of `startServer`: those of `createServer`, and the clock. */
export interface StartOptions extends Omit<ServerOptions, 'db' | 'bind'>, Pick<KeylatchOptions, 'seed'> {
  /** Address to listen on; `127.0.0.1` unless given. */
  readonly host?: string | undefined;
  /** Instant at which the server's clock stands still until it is moved; the clock runs unless given. */
  readonly time?: number | Date | undefined;
}

const { db: _, bind: __, ...OF_SERVER } = SERVER;
const START: Shape<StartOptions> = { ...OF_SERVER, host: 'text', time: 'any', seed: 'any' };

const LOOPBACK = '127.0.0.1';

/** A server that listens. */
export class StartedServer extends TestServer implements AsyncDisposable {
  /** Host to connect to. */
  readonly host: string;
  readonly #server: Server;
  readonly #password: string | undefined;
  readonly #time: number | Date | undefined;

  /** @internal Use `startServer`. */
  constructor(options: StartOptions) {
    const { host = LOOPBACK, port = 0, time, seed, ...others } = options;
    super(seed === undefined ? {} : { seed });
    this.host = host;
    this.#password = options.requirepass;
    this.#time = time;
    this.#server = new Server({ ...others, port, bind: host, db: this.engine }, () => this.engine, this);
    this.resetClock();
  }

  /** Port to connect to. */
  get port(): number {
    return this.#server.port;
  }

  /** Address for clients: `redis://127.0.0.1:41234`, with the password if there is one. */
  get uri(): string {
    const host = this.host.includes(':') ? `[${this.host}]` : this.host;
    const user = this.#password === undefined ? '' : `:${encodeURIComponent(this.#password)}@`;
    return `redis://${user}${host}:${this.port}`;
  }

  /** Ends all connections, stops listening and closes the engine. A process need not wait for it in order to exit. */
  async stop(): Promise<void> {
    registry.started.delete(this);
    await this.#server.close();
    this.close();
  }

  /** Ends all connections and stops listening, so that new ones are refused by the system; keys stay. */
  override down(): void {
    super.down();
    this.#server.pause();
  }

  /** Listens at the same port again. Rejects if another program took it meanwhile. */
  override async up(): Promise<void> {
    if (!this.isDown) return;
    super.up();
    try {
      await this.#server.resume();
    } catch (error) {
      super.down();
      throw error;
    }
  }

  /** Stops the server; called by `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** @internal */
  async listen(): Promise<this> {
    try {
      (await this.#server.listen()).unref();
    } catch (error) {
      this.close();
      throw error;
    }
    registry.started.add(this);
    return this;
  }

  /** Lets the clock run with the system again. */
  protected override resetClock(): void {
    super.resetClock();
    if (this.#time !== undefined) this.clock.pause(this.#time);
  }
}

/** Starts a server on a free port of this machine; `await using` or `stop` ends it. */
export function startServer(options?: StartOptions): Promise<StartedServer> {
  return new StartedServer(checked('startServer', options, START)).listen();
}
