/** Entry `keylatch`: the engine is built in. Imports core by its public names only, so that there is one copy of it. */
import { Keylatch as Core, type EngineModule } from './core.js';
import { builtIn } from './db/engine-inline.js';

export * from './core.js';

/**
 * A key-value engine with the commands of Redis and a keyspace of its own, in this process.
 *
 * @example
 * const db = new Keylatch();
 * db.set('lock', 'me', { nx: true, px: 30_000 }); // 'OK', or null while the lock is held
 */
export class Keylatch extends Core {
  /** @internal */
  static override readonly builtIn: EngineModule = builtIn;
}
