/** Why a condition was not met: replies of nil, 0, -1 and -2, by command. Pure. */

import { hasOption, optionValue, type Case, type Rules } from './case.ts';
import { absent, ago, existing, timeLeft } from './phrases.ts';
import type { KeyFacts } from './witness.ts';

/** The sentence for a reply of nil. */
export const NILS: Rules = {
  SET: setRefused,
  GETSET: (said) => `${said.key.key} did not exist, so there was no old value. The new one is set.`,
  LPOS: (said) => (said.key.type ? `${said.key.key} has no such element.` : undefined),
  'CLIENT GETNAME': () => 'This client has no name: CLIENT SETNAME gives it one.',
  RANDOMKEY: () => 'The database has no keys.',
};

/** The sentence for a reply of 0. */
export const ZEROS: Rules = {
  SETNX: (said) => `NX: ${existing(said.key, said.nowMs)}.`,
  MSETNX: (said) => firstExisting(said, 'MSETNX sets all keys or none'),
  MSETEX: (said) => firstExisting(said, 'NX: MSETEX sets all keys or none'),
  RENAMENX: (said) => occupied(said),
  COPY: (said) => occupied(said),
  DELEX: (said) => compared(said, 1) ?? missing(said),
  DELIFEQ: (said) => (said.key.type ? `The value is ${quoted(said.key)}, not "${said.args[1] ?? ''}".` : missing(said)),
  PERSIST: (said) => (said.key.type ? `${said.key.key} has no deadline that could be removed.` : missing(said)),
  HSETNX: fieldExists,
  LPUSHX: (said) => `X: the list must exist. ${absent(said.key, said.nowMs)}.`,
  RPUSHX: (said) => `X: the list must exist. ${absent(said.key, said.nowMs)}.`,
  HSET: (said) => `No field is new: ${said.key.key} had all of them, and their values are replaced.`,
  SADD: (said) => `No member is new: ${said.key.key} has all of them.`,
  ZADD: (said) =>
    hasOption(said, 'XX', 1) && !said.key.type
      ? missing(said)
      : 'No member is new. Scores may have changed: with CH they are counted, too.',
  PUBLISH: (said) => `No client is subscribed to ${said.args[0] ?? 'this channel'}.`,
  LINSERT: missing,
  EXPIRE: expiryRefused,
  PEXPIRE: expiryRefused,
  EXPIREAT: expiryRefused,
  PEXPIREAT: expiryRefused,
};

function setRefused(said: Case): string | undefined {
  const { key, nowMs } = said;
  const comparison = compared(said, 2);
  if (comparison) return comparison;
  if (hasOption(said, 'XX', 2)) return `XX: ${absent(key, nowMs)}.`;
  if (hasOption(said, 'GET', 2)) return 'GET: there was no old value. The new one is set.';
  return hasOption(said, 'NX', 2) ? `NX: ${existing(key, nowMs)}.` : undefined;
}

/** IFEQ, IFNE, IFDEQ and IFDNE: the value that was compared. */
function compared(said: Case, from: number): string | undefined {
  const { key, nowMs } = said;
  const option = ['IFEQ', 'IFNE', 'IFDEQ', 'IFDNE'].find((candidate) => hasOption(said, candidate, from));
  if (!option) return undefined;
  if (!key.type) return `${option}: ${absent(key, nowMs)}.`;
  const given = optionValue(said, option, from) ?? '';
  const left = timeLeft(key.deadlineMs, nowMs);
  if (option === 'IFEQ') return `IFEQ: the value is ${quoted(key)}, not "${given}" (${left}).`;
  if (option === 'IFNE') return `IFNE: the value is ${quoted(key)}, which it must not be (${left}).`;
  if (option === 'IFDEQ') return `IFDEQ: the digest of the value ${quoted(key)} is not ${given} (${left}).`;
  return `IFDNE: the digest of the value ${quoted(key)} is ${given}, which it must not be (${left}).`;
}

