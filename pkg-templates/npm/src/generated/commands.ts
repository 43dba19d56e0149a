/** Printed by generate.mjs from commands.json: what each command takes and answers. */
import type { Argument } from '../argument.js';
import type { Reply } from '../reply.js';

export interface CommandTable<Text> {
  /** Answers who may do what: there is one user, who may do everything. */
  ACL: { arguments: [subcommand: 'CAT' | 'cat', ...options: Argument[]] | [subcommand: 'HELP' | 'help'] | [subcommand: 'USERS' | 'users'] | [subcommand: 'WHOAMI' | 'whoami']; reply: (Text)[] | (string)[] | Text };
  /** Appends to the string of a key, creating it if it does not exist. */
  APPEND: { arguments: [key: Argument, value: Argument]; reply: number };
  /** Means something in a cluster only, and there is none. */
  ASKING: { arguments: []; reply: 'OK' };
  /** Authenticates the connection with a password. */
  AUTH: { arguments: [...options: Argument[]]; reply: 'OK' };
  /** Counts the bits that are set in a string, or in a part of it. */
  BITCOUNT: { arguments: [key: Argument, ...options: Argument[]]; reply: number };
  /** Reads, writes and increments integers of any width within a string. */
  BITFIELD: { arguments: [key: Argument, ...more: Argument[]]; reply: (number | bigint | null)[] };
  /** Reads integers of any width within a string. */
  BITFIELD_RO: { arguments: [key: Argument, ...more: Argument[]]; reply: (number | bigint)[] };
  /** Combines strings bit by bit and stores the result. */
  BITOP: { arguments: [...options: Argument[]]; reply: number };
  /** Finds the first bit in a string, or in a part of it, that is set or clear. */
  BITPOS: { arguments: [key: Argument, bit: Argument, ...options: Argument[]]; reply: number };
  /** Takes an element from an end of a list to an end of another, waiting for one if there is none. */
  BLMOVE: { arguments: [source: Argument, destination: Argument, ...options: Argument[]]; reply: Text | null };
  /** Takes elements from an end of the first list there is, waiting for one if there is none. */
  BLMPOP: { arguments: [timeout: Argument, numkeys: Argument, key: Argument, ...more: Argument[]]; reply: [Text, (Text)[]] | null };
  /** Takes the first element of the first list there is, waiting for one if there is none. */
  BLPOP: { arguments: [key: Argument, ...more: Argument[]]; reply: (Text)[] | null };
  /** Takes the last element of the first list there is, waiting for one if there is none. */
  BRPOP: { arguments: [key: Argument, ...more: Argument[]]; reply: (Text)[] | null };
  /** Takes the last element of a list to the head of another, waiting for one if there is none. */
  BRPOPLPUSH: { arguments: [source: Argument, destination: Argument, timeout: Argument]; reply: Text | null };
  /** Takes the lowest or highest members out of the first sorted set there is, waiting for one if there is none. */
  BZMPOP: { arguments: [timeout: Argument, numkeys: Argument, key: Argument, ...more: Argument[]]; reply: [Text, ([Text, number])[]] | null };
  /** Takes the member with the highest score out of the first sorted set there is, waiting for one if there is none. */
  BZPOPMAX: { arguments: [key: Argument, ...more: Argument[]]; reply: (Reply<Text>)[] | null };
  /** Takes the member with the lowest score out of the first sorted set there is, waiting for one if there is none. */
  BZPOPMIN: { arguments: [key: Argument, ...more: Argument[]]; reply: (Reply<Text>)[] | null };
  /** Asks and tells about clients. */
  CLIENT: { arguments: [subcommand: 'CACHING' | 'caching', ...options: Argument[]] | [subcommand: 'GETNAME' | 'getname'] | [subcommand: 'GETREDIR' | 'getredir'] | [subcommand: 'HELP' | 'help'] | [subcommand: 'ID' | 'id'] | [subcommand: 'INFO' | 'info'] | [subcommand: 'KILL' | 'kill', ...options: Argument[]] | [subcommand: 'LIST' | 'list', ...options: Argument[]] | [subcommand: 'NO-EVICT' | 'no-evict', ...options: Argument[]] | [subcommand: 'NO-TOUCH' | 'no-touch', ...options: Argument[]] | [subcommand: 'PAUSE' | 'pause', timeout: Argument, ...options: Argument[]] | [subcommand: 'REPLY' | 'reply', ...options: Argument[]] | [subcommand: 'SETINFO' | 'setinfo', ...options: Argument[]] | [subcommand: 'SETNAME' | 'setname', connectionName: Argument] | [subcommand: 'TRACKING' | 'tracking', ...options: Argument[]] | [subcommand: 'TRACKINGINFO' | 'trackinginfo'] | [subcommand: 'UNBLOCK' | 'unblock', clientId: Argument, ...options: Argument[]] | [subcommand: 'UNPAUSE' | 'unpause']; reply: 'OK' | Text | null | number | (string)[] | Text | 'OK' | number | Map<Text, Reply<Text>> };
  /** Asks about a cluster: the server is part of none. */
  CLUSTER: { arguments: [subcommand: 'HELP' | 'help'] | [subcommand: 'INFO' | 'info'] | [subcommand: 'KEYSLOT' | 'keyslot', key: Argument] | [subcommand: 'MYID' | 'myid'] | [subcommand: 'NODES' | 'nodes'] | [subcommand: 'SHARDS' | 'shards'] | [subcommand: 'SLOTS' | 'slots']; reply: 'OK' };
  /** Answers what is known about all commands. */
  COMMAND: { arguments: [] | [subcommand: 'COUNT' | 'count'] | [subcommand: 'DOCS' | 'docs', ...more: Argument[]] | [subcommand: 'GETKEYS' | 'getkeys', command: Argument, ...more: Argument[]] | [subcommand: 'GETKEYSANDFLAGS' | 'getkeysandflags', command: Argument, ...more: Argument[]] | [subcommand: 'HELP' | 'help'] | [subcommand: 'INFO' | 'info', ...more: Argument[]] | [subcommand: 'LIST' | 'list', ...options: Argument[]]; reply: (Reply<Text>)[] | number | Map<Text, Reply<Text>> | (Text)[] | (string)[] | (Reply<Text> | null)[] };
  /** Reads and changes the configuration. */
  CONFIG: { arguments: [subcommand: 'GET' | 'get', parameter: Argument, ...more: Argument[]] | [subcommand: 'HELP' | 'help'] | [subcommand: 'RESETSTAT' | 'resetstat'] | [subcommand: 'REWRITE' | 'rewrite'] | [subcommand: 'SET' | 'set', ...more: Argument[]]; reply: Map<Text, Text> | (string)[] | 'OK' };
  /** Copies the value and the expiration of a key to another key. */
  COPY: { arguments: [source: Argument, destination: Argument, ...options: Argument[]]; reply: number };
  /** Answers the number of keys in the database. */
  DBSIZE: { arguments: []; reply: number };
  /** Tools for tests of the server. */
  DEBUG: { arguments: [subcommand: 'HELP' | 'help'] | [subcommand: 'OBJECT' | 'object', key: Argument] | [subcommand: 'RELOAD' | 'reload'] | [subcommand: 'SET-ACTIVE-EXPIRE' | 'set-active-expire', enabled: Argument]; reply: (string)[] | string | 'OK' };
  /** Decrements the integer of a key by one, starting from 0 if it does not exist. */
  DECR: { arguments: [key: Argument]; reply: number | bigint };
  /** Decrements the integer of a key by a number, starting from 0 if it does not exist. */
  DECRBY: { arguments: [key: Argument, decrement: Argument]; reply: number | bigint };
  /** Deletes keys and answers how many there were. */
  DEL: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Deletes a key, if its value or its digest meets a condition. */
  DELEX: { arguments: [key: Argument, ...options: Argument[]]; reply: number };
  /** Deletes a key, if its value equals this one: a command of Valkey, and the way to give a lock back. */
  DELIFEQ: { arguments: [key: Argument, value: Argument]; reply: number };
  /** Answers the XXH3 digest of the string of a key as 16 hex digits. */
  DIGEST: { arguments: [key: Argument]; reply: Text | null };
  /** Discards a transaction. */
  DISCARD: { arguments: []; reply: 'OK' };
  /** Answers the value of a key as bytes that RESTORE takes, also in Redis and Valkey. */
  DUMP: { arguments: [key: Argument]; reply: Text | null };
  /** Answers the message it was given. */
  ECHO: { arguments: [message: Argument]; reply: Text };
  /** Runs the queued commands of a transaction, one after another and nothing between them. */
  EXEC: { arguments: []; reply: (Reply<Text>)[] | null };
  /** Counts how many of the keys exist; a key named twice counts twice. */
  EXISTS: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Sets the time to live of a key in seconds. */
  EXPIRE: { arguments: [key: Argument, seconds: Argument, ...options: Argument[]]; reply: number };
  /** Sets the expiration of a key to a Unix time in seconds. */
  EXPIREAT: { arguments: [key: Argument, unixTimeSeconds: Argument, ...options: Argument[]]; reply: number };
  /** Answers the expiration of a key as a Unix time in seconds; -1 without one, -2 without a key. */
  EXPIRETIME: { arguments: [key: Argument]; reply: number | bigint };
  /** Deletes all keys of all databases. */
  FLUSHALL: { arguments: [...options: Argument[]]; reply: 'OK' };
  /** Deletes all keys of the database. */
  FLUSHDB: { arguments: [...options: Argument[]]; reply: 'OK' };
  /** Manages functions. */
  FUNCTION: { arguments: [subcommand: 'FLUSH' | 'flush', ...options: Argument[]] | [subcommand: 'HELP' | 'help']; reply: 'OK' | (string)[] };
  /** Adds places to a sorted set, creating it if it does not exist. */
  GEOADD: { arguments: [key: Argument, ...options: Argument[]]; reply: number };
  /** Answers the distance between two places. */
  GEODIST: { arguments: [key: Argument, member1: Argument, member2: Argument, ...options: Argument[]]; reply: Text | null };
  /** Answers the geohashes of places. */
  GEOHASH: { arguments: [key: Argument, ...more: Argument[]]; reply: (Text | null)[] };
  /** Answers the longitudes and latitudes of places. */
  GEOPOS: { arguments: [key: Argument, ...more: Argument[]]; reply: ([number, number] | null)[] };
  /** Answers the places within a circle, or stores them; GEOSEARCH and GEOSEARCHSTORE do the same. */
  GEORADIUS: { arguments: [key: Argument, longitude: Argument, latitude: Argument, radius: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] | number };
  /** Answers the places within a circle around a member, or stores them; GEOSEARCH and GEOSEARCHSTORE do the same. */
  GEORADIUSBYMEMBER: { arguments: [key: Argument, member: Argument, radius: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] | number };
  /** Answers the places within a circle around a member. */
  GEORADIUSBYMEMBER_RO: { arguments: [key: Argument, member: Argument, radius: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] };
  /** Answers the places within a circle. */
  GEORADIUS_RO: { arguments: [key: Argument, longitude: Argument, latitude: Argument, radius: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] };
  /** Answers the places within a circle or a box. */
  GEOSEARCH: { arguments: [key: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] };
  /** Stores the places within a circle or a box. */
  GEOSEARCHSTORE: { arguments: [destination: Argument, source: Argument, ...options: Argument[]]; reply: number };
  /** Answers the string of a key. */
  GET: { arguments: [key: Argument]; reply: Text | null };
  /** Answers one bit of a string. */
  GETBIT: { arguments: [key: Argument, offset: Argument]; reply: number };
  /** Answers the string of a key and deletes the key. */
  GETDEL: { arguments: [key: Argument]; reply: Text | null };
  /** Answers the string of a key and sets or clears its expiration. */
  GETEX: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | null };
  /** Answers a part of the string of a key. */
  GETRANGE: { arguments: [key: Argument, start: Argument, end: Argument]; reply: Text };
  /** Sets the string of a key and answers the previous one. */
  GETSET: { arguments: [key: Argument, value: Argument]; reply: Text | null };
  /** Takes fields out of a hash. */
  HDEL: { arguments: [key: Argument, field: Argument, ...more: Argument[]]; reply: number };
  /** Greets the server, and chooses the protocol version, the user and the name. */
  HELLO: { arguments: [...options: Argument[]]; reply: Map<Text, Reply<Text>> };
  /** Tells whether a hash has a field. */
  HEXISTS: { arguments: [key: Argument, field: Argument]; reply: number };
  /** Sets the time to live of fields in seconds. */
  HEXPIRE: { arguments: [key: Argument, seconds: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Sets the expiration of fields to a Unix time in seconds. */
  HEXPIREAT: { arguments: [key: Argument, unixTimeSeconds: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Answers the expiration of fields as Unix times in seconds; -1 without one, -2 without a field. */
  HEXPIRETIME: { arguments: [key: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Answers the value of a field of a hash. */
  HGET: { arguments: [key: Argument, field: Argument]; reply: Text | null };
  /** Answers the fields of a hash with their values. */
  HGETALL: { arguments: [key: Argument]; reply: Map<Text, Text> };
  /** Takes fields out of a hash and answers their values. */
  HGETDEL: { arguments: [key: Argument, ...options: Argument[]]; reply: (Text | null)[] };
  /** Answers the values of fields, and sets or takes away their expiration. */
  HGETEX: { arguments: [key: Argument, ...options: Argument[]]; reply: (Text | null)[] };
  /** Adds to the integer in a field of a hash, a missing one being 0. */
  HINCRBY: { arguments: [key: Argument, field: Argument, increment: Argument]; reply: number | bigint };
  /** Adds to the number in a field of a hash, a missing one being 0. */
  HINCRBYFLOAT: { arguments: [key: Argument, field: Argument, increment: Argument]; reply: Text };
  /** Answers the fields of a hash. */
  HKEYS: { arguments: [key: Argument]; reply: (Text)[] };
  /** Answers the number of fields of a hash. */
  HLEN: { arguments: [key: Argument]; reply: number };
  /** Answers the values of fields of a hash. */
  HMGET: { arguments: [key: Argument, field: Argument, ...more: Argument[]]; reply: (Text | null)[] };
  /** Sets fields of a hash, creating it if it does not exist. */
  HMSET: { arguments: [key: Argument, ...more: Argument[]]; reply: 'OK' };
  /** Takes the expiration of fields away. */
  HPERSIST: { arguments: [key: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Sets the time to live of fields in milliseconds. */
  HPEXPIRE: { arguments: [key: Argument, milliseconds: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Sets the expiration of fields to a Unix time in milliseconds. */
  HPEXPIREAT: { arguments: [key: Argument, unixTimeMilliseconds: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Answers the expiration of fields as Unix times in milliseconds; -1 without one, -2 without a field. */
  HPEXPIRETIME: { arguments: [key: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Answers the time to live of fields in milliseconds; -1 without one, -2 without a field. */
  HPTTL: { arguments: [key: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Answers random fields of a hash; with a negative count the same may come again. */
  HRANDFIELD: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | null | (Text)[] | ([Text, Text])[] };
  /** Walks through the fields of a hash, page by page. */
  HSCAN: { arguments: [key: Argument, cursor: Argument, ...options: Argument[]]; reply: [Text, (Text)[]] };
  /** Sets fields of a hash, creating it if it does not exist, and answers how many are new. */
  HSET: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Sets fields of a hash with an expiration, if none of them exists, or only if all do. */
  HSETEX: { arguments: [key: Argument, ...options: Argument[]]; reply: number };
  /** Sets a field of a hash, but only if it is not there. */
  HSETNX: { arguments: [key: Argument, field: Argument, value: Argument]; reply: number };
  /** Answers the length of the value of a field of a hash. */
  HSTRLEN: { arguments: [key: Argument, field: Argument]; reply: number };
  /** Answers the time to live of fields in seconds; -1 without one, -2 without a field. */
  HTTL: { arguments: [key: Argument, ...options: Argument[]]; reply: (number)[] };
  /** Answers the values of a hash. */
  HVALS: { arguments: [key: Argument]; reply: (Text)[] };
  /** Increments the integer of a key by one, starting from 0 if it does not exist. */
  INCR: { arguments: [key: Argument]; reply: number | bigint };
  /** Increments the integer of a key by a number, starting from 0 if it does not exist. */
  INCRBY: { arguments: [key: Argument, increment: Argument]; reply: number | bigint };
  /** Increments the number of a key by a floating-point number, starting from 0 if it does not exist. */
  INCRBYFLOAT: { arguments: [key: Argument, increment: Argument]; reply: Text };
  /** Answers figures about the server. */
  INFO: { arguments: [...more: Argument[]]; reply: Text };
  /** Answers all keys that match a glob pattern. */
  KEYS: { arguments: [pattern: Argument]; reply: (Text)[] };
  /** Answers when the keyspace was last saved, as a Unix time in seconds. */
  LASTSAVE: { arguments: []; reply: number };
  /** Answers how long commands take. */
  LATENCY: { arguments: [subcommand: 'DOCTOR' | 'doctor'] | [subcommand: 'GRAPH' | 'graph', event: Argument] | [subcommand: 'HELP' | 'help'] | [subcommand: 'HISTOGRAM' | 'histogram', ...more: Argument[]] | [subcommand: 'HISTORY' | 'history', event: Argument] | [subcommand: 'LATEST' | 'latest'] | [subcommand: 'RESET' | 'reset', ...more: Argument[]]; reply: Text | (string)[] | Map<Text, Reply<Text>> | (Reply<Text>)[] | number };
  /** Finds the longest common subsequence of two strings, its length or its places. */
  LCS: { arguments: [key1: Argument, key2: Argument, ...options: Argument[]]; reply: Text | number | Map<Reply<Text>, Reply<Text>> };
  /** Answers the element at an index of a list; negative ones count from the end. */
  LINDEX: { arguments: [key: Argument, index: Argument]; reply: Text | null };
  /** Puts an element before or after another one of a list. */
  LINSERT: { arguments: [key: Argument, ...options: Argument[]]; reply: number };
  /** Answers the number of elements of a list. */
  LLEN: { arguments: [key: Argument]; reply: number };
  /** Takes an element from an end of a list to an end of another, or of the same, and answers it. */
  LMOVE: { arguments: [source: Argument, destination: Argument, ...options: Argument[]]; reply: Text | null };
  /** Takes elements from an end of the first list there is, and answers its key and the elements. */
  LMPOP: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: [Text, (Text)[]] | null };
  /** Answers a picture, and the version. */
  LOLWUT: { arguments: [...options: Argument[]]; reply: Text };
  /** Takes one or more elements from the head of a list and answers them. */
  LPOP: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | (Text)[] | null };
  /** Answers at which indexes of a list an element is. */
  LPOS: { arguments: [key: Argument, element: Argument, ...options: Argument[]]; reply: number | (number)[] | null };
  /** Puts elements at the head of a list one after another, creating it if it does not exist. */
  LPUSH: { arguments: [key: Argument, element: Argument, ...more: Argument[]]; reply: number };
  /** Puts elements at the head of a list, but only if it exists. */
  LPUSHX: { arguments: [key: Argument, element: Argument, ...more: Argument[]]; reply: number };
  /** Answers the elements between two indexes of a list, both included. */
  LRANGE: { arguments: [key: Argument, start: Argument, stop: Argument]; reply: (Text)[] };
  /** Removes elements that equal one from a list: the first ones, the last ones or all. */
  LREM: { arguments: [key: Argument, count: Argument, element: Argument]; reply: number };
  /** Replaces the element at an index of a list. */
  LSET: { arguments: [key: Argument, index: Argument, element: Argument]; reply: 'OK' };
  /** Keeps the elements between two indexes of a list and removes the others. */
  LTRIM: { arguments: [key: Argument, start: Argument, stop: Argument]; reply: 'OK' };
  /** Looks into the use of memory. */
  MEMORY: { arguments: [subcommand: 'DOCTOR' | 'doctor'] | [subcommand: 'HELP' | 'help'] | [subcommand: 'MALLOC-STATS' | 'malloc-stats'] | [subcommand: 'PURGE' | 'purge'] | [subcommand: 'STATS' | 'stats'] | [subcommand: 'USAGE' | 'usage', key: Argument, ...options: Argument[]]; reply: Text | (string)[] | 'OK' | Map<Text, number> | number | null };
  /** Answers the strings of several keys, null for what is missing or not a string. */
  MGET: { arguments: [key: Argument, ...more: Argument[]]; reply: (Text | null)[] };
  /** Asks about modules: there are none. */
  MODULE: { arguments: [subcommand: 'HELP' | 'help'] | [subcommand: 'LIST' | 'list']; reply: (string)[] | (Reply<Text>)[] };
  /** Shows the connection every command the server runs. */
  MONITOR: { arguments: []; reply: 'OK' };
  /** Moves a key to another database, but only if it is not there yet. */
  MOVE: { arguments: [key: Argument, db: Argument]; reply: number };
  /** Sets the strings of several keys at once. */
  MSET: { arguments: [...more: Argument[]]; reply: 'OK' };
  /** Sets the strings of several keys at once, with a common condition and expiration. */
  MSETEX: { arguments: [numkeys: Argument, ...more: Argument[]]; reply: number };
  /** Sets the strings of several keys, but only if none of them exists. */
  MSETNX: { arguments: [...more: Argument[]]; reply: number };
  /** Begins a transaction: commands that follow are queued. */
  MULTI: { arguments: []; reply: 'OK' };
  /** Looks into the representation of values. */
  OBJECT: { arguments: [subcommand: 'ENCODING' | 'encoding', key: Argument] | [subcommand: 'FREQ' | 'freq', key: Argument] | [subcommand: 'HELP' | 'help'] | [subcommand: 'IDLETIME' | 'idletime', key: Argument] | [subcommand: 'REFCOUNT' | 'refcount', key: Argument]; reply: Text | null | number | null | (string)[] };
  /** Takes the expiration of a key away. */
  PERSIST: { arguments: [key: Argument]; reply: number };
  /** Sets the time to live of a key in milliseconds. */
  PEXPIRE: { arguments: [key: Argument, milliseconds: Argument, ...options: Argument[]]; reply: number };
  /** Sets the expiration of a key to a Unix time in milliseconds. */
  PEXPIREAT: { arguments: [key: Argument, unixTimeMilliseconds: Argument, ...options: Argument[]]; reply: number };
  /** Answers the expiration of a key as a Unix time in milliseconds; -1 without one, -2 without a key. */
  PEXPIRETIME: { arguments: [key: Argument]; reply: number | bigint };
  /** Shows elements to a HyperLogLog sketch, creating it if it does not exist. */
  PFADD: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Estimates how many different elements the HyperLogLog sketches were shown together. */
  PFCOUNT: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Makes a HyperLogLog sketch one that was shown what others were shown. */
  PFMERGE: { arguments: [destkey: Argument, ...more: Argument[]]; reply: 'OK' };
  /** Answers PONG, or the message it was given. */
  PING: { arguments: [...options: Argument[]]; reply: string | Text };
  /** Sets the string of a key and its time to live in milliseconds. */
  PSETEX: { arguments: [key: Argument, milliseconds: Argument, value: Argument]; reply: 'OK' };
  /** Listens to the channels that match glob patterns. */
  PSUBSCRIBE: { arguments: [pattern: Argument, ...more: Argument[]]; reply: Reply<Text> };
  /** Answers the time to live of a key in milliseconds; -1 without one, -2 without a key. */
  PTTL: { arguments: [key: Argument]; reply: number | bigint };
  /** Sends a message to a channel and answers how many clients got it. */
  PUBLISH: { arguments: [channel: Argument, message: Argument]; reply: number };
  /** Asks about channels and their subscribers. */
  PUBSUB: { arguments: [subcommand: 'CHANNELS' | 'channels', ...options: Argument[]] | [subcommand: 'HELP' | 'help'] | [subcommand: 'NUMPAT' | 'numpat'] | [subcommand: 'NUMSUB' | 'numsub', ...more: Argument[]] | [subcommand: 'SHARDCHANNELS' | 'shardchannels', ...options: Argument[]] | [subcommand: 'SHARDNUMSUB' | 'shardnumsub', ...more: Argument[]]; reply: (Text)[] | (string)[] | number | (Reply<Text>)[] };
  /** Stops listening to patterns; to all of them when none is named. */
  PUNSUBSCRIBE: { arguments: [...more: Argument[]]; reply: Reply<Text> };
  /** Closes the connection once its replies are sent. */
  QUIT: { arguments: []; reply: 'OK' };
  /** Answers a random key, all equally likely. */
  RANDOMKEY: { arguments: []; reply: Text | null };
  /** Means something in a cluster only, and there is none. */
  READONLY: { arguments: []; reply: 'OK' };
  /** Means something in a cluster only, and there is none. */
  READWRITE: { arguments: []; reply: 'OK' };
  /** Gives a key another name, replacing what had it. */
  RENAME: { arguments: [key: Argument, newkey: Argument]; reply: 'OK' };
  /** Gives a key another name, but only if nothing has it. */
  RENAMENX: { arguments: [key: Argument, newkey: Argument]; reply: number };
  /** Takes the server's word that it is a master (NO ONE); it cannot be a replica. */
  REPLICAOF: { arguments: [...options: Argument[]]; reply: 'OK' };
  /** Brings the connection back to the state it began in. */
  RESET: { arguments: []; reply: string };
  /** Creates a key from the bytes DUMP answered, with a time to live in milliseconds, 0 for none. */
  RESTORE: { arguments: [key: Argument, ttl: Argument, serializedValue: Argument, ...options: Argument[]]; reply: 'OK' };
  /** Answers that the server is a master, and its replicas: there are none. */
  ROLE: { arguments: []; reply: (Reply<Text>)[] };
  /** Takes one or more elements from the tail of a list and answers them. */
  RPOP: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | (Text)[] | null };
  /** Takes the last element of a list to the head of another, or of the same, and answers it. */
  RPOPLPUSH: { arguments: [source: Argument, destination: Argument]; reply: Text | null };
  /** Appends elements to a list, creating it if it does not exist. */
  RPUSH: { arguments: [key: Argument, element: Argument, ...more: Argument[]]; reply: number };
  /** Appends elements to a list, but only if it exists. */
  RPUSHX: { arguments: [key: Argument, element: Argument, ...more: Argument[]]; reply: number };
  /** Adds members to a set, creating it if it does not exist. */
  SADD: { arguments: [key: Argument, member: Argument, ...more: Argument[]]; reply: number };
  /** Walks through the keys of the database, page by page. */
  SCAN: { arguments: [cursor: Argument, ...options: Argument[]]; reply: [Text, (Text)[]] };
  /** Answers the number of members of a set. */
  SCARD: { arguments: [key: Argument]; reply: number };
  /** Manages scripts. */
  SCRIPT: { arguments: [subcommand: 'FLUSH' | 'flush', ...options: Argument[]] | [subcommand: 'HELP' | 'help']; reply: 'OK' | (string)[] };
  /** Answers the members of the first set that are in none of the others. */
  SDIFF: { arguments: [key: Argument, ...more: Argument[]]; reply: Set<Text> };
  /** Stores the members of the first set that are in none of the others. */
  SDIFFSTORE: { arguments: [destination: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Changes the database of the connection. */
  SELECT: { arguments: [index: Argument]; reply: 'OK' };
  /** Sets the string of a key, whatever it held, with conditions and expiration. */
  SET: { arguments: [key: Argument, value: Argument, ...options: Argument[]]; reply: 'OK' | null | Text };
  /** Sets or clears one bit of a string, which grows as far as needed; answers what the bit was. */
  SETBIT: { arguments: [key: Argument, offset: Argument, value: Argument]; reply: number };
  /** Sets the string of a key and its time to live in seconds. */
  SETEX: { arguments: [key: Argument, seconds: Argument, value: Argument]; reply: 'OK' };
  /** Sets the string of a key, but only if the key does not exist. */
  SETNX: { arguments: [key: Argument, value: Argument]; reply: number };
  /** Overwrites a part of the string of a key, filling a gap with zero bytes. */
  SETRANGE: { arguments: [key: Argument, offset: Argument, value: Argument]; reply: number };
  /** Answers the members that are in all sets. */
  SINTER: { arguments: [key: Argument, ...more: Argument[]]; reply: Set<Text> };
  /** Counts the members that are in all sets. */
  SINTERCARD: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Stores the members that are in all sets. */
  SINTERSTORE: { arguments: [destination: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Tells whether something is a member of a set. */
  SISMEMBER: { arguments: [key: Argument, member: Argument]; reply: number };
  /** The old name of REPLICAOF. */
  SLAVEOF: { arguments: [...options: Argument[]]; reply: 'OK' };
  /** Answers which commands were slow. */
  SLOWLOG: { arguments: [subcommand: 'GET' | 'get', ...options: Argument[]] | [subcommand: 'HELP' | 'help'] | [subcommand: 'LEN' | 'len'] | [subcommand: 'RESET' | 'reset']; reply: (Reply<Text>)[] | (string)[] | number | 'OK' };
  /** Answers the members of a set. */
  SMEMBERS: { arguments: [key: Argument]; reply: Set<Text> };
  /** Tells of several things whether they are members of a set. */
  SMISMEMBER: { arguments: [key: Argument, member: Argument, ...more: Argument[]]; reply: (number)[] };
  /** Moves a member from one set to another. */
  SMOVE: { arguments: [source: Argument, destination: Argument, member: Argument]; reply: number };
  /** Answers the elements of a list, a set or a sorted set in order, or stores them as a list. */
  SORT: { arguments: [key: Argument, ...options: Argument[]]; reply: (Text | null)[] | number };
  /** Answers the elements of a list, a set or a sorted set in order. */
  SORT_RO: { arguments: [key: Argument, ...options: Argument[]]; reply: (Text | null)[] };
  /** Takes random members out of a set and answers them. */
  SPOP: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | null | (Text)[] };
  /** Sends a message to a shard channel and answers how many clients got it. */
  SPUBLISH: { arguments: [shardchannel: Argument, message: Argument]; reply: number };
  /** Answers random members of a set; with a negative count the same may come again. */
  SRANDMEMBER: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | null | (Text)[] };
  /** Takes members out of a set. */
  SREM: { arguments: [key: Argument, member: Argument, ...more: Argument[]]; reply: number };
  /** Walks through the members of a set, page by page. */
  SSCAN: { arguments: [key: Argument, cursor: Argument, ...options: Argument[]]; reply: [Text, (Text)[]] };
  /** Listens to shard channels. */
  SSUBSCRIBE: { arguments: [shardchannel: Argument, ...more: Argument[]]; reply: Reply<Text> };
  /** Answers the length of the string of a key in bytes. */
  STRLEN: { arguments: [key: Argument]; reply: number };
  /** Listens to channels. */
  SUBSCRIBE: { arguments: [channel: Argument, ...more: Argument[]]; reply: Reply<Text> };
  /** Answers a part of the string of a key: the old name of GETRANGE. */
  SUBSTR: { arguments: [key: Argument, start: Argument, end: Argument]; reply: Text };
  /** Answers the members that are in any of the sets. */
  SUNION: { arguments: [key: Argument, ...more: Argument[]]; reply: Set<Text> };
  /** Stores the members that are in any of the sets. */
  SUNIONSTORE: { arguments: [destination: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Stops listening to shard channels; to all of them when none is named. */
  SUNSUBSCRIBE: { arguments: [...more: Argument[]]; reply: Reply<Text> };
  /** Exchanges the contents of two databases. */
  SWAPDB: { arguments: [index1: Argument, index2: Argument]; reply: 'OK' };
  /** Answers the time: seconds since 1970, and microseconds within the second. */
  TIME: { arguments: []; reply: (Text)[] };
  /** Marks keys as used and answers how many of them exist. */
  TOUCH: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Answers the time to live of a key in seconds; -1 without one, -2 without a key. */
  TTL: { arguments: [key: Argument]; reply: number | bigint };
  /** Answers the type of the value of a key. */
  TYPE: { arguments: [key: Argument]; reply: string };
  /** Deletes keys and answers how many there were, like DEL. */
  UNLINK: { arguments: [key: Argument, ...more: Argument[]]; reply: number };
  /** Stops listening to channels; to all of them when none is named. */
  UNSUBSCRIBE: { arguments: [...more: Argument[]]; reply: Reply<Text> };
  /** Forgets the watched keys. */
  UNWATCH: { arguments: []; reply: 'OK' };
  /** Waits until so many replicas have the writes of the connection. There are none. */
  WAIT: { arguments: [numreplicas: Argument, timeout: Argument]; reply: number };
  /** Waits until the writes of the connection are in so many append-only files: of this server, which keeps none, and of replicas. */
  WAITAOF: { arguments: [numlocal: Argument, numreplicas: Argument, timeout: Argument]; reply: (number)[] };
  /** Watches keys: EXEC does nothing if one of them changes before. */
  WATCH: { arguments: [key: Argument, ...more: Argument[]]; reply: 'OK' };
  /** Gives members of a sorted set scores, creating the set if it does not exist. */
  ZADD: { arguments: [key: Argument, ...options: Argument[]]; reply: number | null };
  /** Answers the number of members of a sorted set. */
  ZCARD: { arguments: [key: Argument]; reply: number };
  /** Counts the members with a score between two. */
  ZCOUNT: { arguments: [key: Argument, min: Argument, max: Argument]; reply: number };
  /** Answers the members of the first sorted set that are in none of the others. */
  ZDIFF: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Stores the members of the first sorted set that are in none of the others. */
  ZDIFFSTORE: { arguments: [destination: Argument, numkeys: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Adds to the score of a member, which is created with it if it does not exist. */
  ZINCRBY: { arguments: [key: Argument, increment: Argument, member: Argument]; reply: number };
  /** Answers the members that are in all sorted sets. */
  ZINTER: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Counts the members that are in all sorted sets. */
  ZINTERCARD: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Stores the members that are in all sorted sets. */
  ZINTERSTORE: { arguments: [destination: Argument, numkeys: Argument, key: Argument, ...more: Argument[]]; reply: number };
  /** Counts the members between two, where all scores are equal. */
  ZLEXCOUNT: { arguments: [key: Argument, min: Argument, max: Argument]; reply: number };
  /** Takes the lowest or highest members out of the first sorted set there is, and answers its key and them. */
  ZMPOP: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: [Text, ([Text, number])[]] | null };
  /** Answers the scores of several members. */
  ZMSCORE: { arguments: [key: Argument, member: Argument, ...more: Argument[]]; reply: (number | null)[] };
  /** Takes the members with the highest scores out of a sorted set and answers them. */
  ZPOPMAX: { arguments: [key: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] };
  /** Takes the members with the lowest scores out of a sorted set and answers them. */
  ZPOPMIN: { arguments: [key: Argument, ...options: Argument[]]; reply: (Reply<Text>)[] };
  /** Answers random members of a sorted set; with a negative count the same may come again. */
  ZRANDMEMBER: { arguments: [key: Argument, ...options: Argument[]]; reply: Text | null | (Text)[] | ([Text, number])[] };
  /** Answers the members of a sorted set between two ranks, scores or members. */
  ZRANGE: { arguments: [key: Argument, start: Argument, stop: Argument, ...options: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Answers the members between two, where all scores are equal. */
  ZRANGEBYLEX: { arguments: [key: Argument, min: Argument, max: Argument, ...options: Argument[]]; reply: (Text)[] };
  /** Answers the members with a score between two. */
  ZRANGEBYSCORE: { arguments: [key: Argument, min: Argument, max: Argument, ...options: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Stores the members of a sorted set between two ranks, scores or members as another one. */
  ZRANGESTORE: { arguments: [destination: Argument, source: Argument, min: Argument, max: Argument, ...options: Argument[]]; reply: number };
  /** Answers how many members of a sorted set come before one. */
  ZRANK: { arguments: [key: Argument, member: Argument, ...options: Argument[]]; reply: number | [number, number] | null };
  /** Takes members out of a sorted set. */
  ZREM: { arguments: [key: Argument, member: Argument, ...more: Argument[]]; reply: number };
  /** Takes the members between two out of a sorted set where all scores are equal. */
  ZREMRANGEBYLEX: { arguments: [key: Argument, min: Argument, max: Argument]; reply: number };
  /** Takes the members between two ranks out of a sorted set. */
  ZREMRANGEBYRANK: { arguments: [key: Argument, start: Argument, stop: Argument]; reply: number };
  /** Takes the members with a score between two out of a sorted set. */
  ZREMRANGEBYSCORE: { arguments: [key: Argument, min: Argument, max: Argument]; reply: number };
  /** Answers the members of a sorted set between two ranks, from the highest on. */
  ZREVRANGE: { arguments: [key: Argument, start: Argument, stop: Argument, ...options: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Answers the members between two from the last on, where all scores are equal. */
  ZREVRANGEBYLEX: { arguments: [key: Argument, max: Argument, min: Argument, ...options: Argument[]]; reply: (Text)[] };
  /** Answers the members with a score between two, from the highest on. */
  ZREVRANGEBYSCORE: { arguments: [key: Argument, max: Argument, min: Argument, ...options: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Answers how many members of a sorted set come behind one. */
  ZREVRANK: { arguments: [key: Argument, member: Argument, ...options: Argument[]]; reply: number | [number, number] | null };
  /** Walks through the members of a sorted set and their scores, page by page. */
  ZSCAN: { arguments: [key: Argument, cursor: Argument, ...options: Argument[]]; reply: [Text, (Text)[]] };
  /** Answers the score of a member. */
  ZSCORE: { arguments: [key: Argument, member: Argument]; reply: number | null };
  /** Answers the members that are in any of the sorted sets. */
  ZUNION: { arguments: [numkeys: Argument, key: Argument, ...more: Argument[]]; reply: (Text)[] | ([Text, number])[] };
  /** Stores the members that are in any of the sorted sets. */
  ZUNIONSTORE: { arguments: [destination: Argument, numkeys: Argument, key: Argument, ...more: Argument[]]; reply: number };
}
