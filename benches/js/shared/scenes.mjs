/**
 * What is measured where: a scene is a set of filled stores and the rows measured on them. Each runs in a process of its own,
 * so that no scene warms the caches or teaches the compiler of another.
 */
import { OPERATIONS, textFor } from './operations.mjs';
import { STORES } from './stores.mjs';

const EVERYWHERE = ['keylatch', 'Map', 'Map + deadline', 'lru-cache', 'kv.js'];
/** Stores a browser has, and what Node has beside them. */
const SMALL = { node: [...EVERYWHERE, 'node-cache'], chromium: EVERYWHERE };
/** At a million keys others would take the caches from those that matter. */
const LARGE = ['keylatch', 'Map', 'Map + deadline', 'lru-cache'];
const WITH_TTL = { node: ['keylatch', 'Map + deadline', 'lru-cache', 'node-cache', 'kv.js'], chromium: ['keylatch', 'Map + deadline', 'lru-cache', 'kv.js'] };

const STATES = ['same', 'fresh', 'concatenated'];
const each = (operation, states = STATES) => states.map((state) => ({ operation, state }));
const concatenated = (...operations) => operations.flatMap((operation) => each(operation, ['concatenated']));

/** Numbers of keys as tables show them. */
export const short = (keys) => `1e${Math.log10(keys)}`;

/** The scenes of a place, `node` or `chromium`. */
export function scenesOf(place) {
  const single = [...each('get'), ...each('set')];
  const more = concatenated('setnx', 'setnxNew', 'incr');
  const timed = [...concatenated('get', 'setpx', 'setnxpx', 'setnxpxNew', 'lock'), ...each('lock', ['same'])];
  return [
    scene({ keys: 1e3, bytes: 32, stores: SMALL[place], rows: [...single, ...each('mget', ['same']), ...each('mset', ['same']), ...more] }),
    scene({ keys: 1e5, bytes: 32, stores: SMALL[place], rows: [...single, ...more] }),
    scene({ keys: 1e6, bytes: 32, stores: LARGE, rows: single }),
    scene({ keys: 1e3, bytes: 1024, stores: SMALL[place], rows: concatenated('get', 'set') }),
    scene({ keys: 1e5, bytes: 1024, stores: SMALL[place], rows: concatenated('get', 'set') }),
    scene({ keys: 1e5, bytes: 32, ttl: true, stores: WITH_TTL[place], rows: timed }),
    scene({ keys: 1e3, bytes: 32, stores: ['keylatch', 'JS parser + Map'], rows: each('resp', ['same']) }),
    scene({ keys: 1e5, bytes: 32, stores: ['keylatch', 'JS parser + Map'], rows: each('resp', ['same']) }),
  ];
}

function scene({ keys, bytes, ttl = false, stores, rows }) {
  const traits = [short(keys), bytes === 32 ? '' : '1 KiB', ttl ? 'TTL' : ''].filter(Boolean).join(' ');
  const counters = rows.some(({ operation }) => OPERATIONS[operation].counters);
  const named = rows.map((row) => ({ ...row, name: nameOf(row, traits), stores: able(stores, row.operation) }));
  return { name: traits + (rows[0].operation === 'resp' ? ' RESP' : ''), keys, bytes, ttl, counters, stores, rows: named };
}

function nameOf({ operation, state }, traits) {
  const { title, state: fixed, counters, commands } = OPERATIONS[operation];
  const varies = !fixed && !counters && !(commands && operation === 'resp');
  return [title, varies ? state : '', traits].filter(Boolean).join(' ');
}

const able = (stores, operation) => stores.filter((name) => textFor(operation, STORES[name]) !== undefined);
