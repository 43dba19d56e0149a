/** Part of the platform's types that the adapter needs. Programs have all of them, by @cloudflare/workers-types or wrangler. */

interface SqlRows {
  toArray(): Record<string, unknown>[];
  raw(): Iterable<unknown[]>;
}

interface DurableObjectStorage {
  readonly sql: { exec(query: string, ...bindings: unknown[]): SqlRows };
  transactionSync<T>(work: () => T): T;
  sync(): Promise<void>;
}

interface DurableObjectState {
  readonly storage: DurableObjectStorage;
  abort(reason?: string): void;
}

declare module 'cloudflare:workers' {
  export abstract class DurableObject<Env = unknown> {
    protected ctx: DurableObjectState;
    protected env: Env;
    constructor(ctx: DurableObjectState, env: Env);
  }
}
