/**
 * The scenarios of each suite: a scenario is a set of filled stores and the rows measured on them. Each runs in a
 * process of its own, so that no scenario warms the caches or trains the compiler of another.
 */
import { EVERY_CONFIGURATION } from './configurations.mjs';
import { OPERATIONS, canDo } from './operations.mjs';
import { STORES } from './stores.mjs';
import { JSON_BYTES } from './texts.mjs';

const rows = (states, ...operations) =>
  operations.flatMap((operation) => states.map((state) => ({ operation, state })));
const same = (...operations) => rows(['same'], ...operations);
const concatenated = (...operations) => rows(['concatenated'], ...operations);
const both = (...operations) => rows(['same', 'concatenated'], ...operations);

const PEERS = ['keylatch', 'Map', 'Map + deadline', 'lru-cache'];
const COMMANDS = [
  'exists',
  'incr',
  'hget',
  'hset10',
  'hset100',
  'sadd',
  'lpush',
  'rpop',
  'zadd10',
  'zadd100',
  'expire',
];
const PIPELINES = ['respGet', 'respSet', 'respHset', 'respLpush'];

/** The lengths of values, as tables show them. */
const LENGTHS = { 32: '', 80: '80 B', 1024: '1 KiB' };

/** Numbers of keys as tables show them. */
export const short = (keys) => `1e${Math.log10(keys)}`;

/** The scenarios of a suite, `node` or `chromium`, with the stores for which `isAvailable` is true. */
export function scenariosOf(suite, isAvailable = () => true) {
  const all = suite === 'node' ? ofNode() : ofChromium();
  return all.map(({ stores, rows: some, ...rest }) => {
    const found = stores.filter(isAvailable);
    const able = (operation) => found.filter((name) => canDo(STORES[name], operation));
    return { ...rest, stores: found, rows: some.map((row) => ({ ...row, stores: able(row.operation) })) };
  });
}

function ofNode() {
  const peers = [PEERS[0], 'landed', ...PEERS.slice(1)];
  const more = [...peers, 'kv.js', 'node-cache'];
  const few = ['keylatch', 'landed', 'Map', 'lru-cache'];
  const timed = ['keylatch', 'landed', 'Map + deadline', 'lru-cache'];
  return [
    scenario({ keys: 1e3, stores: more, rows: [...both('get', 'set'), ...same('mget', 'mset', ...COMMANDS)] }),
    scenario({ keys: 1e5, stores: more, rows: rows(['same', 'fresh', 'concatenated'], 'get', 'set') }),
    scenario({ keys: 1e6, stores: peers, rows: both('get', 'set') }),
    ...[1e3, 1e5].map((keys) => scenario({ keys, bytes: 1024, stores: few, rows: concatenated('get', 'set') })),
    ...configured(few, [1e3, 1e5]),
    ...EVERY_CONFIGURATION.filter((configuration) => configuration !== 'bare').map((configuration) =>
      scenario({ keys: 1e6, bytes: 80, configuration, stores: ['keylatch', 'bare', 'lru-cache'], rows: same('get') }),
    ),
    scenario({
      keys: 1e5,
      json: true,
      ttl: true,
      configuration: 'maxmemory',
      stores: timed,
      rows: both('get', 'setpx'),
    }),
    scenario({
      keys: 1e5,
      bytes: 80,
      configuration: 'evicting',
      stores: ['keylatch', 'landed', 'lru-cache'],
      rows: same('setNew'),
    }),
    scenario({
      keys: 1e5,
      ttl: true,
      stores: [...timed, 'kv.js'],
      rows: [...concatenated('setnxpx', 'setnxpxNew'), ...both('lock', 'latch')],
    }),
    pipelines(1e3, ['keylatch', 'landed', 'JS parser + Map'], PIPELINES),
    pipelines(1e5, ['keylatch', 'landed', 'JS parser + Map'], ['respGet', 'respSet']),
  ];
}

function ofChromium() {
  return [
    scenario({ keys: 1e3, stores: PEERS, rows: [...both('get', 'set'), ...same('mget', 'mset', ...COMMANDS)] }),
    scenario({ keys: 1e5, stores: PEERS, rows: both('get', 'set') }),
    scenario({ keys: 1e3, bytes: 1024, stores: ['keylatch', 'Map', 'lru-cache'], rows: concatenated('get', 'set') }),
    ...configured(['keylatch', 'lru-cache'], [1e3]),
    scenario({
      keys: 1e5,
      json: true,
      ttl: true,
      configuration: 'maxmemory',
      stores: ['keylatch', 'Map + deadline', 'lru-cache'],
      rows: both('get', 'setpx'),
    }),
    scenario({ keys: 1e5, ttl: true, stores: ['keylatch', 'Map + deadline', 'lru-cache'], rows: both('lock') }),
    pipelines(1e3, ['keylatch', 'JS parser + Map'], PIPELINES),
  ];
}

/** Values of 80 characters in every configuration. */
function configured(stores, sizes) {
  return EVERY_CONFIGURATION.flatMap((configuration) => {
    const joined = configuration === 'bare' ? rows(['joined'], 'set') : [];
    return sizes.map((keys) =>
      scenario({
        keys,
        bytes: 80,
        configuration,
        stores: besideBare(configuration, stores),
        rows: [...same('get', 'set', 'mix'), ...joined],
      }),
    );
  });
}

const besideBare = (configuration, [ours, ...peers]) => [ours, ...(configuration === 'bare' ? [] : ['bare']), ...peers];

const pipelines = (keys, stores, operations) => scenario({ keys, stores, rows: same(...operations), suffix: ' RESP' });

/** Fills in the defaults of a scenario. `suffix` makes its name unique where another has the same traits. */
function scenario({
  keys,
  bytes = 32,
  json = false,
  ttl = false,
  configuration = 'bare',
  stores,
  rows: some,
  suffix = '',
}) {
  const kind = json ? 'JSON' : LENGTHS[bytes];
  const words = [short(keys), kind, ttl ? 'TTL' : ''].filter(Boolean).join(' ');
  const traits = configuration === 'bare' ? words : `${words}, ${configuration}`;
  const named = some.map((row) => ({ ...row, name: nameOf(row, traits) }));
  const has = (trait) => some.some(({ operation, state }) => OPERATIONS[operation][trait] || state === trait);
  return {
    name: traits + suffix,
    keys,
    bytes: json ? JSON_BYTES : bytes,
    json,
    ttl,
    configuration,
    stores,
    rows: named,
    joined: has('joined'),
    collections: has('collections'),
  };
}

function nameOf({ operation, state }, traits) {
  const { title, state: fixed } = OPERATIONS[operation];
  return [title, fixed ? '' : state, traits].filter(Boolean).join(' ');
}
