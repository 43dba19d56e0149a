// Types of the collections, of blocking commands and of messages, asserted: this file is compiled and never run.
import {
  Commands,
  Keylatch,
  type AbortSignalLike,
  type PromisedResults,
  type Messages,
  type Unsubscribe,
} from 'keylatch';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Same<A, B> extends true ? [] : ['the types differ', A, B]): void {}

const db = new Keylatch();

const popped = db.lpop('l');
same<typeof popped, string | null>();
const several = db.lpop('l', 2);
same<typeof several, string[] | null>();
const place = db.lpos('l', 'a', { rank: 1 });
same<typeof place, number | null>();
const places = db.lpos('l', 'a', { count: 0 });
same<typeof places, number[]>();
// @ts-expect-error no such end
db.lmove('a', 'b', 'left', 'RIGHT');
const members = db.bytes.smembers('s');
same<typeof members, Set<Uint8Array>>();
const taken = db.spop('s', 2);
same<typeof taken, Set<string>>();
const array = db.bytes.smembers('s', { as: 'array' });
same<typeof array, Uint8Array[]>();
const takenArray = db.spop('s', 2, { as: 'array' });
same<typeof takenArray, string[]>();
const inter = db.sinter('a', 'b');
same<typeof inter, Set<string>>();
const interArray = db.sinter(['a', 'b'], { as: 'array' });
same<typeof interArray, string[]>();
const hash = db.hgetall('h');
same<typeof hash, Map<string, string>>();
const object = db.hgetall('h', { as: 'object' });
same<typeof object, Record<string, string>>();
const objectOfBytes = db.bytes.hgetall('h', { as: 'object' });
same<typeof objectOfBytes, Record<string, Uint8Array>>();
const settingsObject = db.configGet(['maxmemory'], { as: 'object' });
same<typeof settingsObject, Record<string, string>>();
// @ts-expect-error no such form
db.hgetall('h', { as: 'json' });
db.hset('h', 'f', 1);
db.hset('h', 'f', 1, 'g', 2);
db.zadd('z', 1, 'm');
db.sadd('s', ['a', 'b']);
db.lpush('l', [1, 2]);
db.hmget('h', ['f', 'g']);
db.geoadd('g', 13, 38, 'Palermo');
const pairs = db.hrandfield('h', 2, { withvalues: true });
same<typeof pairs, [field: string, value: string][]>();
const counted = db.hincrby('h', 'f', 1);
same<typeof counted, number>();
// @ts-expect-error two conditions
db.hsetex('h', { a: 1 }, { fnx: true, fxx: true });
const expiries = db.hexpire('h', 1, ['a'], 'NX');
same<typeof expiries, (-2 | 0 | 1 | 2)[]>();
const rank = db.zrank('z', 'm', { withscore: true });
same<typeof rank, [rank: number, score: number] | null>();
const range = db.zrange('z', 0, -1);
same<typeof range, string[]>();
const scored = db.bytes.zrange('z', 0, -1, { withscores: true });
same<typeof scored, [member: Uint8Array, score: number][]>();
const lowest = db.zpopmin('z');
same<typeof lowest, [member: string, score: number] | []>();
// @ts-expect-error new and existing
db.zadd('z', { a: 1 }, { nx: true, xx: true });
// @ts-expect-error new and greater
db.zadd('z', { a: 1 }, { nx: true, gt: true });
// @ts-expect-error no score
db.zadd('z', { a: null });
const raised = db.zincrby('z', 1, 'm');
same<typeof raised, number>();
const ordered = db.sort('l', { get: '#' });
same<typeof ordered, (string | null)[]>();
const deadline = db.pexpiretime('k');
same<typeof deadline, number>();
const walk = db.scanHash('h');
same<typeof walk, Generator<[field: string, value: string], void, undefined>>();
for (const [member, score] of db.bytes.scanSortedSet('z')) {
  const both: [Uint8Array, number] = [member, score];
  void both;
}

