// Types, asserted: this file is compiled and never run. A line marked @ts-expect-error must be an error.
import {
  Commands,
  Keylatch,
  ManualClock,
  type CommandError,
  type EventKind,
  type ImmediateResults,
  type PromisedResults,
  type ResultIn,
  type Multi,
  type Reply,
  ReplyError,
  type SetOptions,
  type Unsubscribe,
} from 'keylatch';
import { Keylatch as Core } from 'keylatch/core';
import { assertSession, runSession } from 'keylatch/testing';
import { ghostHint } from 'keylatch/hints';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Same<A, B> extends true ? [] : ['the types differ', A, B]): void {}

using db = new Keylatch({ now: () => 0, seed: 5n });
new Keylatch({ clock: new ManualClock(0) });
new Keylatch({ clock: 'monotonic', floorMs: 5 });
new Keylatch({ maxmemory: '100mb', maxmemoryPolicy: 'allkeys-lru' });
new Keylatch({ maxmemory: 1_000_000 });
// @ts-expect-error no such policy
new Keylatch({ maxmemory: 1, maxmemoryPolicy: 'allkeys-fifo' });
// @ts-expect-error no such clock
new Keylatch({ clock: 'sundial' });

// The result type of SET follows its options.
const plain = db.set('k', 'v');
same<typeof plain, 'OK'>();
const px = db.set('k', 'v', { px: 5000 });
same<typeof px, 'OK'>();
const nx = db.set('k', 'v', { nx: true, px: 5000 });
same<typeof nx, 'OK' | null>();
const ifeq = db.set('k', 'v', { ifeq: 'old', keepttl: true });
same<typeof ifeq, 'OK' | null>();
const get = db.set('k', 'v', { xx: true, get: true });
same<typeof get, string | null>();
const off = db.set('k', 'v', { nx: false, get: false });
same<typeof off, 'OK'>();
const maybe = db.set('k', 'v', { nx: Math.random() > 0.5 });
same<typeof maybe, 'OK' | null>();
declare const options: SetOptions;
const unknown = db.set('k', 'v', options);
const unknownIsWide: string | null = unknown;
// @ts-expect-error it may be null
const notOk: 'OK' = unknown;
// @ts-expect-error two conditions
db.set('k', 'v', { nx: true, xx: true });
// @ts-expect-error two expiries
db.set('k', 'v', { ex: 1, px: 1 });
// @ts-expect-error an expiry and keepttl
db.set('k', 'v', { ex: 1, keepttl: true });
// @ts-expect-error no such option
db.set('k', 'v', { nxx: true });
// @ts-expect-error options are an object
db.set('k', 'v', 'EX', 5);
// @ts-expect-error not an argument
db.set('k', { a: 1 });
// Values that may be missing, as a program with exactOptionalPropertyTypes has them.
declare const ms: number | undefined;
declare const maybeFlag: boolean | undefined;
const optional = db.set('k', 'v', { px: ms });
same<typeof optional, 'OK'>();
db.set('k', 'v', { nx: maybeFlag, ex: ms, get: maybeFlag });
db.getex('k', { px: ms, persist: undefined });
db.getex('k', { persist: maybeFlag });
db.msetex({ a: 1 }, { nx: maybeFlag, ex: ms });
db.expire('k', 5, { nx: maybeFlag });
db.copy('a', 'b', { db: ms, replace: maybeFlag });
db.scan(0, { match: undefined, count: ms });
db.client({ name: undefined, db: ms });
new Keylatch({ seed: ms, floorMs: ms, maxmemory: undefined, now: undefined });
db.on('set', () => {}, { buffer: undefined });
// @ts-expect-error two conditions
db.expire('k', 5, { nx: true, gt: true });
// Several keys, one by one or in an array.
declare const many: readonly string[];
db.del(many);
db.del('a', 'b');
db.del(...many);
db.mget(many);
db.mset('a', 1, 'b', 2);
// @ts-expect-error a list within a list
db.del(many, many);

const value = db.get('k');
same<typeof value, string | null>();
const count = db.setnx('k', 'v');
same<typeof count, 0 | 1>();
const number = db.incr('k');
same<typeof number, number>();
const large = db.incrby('k', 5n, { bigint: true });
same<typeof large, bigint>();
const left = db.pttl('k');
same<typeof left, number>();
const bytes = db.bytes.get('k');
same<typeof bytes, Uint8Array | null>();
const old = db.bytes.set('k', 'v', { get: true });
same<typeof old, Uint8Array | null>();
const page = db.scan();
same<typeof page, [cursor: string, keys: string[]]>();

