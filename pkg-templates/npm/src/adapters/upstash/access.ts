/** Tokens of the REST protocol: which requests they admit, and which commands. */
import { BLOCKING, READ_ONLY } from '../../client/generated/reads.js';
import { type RestRequest, Failure } from './exchange.js';
import type { RestSettings } from './options.js';

export type Access = 'full' | 'read-only';

/** Commands that look at all keys, or run others that are not known here. */
const NOT_FOR_READERS = ['KEYS', 'SCAN', 'EVAL_RO', 'EVALSHA_RO', 'FCALL_RO'];
const READS = new Set([...READ_ONLY.split(','), 'PING', 'ECHO', 'TIME']);
for (const name of NOT_FOR_READERS) READS.delete(name);
const WAITS = /* @__PURE__ */ new Set(/* @__PURE__ */ BLOCKING.split(','));

/** Access of the token that a request has. Without a valid token it is status 401. */
export function accessOf(request: RestRequest, { tokens, readOnlyTokens }: RestSettings): Access {
  if (tokens === undefined) return 'full';
  const [, bearer] = /^bearer (.*)$/i.exec(request.header('authorization') ?? '') ?? [];
  const given = bearer ?? request.query.get('_token') ?? '';
  // All are compared, so that the time says nothing about which one was near.
  const isFull = matches(given, tokens);
  const isReader = matches(given, readOnlyTokens);
  if (isFull) return 'full';
  if (isReader) return 'read-only';
  throw new Failure(401, 'WRONGPASS invalid or missing auth token');
}

function matches(given: string, tokens: readonly string[]): boolean {
  return tokens.map((token) => isSame(given, token)).includes(true);
}

/** Compares all characters, however early two texts differ. */
function isSame(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let index = 0; index < given.length; index += 1) {
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index % expected.length);
  }
  return difference === 0;
}

/** Whether a command only reads; the name is in capitals, with that of a subcommand behind a blank. */
export function onlyReads(name: string): boolean {
  return READS.has(name);
}

/** Whether the command may have to wait. */
export function mayWait(name: string): boolean {
  return WAITS.has(name);
}
