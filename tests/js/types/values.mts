// Types of codecs, of getOrSet, of views and of the adapters, asserted: this file is compiled and never run.
import { Keylatch, type Codec, type LoadOptions, type PrefixedClient } from 'keylatch';
import { KeylatchStore } from 'keylatch/keyv';
import { handleUpstashRequest, upstashRequester, type UpstashHandlerOptions } from 'keylatch/upstash';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Same<A, B> extends true ? [] : ['the types differ', A, B]): void {}

interface User {
  readonly name: string;
}

const db = new Keylatch();

const user = db.json.get<User>('user:1');
same<typeof user, User | null>();
const untyped = db.json.get('user:1');
same<typeof untyped, unknown>();
const users = db.json.mget<User>(['user:1', Uint8Array.of(1)]);
same<typeof users, (User | null)[]>();
const stored = db.json.set('user:1', { name: 'Ann' }, { px: 5000 });
same<typeof stored, 'OK'>();
const locked = db.json.set('user:1', { name: 'Ann' }, { nx: true });
same<typeof locked, 'OK' | null>();
// @ts-expect-error two conditions
db.json.set('k', 1, { nx: true, xx: true });
const dates: Codec = { encode: (date: Date) => date.toISOString(), decode: (text: string) => new Date(text) };
const date = db.json.with(dates).get<Date>('date');
same<typeof date, Date | null>();

const text = db.getOrSet('k', 1000, async () => 'v');
same<typeof text, Promise<string>>();
const maybe = db.getOrSet('k', { ex: 5, jitter: 0.1 }, () => (Math.random() > 0.5 ? 5 : null));
same<typeof maybe, Promise<string | null>>();
const loaded = db.getOrSet('k', { px: 1000, as: 'json' }, async ({ signal }): Promise<User> => {
  const aborted: boolean = signal.aborted;
  return { name: `${aborted}` };
});
same<typeof loaded, Promise<User>>();
const inJson = db.json.getOrSet('k', 1000, () => [1]);
same<typeof inJson, Promise<number[]>>();
declare const milliseconds: number | undefined;
declare const options: LoadOptions;
void db.getOrSet('k', { px: milliseconds }, () => 'v');
void db.json.getOrSet('k', options, () => 'v');
// @ts-expect-error an object without a codec
void db.getOrSet('k', 1000, () => ({ name: 'Ann' }));
// @ts-expect-error two times to live
void db.getOrSet('k', { px: 1, ex: 1 }, () => 'v');
// @ts-expect-error no such option
void db.getOrSet('k', { ttl: 1 }, () => 'v');

const view = db.prefix('user:');
same<typeof view, PrefixedClient>();
const value = view.get('1');
same<typeof value, string | null>();
const bytes = view.bytes.get('1');
same<typeof bytes, Uint8Array | null>();
const set = view.set('1', 'v', { nx: true });
same<typeof set, 'OK' | null>();
const results = view.multi().incr('n').get('1').exec();
same<typeof results, [number, string | null] | null>();
const asObject = view.hgetall('h', { as: 'object' });
same<typeof asObject, Record<string, string>>();
const asBigint = view.incr('n', { bigint: true });
same<typeof asBigint, bigint>();
const waited = view.prefix('a:').blpop('l');
same<typeof waited, Promise<[key: string, value: string] | null>>();
const names = view.json.get<User>('1')?.name;
same<typeof names, string | undefined>();

const store = new KeylatchStore(view, { namespace: 'cache', nx: true });
const wasSet = store.set('k', 'v', 1000, { nx: true });
same<typeof wasSet, Promise<boolean>>();
// @ts-expect-error no such option
new KeylatchStore(db, { NX: true });
const requester = upstashRequester(db);
const answer = requester.request<string>({ body: ['GET', 'k'] });
same<typeof answer, Promise<{ result?: string; error?: string }>>();
declare const request: Parameters<typeof handleUpstashRequest>[1];
const handled: Promise<object> = handleUpstashRequest(db, request, { token: 'secret' });
// @ts-expect-error a token, or false
const open: UpstashHandlerOptions = { token: true };
void [handled, open];