// call is typed by the command's name, in capitals or small letters.
const called = db.call('GET', 'k');
same<typeof called, string | null>();
const small = db.call('incr', 'k');
same<typeof small, number | bigint>();
const raw = db.bytes.call('MGET', 'a', 'b');
same<typeof raw, (Uint8Array | null)[]>();
const anything = db.call('SOME.FUTURE', 'x', 5);
same<typeof anything, Reply<string>>();
const encoding = db.call('OBJECT', 'ENCODING', 'k');
same<typeof encoding, string | null>();
const help = db.call('object', 'help');
same<typeof help, string[]>();
const client = db.call('CLIENT', 'ID');
same<typeof client, number>();
const config = db.bytes.call('CONFIG', 'GET', 'x');
same<typeof config, Map<Uint8Array, Uint8Array>>();
const spopped = db.call('SPOP', 's', 2);
same<typeof spopped, string | Set<string> | null>();
const chosen = db.call(Math.random() > 0.5 ? 'GET' : 'STRLEN', 'k');
same<typeof chosen, string | number | null>();
db.call('SET', 'k', 'v', 'NX', 'px', 5000);
db.call('EXPIRE', 'k', 5, 'nx');
db.call('ZADD', 'z', 'XX', 1, 'm');
// @ts-expect-error no such condition
db.call('EXPIRE', 'k', 5, 'SOMETIMES');
// @ts-expect-error no such subcommand
db.call('CLIENT', 'NOPE');
// @ts-expect-error a subcommand is missing
db.call('CLIENT');
// @ts-expect-error the timeout is missing
db.call('BLPOP', 'k');
// @ts-expect-error GET takes one key
db.call('GET');
// @ts-expect-error GET takes one key
db.call('GET', 'a', 'b');
// @ts-expect-error not an argument
db.call('SET', 'k', null);

// A transaction's results are a tuple in the order of the commands.
const results = db.multi().set('a', 1).incr('a').get('a').call('EXISTS', 'a').exec();
same<typeof results, ['OK', number, string | null, number] | null>();
const replies = db.multi().set('a', 1).incr('a', { bigint: true }).exec({ errors: 'return' });
same<typeof replies, ['OK' | CommandError, bigint | CommandError] | null>();
// @ts-expect-error errors are returned or thrown
db.multi().exec({ errors: 'ignore' });
const none = db.multi().exec();
same<typeof none, [] | null>();
const inBytes = db.bytes.multi().get('a').exec();
same<typeof inBytes, [Uint8Array | null] | null>();
const multi: Multi<['OK']> = db.multi().set('a', 1);

// Events.
const end = db.on('expired', ({ event, key, db: database }) => {
  const all: [string, string, number] = [event, key, database];
  void all;
});
same<typeof end, Unsubscribe>();
db.on(
  'set',
  ({ key }) => {
    const raw: Uint8Array = key;
    void raw;
  },
  { buffer: true },
);
db.on('error', (error) => {
  const any: unknown = error;
  void any;
});
db.once('*', () => {});
const kind: EventKind = 'hexpired';
db.on(kind, ({ event }) => same<typeof event, EventKind>());
// @ts-expect-error a misspelt event
db.on('expird', () => {});
// @ts-expect-error a misspelt event
db.once('expire_d', () => {});
// @ts-expect-error a misspelt event
db.off('expird', () => {});

// The command methods over promises.
abstract class Remote extends Commands<PromisedResults> {}
declare const remote: Remote;
const later = remote.get('k');
same<typeof later, Promise<string | null>>();
const laterSet = remote.set('k', 'v', { nx: true });
same<typeof laterSet, Promise<'OK' | null>>();
same<ResultIn<ImmediateResults, 5>, 5>();

// Entries.
const core: Core = Core.from(new Uint8Array());
const inspection = core.inspectPage({ buffer: true });
same<(typeof inspection.keys)[number]['key'], Uint8Array>();
const report = runSession('> PING');
const line: number | undefined = report.failures[0]?.line;
assertSession('> PING', { seed: 1 });
const hint: string = ghostHint(new Map(), 'SET k ');
try {
  db.get('k');
} catch (error) {
  if (error instanceof ReplyError) {
    const code: string = error.code;
    void code;
  }
}
void [unknownIsWide, notOk, multi, line, hint];
