/** What is measured: for each operation the text of its loop's body, made from the text a store has for it. */

/** Keys of one MGET or MSET, commands of one pipeline. */
export const BATCH = 100;

/** How the loop comes by its key; `i` counts from 0. See texts.mjs for the three states. */
const KEYS = {
  same: 'names[order[(start + i) & last]]',
  fresh: 'fresh[i]',
  concatenated: "'user:' + suffixes[(start + i) & last]",
  spare: "'free:' + spares[i]",
  lock: 'locks[(start + i) & 1023]',
  counter: "'hits:' + suffixes[(start + i) & last]",
};

const withKey = (state, statement) => `const key = ${KEYS[state]}; ${statement}`;
const VALUE = 'const value = values[i & 1023];';

/**
 * `title` names rows, `uses` the text a store must have, `body` makes the loop's body, `expected` is what one turn adds to
 * `sum` (a loop that sums something else did not do its work), `commands` how many commands one turn is, `missing` means
 * keys that are not there, of which there are so many only, `undo` is run after each sample, unmeasured.
 */
export const OPERATIONS = {
  get: { title: 'GET', body: (text, state) => withKey(state, `sum += (${text}).length;`), expected: ({ bytes }) => bytes },
  set: { title: 'SET', body: (text, state) => withKey(state, `${VALUE} ${text};`) },
  setnx: { title: 'SETNX hit', body: (text, state) => withKey(state, `${VALUE} sum += ${text};`), expected: () => 0 },
  setnxNew: {
    title: 'SETNX miss', uses: 'setnx', state: 'spare', missing: true, undo: 'del',
    body: (text) => withKey('spare', `${VALUE} sum += ${text};`), expected: () => 1,
  },
  setpx: { title: 'SET PX', body: (text, state) => withKey(state, `${VALUE} ${text};`) },
  setnxpx: { title: 'SET NX PX hit', body: (text, state) => withKey(state, `${VALUE} sum += ${text} ? 1 : 0;`), expected: () => 0 },
  setnxpxNew: {
    title: 'SET NX PX miss', uses: 'setnxpx', state: 'spare', missing: true, undo: 'del',
    body: (text) => withKey('spare', `${VALUE} sum += ${text} ? 1 : 0;`), expected: () => 1,
  },
  incr: { title: 'INCR', body: (text) => withKey('counter', `${text};`), counters: true },
  mget: {
    title: 'MGET 100', commands: BATCH,
    body: (text) => `const keys = lists[(start + i) & 63]; sum += (${text}).length;`, expected: () => BATCH,
  },
  mset: { title: 'MSET 100', commands: BATCH, body: (text) => `const pairs = tables[(start + i) & 63]; ${text};` },
  lock: {
    title: 'lock acquire + release', missing: true,
    body: (text, state) => withKey(state === 'same' ? 'lock' : 'spare', `sum += ${text};`), expected: () => 2,
  },
  resp: {
    title: 'RESP pipeline 100', commands: BATCH,
    body: (text) => `const chunk = chunks[(start + i) & 63]; sum += (${text}).length;`,
    expected: ({ replyBytes }) => replyBytes,
  },
};

export const textFor = (operation, store) => store[OPERATIONS[operation].uses ?? operation];

/** The loop of an operation over a store: `(store, texts, count, start)` to the sum of what came back. */
export function compile(operation, store, state) {
  return compileLoop(store, OPERATIONS[operation].body(textFor(operation, store), state));
}

/** The loop that removes what the last sample added. */
export function compileUndo(operation, store) {
  return compileLoop(store, withKey('spare', `${store[OPERATIONS[operation].undo]};`));
}

function compileLoop(store, body) {
  return new Function('store', 'texts', 'count', 'start', `
    const { names, order, fresh, suffixes, spares, locks, values, lists, tables, chunks } = texts;
    const last = suffixes.length - 1;
    let sum = 0;
    ${store.before ?? ''}
    for (let i = 0; i < count; i += 1) { ${body} }
    return sum;`);
}
