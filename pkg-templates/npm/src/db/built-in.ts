/** The engine's object with the engine built in. */
import type { EngineModule } from '../host/module.js';
import { builtIn } from '#engine';
import { Keylatch as Core } from './keylatch.js';

/**
 * A key-value engine with the commands of Redis and a keyspace of its own, in this process.
 *
 * @example
 * const db = new Keylatch();
 * db.set('lock', 'me', { nx: true, px: 30_000 }); // 'OK', or null while the lock is held
 */
export class Keylatch extends Core {
  /** @internal Bundlers would number the second class of this name in a program. */
  static override readonly name: string = 'Keylatch';
  /** @internal */
  static override readonly builtIn: EngineModule = builtIn;
}
