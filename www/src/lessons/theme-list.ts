/** Purposes such as locks and limits, with commands for each: for the index of the lessons, and for the search. Pure. */

export interface Theme {
  readonly id: string;
  readonly title: string;
  /** Words that people search for, besides the title. */
  readonly words: string;
  /** Commands in the order in which they are considered, with their part in it. */
  readonly commands: readonly ThemeCommand[];
}

export interface ThemeCommand {
  /** Typed form: a name, or a name with options. */
  readonly form: string;
  /** Name of the row. */
  readonly name: string;
  readonly use: string;
}

/** Servers that have a command or an option, where it is not every Redis. */
const SERVERS: readonly (readonly [RegExp, string])[] = [
  [/^LATCH\./, 'only in keylatch'],
  [/^(?:DELEX|MSETEX|SET IFEQ)$/, 'Redis 8.4'],
  [/^DELIFEQ$/, 'Valkey 9.0'],
];

export const themes: readonly Theme[] = [
  theme(
    'locks',
    'Locks',
    'lock locking distributed mutex exclusive critical section unlock acquire release hold holder lease fence setnx race',
    [
      ['SET NX', 'takes it with a deadline, in one step: SET lock token NX PX 5000'],
      ['SETNX', 'takes it without a deadline: the older way'],
      ['DELEX', 'releases it only if it is yours: DELEX lock IFEQ token'],
      ['DELIFEQ', "the same in Valkey's words"],
      ['SET IFEQ', 'renews it only if it is yours: SET lock token IFEQ token PX 5000'],
      ['MSETEX', 'takes several at once, or none'],
      ['LATCH.ACQUIRE', 'grants a lease and a token, and lets others wait in line'],
      ['LATCH.RENEW', 'prolongs a lease'],
      ['LATCH.RELEASE', 'gives it back'],
      ['LATCH.CHECK', 'checks a token inside MULTI, before something is written'],
      ['LATCH.INSPECT', 'shows the holders and the line'],
    ],
  ),
  theme(
    'once',
    'Work that is done once',
    'once idempotent idempotency duplicate dedupe deduplicate deduplication exactly only init flag',
    [
      ['SET NX', 'marks a message that nobody has worked on: SET done:42 1 NX EX 86400'],
      ['SETNX', 'a mark without a deadline'],
      ['LATCH.ONCE', 'the right to do it, or the result of the one who did'],
      ['LATCH.DONE', 'stores the result'],
    ],
  ),
  theme('limits', 'Limits', 'limit limiter rate throttle debounce quota window semaphore permits concurrency api', [
    ['INCR', 'counts a call in a window'],
    ['SET NX', 'begins a window with its deadline: SET calls 0 EX 60 NX'],
    ['ZREMRANGEBYSCORE', 'drops what has left a sliding window'],
    ['ZCARD', 'counts what is in the window'],
    ['LATCH.LIMIT', 'a limit in one command, with the time of the next try'],
    ['LATCH.ACQUIRE', 'permits of a semaphore: PERMITS 1 LIMIT 3'],
  ]),
  theme('counters', 'Counters', 'count counter increment add sum number visits statistics unique', [
    ['INCR', 'adds one, and begins at 0'],
    ['INCRBY', 'adds a number'],
    ['HINCRBY', 'a counter in a field of a hash'],
    ['PFADD', 'counts distinct elements in 12 KB'],
    ['SETNX', 'begins at another number than 0'],
  ]),
  theme('queues', 'Queues', 'queue job worker task list fifo delayed schedule retry wait signal block', [
    ['LPUSH', 'adds a job'],
    ['BLMOVE', 'takes one and keeps it in a second list, until it is done'],
    ['BLPOP', 'waits for one'],
    ['LREM', 'removes what is done'],
    ['ZADD', 'jobs for later: the score is their time'],
    ['ZPOPMIN', 'takes the one that is due first'],
  ]),
  theme('caches', 'Caches', 'cache ttl expire expiry eviction evict invalidate invalidation tracking stale memory', [
    ['SET EX', 'stores a value for a time: SET page html EX 60'],
    ['GETEX', 'reads it and prolongs its time'],
    ['EXPIRE', 'sets a deadline'],
    ['TTL', 'asks how long it lives'],
    ['CLIENT TRACKING', 'sends a message when a copy is out of date'],
    ['CONFIG SET', 'maxmemory and maxmemory-policy: what goes first'],
  ]),
  theme(
    'groups',
    'Groups of clients',
    'leader election elect barrier group publish subscribe message notify together cluster',
    [
      ['SET NX', 'elects a leader for a term'],
      ['LATCH.ARRIVE', 'a barrier: all wait for the last'],
      ['LATCH.ACQUIRE', 'a leader with a token'],
      ['PUBLISH', 'sends a message to subscribers'],
      ['SUBSCRIBE', 'receives messages'],
    ],
  ),
  theme(
    'records',
    'Records and rankings',
    'record session user profile object hash fields ranking leaderboard score top seat',
    [
      ['HSET', 'sets fields'],
      ['HGETALL', 'reads them all'],
      ['HEXPIRE', 'a deadline for one field'],
      ['ZADD', 'a member with its score'],
      ['ZRANGE', 'the best of them'],
      ['MSETNX', 'several keys, or none'],
    ],
  ),
  theme('scripts', 'Scripts', 'script scripting lua eval evalsha function atomic redlock several steps at once', [
    ['EVAL', 'runs a script in one step: EVAL "return redis.call(\'GET\', KEYS[1])" 1 name'],
    ['EVALSHA', 'runs one that is known, by its SHA1'],
    ['SCRIPT LOAD', 'stores a script and answers its SHA1'],
    ['FUNCTION LOAD', 'stores a library of functions with the keys'],
    ['FCALL', 'calls a function of a library'],
  ]),
];

function theme(id: string, title: string, words: string, commands: readonly (readonly [string, string])[]): Theme {
  return {
    id,
    title,
    words: `${title} ${words}`.toLowerCase(),
    commands: commands.map(([form, use]) => commandOf(form, use)),
  };
}

/** Forms with an option begin with a name of one word, those of subcommands with one of two. */
function commandOf(form: string, use: string): ThemeCommand {
  const server = SERVERS.find(([pattern]) => pattern.test(form))?.[1];
  return { form, use: server === undefined ? use : `${use} (${server})`, name: form.startsWith('SET ') ? 'SET' : form };
}
