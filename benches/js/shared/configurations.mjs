/** Configurations in which programs use keylatch. Runs in Node and in the page. */

const ignore = () => {};

/** Far above what any scene stores: nothing is evicted. */
const MAXMEMORY = '1gb';

/** Commands between two readings of the recorded effects. */
export const DRAIN_INTERVAL = 1000;

/**
 * `options` are those of the constructor, `configure` prepares a new store, `each` is run after each command of a loop: text
 * in which `store` is the store and `i` counts the commands.
 */
export const CONFIGURATIONS = {
  bare: {},
  maxmemory: { options: { maxmemory: MAXMEMORY, maxmemoryPolicy: 'allkeys-lru' } },
  listener: { configure: (store) => store.on('expired', ignore) },
  subscriber: { configure: (store) => store.subscribe('news', ignore) },
  recording: {
    configure: (store) => store.record(true),
    each: `if (i % ${DRAIN_INTERVAL} === ${DRAIN_INTERVAL - 1}) store.takeEffects();`,
  },
};

/** A new store in a configuration. */
export function makeConfigured(Keylatch, { options = {}, configure = ignore }) {
  const store = new Keylatch(options);
  configure(store);
  return store;
}
