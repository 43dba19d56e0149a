/**
 * The rules of a namespace and of its tokens: the commands and channels that they admit. A limited token has only what its globs
 * name, so only commands with keys or a channel that are known before are run.
 */
import { globMatcher } from '../../base/glob.js';
import { Encoder } from '../../base/encoders.js';
import { ADMIN } from '../../client/generated/reads.js';
import { keyIndices } from '../../client/key-positions.js';
import { wordOf } from '../../client/key-specs.js';
import { textOf } from '../../resp/reply.js';
import type { AccessLimits } from '../upstash/access.js';
import { type Command, type Rules, type Word, withSubcommand } from '../upstash/commands.js';

const OF_SERVERS = /* @__PURE__ */ new Set(/* @__PURE__ */ ADMIN.split(','));
/** Keys that the package keeps for itself, such as replies of other requests. */
const OWN_KEYS = 'keylatch:';
/** Commands that touch neither keys nor channels. */
const WITHOUT_KEYS = ['PING', 'ECHO', 'TIME'];
/** Commands of which the first argument is a channel. */
const WITH_CHANNEL = ['PUBLISH', 'SPUBLISH'];
/** Scripts reach keys that they do not name. */
const SCRIPTS = ['EVAL', 'EVALSHA', 'EVAL_RO', 'EVALSHA_RO', 'FCALL', 'FCALL_RO'];
/** Commands with patterns of keys behind these words. */
const SORTS = ['SORT', 'SORT_RO'];
const PATTERNS_FOLLOW = ['BY', 'GET'];

const encoder = /* @__PURE__ */ new Encoder();

export const namespaceRules: Rules = {
  command({ limits }, name, command) {
    const admin = [name, withSubcommand(command)].find((each) => OF_SERVERS.has(each));
    if (admin !== undefined) return `ERR ${admin} is about a server; a namespace is data alone`;
    return limits && refusalByLimits(limits, name, command);
  },
  channel({ limits }, channel, isPattern) {
    if (limits === undefined) return undefined;
    // Whether one pattern has all that another has is not asked: only the same pattern is admitted.
    const isAdmitted = isPattern ? limits.channels.includes(channel) : isMatched(limits.channels, channel);
    return isAdmitted ? undefined : 'NOPERM this token is not for this channel';
  },
};

function refusalByLimits(limits: AccessLimits, name: string, command: Command): string | undefined {
  if (WITHOUT_KEYS.includes(name)) return undefined;
  if (WITH_CHANNEL.includes(name))
    return isMatched(limits.channels, command[1] ?? '') ? undefined : 'NOPERM this token is not for this channel';
  const indices = areKeysKnown(name, command) ? keyIndices(command) : [];
  if (indices.length === 0)
    return `NOPERM this token is for certain keys: it cannot run the '${name.toLowerCase()}' command`;
  const foreign = indices.find((index) => !isAdmittedKey(limits.keys, command[index] ?? ''));
  return foreign === undefined ? undefined : `NOPERM this token is not for the key of argument ${foreign}`;
}

function areKeysKnown(name: string, command: Command): boolean {
  if (SCRIPTS.includes(name)) return false;
  return !SORTS.includes(name) || !command.slice(2).some((word) => PATTERNS_FOLLOW.includes(wordOf(word)));
}

function isAdmittedKey(globs: readonly string[], key: Word): boolean {
  const text = typeof key === 'string' ? key : textOf(key);
  return !text.startsWith(OWN_KEYS) && isMatched(globs, key);
}

function isMatched(globs: readonly string[], word: Word): boolean {
  const bytes = typeof word === 'string' ? encoder.encode(word) : word;
  return globs.some((glob) => globMatcher(encoder.encode(glob))(bytes));
}

/** Whether a token is for a namespace: it names it, or a beginning of it with a star behind. */
export function isForNamespace(names: readonly string[], namespace: string): boolean {
  return names.some((name) => (name.endsWith('*') ? namespace.startsWith(name.slice(0, -1)) : namespace === name));
}
