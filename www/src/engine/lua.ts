/** Lua, which is loaded before the first text that runs a script. */

import type { Keylatch } from 'keylatch/core';
import { needsLua } from 'keylatch/element';
import type { EngineMaker, WorkerEngine } from './engine.ts';

/** Loads what a text needs before it can run; undefined if nothing is missing. */
export function prepared(maker: EngineMaker, text: string): Promise<void> | undefined {
  return needsLua(text) ? maker.withLua() : undefined;
}

/** Module and seed, for an engine that runs a text in a worker. */
export async function workerEngineFor(maker: EngineMaker, text: string): Promise<WorkerEngine> {
  await prepared(maker, text);
  return maker.forWorker;
}

/** Reason why a script cannot run, for the visitor. */
export function missingLua(error: unknown): string {
  // Browsers report a network that is missing as a TypeError.
  if (error instanceof TypeError) return 'Scripts need a connection once, to load Lua. Nothing was run.';
  return `Lua is not loaded: ${error instanceof Error ? error.message : String(error)}. Nothing was run.`;
}

/** The engine of a database that gets Lua with its first script. */
export class LuaSwitch {
  private isOn = false;

  constructor(
    private readonly db: Keylatch,
    private readonly maker: EngineMaker,
  ) {}

  /**
   * Loads Lua for a text that runs scripts. What returns compacts the database: a fresh instance is made of the module of the
   * moment. Undefined: the text can run at once.
   */
  prepare(text: string): Promise<() => void> | undefined {
    if (this.isOn || !needsLua(text)) return undefined;
    const loading = this.maker.withLua() ?? Promise.resolve();
    return loading.then(() => () => {
      if (!this.isOn) this.db.compact();
      this.isOn = true;
    });
  }
}
