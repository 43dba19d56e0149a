/**
 * Work of stores at the end of the process: one listener for all. An error of such a listener would cancel the exit, so none
 * leaves it.
 */

/** A store that is open. */
export interface OpenStore {
  /** Appends what waits; false if something could not be appended. */
  flush(): boolean;
  /** Releases the lock: a worker thread ends before its process. */
  release(): void;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

const stores = new Set<OpenStore>();
/** Stores that are flushed when a signal comes. */
const signalled = new Set<OpenStore>();

/** Flushes and releases everything, whatever fails. What could not be appended makes the exit code say so. */
function endAll(): void {
  for (const store of stores) {
    if (!succeeds(() => store.flush())) process.exitCode ||= 1;
    succeeds(() => store.release());
  }
}

function succeeds(work: () => unknown): boolean {
  try {
    return work() !== false;
  } catch {
    return false;
  }
}

/** Marks the listeners of this package, of which a process may have several copies. */
const OWN = Symbol.for('keylatch.signal');

type Listener = (signal: NodeJS.Signals) => void;

const isOwn = (listener: unknown): listener is Listener => (listener as { [OWN]?: boolean })[OWN] === true;

/** Ends the process by the signal, as without a listener, unless the program has one of its own: then it goes on. */
const onSignal: Listener = /* @__PURE__ */ marked((signal) => {
  for (const store of signalled) succeeds(() => store.flush());
  const listeners = process.listeners(signal);
  const own = listeners.filter(isOwn);
  if (own.length < listeners.length) return;
  endAll();
  // The other copies come after this one.
  if (own.at(-1) !== onSignal) return;
  for (const name of SIGNALS) for (const listener of process.listeners(name).filter(isOwn)) process.off(name, listener);
  process.kill(process.pid, signal);
});

function marked(listener: Listener): Listener {
  return Object.assign(listener, { [OWN]: true });
}

/** Flushes and releases a store when the process exits, with `onSignals` also by a signal. Returns a function that ends it. */
export function atExit(store: OpenStore, onSignals: boolean): () => void {
  if (stores.size === 0) process.on('exit', endAll);
  stores.add(store);
  if (onSignals) {
    // In front of listeners that the program added for one signal: they are removed before they run.
    if (signalled.size === 0) for (const name of SIGNALS) process.prependListener(name, onSignal);
    signalled.add(store);
  }
  return () => {
    stores.delete(store);
    if (stores.size === 0) process.off('exit', endAll);
    if (signalled.delete(store) && signalled.size === 0) for (const name of SIGNALS) process.off(name, onSignal);
  };
}
