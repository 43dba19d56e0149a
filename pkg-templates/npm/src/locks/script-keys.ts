/** Names of the keys of the script of locks. */

/** The script's keys of a lock, all in one hash slot: state, holders, ends of leases, line, waiters. */
export function scriptKeys(key: string): string[] {
  const open = key.indexOf('{');
  const hasTag = open !== -1 && key.indexOf('}', open + 1) > open + 1;
  // Different keys never make the same ones. An empty tag would be none.
  const base = hasTag ? `${key}::` : `{${key.replace(/^(?=[ }])/, ' ')}}:`;
  return ['state', 'holders', 'ends', 'line', 'waiters'].map((part) => base + part);
}
