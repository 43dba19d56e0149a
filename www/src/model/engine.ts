/** Loads the engine's WebAssembly file once and makes engines from it. Every engine has an instance of its own. */

import { Keylatch, ManualClock } from 'keylatch/core';
import wasmUrl from 'keylatch/keylatch.wasm?url';

const SEED = 0;

/** A database together with its clock. */
export interface Engine {
  readonly db: Keylatch;
  readonly clock: ManualClock;
}

export class EngineMaker {
  private constructor(private readonly module: WebAssembly.Module) {}

  static async load(): Promise<EngineMaker> {
    return new EngineMaker(await compile(await fetch(wasmUrl)));
  }

  /**
   * Creates an engine; without a start, its clock begins where sessions begin. The seed is that of `keylatch run`, so
   * that random replies of a session are the same everywhere.
   */
  make(startMs?: number): Engine {
    const clock = new ManualClock(startMs);
    return { db: Keylatch.from(this.module, { clock, seed: SEED }), clock };
  }

  /** Module and seed, for an engine that another function makes. */
  get options(): { readonly module: WebAssembly.Module; readonly seed: number } {
    return { module: this.module, seed: SEED };
  }
}

async function compile(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`The engine could not be loaded: ${response.status} ${response.statusText}`);
  const streamable = response.headers.get('content-type')?.startsWith('application/wasm');
  if (streamable) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