function quoted({ key, value, type }: KeyFacts): string {
  return value === undefined
    ? `of ${key} (${type === 'string' ? 'a long string' : (type ?? 'missing')})`
    : `"${value}"`;
}

function firstExisting({ circumstances, nowMs }: Case, rule: string): string | undefined {
  const key = circumstances.keys.find(({ type }) => type !== undefined);
  return key && `${rule}: ${existing(key, nowMs)}.`;
}

function occupied({ circumstances, nowMs, key }: Case): string | undefined {
  const [, target] = circumstances.keys;
  if (!key.type) return `${absent(key, nowMs)}.`;
  return target?.type ? `The name is taken: ${existing(target, nowMs)}.` : undefined;
}

function fieldExists({ key, args, nowMs }: Case): string | undefined {
  const field = key.fields.find(({ name }) => name === args[1]);
  return `NX: the field ${args[1] ?? ''} of ${key.key} exists${field ? ` ("${field.value}", ${timeLeft(field.deadlineMs, nowMs)})` : ''}.`;
}

/** EXPIRE and its relatives: the key, or the condition. */
function expiryRefused(said: Case): string | undefined {
  const { key, nowMs } = said;
  if (!key.type) return missing(said);
  const left = timeLeft(key.deadlineMs, nowMs);
  if (hasOption(said, 'NX', 2)) return `NX: ${key.key} has a deadline already, ${left}.`;
  if (hasOption(said, 'XX', 2) && key.deadlineMs === null) return `XX: ${key.key} has no deadline.`;
  if (hasOption(said, 'GT', 2))
    return key.deadlineMs === null
      ? `GT: ${key.key} has no deadline, which counts as the latest of all.`
      : `GT: the new deadline is not later than the present one, ${left}.`;
  return hasOption(said, 'LT', 2) ? `LT: the new deadline is not earlier than the present one, ${left}.` : undefined;
}

/** -1 and -2 of the TTL family, and -1 of LINSERT. */
export function negativeReply(said: Case): string | undefined {
  const { name, key, reply, nowMs } = said;
  if (name === 'LINSERT') return `${key.key} has no element ${said.args[2] ?? ''}.`;
  if (!/(?:TTL|EXPIRETIME)$/.test(name)) return undefined;
  if (reply.endsWith('-2')) return `-2: ${absent(key, nowMs)}.`;
  return `-1: ${key.key} exists and has no deadline. EXPIRE sets one.`;
}

/** Commands with a field or member as their second argument, which nil or 0 says to be missing. */
const FIELD_READERS = new Set(['HGET', 'HEXISTS', 'HDEL', 'HSTRLEN']);
const MEMBER_READERS = new Set(['SISMEMBER', 'SREM', 'ZSCORE', 'ZREM', 'ZRANK', 'ZREVRANK']);

/** A nil or 0 that no rule of its own explains: the key, or the element that was asked for, is missing. */
export function missing(said: Case): string | undefined {
  const { circumstances, nowMs } = said;
  const gone = circumstances.keys.filter(({ type }) => type === undefined);
  if (gone.length > 0 && gone.length === circumstances.keys.length)
    return gone.length === 1 ? `${absent(said.key, nowMs)}.` : `None of the keys exists.${whenGone(gone, nowMs)}`;
  const [, part = ''] = said.args;
  if (FIELD_READERS.has(said.name)) return `${said.key.key} has no field ${part}.`;
  if (MEMBER_READERS.has(said.name)) return `${said.key.key} has no member ${part}.`;
  return said.name === 'LINDEX'
    ? `${said.key.key} has ${said.key.size} elements: there is no index ${part}.`
    : undefined;
}

function whenGone(keys: readonly KeyFacts[], nowMs: number): string {
  const last = keys.find(({ gone }) => gone?.event === 'expired');
  return last?.gone ? ` ${last.key} expired ${ago(last.gone.atMs, nowMs)}.` : '';
}
