/** Classes and functions of this layer that entries beside it extend: there must be one copy of each class. */
import { abortReason, onAbort } from '../base/abort.js';
import { bytesOf, commandName } from '../base/argument.js';
import {
  ClockError,
  ClosedError,
  LoadError,
  PoisonedError,
  ReplyError,
  SessionError,
  UnsafeIntegerError,
  WatchError,
} from '../base/errors.js';
import { Events, LISTEN } from '../host/events.js';
import { codecOf, decode, encode, JSON_CODEC, nameOf } from '../client/json.js';
import { MESSAGES, Messages } from '../client/messages.js';
import { QueuedCommands } from '../client/multi.js';
import { wordOf } from '../client/key-specs.js';
import { Prefix } from '../client/prefix.js';
import { decodeReplies, doubleOf, textOf } from '../resp/reply.js';
import { SUBSCRIBE } from '../client/subscriptions.js';
import { PAGE } from '../client/sugar/arguments.js';
import { BlockingCommands } from '../client/sugar/blocking.js';
import { SCAN } from '../client/sugar/keys.js';
import { checked } from '../base/option-check.js';
import { fromCaller } from '../base/stack.js';
import { transactionResult } from '../client/transaction.js';
import { TRANSACTION } from '../client/watched-transaction.js';

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
