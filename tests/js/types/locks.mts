// Types of keylatch/locks, asserted: this file is compiled and never run.
import { Keylatch } from 'keylatch';
import {
  locks,
  redlock,
  Lost,
  type BarrierState,
  type HeldLockInfo,
  type Leader,
  type LimitResult,
  type Lock,
  type LockError,
  type LockErrorCode,
  type LossSignal,
  type LockMode,
  type LockOptions,
  type Locks,
  type LockStore,
} from 'keylatch/locks';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Same<A, B> extends true ? [] : ['the types differ', A, B]): void {}

const db = new Keylatch();
const mine = locks(db, { prefix: 'lock:', hierarchy: true });
same<typeof mine, Locks>();
locks(db.client());
locks(db.prefix('app:'));
locks({ call: async (command: string, ...args: string[]) => [command, args] });
locks({ sendCommand: async (args: string[]) => args });
locks({ exec: async (args: [string, ...string[]]) => args });
redlock([db, new Keylatch()]);
const stores: readonly LockStore[] = [db];
redlock(stores, { prefix: '' });
// @ts-expect-error no store
locks({});
// @ts-expect-error no such option
locks(db, { prefx: '' });

const result = await mine.request('a', async (lock) => {
  same<typeof lock, Lock>();
  return lock.token;
});
same<typeof result, number>();
const perhaps = await mine.request('a', { ifAvailable: true }, (lock) => {
  same<typeof lock, Lock | null>();
  return lock?.remainingMs;
});
same<typeof perhaps, number | undefined>();
const shared = mine.request(
  ['a', 'b'],
  { mode: 'shared', ttl: 1000, wait: 5, delay: 5, renew: false },
  ({ mode }) => mode,
);
same<typeof shared, Promise<LockMode>>();
await mine.request('a', { steal: true, signal: undefined }, () => {});
// @ts-expect-error no such mode
await mine.request('a', { mode: 'read' }, () => {});
// @ts-expect-error no callback
await mine.request('a', {});

declare const options: LockOptions;
const either = mine.request('a', options, (it) => it);
same<typeof either, Promise<Lock | null>>();
const lock = await mine.acquire('a', { ttl: 1000 });
same<typeof lock, Lock>();
same<typeof lock.signal, LossSignal>();
const free = await mine.acquire('a', { ifAvailable: true });
same<typeof free, Lock | null>();
{
  await using used = await mine.acquire('a');
  same<typeof used.names, readonly string[]>();
}
const left: number = await lock.renew(5000);
const released: boolean = await lock.release();
await lock.upgrade({ wait: 0 });
await lock.downgrade();
// The signal of one lock ends the wait for another.
await mine.acquire('b', { signal: lock.signal });

const { held, pending } = await mine.query('a');
same<(typeof held)[number], HeldLockInfo>();
same<(typeof pending)[number]['mode'], LockMode>();

const permit = await mine.semaphore('pool', 3).acquire({ permits: 2 });
same<typeof permit, Lock>();
const size = mine.semaphore('pool', 3).request({ ifAvailable: true }, (it) => it?.name.length ?? 0);
same<typeof size, Promise<number>>();
const limit = await mine.limit('api', { limit: 10, period: 1000, kind: 'sliding' });
same<typeof limit, LimitResult>();
// @ts-expect-error the period is missing
await mine.limit('api', { limit: 10 });
const once = mine.once('mail', { keep: 1000 }, async () => ({ sent: true }));
same<typeof once, Promise<{ sent: boolean }>>();
const election = mine.elect('chair', { candidate: 'ann' });
for await (const leader of election.observe({ interval: 100 })) same<typeof leader, Leader | null>();
const state = mine.barrier('start', { parties: 3 }).state();
same<typeof state, Promise<BarrierState>>();

const lost = new Error() as LockError;
same<typeof lost.code, LockErrorCode>();
export const isLost: boolean = lost instanceof Lost;
void [left, released];
