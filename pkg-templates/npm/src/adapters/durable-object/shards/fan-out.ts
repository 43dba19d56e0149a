/** Commands that run on several shards, and how one reply is made of theirs. */
import {
  encodeArray,
  encodeBulk,
  encodeInteger,
  integerIn,
  isErrorReply,
  itemsOf,
} from '../../../resp/join-replies.js';
import { decodeReplies, textOf } from '../../../resp/reply.js';
import { type Command, nameOf, type Word, withSubcommand } from '../../upstash/commands.js';
import { shardOf, slotOf } from './slots.js';

/** A command for one shard. */
export interface Part {
  readonly shard: number;
  readonly command: Command;
}

/** Parts of a command, and the reply made of their replies. */
export interface Plan {
  readonly parts: readonly Part[];
  /** Replies are in the order of the parts, and none is an error. */
  join(replies: readonly Uint8Array[]): Uint8Array;
}

type Join = Plan['join'];

const NOTHING = /* @__PURE__ */ new Uint8Array(0);

const first: Join = ([reply]) => reply ?? NOTHING;
const sum: Join = (replies) => encodeInteger(replies.reduce((total, reply) => total + integerIn(reply), 0));
const all: Join = (replies) => encodeArray(replies.flatMap(itemsOf));
/** Element by element, the least one: whether each shard has a script. */
const least: Join = (replies) => elementwise(replies, (numbers) => Math.min(...numbers));

/** Commands about all keys, scripts or channels. */
const OF_ALL: Readonly<Record<string, Join>> = {
  DBSIZE: sum,
  FLUSHALL: first,
  FLUSHDB: first,
  SWAPDB: first,
  KEYS: all,
  'SCRIPT LOAD': first,
  'SCRIPT FLUSH': first,
  'SCRIPT EXISTS': least,
  'FUNCTION LOAD': first,
  'FUNCTION DELETE': first,
  'FUNCTION FLUSH': first,
  'FUNCTION RESTORE': first,
  'PUBSUB CHANNELS': all,
  'PUBSUB SHARDCHANNELS': all,
  'PUBSUB NUMPAT': sum,
  'PUBSUB NUMSUB': subscribers,
  'PUBSUB SHARDNUMSUB': subscribers,
};

/** Commands that treat each of their keys by itself. */
const BY_KEY: Readonly<Record<string, Join | undefined>> = {
  DEL: sum,
  UNLINK: sum,
  EXISTS: sum,
  TOUCH: sum,
  MGET: undefined,
};

function elementwise(replies: readonly Uint8Array[], join: (numbers: number[]) => number): Uint8Array {
  const lists = replies.map((reply) => itemsOf(reply).map(integerIn));
  return encodeArray((lists[0] ?? []).map((_, at) => encodeInteger(join(lists.map((list) => list[at] ?? 0)))));
}

/** Numbers of subscribers, each behind its channel. */
function subscribers(replies: readonly Uint8Array[]): Uint8Array {
  const lists = replies.map(itemsOf);
  const total = (at: number): number => lists.reduce((count, list) => count + integerIn(list[at] ?? NOTHING), 0);
  return encodeArray((lists[0] ?? []).map((item, at) => (at % 2 === 0 ? item : encodeInteger(total(at)))));
}

/** Whether a command is about all shards, whatever its arguments are. */
export function isAboutAll(command: Command): boolean {
  const name = nameOf(command);
  return name === 'SCAN' || name === 'RANDOMKEY' || Object.hasOwn(OF_ALL, name) || isSubcommandOfAll(command);
}

function isSubcommandOfAll(command: Command): boolean {
  return Object.hasOwn(OF_ALL, withSubcommand(command));
}

/** Whether a command may run on the shards of its keys, on each with its own. */
export function isDivisible(command: Command): boolean {
  return Object.hasOwn(BY_KEY, nameOf(command));
}

/** The plan of a command for which one of the functions above is true. */
export function planOf(command: Command, count: number): Plan {
  const { parts, join } = plan(command, count);
  return { parts, join: (replies) => replies.find(isErrorReply) ?? join(replies) };
}

function plan(command: Command, count: number): Plan {
  const name = nameOf(command);
  if (isDivisible(command)) return byKey(command, count, BY_KEY[name]);
  if (name === 'SCAN') return scan(command, count);
  if (name === 'RANDOMKEY') return randomKey(command, count);
  const join = (isSubcommandOfAll(command) ? OF_ALL[withSubcommand(command)] : OF_ALL[name]) ?? first;
  return { parts: everywhere(count, [command]), join };
}

/** Items by their shard, in their order. */
export function groupsOf<T>(items: readonly T[], shardFor: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const shard = shardFor(item);
    const group = groups.get(shard);
    if (group === undefined) groups.set(shard, [item]);
    else group.push(item);
  }
  return groups;
}

function everywhere(count: number, commands: readonly Command[]): Part[] {
  return Array.from({ length: count }, (_, shard) => commands.map((command) => ({ shard, command }))).flat();
}

/** A command for each shard with its own keys; without `join` the reply is an array in the order of the keys. */
function byKey([name = '', ...keys]: Command, count: number, join: Join | undefined): Plan {
  const indices = groupsOf([...keys.keys()], (index) => shardOf(slotOf(keys[index] as Word), count));
  const parts = Array.from(indices, ([shard, own]) => ({
    shard,
    command: [name, ...own.map((index) => keys[index] as Word)],
  }));
  const inOrder: Join = (replies) => {
    const items: Uint8Array[] = [];
    for (const [at, own] of [...indices.values()].entries()) {
      const found = itemsOf(replies[at] ?? NOTHING);
      for (const [nth, index] of own.entries()) items[index] = found[nth] ?? NOTHING;
    }
    return encodeArray(items);
  };
  return { parts, join: join ?? inOrder };
}

/** One page of one shard: the cursor is that of the shard, times their number, plus its index. */
function scan(command: Command, count: number): Plan {
  const cursor = wordText(command[1]);
  if (!/^\d{1,20}$/.test(cursor)) return { parts: [{ shard: 0, command }], join: first };
  const shards = BigInt(count);
  const index = BigInt(cursor) % shards;
  const own = [command[0] ?? '', String(BigInt(cursor) / shards), ...command.slice(2)];
  const join: Join = ([page = NOTHING]) => {
    const [next = NOTHING, keys = NOTHING] = itemsOf(page);
    const inner = BigInt(String(decodeReplies(next)[0]));
    const isLast = inner === 0n && index + 1n === shards;
    const outer = inner === 0n ? index + 1n : inner * shards + index;
    return encodeArray([encodeBulk(String(isLast ? 0n : outer)), keys]);
  };
  return { parts: [{ shard: Number(index), command: own }], join };
}

/** A key of a shard that is drawn by the number of its keys. */
function randomKey(command: Command, count: number): Plan {
  const join: Join = (replies) => {
    const sizes = replies.filter((_, at) => at % 2 === 0).map(integerIn);
    const keys = replies.filter((_, at) => at % 2 === 1);
    let left = Math.random() * sizes.reduce((total, size) => total + size, 0);
    const drawn = sizes.findIndex((size) => (left -= size) < 0);
    return keys[drawn] ?? first(keys);
  };
  return { parts: everywhere(count, [['DBSIZE'], command]), join };
}

function wordText(word: Word = ''): string {
  return typeof word === 'string' ? word : textOf(word);
}
