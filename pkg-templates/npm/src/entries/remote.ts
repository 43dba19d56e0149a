/** Entry `keylatch/remote`: the methods of a database at another place, over WebSockets, REST or a binding. Imports no engine. */
export { connect, type Address } from '../remote/connect.js';
export { AccessRefused, MayHaveRun, Overloaded, RemoteError, Unavailable } from '../remote/errors.js';
export type { CacheOptions, ConnectOptions, RemoteToken } from '../remote/options.js';
export { RemoteKeylatch } from '../remote/remote-keylatch.js';
export type { ObjectBinding } from '../remote/rpc.js';
export type { WebSocketClass, WebSocketLike } from '../remote/socket-connection.js';
export type { SharedClient } from '../client/shared/client.js';
export type { SharedCommands } from '../client/shared/commands.js';
export type { SharedValues } from '../client/shared/json.js';
export type { SharedMulti } from '../client/shared/multi.js';
export type { SharedPrefixedClient, SharedPrefixedCommands } from '../client/shared/prefix.js';
export { ClosedError, DecodeError, ExecError, ReplyError, UnsafeIntegerError, WatchError } from '../base/errors.js';
export type { Messages, MessagesOptions } from '../client/messages.js';
export type { SubscribeOptions, Unsubscribe } from '../client/subscriptions.js';
