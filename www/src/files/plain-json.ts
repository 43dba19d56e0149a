/** Keys from a JSON object of other programs: each member is a key; an array is a list, an object is a hash. Pure. */

import type { KeyValue, Value } from './key-values.ts';

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function plainKeys(json: Record<string, unknown>): KeyValue[] {
  return Object.entries(json).flatMap(([key, value]): KeyValue[] => {
    if (Array.isArray(value))
      return value.length === 0 ? [] : [{ db: 0, key, type: 'list', value: value.map(plainText) }];
    if (!isObject(value)) return [{ db: 0, key, type: 'string', value: plainText(value) }];
    const fields = Object.entries(value).map(([field, part]): [Value, Value] => [field, plainText(part)]);
    return fields.length === 0 ? [] : [{ db: 0, key, type: 'hash', value: fields }];
  });
}

/** Nested values stay JSON. */
function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
