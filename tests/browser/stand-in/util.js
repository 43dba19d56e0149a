// Stand-in for node:util in a page: values are equal if their JSON is equal.

/** Values that JSON cannot represent are written with their type. */
function written(_key, value) {
  if (value instanceof Map || value instanceof Set || value instanceof Uint8Array)
    return [value.constructor.name, ...value];
  const hasNoWord = value === undefined || typeof value === 'bigint' || typeof value === 'function';
  return hasNoWord || Object.is(value, -0) || Number.isNaN(value) ? `${typeof value} ${String(value)}` : value;
}

export const print = (value) => JSON.stringify(value, written);

export const isDeepStrictEqual = (one, other) => print(one) === print(other);
