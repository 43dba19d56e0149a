/**
 * Loads the engine's WebAssembly file once and makes engines from it. Every engine has an instance of its own. The file
 * with Lua is twice as large: it is loaded when it is needed first (`lua.ts`), and takes the other one's place.
 */

import { Keylatch, ManualClock } from 'keylatch/core';
import wasmUrl from 'keylatch/keylatch.wasm?url';
import luaUrl from 'keylatch-scripting/keylatch.wasm?url';

const SEED = 0;

/** A database together with its clock. */
export interface Engine {
  readonly db: Keylatch;
  readonly clock: ManualClock;
}

/** Parts of an engine that a worker can receive. */
export interface WorkerEngine {
  readonly module: WebAssembly.Module;
  readonly seed: number;
}

export class EngineMaker {
  private hasLua = false;
  private loading: Promise<void> | undefined;
  /** Called when Lua was loaded. */
  onLua: (() => void) | undefined;

  private constructor(private module: WebAssembly.Module) {}

  static async load(): Promise<EngineMaker> {
    return new EngineMaker(await compile(await fetch(wasmUrl)));
  }

  /** Loads the file with Lua; undefined if it is there. Engines made from then on have Lua. */
  withLua(): Promise<void> | undefined {
    if (this.hasLua) return undefined;
    this.loading ??= this.loadLua().finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async loadLua(): Promise<void> {
    this.module = await compile(await fetch(luaUrl));
    this.hasLua = true;
    this.onLua?.();
  }

  /**
   * Creates an engine; without a start, its clock begins where sessions begin. The seed is that of `keylatch run`, so
   * that random replies of a session are the same everywhere.
   */
  make(startMs?: number): Engine {
    const clock = new ManualClock(startMs);
    return { db: Keylatch.from(() => this.module, { clock, seed: SEED }), clock };
  }

  /** Module and seed, for an engine that another function makes. The module is the one of the moment. */
  get options(): { readonly module: () => WebAssembly.Module; readonly seed: number } {
    return { module: () => this.module, seed: SEED };
  }

  /** Module and seed, for an engine of a worker. */
  get forWorker(): WorkerEngine {
    return { module: this.module, seed: SEED };
  }
}

async function compile(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok)
    throw new Error(`The engine could not be loaded: ${response.status} ${response.statusText}`.trimEnd());
  const streamable = response.headers.get('content-type')?.startsWith('application/wasm');
  if (streamable) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
