// Types of keylatch/remote, asserted: this file is compiled and never run.
import { locks } from 'keylatch/locks';
import {
  type CacheOptions,
  connect,
  MayHaveRun,
  type RemoteError,
  type Messages,
  type RemoteKeylatch,
  type SharedClient,
  type Unsubscribe,
} from 'keylatch/remote';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Same<A, B> extends true ? [] : ['the types differ', A, B]): void {}

declare const binding: { idFromName(name: string): object; get(id: object): object };
declare class Socket {
  constructor(url: string, protocols: string[]);
  binaryType: string;
  send(data: string | Uint8Array): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: never) => void): void;
}

const db = connect('https://example.org', { token: async () => 't', namespace: 'n', WebSocket: Socket, timeoutMs: 1 });
same<typeof db, RemoteKeylatch>();
connect({ href: 'https://example.org' }, { token: 't', transport: 'rest', requestIds: true, retryMs: 0 });
connect(binding, { namespace: 'n' });
connect('https://example.org', { cache: {} });
connect('https://example.org', { cache: { maxEntries: 100 } satisfies CacheOptions });
// @ts-expect-error the number of entries is a number
connect('https://example.org', { cache: { maxEntries: 'many' } });
// @ts-expect-error there is no such way
connect('https://example.org', { transport: 'tcp' });
// @ts-expect-error a number is no address
connect(1);

const got = await db.get('k');
same<typeof got, string | null>();
const bytes = await db.bytes.get('k');
same<typeof bytes, Uint8Array | null>();
const all = await db.hgetall('h');
same<typeof all, Map<string, string>>();
const results = await db.multi().incr('n').get('k').exec();
same<typeof results, [number, string | null] | null>();
const client = db.client({ db: 1 });
same<typeof client, SharedClient>();
const end = await db.subscribe('c', (message: string) => message);
same<typeof end, Unsubscribe>();
const messages = await db.messages('c', { buffer: true });
same<typeof messages, Messages<Uint8Array>>();
const done = await db.transaction(async (own) => (await own.get('k')) === null);
same<typeof done, boolean>();
locks(db);
locks(db.prefix('app:'));

const error: RemoteError = new MayHaveRun('INCR', undefined);
if (error instanceof MayHaveRun) same<typeof error.command, string>();
