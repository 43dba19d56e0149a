/** Entry `keylatch/core`: everything but an engine. `Keylatch.from(module)` takes one that the caller compiled. */
export type { Argument, CommandOption, CommandWord } from '../base/argument.js';
export type { ArgumentsOf, CommandName, ReplyOf } from '../client/call-types.js';
export type {
  Carried as ResultIn,
  Later as PromisedResults,
  Now as ImmediateResults,
  ResultMode,
} from '../base/result-mode.js';
export { BytesClient, Client } from '../client/client.js';
export type { FeedResult } from '../client/connection.js';
export { ManualClock } from '../host/clock.js';
export { Commands } from '../client/commands.js';
export type { ClientOptions } from '../client/connection.js';
export {
  ClockError,
  ClosedError,
  DecodeError,
  ExecError,
  LineError,
  LoadError,
  type LoadErrorOptions,
  NoReplyError,
  PoisonedError,
  ReplyError,
  SessionError,
  UnsafeIntegerError,
  WaitingError,
  WatchError,
} from '../base/errors.js';
export type { ErrorListener, EventListener, EventName, KeyEvent, ListenOptions } from '../host/events.js';
export type { EventKind } from '../host/generated/events.js';
export type { InspectedFacts, InspectedField, InspectedKey, InspectKeyOptions } from '../db/inspect-key.js';
export type { Codec, CodedValues, Loader, LoadOptions } from '../client/json.js';
export { Keylatch, type KeyInfo, type KeyPage, type KeyPageOptions } from '../db/keylatch.js';
export type { CommandError, ExecOptions, ExecReplies, ExecResult, Multi } from '../client/multi.js';
export type { LoadResult, ReplayResult, Skipped, SkippedKey, SkipOptions } from '../db/skipped.js';
export type { EngineModule } from '../host/module.js';
export type { KeylatchOptions, MaxmemoryPolicy } from '../db/options.js';
export type { PrefixedClient, PrefixedCommands } from '../client/prefix.js';
export { decodeReplies, type Reply } from '../resp/reply.js';
export type { ShutdownRequest, Stream, StreamHost, Streams, StreamUser } from '../host/streams.js';
export type { Messages, MessagesOptions } from '../client/messages.js';
export type { MessageListener } from '../client/channels.js';
export type { SubscribeOptions, Unsubscribe } from '../client/subscriptions.js';
export type { Keys, PageOptions, Pairs } from '../client/sugar/arguments.js';
export type { BitOperation, BitRange } from '../client/sugar/bits.js';
export type { PopWaitOptions } from '../client/sugar/blocking.js';
export type {
  DistanceUnit,
  GeoAddOptions,
  GeoArea,
  GeoCount,
  GeoFound,
  GeoSearchOptions,
  GeoStoreOptions,
  Position,
} from '../client/sugar/geo.js';
export type { ExpireCondition, ExpireOptions } from '../client/sugar/expire-condition.js';
export type { FieldExpiryResult } from '../client/sugar/hash-expiry.js';
export type { CopyOptions, RestoreOptions, ScanOptions } from '../client/sugar/keys.js';
export type { Script, ScriptOptions } from '../client/sugar/prepared-scripts.js';
export type { FunctionLoadOptions } from '../client/sugar/scripts.js';
export type { ListEnd, PopOptions, PositionOptions } from '../client/sugar/lists.js';
export type { RangeEnd, RangeOptions } from '../client/sugar/ranges.js';
export type { CombineOptions } from '../client/sugar/set-algebra.js';
export type { AsArray, AsMap, AsObject, AsSet } from '../client/sugar/result-forms.js';
export type {
  DelexOptions,
  Expiry,
  ExpiryOrKeep,
  ExpiryOrPersist,
  FieldCondition,
  MsetexOptions,
  SetCondition,
  SetOptions,
  SetResult,
} from '../client/sugar/set-options.js';
export type { CardinalityOptions } from '../client/sugar/sets.js';
export type { SortOptions } from '../client/sugar/sort.js';
export type { AddCondition, AddOptions, Score, ScoreEnd } from '../client/sugar/sorted-sets.js';
export type { InvalidationListener, TrackOptions } from '../client/tracking.js';
export type { TransactionOptions } from '../client/watched-transaction.js';
export type { AbortSignalLike } from '../base/abort.js';
export type { WaitOptions } from '../client/waits.js';
