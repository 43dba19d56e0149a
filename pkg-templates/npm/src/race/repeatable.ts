/**
 * Commands with replies and changes that follow from keys, deadlines, the clock, earlier lines of their client, and the
 * channels to which others subscribe. Further commands depend on more: on chance, on the configuration, on what a server counts.
 */

const decoder = new TextDecoder();

/** By the type of their values; the commands of latches are all of this kind. */
const COMMANDS = new Set(
  `SET SETNX SETEX PSETEX GET GETSET GETDEL GETEX MGET MSET MSETNX MSETEX APPEND STRLEN INCR DECR INCRBY DECRBY
  INCRBYFLOAT SETRANGE GETRANGE SUBSTR DELEX DEL UNLINK EXISTS TYPE EXPIRE PEXPIRE EXPIREAT PEXPIREAT PERSIST TTL PTTL
  EXPIRETIME PEXPIRETIME RENAME RENAMENX COPY KEYS DBSIZE FLUSHALL FLUSHDB ECHO PING TIME SELECT MULTI EXEC DISCARD
  WATCH UNWATCH HSET HSETNX HGET HMGET HMSET HGETALL HDEL HEXISTS HINCRBY HINCRBYFLOAT HKEYS HVALS HLEN HSTRLEN LPUSH
  RPUSH LPUSHX RPUSHX LPOP RPOP LLEN LINDEX LINSERT LSET LRANGE LREM LTRIM LMOVE RPOPLPUSH LPOS SADD SREM SISMEMBER
  SMISMEMBER SMEMBERS SCARD SMOVE SINTER SUNION SDIFF ZADD ZREM ZSCORE ZMSCORE ZCARD ZCOUNT ZRANK ZREVRANK ZRANGE
  ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZINCRBY ZPOPMIN ZPOPMAX ZREMRANGEBYSCORE ZREMRANGEBYRANK SETBIT GETBIT
  BITCOUNT BLPOP BRPOP BLMOVE BRPOPLPUSH BZPOPMIN BZPOPMAX PUBLISH SPUBLISH SUBSCRIBE UNSUBSCRIBE PSUBSCRIBE
  PUNSUBSCRIBE SSUBSCRIBE SUNSUBSCRIBE`.split(/\s+/),
);
const SCRIPTS = new Set(['EVAL', 'EVAL_RO']);
/** A call in a script with the name of its command, or a function of `redis` that has no state. */
const CALL = /redis\.(?:p?call\s*\(\s*(['"])(?<name>\w+(?:\.\w+)?)\1|(?:error_reply|status_reply|sha1hex)\b)/gi;

export function isDeterminedByKeys(words: readonly Uint8Array[]): boolean {
  const name = nameOf(words);
  return SCRIPTS.has(name) ? isDeterminedScript(decoder.decode(words[1])) : isDeterminedName(name);
}

function isDeterminedName(name: string): boolean {
  return name === '' || COMMANDS.has(name) || name.startsWith('LATCH.');
}

/** True for a script that names all commands it calls, and uses nothing else of the server. */
function isDeterminedScript(text: string): boolean {
  const calls = [...text.matchAll(CALL)];
  const isWhole = calls.length === (text.match(/\b(?:redis|server)\b/gi) ?? []).length;
  const names = calls.map(({ groups }) => groups?.['name']?.toUpperCase() ?? '');
  return isWhole && names.every(isDeterminedName) && !/\b(?:random|_G|getfenv|loadstring|load|rawget)\b/.test(text);
}

/** The name of a command in upper case; '' without words. */
export function nameOf(words: readonly Uint8Array[]): string {
  return decoder.decode(words[0]).toUpperCase();
}
