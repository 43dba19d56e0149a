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

/**
 * Moves keys, clients and listeners of a database into an instance that has Lua, once it is loaded: a fresh instance is
 * made of the module of the moment. Returns what has happened, for the log.
 */
export async function moveToLua(db: Keylatch, loading: Promise<void>): Promise<string> {
  try {
    await loading;
    db.compact();
    return 'This engine runs Lua from here on.';
  } catch (error) {
    return `Lua is not loaded: ${error instanceof Error ? error.message : String(error)}`;
  }
}
