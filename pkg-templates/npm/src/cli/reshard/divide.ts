/** Divides the keys of snapshots anew, by the slots of Redis Cluster. Pure. */
import { shardOf, slotOf } from '../../adapters/durable-object/shards/slots.js';
import { Encoder } from '../../base/encoders.js';
import { Keylatch } from '../../db/built-in.js';
import { encodeAnnotation, tokenRegisterOf } from '../../resp/annotation.js';
import { databasesOf } from '../data-files.js';

/** Keys of the package that are on the shard of a request, and not on that of their slot. They live for two minutes. */
const REPLIES = 'keylatch:reply:';
const PAGE = '1000';
const encoder = /* @__PURE__ */ new Encoder();

type Bytes = Uint8Array;
/** `call` of a client with replies as bytes, without the types of the commands. */
interface AnyCall {
  call(...words: readonly (string | number | Bytes)[]): unknown;
}

/** Snapshots of a number of shards, with the keys of others. Each has their greatest token of latches, and the functions of the first. */
export function divided(snapshots: readonly Bytes[], count: number): Bytes[] {
  const targets = Array.from({ length: count }, () => withoutKeys(snapshots[0] as Bytes));
  let token = 0n;
  for (const snapshot of snapshots) {
    const source = new Keylatch();
    source.load(snapshot);
    for (const db of databasesOf(source)) moveKeys(source, targets, db);
    const own = tokenOf(source);
    if (own > token) token = own;
  }
  for (const target of targets) target.replay(encodeAnnotation(target.now(), token));
  return targets.map((target) => target.snapshot());
}

function withoutKeys(snapshot: Bytes): Keylatch {
  const db = new Keylatch();
  db.load(snapshot);
  db.call('FLUSHALL');
  return db;
}

function moveKeys(source: Keylatch, targets: readonly Keylatch[], db: number): void {
  const from: AnyCall = source.client({ db }).bytes;
  const into = targets.map((target): AnyCall => target.client({ db }).bytes);
  for (const key of keysOf(from)) {
    const dump = from.call('DUMP', key);
    if (!(dump instanceof Uint8Array)) continue;
    const deadlineMs = Math.max(Number(from.call('PEXPIRETIME', key)), 0);
    into[shardOf(slotOf(key), targets.length)]?.call('RESTORE', key, deadlineMs, dump, 'ABSTTL');
  }
}

function* keysOf(client: AnyCall): Iterable<Bytes> {
  const prefix = encoder.encode(REPLIES);
  let cursor: unknown = '0';
  do {
    const [next, keys] = client.call('SCAN', String(cursor), 'COUNT', PAGE) as [Bytes, Bytes[]];
    yield* keys.filter((key) => prefix.some((byte, at) => key[at] !== byte));
    cursor = String.fromCharCode(...next);
  } while (cursor !== '0');
}

/** The token register, which is in front of effects. */
function tokenOf(db: Keylatch): bigint {
  db.record(true);
  db.call('SET', REPLIES, '');
  return tokenRegisterOf(db.takeEffects());
}
