/** Opens a store: reads it into an engine, and starts the log. */
import { checked } from '../base/option-check.js';
import { Keylatch } from '../db/built-in.js';
import type { KeylatchOptions } from '../db/options.js';
import { PersistentLog } from './log.js';
import {
  engineOptionsOf,
  isKeptInCall,
  OPEN,
  readOnlyDir,
  storeOf,
  type OpenOptions,
  type Platform,
} from './options.js';
import { PersistentKeylatch, type Restored } from './persistent.js';
import { ReadOnlyKeylatch } from './read-only.js';
import { restore, type Restoration } from './restore.js';
import type { Store, Stored } from './store.js';

/** The latest instant in a store, below which the clock does not go. */
interface Floor {
  ms: number;
}

/** `open` for a platform. */
export function opener(platform: Platform): (options: OpenOptions) => Promise<PersistentKeylatch> {
  return async (options) => {
    const given = checked('open', options ?? {}, OPEN);
    const dir = readOnlyDir(given);
    if (dir !== undefined) {
      checkEngineOptions(given);
      return openedReadOnly(given, dir, await platform.readDir(dir));
    }
    const store = storeOf(given, platform);
    checkEngineOptions(given);
    const stored = await store.open();
    try {
      return await opened(given, store, stored);
    } catch (error) {
      await store.close();
      throw error;
    }
  };
}

/** Checks the options of the engine before anything is read. */
function checkEngineOptions(options: OpenOptions): void {
  new Keylatch(engineOptionsOf(options)).close();
}

async function opened(options: OpenOptions, store: Store, stored: Stored): Promise<PersistentKeylatch> {
  const { db, seed, restoration, restored } = restoredInto(PersistentKeylatch, options, stored, store.title);
  stored.accept?.();
  db.record(true);
  let { snapshotBytes, logBytes } = restoration;
  if (stored.mustReplace === true || restoration.tornBytes > 0) {
    const snapshot = db.snapshot();
    await store.replace(snapshot, seed, db.now());
    [snapshotBytes, logBytes] = [snapshot.length, 0];
  }
  const isImmediate = () => options.acknowledge === 'flushed' || store.isImmediate === true;
  const changed = () => db.persistenceChanged();
  const failCall = (error: Error) => db.failCall(error);
  const log = new PersistentLog(db, store, { seed, snapshotBytes, logBytes, isImmediate, failCall, changed });
  const refuses = options.onFailure === 'refuse' || isKeptInCall(options);
  db.attachLog({ log, store, restored, refuses });
  return db;
}

function openedReadOnly(options: OpenOptions, dir: string, stored: Stored): ReadOnlyKeylatch {
  const title = `directory ${dir}`;
  const { db, restoration, restored } = restoredInto(ReadOnlyKeylatch, options, stored, title);
  db.begin({ title, restored, restoration });
  return db;
}

/** An engine with the data, and facts about it. */
interface RestoredEngine<Engine> {
  readonly db: Engine;
  readonly seed: bigint;
  readonly restoration: Restoration;
  readonly restored: Restored;
}

function restoredInto<Engine extends PersistentKeylatch>(
  made: new (options: KeylatchOptions) => Engine,
  options: OpenOptions,
  stored: Stored,
  title: string,
): RestoredEngine<Engine> {
  const floor: Floor = { ms: stored.loggedMs };
  const seed = BigInt(options.seed ?? stored.seed ?? randomSeed());
  const db = new made({ ...withFloor(engineOptionsOf(options), floor), seed });
  const { skip } = options;
  const restoration = restore(db, stored, title, { skip });
  floor.ms = Math.max(floor.ms, restoration.lastMs);
  const restored: Restored = {
    restoredKeys: keysOf(db),
    repairedBytes: stored.repairedBytes + restoration.tornBytes,
    ageMs: floor.ms > 0 ? Math.max(0, db.now() - floor.ms) : null,
    ...(skip === undefined ? {} : { skipped: restoration.skipped }),
  };
  return { db, seed, restoration, restored };
}

/** Lets the clock never show less than the last logged time. A ManualClock is left alone: its time is the program's. */
function withFloor(options: KeylatchOptions, floor: Floor): KeylatchOptions {
  const { now, clock = 'system', floorMs } = options;
  if (clock === 'monotonic') return { ...options, floorMs: Math.max(floorMs ?? 0, floor.ms) };
  if (clock !== 'system') return options;
  const read = now ?? (() => Date.now());
  return {
    ...options,
    now: () => {
      const nowMs = read();
      // A value that is no number is passed on: the engine's error names it.
      return nowMs < floor.ms ? floor.ms : nowMs;
    },
  };
}

function keysOf(db: Keylatch): number {
  // A client of its own: none stays in CLIENT LIST.
  const client = db.client();
  const keyspace = String(client.call('INFO', 'keyspace'));
  client.close();
  return [...keyspace.matchAll(/keys=(\d+)/g)].reduce((sum, [, keys]) => sum + Number(keys), 0);
}

function randomSeed(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0] as bigint;
}
