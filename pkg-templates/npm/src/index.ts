/** Entry `keylatch`: the engine is built in. Imports core by its public names only, so that there is one copy of it. */
import { Keylatch as Core, runSession as runOnCore, type EngineModule, type Report, type RunOptions } from './core.js';
import { builtIn } from './engine-inline.js';

export * from './core.js';

/** A key-value engine with the commands of Redis and a keyspace of its own. */
export class Keylatch extends Core {
  /** @internal */
  static override readonly builtIn: EngineModule = builtIn;
}

/** Runs a session on a fresh engine with a clock moved by the session alone. */
export function runSession(text: string, options: RunOptions = {}): Report {
  return runOnCore(text, options, builtIn);
}
