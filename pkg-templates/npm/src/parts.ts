/** Classes and functions of this layer that entries beside it extend: there must be one copy of each class. */
import { abortReason, onAbort } from './abort.js';
import { bytesOf, commandName } from './argument.js';
import {
  ClockError,
  ClosedError,
  LoadError,
  PoisonedError,
  ReplyError,
  SessionError,
  UnsafeIntegerError,
  WatchError,
} from './errors.js';
import { Events, LISTEN } from './events.js';
import { codecOf, decode, encode, JSON_CODEC, nameOf } from './json.js';
import { MESSAGES, Messages } from './messages.js';
import { QueuedCommands } from './multi.js';
import { wordOf } from './key-specs.js';
import { Prefix } from './prefix.js';
import { decodeReplies, doubleOf, textOf } from './reply.js';
import { SUBSCRIBE } from './subscriptions.js';
import { PAGE } from './sugar/arguments.js';
import { BlockingCommands } from './sugar/blocking.js';
import { SCAN } from './sugar/keys.js';
import { checked } from './sugar/option-check.js';
import { fromCaller } from './stack.js';
import { transactionResult } from './transaction.js';
import { TRANSACTION } from './watched-transaction.js';

export const PARTS = {
  BlockingCommands,
  Events,
  Messages,
  Prefix,
  QueuedCommands,
  errors: {
    ClockError,
    ClosedError,
    LoadError,
    PoisonedError,
    ReplyError,
    SessionError,
    UnsafeIntegerError,
    WatchError,
  },
  codecs: { codecOf, decode, encode, JSON_CODEC, nameOf },
  shapes: { LISTEN, MESSAGES, PAGE, SCAN, SUBSCRIBE, TRANSACTION },
  abortReason,
  bytesOf,
  checked,
  commandName,
  decodeReplies,
  doubleOf,
  fromCaller,
  onAbort,
  textOf,
  transactionResult,
  wordOf,
};
