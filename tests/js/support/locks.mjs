// Locks over an engine with time in hand.
import { entry } from './package.mjs';
import { FakePage, HandTime } from './hand-time.mjs';
import { source } from './source.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { Locks } = await source('locks/manager.ts');
const { AskedCoordination } = await source('locks/asked.ts');
export const { RedlockCoordination } = await source('locks/redlock.ts');
export const errors = await source('locks/errors.ts');
export { AskedCoordination, Keylatch, Locks, ManualClock };

/** An engine, its time, and locks over it; `open` makes further ones. */
export function setUp() {
  const clock = new ManualClock();
  const db = new Keylatch({ clock });
  const time = new HandTime(clock);
  const page = new FakePage();
  const over = (coordination, options = {}) => new Locks(coordination, options, { time, page });
  const open = (store = db, options = {}) => over(new AskedCoordination(store, time), options);
  return { clock, db, time, page, over, open, locks: open() };
}

/** How often a command ran. */
export function calls(db, command) {
  const stats = db.call('INFO', 'commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`, 'i').exec(stats)?.[1] ?? 0);
}

/** The error that a promise rejects with. */
export async function errorOf(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}

/** A promise with the functions that end it. */
export function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
