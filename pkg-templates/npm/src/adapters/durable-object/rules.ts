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
import { type Access, type AccessLimits, mayWait } from '../upstash/access.js';
import { WITH_CHANNEL } from './channels.js';
import { type Command, type Rules, type Word, withSubcommand } from '../upstash/commands.js';

const OF_SERVERS = /* @__PURE__ */ new Set(/* @__PURE__ */ ADMIN.split(','));
/** First words of those: a subcommand of another command is not looked at. */
const MAYBE_OF_SERVERS = /* @__PURE__ */ new Set(/* @__PURE__ */ ADMIN.replace(/ [^,]*/g, '').split(','));
/** Keys that the package keeps for itself, such as replies of other requests. */
const OWN_KEYS = 'keylatch:';
/** Commands that touch neither keys nor channels, or give up what the connection has. */
const WITHOUT_KEYS = /* @__PURE__ */ new Set(
  /* @__PURE__ */ (
    'PING ECHO TIME ASKING AUTH DISCARD EXEC HELLO MULTI PUNSUBSCRIBE QUIT READONLY READWRITE RESET SELECT SUNSUBSCRIBE ' +
    'UNSUBSCRIBE UNWATCH'
  ).split(' '),
);
/** Commands of which all arguments are channels, or patterns of such. */
const SUBSCRIPTIONS = ['SUBSCRIBE', 'SSUBSCRIBE', 'PSUBSCRIBE'];
/** Subcommands of CLIENT that are about the connection alone. */
const OF_CLIENT = [
  'CACHING',
  'GETNAME',
  'GETREDIR',
  'ID',
  'INFO',
  'REPLY',
  'SETINFO',
  'SETNAME',
  'TRACKING',
  'TRACKINGINFO',
];
/** Options of CLIENT TRACKING by which a client hears of keys that it did not read, or sends messages to another. */
const TRACKING_OTHERS = ['BCAST', 'PREFIX', 'REDIRECT'];
/** Scripts reach keys that they do not name. */
const SCRIPTS = ['EVAL', 'EVALSHA', 'EVAL_RO', 'EVALSHA_RO', 'FCALL', 'FCALL_RO'];
/** Commands with patterns of keys behind these words. */
const SORTS = ['SORT', 'SORT_RO'];
const PATTERNS_FOLLOW = ['BY', 'GET'];

/** Bytes of UTF-8 that a code unit has at most. */
const UTF8_BYTES_MAX = 3;
const encoder = /* @__PURE__ */ new Encoder();

/** Limits that hold for all tokens, and how many clients wait. */
export interface NamespaceLimits {
  readonly valueBytes: number;
  readonly waitingClients: number;
  waiting(): number;
}

export class NamespaceRules implements Rules {
  readonly #limits: NamespaceLimits;

  constructor(limits: NamespaceLimits) {
    this.#limits = limits;
  }

  command({ limits }: Access, name: string, command: Command): string | undefined {
    const admin = MAYBE_OF_SERVERS.has(name) && [name, withSubcommand(command)].find((each) => OF_SERVERS.has(each));
    if (admin) return `ERR ${admin} is about a server; a namespace is data alone`;
    return (limits && refusalByLimits(limits, name, command)) ?? this.#refusalOf(name, command);
  }

  channel({ limits }: Access, channel: string, isPattern: boolean): string | undefined {
    return limits && refusalOfChannel(limits, channel, isPattern);
  }

  #refusalOf(name: string, command: Command): string | undefined {
    const { valueBytes, waitingClients } = this.#limits;
    const tooLong = command.findIndex((word) => byteLength(word, valueBytes) > valueBytes);
    if (tooLong !== -1) return `ERR argument ${tooLong} has more than the ${valueBytes} bytes that a value may have`;
    if (!mayWait(name) || this.#limits.waiting() < waitingClients) return undefined;
    return `OVERLOADED ${waitingClients} clients of this namespace wait already: '${name.toLowerCase()}' has not run`;
  }
}

/** Bytes of a word; those of a text are counted if they may be more than `max`. */
function byteLength(word: Word, max: number): number {
  const isShort = word.length * UTF8_BYTES_MAX <= max;
  return typeof word === 'string' && !isShort ? encoder.encode(word).length : word.length;
}

function refusalByLimits(limits: AccessLimits, name: string, command: Command): string | undefined {
  if (WITHOUT_KEYS.has(name) || (name === 'CLIENT' && isOfClient(command))) return undefined;
  if (WITH_CHANNEL.includes(name)) return refusalOfChannel(limits, command[1] ?? '', false);
  if (SUBSCRIPTIONS.includes(name)) {
    const refusals = command.slice(1).map((word) => refusalOfChannel(limits, word, name === 'PSUBSCRIBE'));
    return refusals.find((refusal) => refusal !== undefined);
  }
  const indices = areKeysKnown(name, command) ? keyIndices(command) : [];
  if (indices.length === 0)
    return `NOPERM this token is for certain keys: it cannot run the '${name.toLowerCase()}' command`;
  const foreign = indices.find((index) => !isAdmittedKey(limits.keys, command[index] ?? ''));
  return foreign === undefined ? undefined : `NOPERM this token is not for the key of argument ${foreign}`;
}

function isOfClient([, subcommand, ...words]: Command): boolean {
  const name = wordOf(subcommand);
  const isOfOthers = name === 'TRACKING' && words.some((word) => TRACKING_OTHERS.includes(wordOf(word)));
  return OF_CLIENT.includes(name) && !isOfOthers;
}

function refusalOfChannel({ channels }: AccessLimits, channel: Word, isPattern: boolean): string | undefined {
  // Whether one pattern has all that another has is not asked: only the same pattern is admitted.
  const isAdmitted = isPattern ? channels.includes(textIn(channel)) : isMatched(channels, channel);
  return isAdmitted ? undefined : 'NOPERM this token is not for this channel';
}

function areKeysKnown(name: string, command: Command): boolean {
  if (SCRIPTS.includes(name)) return false;
  return !SORTS.includes(name) || !command.slice(2).some((word) => PATTERNS_FOLLOW.includes(wordOf(word)));
}

function isAdmittedKey(globs: readonly string[], key: Word): boolean {
  return !textIn(key).startsWith(OWN_KEYS) && isMatched(globs, key);
}

function textIn(word: Word): string {
  return typeof word === 'string' ? word : textOf(word);
}

function isMatched(globs: readonly string[], word: Word): boolean {
  const bytes = typeof word === 'string' ? encoder.encode(word) : word;
  return globs.some((glob) => globMatcher(encoder.encode(glob))(bytes));
}

/** Whether a token is for a namespace: it names it, or a beginning of it with a star behind. */
export function isForNamespace(names: readonly string[], namespace: string): boolean {
  return names.some((name) => (name.endsWith('*') ? namespace.startsWith(name.slice(0, -1)) : namespace === name));
}
