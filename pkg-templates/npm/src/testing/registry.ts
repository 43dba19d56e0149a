/**
 * The servers of a test file. They are shared by all copies of this package in one realm, `import` and `require`, and
 * survive the reset of a module registry, as servers outside of the process do.
 */
import type { Keylatch } from '../db/built-in.js';

/** Members of a server that another copy of this package may use. */
export interface RegisteredServer {
  readonly db: Keylatch;
  reset(): void;
}

export interface Registry {
  /** Servers within the process, by host and port. */
  readonly inProcess: Map<string, RegisteredServer>;
  readonly started: Set<RegisteredServer>;
}

/** Different for every build of the engine; build.mjs defines it. */
declare const ENGINE_NAME: string;

const KEY = Symbol.for(`${ENGINE_NAME}, servers of tests`);

export const registry: Registry = /* @__PURE__ */ registryOfRealm(globalThis as never);

function registryOfRealm(realm: Record<symbol, Registry>): Registry {
  return (realm[KEY] ??= { inProcess: new Map(), started: new Set() });
}

/**
 * Resets every server of the test file: those of `keylatch/ioredis`, and those started by `startServer`. For
 * `beforeEach(reset)`. A server gives way to a new one if its engine was closed.
 */
export function reset(): void {
  for (const [key, server] of registry.inProcess) {
    if (!resets(server)) registry.inProcess.delete(key);
  }
  for (const server of registry.started) if (!resets(server)) registry.started.delete(server);
}

/** False if the engine is closed or has trapped. */
function resets(server: RegisteredServer): boolean {
  try {
    server.reset();
    return true;
  } catch (error) {
    const { name } = error as Error;
    if (name === 'ClosedError' || name === 'PoisonedError') return false;
    throw error;
  }
}
