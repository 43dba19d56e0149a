/** Entry `keylatch/core`: everything but an engine. `Keylatch.from(module)` takes one that the caller compiled. */
export type { Argument } from './argument.js';
export type { Carried, Carrier, Later, Now } from './carrier.js';
export { BytesClient, Client, type Fed } from './client.js';
export { ManualClock } from './clock.js';
export { Commands } from './commands.js';
export type { ClientOptions } from './connection.js';
export {
  ClockError, ClosedError, LineError, LoadError, PoisonedError, ReplyError, SessionError, WaitingError,
} from './errors.js';
export type { ErrorListener, EventListener, EventName, KeyEvent, ListenOptions } from './events.js';
export { Keylatch, type Inspection, type InspectOptions, type KeyInfo, type Replayed } from './keylatch.js';
export type { ExecResult, Multi } from './multi.js';
export type { EngineModule, KeylatchOptions } from './options.js';
export { decodeReplies, type Reply } from './reply.js';
export { runSession, type RunOptions } from './run-session.js';
export { describeMismatches } from './session-report.js';
export type {
  Report, SessionClient, SessionExpectation, SessionMismatch, SessionOptions, SessionStep,
} from './session.js';
export type { Stream, StreamHost, Streams, StreamUser } from './streams.js';
export type { Expiry, ExpiryOrKeep, SetCondition, SetOptions, SetResult } from './sugar/set-options.js';
