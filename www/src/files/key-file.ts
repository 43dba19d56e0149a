/** Checks the keys of a JSON file before anything is made of them. Pure. */

import { fromBase64 } from '../base/base64.ts';
import { DATABASES, type KeyValue } from './key-values.ts';
import { isObject } from './plain-json.ts';

/** Forms of values, by type. */
const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isValue,
  list: isListOf(isValue),
  set: isListOf(isValue),
  zset: isListOf(isScored),
  hash: isListOf(isField),
  stream: isValue,
};

/** Throws an error that names the first entry that is not as it should be. */
export function checkedKeys(found: unknown): readonly KeyValue[] {
  if (!Array.isArray(found)) throw new Error('its member "keys" is no list');
  found.forEach((entry, index) => {
    const fault = faultOf(entry);
    if (fault !== undefined) throw new Error(`entry ${index + 1} of its list "keys" ${fault}`);
  });
  return found;
}

function faultOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return 'is no object';
  const { db, key, type, value, expiresAtMs } = entry;
  if (!isInteger(db) || db < 0 || db >= DATABASES) return `has no number of a database, 0 to ${DATABASES - 1}, as "db"`;
  if (!isValue(key)) return 'has no text or { "base64": ... } as "key"';
  const fits = Object.hasOwn(FITS, String(type)) ? FITS[String(type)] : undefined;
  if (!fits) return `has an unknown type: ${JSON.stringify(type) ?? 'none'}`;
  if (!fits(value)) return `has no value of the type ${String(type)} as "value"`;
  if (expiresAtMs !== undefined && !isInteger(expiresAtMs)) return 'has no instant in milliseconds as "expiresAtMs"';
  return undefined;
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Text, or bytes in base64. */
function isValue(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return isObject(value) && typeof value['base64'] === 'string' && fromBase64(value['base64']) !== undefined;
}

function isListOf(isElement: (element: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.length > 0 && value.every(isElement);
}

function isScored(element: unknown): boolean {
  if (!Array.isArray(element) || element.length !== 2) return false;
  return isValue(element[0]) && (typeof element[1] === 'number' || isValue(element[1]));
}

/** A field and its value, and the deadline in milliseconds of one that expires. */
function isField(element: unknown): boolean {
  if (!Array.isArray(element) || element.length < 2 || element.length > 3) return false;
  return isValue(element[0]) && isValue(element[1]) && (element.length === 2 || isInteger(element[2]));
}
