/** Entry `keylatch/core`: everything but an engine. `Keylatch.from(module)` takes one that the caller compiled. */
export type { Argument, CommandOption, CommandWord } from './base/argument.js';
export type { ArgumentsOf, CommandName, ReplyOf } from './call-types.js';
export type {
  Carried as ResultIn,
  Later as PromisedResults,
  Now as ImmediateResults,
  ResultMode,
} from './base/result-mode.js';
export { BytesClient, Client, type FeedResult } from './client.js';
export { ManualClock } from './host/clock.js';
export { Commands } from './commands.js';
export type { ClientOptions } from './connection.js';
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
} from './base/errors.js';
export type { ErrorListener, EventListener, EventName, KeyEvent, ListenOptions } from './host/events.js';
export type { EventKind } from './host/generated/events.js';
export type { InspectedFacts, InspectedField, InspectedKey, InspectKeyOptions } from './inspect-key.js';
export type { Codec, CodedValues, Loader, LoadOptions } from './json.js';
export { Keylatch, type KeyInfo, type KeyPage, type KeyPageOptions, type ReplayResult } from './keylatch.js';
export type { CommandError, ExecOptions, ExecReplies, ExecResult, Multi } from './multi.js';
export type { LoadResult, Skipped, SkippedKey, SkipOptions } from './skipped.js';
export type { EngineModule } from './host/module.js';
export type { KeylatchOptions, MaxmemoryPolicy } from './options.js';
export type { PrefixedClient, PrefixedCommands } from './prefix.js';
export { decodeReplies, type Reply } from './resp/reply.js';
export type { Stream, StreamHost, Streams, StreamUser } from './host/streams.js';
export type { Messages, MessagesOptions } from './messages.js';
export type { MessageListener, SubscribeOptions, Unsubscribe } from './subscriptions.js';
export type { Keys, PageOptions, Pairs } from './sugar/arguments.js';
export type { BitOperation, BitRange } from './sugar/bits.js';
export type { PopWaitOptions } from './sugar/blocking.js';
export type {
  DistanceUnit,
  GeoAddOptions,
  GeoArea,
  GeoCount,
  GeoFound,
  GeoSearchOptions,
  GeoStoreOptions,
  Position,
} from './sugar/geo.js';
export type { ExpireCondition, ExpireOptions } from './sugar/expire-condition.js';
export type { FieldExpiryResult } from './sugar/hash-expiry.js';
export type { CopyOptions, RestoreOptions, ScanOptions } from './sugar/keys.js';
export type { Script, ScriptOptions } from './sugar/prepared-scripts.js';
export type { FunctionLoadOptions } from './sugar/scripts.js';
export type { ListEnd, PopOptions, PositionOptions } from './sugar/lists.js';
export type { RangeEnd, RangeOptions } from './sugar/ranges.js';
export type { CombineOptions } from './sugar/set-algebra.js';
export type { AsArray, AsMap, AsObject, AsSet } from './sugar/result-forms.js';
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
} from './sugar/set-options.js';
export type { CardinalityOptions } from './sugar/sets.js';
export type { SortOptions } from './sugar/sort.js';
export type { AddCondition, AddOptions, Score, ScoreEnd } from './sugar/sorted-sets.js';
export type { InvalidationListener, TrackOptions } from './tracking.js';
export type { TransactionOptions } from './watched-transaction.js';
export type { AbortSignalLike } from './base/abort.js';
export type { WaitOptions } from './waits.js';
