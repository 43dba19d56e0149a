/** Part of the platform's types that the adapter needs. Programs have all of them, by @cloudflare/workers-types or wrangler. */

interface SqlRows {
  toArray(): Record<string, unknown>[];
  raw(): Iterable<unknown[]>;
}

interface DurableObjectStorage {
  readonly sql: { exec(query: string, ...bindings: unknown[]): SqlRows };
  transactionSync<T>(work: () => T): T;
  sync(): Promise<void>;
  getAlarm(): Promise<number | null>;
  setAlarm(atMs: number): Promise<void>;
}

type HibernatingSocket = import('./platform-socket.js').PlatformSocket;

declare class WebSocketPair {
  readonly 0: HibernatingSocket;
  readonly 1: HibernatingSocket;
}

declare class WebSocketRequestResponsePair {
  constructor(request: string, response: string);
}

interface DurableObjectState {
  readonly storage: DurableObjectStorage;
  /** Platforms of before 2026 give no name. */
  readonly id: { readonly name?: string };
  abort(reason?: string): void;
  acceptWebSocket(socket: HibernatingSocket): void;
  getWebSockets(): HibernatingSocket[];
  setWebSocketAutoResponse(pair: WebSocketRequestResponsePair): void;
  getWebSocketAutoResponseTimestamp(socket: HibernatingSocket): Date | null;
}

declare module 'cloudflare:workers' {
  export abstract class DurableObject<Env = unknown> {
    protected ctx: DurableObjectState;
    protected env: Env;
    constructor(ctx: DurableObjectState, env: Env);
  }
}