// Geo points: the result type of a search follows its options, in the order of the command's reply.
const found = db.geosearch('g', { member: 'm', radius: 1 });
same<typeof found, string[]>();
const detailed = db.bytes.geosearch(
  'g',
  { position: [1, 2], box: [3, 4], unit: 'mi' },
  { withcoord: true, withdist: true, count: 3, any: true },
);
same<typeof detailed, [member: Uint8Array, distance: Uint8Array, position: [longitude: number, latitude: number]][]>();
const positions = db.geopos('g', 'a', 'b');
same<typeof positions, ([longitude: number, latitude: number] | null)[]>();
// @ts-expect-error around what?
db.geosearch('g', { radius: 1 });
// @ts-expect-error a circle or a box
db.geosearch('g', { member: 'm', radius: 1, box: [1, 2] });
// @ts-expect-error any of how many?
db.geosearch('g', { member: 'm', radius: 1 }, { any: true });
// @ts-expect-error longitude and latitude
db.geoadd('g', { a: [1] });
// @ts-expect-error no such unit
db.geodist('g', 'a', 'b', 'miles');
const estimated = db.pfcount('a', 'b');
same<typeof estimated, number>();
const settings = db.configGet('*');
same<typeof settings, Map<string, string>>();

// Blocking commands return promises, here and in bytes; a transaction has no such methods.
/** The platform's own type, where it is declared. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Own } } ? Own : AbortSignalLike;
declare const signal: Signal;
const waited = db.blpop(['a', 'b'], 1.5, { signal });
same<typeof waited, Promise<[key: string, value: string] | null>>();
const inBytes = db.bytes.bzpopmin('z');
same<typeof inBytes, Promise<[key: Uint8Array, member: Uint8Array, score: number] | null>>();
const moved = db.blmove('a', 'b', 'LEFT', 'RIGHT');
same<typeof moved, Promise<string | null>>();
void db.blmpop('a', 'LEFT', 0, { count: 2, signal });
// @ts-expect-error nothing waits in a transaction
db.multi().blpop('a');
const counts = db
  .multi()
  .geoadd('g', { a: [1, 2] })
  .geosearch('g', { member: 'a', radius: 1 }, { withhash: true })
  .pfadd('p', 1)
  .exec();
same<typeof counts, [number, [member: string, hash: number][], 0 | 1] | null>();
const results = db.multi().lpop('l').hgetall('h').hgetall('h', { as: 'object' }).publish('c', 'm').exec();
same<typeof results, [string | null, Map<string, string>, Record<string, string>, number] | null>();

// Messages.
const end = db.subscribe('c', (message, channel) => {
  const all: [string, string] = [message, channel];
  void all;
});
same<typeof end, Unsubscribe>();
db.psubscribe(
  'c*',
  (message, channel, pattern) => {
    const all: [Uint8Array, Uint8Array, Uint8Array | undefined] = [message, channel, pattern];
    void all;
  },
  { buffer: true },
);
same<ReturnType<typeof db.track>, Unsubscribe>();
db.track(
  (keys) => {
    const all: readonly string[] | null = keys;
    void all;
  },
  { bcast: true, prefixes: ['a', Uint8Array.of(1)], noloop: true },
);
db.client().track(
  (keys) => {
    const all: readonly Uint8Array[] | null = keys;
    void all;
  },
  { buffer: true, optin: true },
);
// @ts-expect-error keys are strings unless bytes are asked for
db.track((keys: readonly Uint8Array[] | null) => void keys);
// @ts-expect-error a message is text unless bytes are asked for
db.ssubscribe('c', (message: Uint8Array) => void message);
end();
const messages = db.messages('c', { limit: 5 });
same<typeof messages, Messages<string>>();
async function read(): Promise<void> {
  for await (const message of db.messages('c', { buffer: true })) {
    const raw: Uint8Array = message;
    void raw;
  }
}
{
  using subscription = db.subscribe('c', () => {});
  void subscription;
}

// The command methods over promises.
abstract class Remote extends Commands<PromisedResults> {}
declare const remote: Remote;
const later = remote.hgetall('h');
same<typeof later, Promise<Map<string, string>>>();
void [read];
