/** Configurations in which programs use keylatch. Runs in Node and in the page. */

const ignore = () => {};

/** Far above what any scene stores: nothing is evicted. */
const MAXMEMORY = '1gb';

/** Commands between two readings of the recorded effects. */
export const DRAIN_INTERVAL = 1000;

/** Memory that a store reports as used. */
const usedMemory = (store) => Number(/used_memory:(\d+)/.exec(store.call('INFO', 'memory'))[1]);

/**
 * `options` are those of the constructor, `configure` prepares a new store, `filled` is called when it holds the keys of its
 * scene, `each` is run after each command of a loop: text in which `store` is the store and `i` counts the commands.
 */
export const CONFIGURATIONS = {
  bare: {},
  maxmemory: { options: { maxmemory: MAXMEMORY, maxmemoryPolicy: 'allkeys-lru' } },
  /** Every key that is added evicts another. */
  evicting: {
    options: { maxmemory: MAXMEMORY, maxmemoryPolicy: 'allkeys-lru' },
    filled: (store) => store.call('CONFIG', 'SET', 'maxmemory', usedMemory(store)),
  },
  listener: { configure: (store) => store.on('expired', ignore) },
  subscriber: { configure: (store) => store.subscribe('news', ignore) },
  recording: {
    configure: (store) => store.record(true),
    each: `if (i % ${DRAIN_INTERVAL} === ${DRAIN_INTERVAL - 1}) store.takeEffects();`,
  },
};

/** Configurations without eviction: what programs read and write most is measured in each. */
export const EVERY_CONFIGURATION = ['bare', 'maxmemory', 'listener', 'subscriber', 'recording'];

/** A new store in a configuration. */
export function makeConfigured(Keylatch, { options = {}, configure = ignore }) {
  const store = new Keylatch(options);
  configure(store);
  return store;
}
