/** Names of the keys of the script of locks. */

/** Begins all keys of a name, which are in one hash slot. Different names never make the same keys. */
function base(key: string): string {
  const open = key.indexOf('{');
  const hasTag = open !== -1 && key.indexOf('}', open + 1) > open + 1;
  // An empty tag would be none.
  return hasTag ? `${key}::` : `{${key.replace(/^(?=[ }])/, ' ')}}:`;
}

const keysOf = (key: string, ...parts: string[]): string[] => parts.map((part) => base(key) + part);

/** Keys of a lock. */
export const scriptKeys = (key: string): string[] => keysOf(key, 'state', 'holders', 'ends', 'line', 'waiters');

/** Keys of a task: those of the lock of the caller that runs it, and that of its result. */
export const taskKeys = (key: string): string[] => [...scriptKeys(key), ...keysOf(key, 'result')];

/** Keys of a barrier. */
export const barrierKeys = (key: string): string[] => keysOf(key, 'members', 'channels');
