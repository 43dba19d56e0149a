/** The measured operations: for each, the source code of its loop's body, made from the texts of a store. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are source code of the measured loops.
import { COLLECTIONS } from './collections.mjs';

/** Number of keys of one MGET or MSET, and of commands of one pipeline. */
export const BATCH = 100;

/** Source code of the loop's key; `i` counts from 0. See texts.mjs for the states. */
const KEYS = {
  same: 'names[order[(start + i) & last]]',
  fresh: 'fresh[i]',
  concatenated: '`user:${suffixes[(start + i) & last]}`',
  joined: 'joined[order[(start + i) & last]]',
  spare: '`free:${spares[i]}`',
  lock: 'locks[(start + i) & 1023]',
  new: '`next:${counter.next += 1}`',
};

const withKey = (state, statement) => `const key = ${KEYS[state]}; ${statement}`;
const withName = (list, statement) => `const key = ${list}[(start + i) % ${COLLECTIONS}]; ${statement}`;
const withValue = (state) => `const value = ${state === 'joined' ? 'joinedValues' : 'values'}[i & 1023];`;
const withField = (fields) =>
  `const field = fields[i % ${fields}]; const value = values[i & 1023]; const score = i & 1023;`;

const each = (number) => (_, count) => number * count;
const deleteSpare = { body: (store) => withKey('spare', `${store.del};`) };
const deleteAll = (list) => ({ body: (store) => withName(list, `${store.del};`), turns: COLLECTIONS });

const into = (operation, list, fields) => ({
  uses: [operation],
  collections: true,
  body: (store) => withName(list, `${withField(fields)} sum += ${store[operation]};`),
  expected: each(0),
});

const pipeline = (command, needs, replyBytes) => ({
  title: `RESP pipeline ${BATCH} ${command}`,
  state: command,
  uses: ['resp', ...needs],
  commands: BATCH,
  collections: true,
  body: (store) => `const chunk = chunks.${command}[(start + i) & 63]; sum += (${store.resp}).length;`,
  expected: replyBytes && ((facts, count) => BATCH * replyBytes(facts) * count),
});

/**
 * Definition of an operation. `title` names rows, `state` is fixed where keys come in one state only, `uses` names the
 * texts a store must have, `body` makes the loop's body, `expected` is the sum of a sample of `count` turns (another
 * sum fails the run), `commands` is the number of commands in a turn, `collections` asks for those of collections.mjs.
 *
 * `changes` limits the turns of a sample that adds or takes keys; `before` is run for each of its turns, and `undo`
 * after it, both unmeasured. `bounded` checks that the store has not grown.
 */
