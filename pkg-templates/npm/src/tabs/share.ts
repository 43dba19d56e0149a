/** Opens a shared database. */
import { Keylatch } from '../db/built-in.js';
import type { KeylatchOptions } from '../db/options.js';
import { indexedDbStore } from '../persist/indexeddb.js';
import { open } from '../persist/open-browser.js';
import type { Durability } from '../persist/options.js';
import type { Store } from '../persist/store.js';
import { checked, type Shape } from '../base/option-check.js';
import { platform, type Environment } from './environment.js';
import { Hub } from './hub.js';
import type { Opened } from './leadership.js';
import { SharedKeylatch } from './shared-keylatch.js';
import { Tab, type TabListener } from './tab.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Options of `share`: those of the engine count in the tab that leads. */
export interface ShareOptions extends KeylatchOptions {
  /** Name of the database in IndexedDB, and of the tabs that share it. */
  readonly name: string;
  /** Transactions of IndexedDB. Default `relaxed`. */
  readonly durability?: Durability | undefined;
  /** While the store cannot be written: `continue` accepts writes, `refuse` refuses them. Default `continue`. */
  readonly onFailure?: 'continue' | 'refuse' | undefined;
  /**
   * When the promise of a write resolves: `memory`, when the leader has run it; `flushed`, when it is flushed, so that it
   * survives the end of the leader's tab. Default `memory`.
   */
  readonly acknowledge?: 'memory' | 'flushed' | undefined;
  /** Time for the leader's answer in milliseconds, after which a call rejects with TabsError. Default 5000. */
  readonly deadlineMs?: number | undefined;
  /** @internal Platform and store of tests. */
  readonly environment?: (Environment & { readonly store?: () => Store }) | undefined;
}

const DEADLINE_MS = 5000;

/** Time for the page to become usable before the engine is compiled in a tab that does not lead. */
const PREPARE_MS = 200;

const SHARE: Shape<ShareOptions> = {
  name: 'text',
  durability: ['relaxed', 'strict'],
  onFailure: ['continue', 'refuse'],
  acknowledge: ['memory', 'flushed'],
  deadlineMs: 'number',
  environment: 'object',
  maxmemory: 'any',
  maxmemoryPolicy: 'any',
  now: 'function',
  clock: 'any',
  seed: 'any',
  floorMs: 'integer',
  module: 'any',
};

/**
 * Joins the tabs that share a database. The first one leads: it has the engine and the store, and runs the calls of all;
 * when it ends, another one takes over with everything that was flushed.
 *
 * @example
 * const db = await share({ name: 'todo' });
 * await db.set('greeting', 'hello'); // in every tab
 */
export async function share(options: ShareOptions): Promise<SharedKeylatch> {
  const given = checked('share', options, SHARE);
  const { name, acknowledge, deadlineMs = DEADLINE_MS, durability, environment, ...engine } = given;
  if (typeof name !== 'string' || name === '') throw new CallerTypeError('share: pass a name: share({ name: "todo" })');
  if (!(deadlineMs > 0)) throw new CallerTypeError('share: deadlineMs must be positive');
  const { onFailure: _, ...own } = engine;
  // Options of the engine are checked also where another tab leads.
  new Keylatch(own).close();
  const place = environment ?? platform();
  const openStore = async (): Promise<Opened> => {
    // The lock of the name is held by the tab that leads.
    const store = environment?.store?.() ?? indexedDbStore(name, { durability, isLocked: true });
    return { db: await open({ ...engine, store }), store };
  };
  let db: SharedKeylatch | undefined;
  const listener: TabListener = {
    led: () => db?.led(),
    pushed: (push) => db?.pushed(push),
    happened: (event) => db?.happened(event),
    roleChanged: (role) => db?.roleChanged(role),
  };
  const tab = new Tab(name, place, openStore, listener);
  db = new SharedKeylatch(new Hub(tab, { deadlineMs, flushed: acknowledge === 'flushed' }));
  await tab.start();
  setTimeout(() => prepare(own), PREPARE_MS);
  return db;
}

/** Compiles the engine, so that this tab can lead within milliseconds. A failure is reported when it does. */
function prepare(options: KeylatchOptions): void {
  try {
    const engine = new Keylatch(options);
    engine.ping();
    engine.close();
  } catch {}
}
