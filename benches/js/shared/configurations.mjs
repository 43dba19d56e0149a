/** Configurations in which programs use keylatch. Runs in Node and in the page. */

const ignore = () => {};

/** Far above the memory of any scenario: nothing is evicted. */
const LIMITED = { maxmemory: '1gb', maxmemoryPolicy: 'allkeys-lru' };

/** Commands between two readings of the recorded effects. */
const DRAIN_INTERVAL = 1000;

/** Used memory as the store reports it. */
const usedMemory = (store) => Number(/used_memory:(\d+)/.exec(store.call('INFO', 'memory'))[1]);

/**
 * Definition of a configuration. `options` are those of the constructor, `configure` prepares a store that holds the
 * keys of its scenario, `each` runs after each command of a loop: source code in which `store` is the store and `i`
 * counts the commands. `evicts` means that the number of keys stays constant.
 */
export const CONFIGURATIONS = {
  bare: {},
  maxmemory: { options: LIMITED },
  /** Every key that is added evicts another. */
  evicting: {
    options: LIMITED,
    configure: (store) => store.call('CONFIG', 'SET', 'maxmemory', usedMemory(store)),
    evicts: true,
  },
  listener: { configure: (store) => store.on('expired', ignore) },
  subscriber: { configure: (store) => store.subscribe('news', ignore) },
  recording: {
    configure: (store) => store.record(true),
    each: `if (i % ${DRAIN_INTERVAL} === ${DRAIN_INTERVAL - 1}) store.takeEffects();`,
  },
};

/** Configurations without eviction: the most frequent commands are measured in each. */
export const EVERY_CONFIGURATION = ['bare', 'maxmemory', 'listener', 'subscriber', 'recording'];
