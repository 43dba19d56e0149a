/** Listeners of abort signals. Any number of waits share one: Node warns of eleven at a signal. */

/** An AbortSignal, or an object of its shape. */
export interface AbortSignalLike {
  /** True once the signal was aborted. */
  readonly aborted: boolean;
  /** Reason of the abort, which the promise is rejected with. */
  readonly reason?: unknown;
  /** Adds a listener of the abort. */
  addEventListener(type: 'abort', listener: () => void): void;
  /** Removes a listener. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The listeners of one signal. Each is an object of its own, as one function may wait twice. */
interface Listeners {
  readonly all: Set<{ readonly listener: () => void }>;
  readonly abort: () => void;
}

const bySignal = new WeakMap<AbortSignalLike, Listeners>();

/** Calls a listener when a signal is aborted. Returns a function that removes it; without a signal nothing happens. */
export function onAbort(signal: AbortSignalLike | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => {};
  const { all, abort } = bySignal.get(signal) ?? listen(signal);
  const entry = { listener };
  all.add(entry);
  return () => {
    if (!all.delete(entry) || all.size > 0) return;
    signal.removeEventListener('abort', abort);
    bySignal.delete(signal);
  };
}

function listen(signal: AbortSignalLike): Listeners {
  const all: Listeners['all'] = new Set();
  const abort = (): void => {
    for (const entry of [...all]) if (all.has(entry)) entry.listener();
  };
  const listeners = { all, abort };
  bySignal.set(signal, listeners);
  signal.addEventListener('abort', abort);
  return listeners;
}

/** The reason of an abort. */
export function abortReason(signal: AbortSignalLike): unknown {
  return signal.reason ?? Object.assign(new Error('the waiting was aborted'), { name: 'AbortError' });
}
