/** Printed by generate.mjs from commands.json: what each command takes and answers. */
import type { Argument } from '../argument.js';
import type { Reply } from '../reply.js';

export interface CommandTable<Text> {
  /** Inspects access control; the only user has all permissions. */
  ACL: { arguments: [subcommand: 'CAT' | 'cat', ...options: Argument[]] | [subcommand: 'HELP' | 'help'] | [subcommand: 'USERS' | 'users'] | [subcommand: 'WHOAMI' | 'whoami']; reply: (Text)[] | (string)[] | Text };
  /** Appends to the string at a key, creating it if it does not exist. */
  APPEND: { arguments: [key: Argument, value: Argument]; reply: number };
  /** Returns an error: cluster mode is not supported. */
  ASKING: { arguments: []; reply: 'OK' };
  /** Authenticates the connection with a password. */
  AUTH: { arguments: [...options: Argument[]]; reply: 'OK' };
  /** Counts the set bits of a string or of a range of it. */
  BITCOUNT: { arguments: [key: Argument, ...options: Argument[]]; reply: number };
  /** Reads, writes and increments integers of any bit width in a string. */
  BITFIELD: { arguments: [key: Argument, ...more: Argument[]]; reply: (number | bigint | null)[] };
  /** Reads integers of any bit width in a string. */
  BITFIELD_RO: { arguments: [key: Argument, ...more: Argument[]]; reply: (number | bigint)[] };
  /** Stores the result of a bitwise operation between strings. */
  BITOP: { arguments: [...options: Argument[]]; reply: number };
  /** Finds the first set or clear bit of a string or of a range of it. */
  BITPOS: { arguments: [key: Argument, bit: Argument, ...options: Argument[]]; reply: number };
  /** Moves an element between ends of lists; blocks until there is one. */
  BLMOVE: { arguments: [source: Argument, destination: Argument, ...options: Argument[]]; reply: Text | null };
  /** Pops elements from the first non-empty list; blocks until there is one. */
  BLMPOP: { arguments: [timeout: Argument, numkeys: Argument, key: Argument, ...more: Argument[]]; reply: [Text, (Text)[]] | null };
  /** Pops the head of the first non-empty list; blocks until there is one. */
  BLPOP: { arguments: [key: Argument, ...more: Argument[]]; reply: (Text)[] | null };
  /** Pops the tail of the first non-empty list; blocks until there is one. */
  BRPOP: { arguments: [key: Argument, ...more: Argument[]]; reply: (Text)[] | null };
  /** Moves the tail of a list to the head of another; blocks until there is one. */
  BRPOPLPUSH: { arguments: [source: Argument, destination: Argument, timeout: Argument]; reply: Text | null };
  /** Pops members from the first non-empty sorted set; blocks until there is one. */
  BZMPOP: { arguments: [timeout: Argument, numkeys: Argument, key: Argument, ...more: Argument[]]; reply: [Text, ([Text, number])[]] | null };
  /** Pops the highest score from the first non-empty sorted set; blocks until there is one. */
  BZPOPMAX: { arguments: [key: Argument, ...more: Argument[]]; reply: (Reply<Text>)[] | null };
  /** Pops the lowest score from the first non-empty sorted set; blocks until there is one. */
  BZPOPMIN: { arguments: [key: Argument, ...more: Argument[]]; reply: (Reply<Text>)[] | null };
  /** Manages client connections. */
  CLIENT: { arguments: [subcommand: 'CACHING' | 'caching', ...options: Argument[]] | [subcommand: 'GETNAME' | 'getname'] | [subcommand: 'GETREDIR' | 'getredir'] | [subcommand: 'HELP' | 'help'] | [subcommand: 'ID' | 'id'] | [subcommand: 'INFO' | 'info'] | [subcommand: 'KILL' | 'kill', ...options: Argument[]] | [subcommand: 'LIST' | 'list', ...options: Argument[]] | [subcommand: 'NO-EVICT' | 'no-evict', ...options: Argument[]] | [subcommand: 'NO-TOUCH' | 'no-touch', ...options: Argument[]] | [subcommand: 'PAUSE' | 'pause', timeout: Argument, ...options: Argument[]] | [subcommand: 'REPLY' | 'reply', ...options: Argument[]] | [subcommand: 'SETINFO' | 'setinfo', ...options: Argument[]] | [subcommand: 'SETNAME' | 'setname', connectionName: Argument] | [subcommand: 'TRACKING' | 'tracking', ...options: Argument[]] | [subcommand: 'TRACKINGINFO' | 'trackinginfo'] | [subcommand: 'UNBLOCK' | 'unblock', clientId: Argument, ...options: Argument[]] | [subcommand: 'UNPAUSE' | 'unpause']; reply: 'OK' | Text | null | number | (string)[] | Text | 'OK' | number | Map<Text, Reply<Text>> };
  /** Returns an error: cluster mode is not supported. */
  CLUSTER: { arguments: [subcommand: 'HELP' | 'help'] | [subcommand: 'INFO' | 'info'] | [subcommand: 'KEYSLOT' | 'keyslot', key: Argument] | [subcommand: 'MYID' | 'myid'] | [subcommand: 'NODES' | 'nodes'] | [subcommand: 'SHARDS' | 'shards'] | [subcommand: 'SLOTS' | 'slots']; reply: 'OK' };
  /** Returns the properties of all commands. */
  COMMAND: { arguments: [] | [subcommand: 'COUNT' | 'count'] | [subcommand: 'DOCS' | 'docs', ...more: Argument[]] | [subcommand: 'GETKEYS' | 'getkeys', command: Argument, ...more: Argument[]] | [subcommand: 'GETKEYSANDFLAGS' | 'getkeysandflags', command: Argument, ...more: Argument[]] | [subcommand: 'HELP' | 'help'] | [subcommand: 'INFO' | 'info', ...more: Argument[]] | [subcommand: 'LIST' | 'list', ...options: Argument[]]; reply: (Reply<Text>)[] | number | Map<Text, Reply<Text>> | (Text)[] | (string)[] | (Reply<Text> | null)[] };
  /** Reads and changes the configuration. */
  CONFIG: { arguments: [subcommand: 'GET' | 'get', parameter: Argument, ...more: Argument[]] | [subcommand: 'HELP' | 'help'] | [subcommand: 'RESETSTAT' | 'resetstat'] | [subcommand: 'REWRITE' | 'rewrite'] | [subcommand: 'SET' | 'set', ...more: Argument[]]; reply: Map<Text, Text> | (string)[] | 'OK' };
  /** Copies the value and the expiration of a key to another key. */
  COPY: { arguments: [source: Argument, destination: Argument, ...options: Argument[]]; reply: number };
  /** Counts the keys of the selected database. */
  DBSIZE: { arguments: []; reply: number };
  /** Provides tools for testing the server. */
  DEBUG: { arguments: [subcommand: 'HELP' | 'help'] | [subcommand: 'OBJECT' | 'object', key: Argument] | [subcommand: 'RELOAD' | 'reload'] | [subcommand: 'SET-ACTIVE-EXPIRE' | 'set-active-expire', enabled: Argument]; reply: (string)[] | string | 'OK' };
  /** Decrements the integer at a key by one; a missing key counts as 0. */
  DECR: { arguments: [key: Argument]; reply: number | bigint };
  /** Decrements the integer at a key by a number; a missing key counts as 0. */
  DECRBY: { arguments: [key: Argument, decrement: Argument]; reply: number | bigint };
  /** Deletes keys and returns the number deleted. */
  DEL: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Deletes a key if its value or digest meets a condition. */
  DELEX: { arguments: [key: Argument, ...options: Argument[]]; reply: number };
  /** Deletes a key if its value equals the given one; a Valkey command to release locks. */
  DELIFEQ: { arguments: [key: Argument, value: Argument]; reply: number };
  /** Returns the XXH3 digest of the string at a key as 16 hex digits. */
  DIGEST: { arguments: [key: Argument]; reply: Text | null };
  /** Discards the queued commands of a transaction. */
  DISCARD: { arguments: []; reply: 'OK' };
  /** Serializes the value of a key for RESTORE, also of Redis and Valkey. */
  DUMP: { arguments: [key: Argument]; reply: Text | null };
  /** Returns its argument. */
  ECHO: { arguments: [message: Argument]; reply: Text };
  /** Executes the queued commands of a transaction atomically. */
  EXEC: { arguments: []; reply: (Reply<Text>)[] | null };
  /** Counts the keys that exist; a key given twice counts twice. */
  EXISTS: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Sets the time to live of a key in seconds. */
  EXPIRE: { arguments: [key: Argument, seconds: Argument, ...options: Argument[]]; reply: number };
  /** Sets the expiration of a key to a Unix time in seconds. */
  EXPIREAT: { arguments: [key: Argument, unixTimeSeconds: Argument, ...options: Argument[]]; reply: number };
  /** Returns the expiration of a key as a Unix time in seconds, -1 if none, -2 if no key. */
  EXPIRETIME: { arguments: [key: Argument]; reply: number | bigint };
  /** Deletes all keys of all databases. */
  FLUSHALL: { arguments: [...options: Argument[]]; reply: 'OK' };
  /** Deletes all keys of the selected database. */
  FLUSHDB: { arguments: [...options: Argument[]]; reply: 'OK' };
  /** Manages functions; none can be loaded. */
  FUNCTION: { arguments: [subcommand: 'FLUSH' | 'flush', ...options: Argument[]] | [subcommand: 'HELP' | 'help']; reply: 'OK' | (string)[] };
  /** Adds members with coordinates to a geospatial index. */
  GEOADD: { arguments: [key: Argument, ...options: Argument[]]; reply: number };
  /** Returns the distance between two members. */
  GEODIST: { arguments: [key: Argument, member1: Argument, member2: Argument, ...options: Argument[]]; reply: Text | null };
  /** Returns the geohashes of members. */
  GEOHASH: { arguments: [key: Argument, ...more: Argument[]]; reply: (Text | null)[] };
  /** Returns the coordinates of members. */
  GEOPOS: { arguments: [key: Argument, ...more: Argument[]]; reply: ([number, number] | null)[] };
  /** Returns or stores the members within a circle; deprecated in favor of GEOSEARCH. */
  GEORADIUS: { arguments: [key: Argument, longitude: Argument, latitude: Argument, radius: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] | number };
  /** Returns or stores the members around another; deprecated in favor of GEOSEARCH. */
  GEORADIUSBYMEMBER: { arguments: [key: Argument, member: Argument, radius: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] | number };
  /** Returns the members within a circle around a member. */
  GEORADIUSBYMEMBER_RO: { arguments: [key: Argument, member: Argument, radius: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] };
  /** Returns the members within a circle. */
  GEORADIUS_RO: { arguments: [key: Argument, longitude: Argument, latitude: Argument, radius: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] };
  /** Returns the members within a circle or a box. */
  GEOSEARCH: { arguments: [key: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] };
  /** Stores the members within a circle or a box. */
  GEOSEARCHSTORE: { arguments: [destination: Argument, source: Argument, ...options: Argument[]]; reply: number };
  /** Returns the string at a key. */
  GET: { arguments: [key: Argument]; reply: Text | null };
  /** Returns the bit at an offset of a string. */
  GETBIT: { arguments: [key: Argument, offset: Argument]; reply: number };
  /** Returns the string at a key and deletes the key. */
  GETDEL: { arguments: [key: Argument]; reply: Text | null };
  /** Returns the string at a key and sets or removes its expiration. */
  GETEX: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | null };
  /** Returns a range of the string at a key. */
  GETRANGE: { arguments: [key: Argument, start: Argument, end: Argument]; reply: Text };
  /** Sets the string at a key and returns the old one. */
  GETSET: { arguments: [key: Argument, value: Argument]; reply: Text | null };
  /** Deletes fields of a hash. */
  HDEL: { arguments: [key: Argument, field: Argument, ...more: Argument[]]; reply: number };
  /** Sets the protocol version, the user and the name of the connection. */
  HELLO: { arguments: [...options: Argument[]]; reply: Map<Text, Reply<Text>> };
  /** Checks whether a hash has a field. */
  HEXISTS: { arguments: [key: Argument, field: Argument]; reply: number };
  /** Sets the time to live of fields in seconds. */
  HEXPIRE: { arguments: [key: Argument, seconds: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Sets the expiration of fields to a Unix time in seconds. */
  HEXPIREAT: { arguments: [key: Argument, unixTimeSeconds: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Returns the expirations of fields as Unix times in seconds, -1 if none, -2 if no field. */
  HEXPIRETIME: { arguments: [key: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Returns the value of a hash field. */
  HGET: { arguments: [key: Argument, field: Argument]; reply: Text | null };
  /** Returns the fields of a hash with their values. */
  HGETALL: { arguments: [key: Argument]; reply: Map<Text, Text> };
  /** Deletes fields of a hash and returns their values. */
  HGETDEL: { arguments: [key: Argument, ...options: Argument[]]; reply: (Text | null)[] };
  /** Returns the values of fields and sets or removes their expiration. */
  HGETEX: { arguments: [key: Argument, ...options: Argument[]]; reply: (Text | null)[] };
  /** Increments the integer in a hash field, which defaults to 0. */
  HINCRBY: { arguments: [key: Argument, field: Argument, increment: Argument]; reply: number | bigint };
  /** Increments the number in a hash field, which defaults to 0. */
  HINCRBYFLOAT: { arguments: [key: Argument, field: Argument, increment: Argument]; reply: Text };
  /** Returns the field names of a hash. */
  HKEYS: { arguments: [key: Argument]; reply: (Text)[] };
  /** Returns the number of fields of a hash. */
  HLEN: { arguments: [key: Argument]; reply: number };
  /** Returns the values of fields of a hash. */
  HMGET: { arguments: [key: Argument, field: Argument, ...more: Argument[]]; reply: (Text | null)[] };
  /** Sets fields of a hash, creating it if it does not exist. */
  HMSET: { arguments: [key: Argument, ...more: Argument[]]; reply: 'OK' };
  /** Removes the expiration of fields. */
  HPERSIST: { arguments: [key: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Sets the time to live of fields in milliseconds. */
  HPEXPIRE: { arguments: [key: Argument, milliseconds: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Sets the expiration of fields to a Unix time in milliseconds. */
  HPEXPIREAT: { arguments: [key: Argument, unixTimeMilliseconds: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Returns the expirations of fields as Unix times in milliseconds, -1 if none, -2 if no field. */
  HPEXPIRETIME: { arguments: [key: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Returns the times to live of fields in milliseconds, -1 if none, -2 if no field. */
  HPTTL: { arguments: [key: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Returns random fields of a hash; a negative count allows repetitions. */
  HRANDFIELD: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | null | (Text)[] | ([Text, Text])[] };
  /** Iterates over the fields of a hash with a cursor. */
  HSCAN: { arguments: [key: Argument, cursor: Argument, ...options: Argument[]]; reply: [Text, (Text)[]] };
  /** Sets fields of a hash, creating it if it does not exist, and counts the new ones. */
  HSET: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Sets fields of a hash and their expiration, optionally only if all or none exist. */
  HSETEX: { arguments: [key: Argument, ...options: Argument[]]; reply: number };
  /** Sets a field of a hash only if it does not exist. */
  HSETNX: { arguments: [key: Argument, field: Argument, value: Argument]; reply: number };
  /** Returns the length of the value of a hash field. */
  HSTRLEN: { arguments: [key: Argument, field: Argument]; reply: number };
  /** Returns the times to live of fields in seconds, -1 if none, -2 if no field. */
  HTTL: { arguments: [key: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Returns the values of a hash. */
  HVALS: { arguments: [key: Argument]; reply: (Text)[] };
  /** Increments the integer at a key by one; a missing key counts as 0. */
  INCR: { arguments: [key: Argument]; reply: number | bigint };
  /** Increments the integer at a key by a number; a missing key counts as 0. */
  INCRBY: { arguments: [key: Argument, increment: Argument]; reply: number | bigint };
  /** Increments the number at a key by a floating-point number; a missing key counts as 0. */
  INCRBYFLOAT: { arguments: [key: Argument, increment: Argument]; reply: Text };
  /** Returns statistics of the server. */
  INFO: { arguments: [...more: Argument[]]; reply: Text };
  /** Returns the keys that match a glob pattern. */
  KEYS: { arguments: [pattern: Argument]; reply: (Text)[] };
  /** Returns the Unix time in seconds of the last save. */
  LASTSAVE: { arguments: []; reply: number };
  /** Reports command latencies. */
  LATENCY: { arguments: [subcommand: 'DOCTOR' | 'doctor'] | [subcommand: 'GRAPH' | 'graph', event: Argument] | [subcommand: 'HELP' | 'help'] | [subcommand: 'HISTOGRAM' | 'histogram', ...more: Argument[]] | [subcommand: 'HISTORY' | 'history', event: Argument] | [subcommand: 'LATEST' | 'latest'] | [subcommand: 'RESET' | 'reset', ...more: Argument[]]; reply: Text | (string)[] | Map<Text, Reply<Text>> | (Reply<Text>)[] | number };
  /** Returns the longest common subsequence of two strings, its length or its ranges. */
  LCS: { arguments: [key1: Argument, key2: Argument, ...options: Argument[]]; reply: Text | number | Map<Reply<Text>, Reply<Text>> };
  /** Returns the element at an index of a list; negative indexes count from the tail. */
  LINDEX: { arguments: [key: Argument, index: Argument]; reply: Text | null };
  /** Inserts an element before or after a pivot in a list. */
  LINSERT: { arguments: [key: Argument, ...options: Argument[]]; reply: number };
  /** Returns the number of elements of a list. */
  LLEN: { arguments: [key: Argument]; reply: number };
  /** Moves an element from an end of a list to an end of the same or another, and returns it. */
  LMOVE: { arguments: [source: Argument, destination: Argument, ...options: Argument[]]; reply: Text | null };
  /** Pops elements from the first non-empty list and returns its key and the elements. */
  LMPOP: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: [Text, (Text)[]] | null };
  /** Returns ASCII art and the version. */
  LOLWUT: { arguments: [...options: Argument[]]; reply: Text };
  /** Removes and returns elements from the head of a list. */
  LPOP: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | (Text)[] | null };
  /** Returns the indexes of an element in a list. */
  LPOS: { arguments: [key: Argument, element: Argument, ...options: Argument[]]; reply: number | (number)[] | null };
  /** Prepends elements to a list one by one, creating it if it does not exist. */
  LPUSH: { arguments: [key: Argument, element: Argument, ...more: Argument[]]; reply: number };
  /** Prepends elements to a list only if it exists. */
  LPUSHX: { arguments: [key: Argument, element: Argument, ...more: Argument[]]; reply: number };
  /** Returns the elements between two indexes of a list, both included. */
  LRANGE: { arguments: [key: Argument, start: Argument, stop: Argument]; reply: (Text)[] };
  /** Removes the first, the last or all elements of a list that equal a value. */
  LREM: { arguments: [key: Argument, count: Argument, element: Argument]; reply: number };
  /** Replaces the element at an index of a list. */
  LSET: { arguments: [key: Argument, index: Argument, element: Argument]; reply: 'OK' };
  /** Trims a list to the elements between two indexes, both included. */
  LTRIM: { arguments: [key: Argument, start: Argument, stop: Argument]; reply: 'OK' };
  /** Reports memory usage. */
  MEMORY: { arguments: [subcommand: 'DOCTOR' | 'doctor'] | [subcommand: 'HELP' | 'help'] | [subcommand: 'MALLOC-STATS' | 'malloc-stats'] | [subcommand: 'PURGE' | 'purge'] | [subcommand: 'STATS' | 'stats'] | [subcommand: 'USAGE' | 'usage', key: Argument, ...options: Argument[]]; reply: Text | (string)[] | 'OK' | Map<Text, number> | number | null };
  /** Returns the strings at several keys, null for a missing key or another type. */
  MGET: { arguments: [key: Argument, ...more: Argument[]]; reply: (Text | null)[] };
  /** Inspects modules; none can be loaded. */
  MODULE: { arguments: [subcommand: 'HELP' | 'help'] | [subcommand: 'LIST' | 'list']; reply: (string)[] | (Reply<Text>)[] };
  /** Streams every command that the server executes. */
  MONITOR: { arguments: []; reply: 'OK' };
  /** Moves a key to another database if it does not exist there. */
  MOVE: { arguments: [key: Argument, db: Argument]; reply: number };
  /** Sets the strings at several keys atomically. */
  MSET: { arguments: [...more: Argument[]]; reply: 'OK' };
  /** Sets the strings at several keys atomically, with a common condition and expiration. */
  MSETEX: { arguments: [numkeys: Argument, ...more: Argument[]]; reply: number };
  /** Sets the strings at several keys only if none of them exists. */
  MSETNX: { arguments: [...more: Argument[]]; reply: number };
  /** Starts a transaction: subsequent commands are queued. */
  MULTI: { arguments: []; reply: 'OK' };
  /** Inspects the internals of values. */
  OBJECT: { arguments: [subcommand: 'ENCODING' | 'encoding', key: Argument] | [subcommand: 'FREQ' | 'freq', key: Argument] | [subcommand: 'HELP' | 'help'] | [subcommand: 'IDLETIME' | 'idletime', key: Argument] | [subcommand: 'REFCOUNT' | 'refcount', key: Argument]; reply: Text | null | number | null | (string)[] };
  /** Removes the expiration of a key. */
  PERSIST: { arguments: [key: Argument]; reply: number };
  /** Sets the time to live of a key in milliseconds. */
  PEXPIRE: { arguments: [key: Argument, milliseconds: Argument, ...options: Argument[]]; reply: number };
  /** Sets the expiration of a key to a Unix time in milliseconds. */
  PEXPIREAT: { arguments: [key: Argument, unixTimeMilliseconds: Argument, ...options: Argument[]]; reply: number };
  /** Returns the expiration of a key as a Unix time in milliseconds, -1 if none, -2 if no key. */
  PEXPIRETIME: { arguments: [key: Argument]; reply: number | bigint };
  /** Adds elements to a HyperLogLog, creating it if it does not exist. */
  PFADD: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Estimates the cardinality of the union of HyperLogLogs. */
  PFCOUNT: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Merges HyperLogLogs into a destination key. */
  PFMERGE: { arguments: [destkey: Argument, ...more: Argument[]]; reply: 'OK' };
  /** Returns PONG or its argument. */
  PING: { arguments: [...options: Argument[]]; reply: string | Text };
  /** Sets the string at a key and its time to live in milliseconds. */
  PSETEX: { arguments: [key: Argument, milliseconds: Argument, value: Argument]; reply: 'OK' };
  /** Subscribes to the channels that match glob patterns. */
  PSUBSCRIBE: { arguments: [pattern: Argument, ...more: Argument[]]; reply: Reply<Text> };
  /** Returns the time to live of a key in milliseconds, -1 if none, -2 if no key. */
  PTTL: { arguments: [key: Argument]; reply: number | bigint };
  /** Sends a message to a channel and returns the number of receivers. */
  PUBLISH: { arguments: [channel: Argument, message: Argument]; reply: number };
  /** Inspects channels and their subscribers. */
  PUBSUB: { arguments: [subcommand: 'CHANNELS' | 'channels', ...options: Argument[]] | [subcommand: 'HELP' | 'help'] | [subcommand: 'NUMPAT' | 'numpat'] | [subcommand: 'NUMSUB' | 'numsub', ...more: Argument[]] | [subcommand: 'SHARDCHANNELS' | 'shardchannels', ...options: Argument[]] | [subcommand: 'SHARDNUMSUB' | 'shardnumsub', ...more: Argument[]]; reply: (Text)[] | (string)[] | number | (Reply<Text>)[] };
  /** Unsubscribes from the given patterns, or from all of them. */
  PUNSUBSCRIBE: { arguments: [...more: Argument[]]; reply: Reply<Text> };
  /** Closes the connection after its replies are sent. */
  QUIT: { arguments: []; reply: 'OK' };
  /** Returns a random key of the database. */
  RANDOMKEY: { arguments: []; reply: Text | null };
  /** Returns an error: cluster mode is not supported. */
  READONLY: { arguments: []; reply: 'OK' };
  /** Returns an error: cluster mode is not supported. */
  READWRITE: { arguments: []; reply: 'OK' };
  /** Renames a key, replacing an existing one. */
  RENAME: { arguments: [key: Argument, newkey: Argument]; reply: 'OK' };
  /** Renames a key if the new name does not exist. */
  RENAMENX: { arguments: [key: Argument, newkey: Argument]; reply: number };
  /** Accepts NO ONE only: the server cannot be a replica. */
  REPLICAOF: { arguments: [...options: Argument[]]; reply: 'OK' };
  /** Resets the connection to its initial state. */
  RESET: { arguments: []; reply: string };
  /** Creates a key from the output of DUMP, with a time to live in ms (0 for none). */
  RESTORE: { arguments: [key: Argument, ttl: Argument, serializedValue: Argument, ...options: Argument[]]; reply: 'OK' };
  /** Returns the role, always master, and an empty list of replicas. */
  ROLE: { arguments: []; reply: (Reply<Text>)[] };
  /** Removes and returns elements from the tail of a list. */
  RPOP: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | (Text)[] | null };
  /** Moves the tail of a list to the head of the same or another, and returns it. */
  RPOPLPUSH: { arguments: [source: Argument, destination: Argument]; reply: Text | null };
  /** Appends elements to a list, creating it if it does not exist. */
  RPUSH: { arguments: [key: Argument, element: Argument, ...more: Argument[]]; reply: number };
  /** Appends elements to a list only if it exists. */
  RPUSHX: { arguments: [key: Argument, element: Argument, ...more: Argument[]]; reply: number };
  /** Adds members to a set, creating it if it does not exist. */
  SADD: { arguments: [key: Argument, member: Argument, ...more: Argument[]]; reply: number };
  /** Iterates over the keys of the database with a cursor. */
  SCAN: { arguments: [cursor: Argument, ...options: Argument[]]; reply: [Text, (Text)[]] };
  /** Returns the number of members of a set. */
  SCARD: { arguments: [key: Argument]; reply: number };
  /** Manages scripts; none can be loaded. */
  SCRIPT: { arguments: [subcommand: 'FLUSH' | 'flush', ...options: Argument[]] | [subcommand: 'HELP' | 'help']; reply: 'OK' | (string)[] };
  /** Returns the difference of the first set and the others. */
  SDIFF: { arguments: [key: Argument, ...more: Argument[]]; reply: Set<Text> };
  /** Stores the difference of the first set and the others. */
  SDIFFSTORE: { arguments: [destination: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Selects the database of the connection. */
  SELECT: { arguments: [index: Argument]; reply: 'OK' };
  /** Sets the string at a key, optionally with a condition and an expiration. */
  SET: { arguments: [key: Argument, value: Argument, ...options: Argument[]]; reply: 'OK' | null | Text };
  /** Sets or clears the bit at an offset, growing the string, and returns the old bit. */
  SETBIT: { arguments: [key: Argument, offset: Argument, value: Argument]; reply: number };
  /** Sets the string at a key and its time to live in seconds. */
  SETEX: { arguments: [key: Argument, seconds: Argument, value: Argument]; reply: 'OK' };
  /** Sets the string at a key only if the key does not exist. */
  SETNX: { arguments: [key: Argument, value: Argument]; reply: number };
  /** Overwrites a part of the string at a key; a gap is filled with zero bytes. */
  SETRANGE: { arguments: [key: Argument, offset: Argument, value: Argument]; reply: number };
  /** Returns the intersection of sets. */
  SINTER: { arguments: [key: Argument, ...more: Argument[]]; reply: Set<Text> };
  /** Returns the size of the intersection of sets. */
  SINTERCARD: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Stores the intersection of sets. */
  SINTERSTORE: { arguments: [destination: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Checks whether a value is a member of a set. */
  SISMEMBER: { arguments: [key: Argument, member: Argument]; reply: number };
  /** Accepts NO ONE only; deprecated in favor of REPLICAOF. */
  SLAVEOF: { arguments: [...options: Argument[]]; reply: 'OK' };
  /** Manages the slow log. */
  SLOWLOG: { arguments: [subcommand: 'GET' | 'get', ...options: Argument[]] | [subcommand: 'HELP' | 'help'] | [subcommand: 'LEN' | 'len'] | [subcommand: 'RESET' | 'reset']; reply: (Reply<Text>)[] | (string)[] | number | 'OK' };
  /** Returns the members of a set. */
  SMEMBERS: { arguments: [key: Argument]; reply: Set<Text> };
  /** Checks for each of several values whether it is a member of a set. */
  SMISMEMBER: { arguments: [key: Argument, member: Argument, ...more: Argument[]]; reply: (number)[] };
  /** Moves a member of a set to another set. */
  SMOVE: { arguments: [source: Argument, destination: Argument, member: Argument]; reply: number };
  /** Returns the elements of a list, set or sorted set in order, or stores them as a list. */
  SORT: { arguments: [key: Argument, ...options: Argument[]]; reply: (Text | null)[] | number };
  /** Returns the elements of a list, set or sorted set in order. */
  SORT_RO: { arguments: [key: Argument, ...options: Argument[]]; reply: (Text | null)[] };
  /** Removes and returns random members of a set. */
  SPOP: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | null | (Text)[] };
  /** Sends a message to a shard channel and returns the number of receivers. */
  SPUBLISH: { arguments: [shardchannel: Argument, message: Argument]; reply: number };
  /** Returns random members of a set; a negative count allows repetitions. */
  SRANDMEMBER: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | null | (Text)[] };
  /** Removes members from a set. */
  SREM: { arguments: [key: Argument, member: Argument, ...more: Argument[]]; reply: number };
  /** Iterates over the members of a set with a cursor. */
  SSCAN: { arguments: [key: Argument, cursor: Argument, ...options: Argument[]]; reply: [Text, (Text)[]] };
  /** Subscribes to shard channels. */
  SSUBSCRIBE: { arguments: [shardchannel: Argument, ...more: Argument[]]; reply: Reply<Text> };
  /** Returns the length of the string at a key in bytes. */
  STRLEN: { arguments: [key: Argument]; reply: number };
  /** Subscribes to channels. */
  SUBSCRIBE: { arguments: [channel: Argument, ...more: Argument[]]; reply: Reply<Text> };
  /** Returns a range of the string at a key; deprecated in favor of GETRANGE. */
  SUBSTR: { arguments: [key: Argument, start: Argument, end: Argument]; reply: Text };
  /** Returns the union of sets. */
  SUNION: { arguments: [key: Argument, ...more: Argument[]]; reply: Set<Text> };
  /** Stores the union of sets. */
  SUNIONSTORE: { arguments: [destination: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Unsubscribes from the given shard channels, or from all of them. */
  SUNSUBSCRIBE: { arguments: [...more: Argument[]]; reply: Reply<Text> };
  /** Exchanges the contents of two databases. */
  SWAPDB: { arguments: [index1: Argument, index2: Argument]; reply: 'OK' };
  /** Returns the time as Unix seconds and microseconds within the second. */
  TIME: { arguments: []; reply: (Text)[] };
  /** Updates the access time of keys and counts those that exist. */
  TOUCH: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Returns the time to live of a key in seconds, -1 if none, -2 if no key. */
  TTL: { arguments: [key: Argument]; reply: number | bigint };
  /** Returns the type of the value of a key. */
  TYPE: { arguments: [key: Argument]; reply: string };
  /** Deletes keys, freeing large values incrementally. */
  UNLINK: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Unsubscribes from the given channels, or from all of them. */
  UNSUBSCRIBE: { arguments: [...more: Argument[]]; reply: Reply<Text> };
  /** Unwatches all watched keys. */
  UNWATCH: { arguments: []; reply: 'OK' };
  /** Blocks until the timeout if replicas are requested, and returns 0: there are none. */
  WAIT: { arguments: [numreplicas: Argument, timeout: Argument]; reply: number };
  /** Blocks until the timeout if replicas are requested, and returns 0 and 0: there are none. */
  WAITAOF: { arguments: [numlocal: Argument, numreplicas: Argument, timeout: Argument]; reply: (number)[] };
  /** Watches keys: EXEC does nothing if one of them has changed. */
  WATCH: { arguments: [key: Argument, ...more: Argument[]]; reply: 'OK' };
  /** Adds members to a sorted set or updates their scores. */
  ZADD: { arguments: [key: Argument, ...options: Argument[]]; reply: number | null };
  /** Returns the number of members of a sorted set. */
  ZCARD: { arguments: [key: Argument]; reply: number };
  /** Counts the members within a score range. */
  ZCOUNT: { arguments: [key: Argument, min: Argument, max: Argument]; reply: number };
  /** Returns the difference of the first sorted set and the others. */
  ZDIFF: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Stores the difference of the first sorted set and the others. */
  ZDIFFSTORE: { arguments: [destination: Argument, numkeys: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Increments the score of a member, which defaults to 0. */
  ZINCRBY: { arguments: [key: Argument, increment: Argument, member: Argument]; reply: number };
  /** Returns the intersection of sorted sets. */
  ZINTER: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Returns the size of the intersection of sorted sets. */
  ZINTERCARD: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Stores the intersection of sorted sets. */
  ZINTERSTORE: { arguments: [destination: Argument, numkeys: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Counts the members within a lexicographical range. */
  ZLEXCOUNT: { arguments: [key: Argument, min: Argument, max: Argument]; reply: number };
  /** Pops members from the first non-empty sorted set and returns its key and the members. */
  ZMPOP: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: [Text, ([Text, number])[]] | null };
  /** Returns the scores of several members. */
  ZMSCORE: { arguments: [key: Argument, member: Argument, ...more: Argument[]]; reply: (number | null)[] };
  /** Removes and returns the members with the highest scores. */
  ZPOPMAX: { arguments: [key: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] };
  /** Removes and returns the members with the lowest scores. */
  ZPOPMIN: { arguments: [key: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] };
  /** Returns random members of a sorted set; a negative count allows repetitions. */
  ZRANDMEMBER: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | null | (Text)[] | ([Text, number])[] };
  /** Returns the members within a range of ranks, scores or members. */
  ZRANGE: { arguments: [key: Argument, start: Argument, stop: Argument, ...options: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Returns the members within a lexicographical range. */
  ZRANGEBYLEX: { arguments: [key: Argument, min: Argument, max: Argument, ...options: Argument[]]; reply: (Text)[] };
  /** Returns the members within a score range. */
  ZRANGEBYSCORE: { arguments: [key: Argument, min: Argument, max: Argument, ...options: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Stores the members within a range of ranks, scores or members as a sorted set. */
  ZRANGESTORE: { arguments: [destination: Argument, source: Argument, min: Argument, max: Argument, ...options: Argument[]]; reply: number };
  /** Returns the rank of a member, by ascending score. */
  ZRANK: { arguments: [key: Argument, member: Argument, ...options: Argument[]]; reply: number | [number, number] | null };
  /** Removes members from a sorted set. */
  ZREM: { arguments: [key: Argument, member: Argument, ...more: Argument[]]; reply: number };
  /** Removes the members within a lexicographical range. */
  ZREMRANGEBYLEX: { arguments: [key: Argument, min: Argument, max: Argument]; reply: number };
  /** Removes the members within a rank range. */
  ZREMRANGEBYRANK: { arguments: [key: Argument, start: Argument, stop: Argument]; reply: number };
  /** Removes the members within a score range. */
  ZREMRANGEBYSCORE: { arguments: [key: Argument, min: Argument, max: Argument]; reply: number };
  /** Returns the members within a rank range, by descending score. */
  ZREVRANGE: { arguments: [key: Argument, start: Argument, stop: Argument, ...options: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Returns the members within a lexicographical range, in reverse order. */
  ZREVRANGEBYLEX: { arguments: [key: Argument, max: Argument, min: Argument, ...options: Argument[]]; reply: (Text)[] };
  /** Returns the members within a score range, by descending score. */
  ZREVRANGEBYSCORE: { arguments: [key: Argument, max: Argument, min: Argument, ...options: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Returns the rank of a member, by descending score. */
  ZREVRANK: { arguments: [key: Argument, member: Argument, ...options: Argument[]]; reply: number | [number, number] | null };
  /** Iterates over the members and scores of a sorted set with a cursor. */
  ZSCAN: { arguments: [key: Argument, cursor: Argument, ...options: Argument[]]; reply: [Text, (Text)[]] };
  /** Returns the score of a member. */
  ZSCORE: { arguments: [key: Argument, member: Argument]; reply: number | null };
  /** Returns the union of sorted sets. */
  ZUNION: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Stores the union of sorted sets. */
  ZUNIONSTORE: { arguments: [destination: Argument, numkeys: Argument, key: Argument, ...more: Argument[]]; reply: number };
}
