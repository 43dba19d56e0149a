// Commands with printed methods, by family. An entry adds what the row does not say: a narrower type of the `reply`, a
// `note` about it for the documentation, and by argument another name (`'db'`) or another name and type (`'bit: 0 | 1'`).

/** Integers of any size. */
const INTEGER = 'number | bigint';
const FLAG = '0 | 1';
const LENGTH = { note: 'Returns the new length.', arguments: { element: 'values' } };
const MOVED = { key: 'from', newkey: 'to' };
const EXPIRES = { reply: FLAG, note: 'Returns 0 if nothing was changed.' };
const NAMES = { min: 'min: string | Uint8Array', max: 'max: string | Uint8Array' };
const DIGITS = 'Returns the new value as text, with all its digits.';
const STORED = { note: 'Returns the number of its members.' };
const REMOVED = { note: 'Returns the number of members removed.' };

const strings = {
  GET: {},
  SETNX: { reply: FLAG, note: 'Returns 1 if the key was set, else 0.' },
  SETEX: {},
  PSETEX: {},
  GETSET: {},
  GETDEL: {},
  MGET: {},
  DIGEST: {},
  STRLEN: {},
  APPEND: { note: 'Returns the new length.' },
  GETRANGE: { note: 'Negative offsets count from the end.' },
  SETRANGE: { note: 'Returns the new length.' },
  INCR: {},
  DECR: {},
  INCRBY: { arguments: { increment: `increment: ${INTEGER}` } },
  DECRBY: { arguments: { decrement: `decrement: ${INTEGER}` } },
  INCRBYFLOAT: { note: DIGITS },
};

const bits = {
  GETBIT: { reply: FLAG },
  SETBIT: { reply: FLAG, arguments: { value: `bit: ${FLAG}` } },
  BITOP: { note: 'Returns its length in bytes.' },
};

const keys = {
  DEL: {},
  UNLINK: { note: 'Returns the number of keys deleted.' },
  EXISTS: {},
  TOUCH: {},
  TYPE: { note: 'Returns `none` for a missing key.' },
  RANDOMKEY: {},
  RENAME: { arguments: MOVED },
  RENAMENX: { reply: FLAG, note: 'Returns 1 if the key was renamed.', arguments: MOVED },
  MOVE: { reply: FLAG, note: 'Returns 1 if the key was moved.' },
  DUMP: { note: 'Use it on `bytes`.' },
  EXPIRE: EXPIRES,
  PEXPIRE: EXPIRES,
  EXPIREAT: EXPIRES,
  PEXPIREAT: EXPIRES,
  TTL: {},
  PTTL: {},
  EXPIRETIME: {},
  PEXPIRETIME: {},
  PERSIST: { reply: FLAG, note: 'Returns 1 if there was one.' },
};

const lists = {
  LPUSH: {
    note: 'The last value becomes the first element. Returns the new length.',
    arguments: { element: 'values' },
  },
  RPUSH: LENGTH,
  LPUSHX: { ...LENGTH, note: 'Returns the new length, or 0.' },
  RPUSHX: { ...LENGTH, note: 'Returns the new length, or 0.' },
  LMOVE: {},
  RPOPLPUSH: {},
  LLEN: {},
  LINDEX: {},
  LRANGE: {},
  LSET: { arguments: { element: 'value' } },
  LINSERT: {
    note: 'Returns the new length, -1 without the pivot, 0 without the list.',
    arguments: { element: 'value' },
  },
  LREM: {
    note: 'Removes `count` of them from the head on, from the tail on if negative, all if 0.',
    arguments: { element: 'value' },
  },
  LTRIM: {},
};

const sets = {
  SADD: { note: 'Returns the number of new members.' },
  SREM: REMOVED,
  SCARD: {},
  SISMEMBER: { reply: FLAG },
  SMISMEMBER: { reply: `(${FLAG})[]` },
  SMEMBERS: {},
  SMOVE: { reply: FLAG, note: 'Returns 1 if the source had the member.' },
  SINTER: {},
  SUNION: {},
  SDIFF: {},
  SINTERSTORE: STORED,
  SUNIONSTORE: STORED,
  SDIFFSTORE: STORED,
};

const hashes = {
  HSETNX: { reply: FLAG, note: 'Returns 1 if the field was set.' },
  HGET: {},
  HMGET: {},
  HGETALL: { note: 'The map is empty without a hash.' },
  HGETDEL: {},
  HDEL: { note: 'Returns the number of fields deleted.' },
  HEXISTS: { reply: FLAG },
  HLEN: {},
  HSTRLEN: {},
  HKEYS: {},
  HVALS: {},
  HINCRBY: { arguments: { increment: `increment: ${INTEGER}` } },
  HINCRBYFLOAT: { note: DIGITS },
  HTTL: {},
  HPTTL: {},
  HEXPIRETIME: {},
  HPEXPIRETIME: {},
  HPERSIST: {
    reply: '(-2 | -1 | 1)[]',
    note: 'Returns 1 for each field that had one, -1 without one, -2 without the field.',
  },
};

const sortedSets = {
  ZREM: REMOVED,
  ZCARD: {},
  ZSCORE: {},
  ZMSCORE: {},
  ZCOUNT: {},
  ZLEXCOUNT: { arguments: NAMES },
  ZREMRANGEBYRANK: REMOVED,
  ZREMRANGEBYSCORE: REMOVED,
  ZREMRANGEBYLEX: { ...REMOVED, arguments: NAMES },
};

const others = {
  GEOHASH: { note: 'They are texts of eleven letters.' },
  GEOPOS: { reply: '([longitude: number, latitude: number] | null)[]' },
  'LATCH.CHECK': { note: 'An error reply FENCED if the token is not that of a live holder.' },
  PFADD: { reply: FLAG, note: 'Returns 1 if the estimate may have changed.' },
  PFCOUNT: {},
  PFMERGE: {},
  PUBLISH: { note: 'The callbacks of one database are one receiver.' },
  SPUBLISH: { note: 'Shard channels have a name space of their own.' },
  ECHO: {},
  SELECT: { arguments: { index: 'db' } },
  DBSIZE: {},
  SWAPDB: { arguments: { index1: 'first', index2: 'second' } },
  TIME: { reply: '[seconds: Text, microseconds: Text]' },
  INFO: { reply: 'string', note: 'They are lines of `name:value` below headings.' },
  'OBJECT|ENCODING': { note: 'The words are those of Redis, such as `listpack` and `int`.' },
  'CONFIG|GET': { arguments: { parameter: 'patterns' } },
};

export const PLAIN = { ...strings, ...bits, ...keys, ...lists, ...sets, ...hashes, ...sortedSets, ...others };