export const OPERATIONS = {
  get: {
    title: 'GET',
    body: ({ get }, state) => withKey(state, `sum += (${get}).length;`),
    expected: ({ bytes }, count) => bytes * count,
  },
  set: { title: 'SET', body: ({ set }, state) => withKey(state, `${withValue(state)} ${set};`) },
  mix: {
    title: '90 % GET, 10 % SET',
    uses: ['get', 'set'],
    body: ({ get, set }, state) =>
      withKey(state, `if (i % 10 === 9) { ${withValue(state)} ${set}; } else sum += (${get}).length;`),
    expected: ({ bytes }, count) => bytes * (count - Math.floor(count / 10)),
  },
  setpx: { title: 'SET PX', body: ({ setpx }, state) => withKey(state, `${withValue(state)} ${setpx};`) },
  setnxpx: {
    title: 'SET NX PX hit',
    expected: each(0),
    body: ({ setnxpx }, state) => withKey(state, `${withValue(state)} sum += ${setnxpx} ? 1 : 0;`),
  },
  setnxpxNew: {
    title: 'SET NX PX miss',
    state: 'spare',
    uses: ['setnxpx'],
    changes: true,
    undo: deleteSpare,
    expected: each(1),
    body: ({ setnxpx }) => withKey('spare', `${withValue()} sum += ${setnxpx} ? 1 : 0;`),
  },
  setNew: {
    title: 'SET new',
    state: 'new',
    uses: ['set', 'size'],
    bounded: true,
    body: ({ set }) => withKey('new', `${withValue()} ${set};`),
  },
  mget: {
    title: 'MGET 100',
    commands: BATCH,
    expected: each(BATCH),
    body: ({ mget }) => `const keys = batches[(start + i) & 63]; sum += (${mget}).length;`,
  },
  mset: { title: 'MSET 100', commands: BATCH, body: ({ mset }) => `const pairs = tables[(start + i) & 63]; ${mset};` },
  lock: {
    title: 'lock acquire + release',
    changes: true,
    expected: each(2),
    body: ({ lock }, state) => withKey(state === 'same' ? 'lock' : 'spare', `sum += ${lock};`),
  },
  latch: {
    title: 'latch acquire + release',
    changes: true,
    expected: each(2),
    body: ({ latch }, state) => withKey(state === 'same' ? 'lock' : 'spare', `sum += ${latch};`),
  },
  exists: { title: 'EXISTS', body: ({ exists }, state) => withKey(state, `sum += ${exists};`), expected: each(1) },
  expire: { title: 'EXPIRE', body: ({ expire }, state) => withKey(state, `sum += ${expire};`), expected: each(1) },
  incr: { title: 'INCR', state: 'kept', collections: true, body: ({ incr }) => withName('counters', `${incr};`) },
  hget: {
    title: 'HGET',
    state: 'kept',
    collections: true,
    expected: ({ bytes }, count) => bytes * count,
    body: ({ hget }) => withName('hashes', `${withField(10)} sum += (${hget}).length;`),
  },
  hset10: { title: 'HSET into 10 fields', state: 'kept', ...into('hset', 'hashes', 10) },
  hset100: { title: 'HSET into 100 fields', state: 'kept', ...into('hset', 'wideHashes', 100) },
  sadd: {
    title: 'SADD',
    state: 'kept',
    collections: true,
    changes: true,
    undo: deleteAll('sets'),
    expected: each(1),
    body: ({ sadd }) => withName('sets', `${withField(100)} sum += ${sadd};`),
  },
  lpush: {
    title: 'LPUSH',
    state: 'kept',
    collections: true,
    changes: true,
    undo: deleteAll('queues'),
    body: ({ lpush }) => withName('queues', `${withValue()} ${lpush};`),
  },
  rpop: {
    title: 'RPOP',
    state: 'kept',
    collections: true,
    changes: true,
    expected: ({ bytes }, count) => bytes * count,
    before: { body: ({ lpush }) => withName('queues', `${withValue()} ${lpush};`) },
    body: ({ rpop }) => withName('queues', `sum += (${rpop}).length;`),
  },
  zadd10: { title: 'ZADD into 10 members', state: 'kept', ...into('zadd', 'ranks', 10) },
  zadd100: { title: 'ZADD into 100 members', state: 'kept', ...into('zadd', 'wideRanks', 100) },
  respGet: pipeline('GET', [], ({ bytes }) => `$${bytes}\r\n`.length + bytes + 2),
  respSet: pipeline('SET', [], () => '+OK\r\n'.length),
  respHset: pipeline('HSET', ['hset'], () => ':0\r\n'.length),
  respLpush: { ...pipeline('LPUSH', ['lpush']), changes: true, undo: deleteAll('queues') },
};

/** True when a store has the texts of an operation. */
export const canDo = (store, operation) =>
  (OPERATIONS[operation].uses ?? [operation]).every((name) => store[name] !== undefined);

/**
 * The loop of an operation over a store: a function of `(store, texts, count, start)` that returns the sum of the
 * results.
 */
export function compile(operation, store, state, each) {
  return compileLoop(store, OPERATIONS[operation].body(store, state), each);
}

/** Function that runs before or after each sample, unmeasured: `(store, texts, count, start)`. */
export function compileAround({ body, turns }, store) {
  const loop = compileLoop(store, body(store));
  return turns === undefined ? loop : (target, texts) => loop(target, texts, turns, 0);
}

function compileLoop(store, body, each = '') {
  return new Function(
    'store',
    'texts',
    'count',
    'start',
    `
    const { names, joined, joinedValues, order, fresh, suffixes, spares, locks, counter, values, batches, tables, chunks } = texts;
    const { fields, counters, hashes, wideHashes, sets, queues, ranks, wideRanks } = texts;
    const last = suffixes.length - 1;
    let sum = 0;
    ${store.before ?? ''}
    for (let i = 0; i < count; i += 1) { ${body} ${each} }
    return sum;`,
  );
}
