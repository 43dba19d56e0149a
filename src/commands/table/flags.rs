//! Flags of rows: those of Redis, and those of keylatch from bit 16 on.

pub const WRITE: u32 = 1 << 0;
pub const READONLY: u32 = 1 << 1;
pub const DENYOOM: u32 = 1 << 2;
pub const FAST: u32 = 1 << 3;
pub const NOSCRIPT: u32 = 1 << 4;
pub const LOADING: u32 = 1 << 5;
pub const STALE: u32 = 1 << 6;
pub const ALLOW_BUSY: u32 = 1 << 7;
/// Key positions depend on the arguments.
pub const MOVABLEKEYS: u32 = 1 << 8;
pub const ADMIN: u32 = 1 << 9;
pub const BLOCKING: u32 = 1 << 10;
pub const PUBSUB: u32 = 1 << 11;
/// Allowed before AUTH.
pub const NO_AUTH: u32 = 1 << 12;
pub const SKIP_MONITOR: u32 = 1 << 13;
pub const SKIP_SLOWLOG: u32 = 1 << 14;
/// Refused between MULTI and EXEC.
pub const NO_MULTI: u32 = 1 << 15;
/// Not of Redis: reply or change depend on chance, or on where a walk goes on.
pub const CHANCE: u32 = 1 << 16;
/// Not of Redis: reply or change depend on the server, such as its configuration, counts, scripts, or uses of keys.
pub const SERVER_STATE: u32 = 1 << 17;
/// Not of Redis: reply or change depend on more of connections than their database, transaction and subscriptions.
pub const CONNECTION_STATE: u32 = 1 << 18;
/// Not of Redis: the command runs the commands that were queued since MULTI.
pub const RUNS_QUEUE: u32 = 1 << 19;
/// Not of Redis: the command ends a transaction, so that it is allowed in one over the memory limit.
pub const ENDS_MULTI: u32 = 1 << 20;
/// Not of Redis: a subscriber over RESP2 may send the command.
pub const TO_SUBSCRIBERS: u32 = 1 << 21;
/// Not of Redis: without options the command depends on no time, and it never takes long.
pub const SHORT_WITHOUT_OPTIONS: u32 = 1 << 22;
/// Not of Redis: the command is refused over the memory limit, although COMMAND INFO has no `denyoom`.
pub const GROWS: u32 = 1 << 23;
/// Not of Redis: the command depends on the time even if no deadline has passed.
pub const TIME: u32 = 1 << 24;
/// Not of Redis: the elements of the reply have no defined order.
pub const UNORDERED: u32 = 1 << 25;
/// Not of Redis: the command is not queued between MULTI and EXEC.
pub const IMMEDIATE: u32 = 1 << 26;
/// Not of Redis: the command belongs to the ACL category `dangerous`.
pub const DANGEROUS: u32 = 1 << 27;
/// Not of Redis: the command may take long despite `FAST`, and the sizes of request and reply do not show it.
pub const LONG: u32 = 1 << 28;
/// Not of Redis: the command allocates memory that stays in use outside the keyspace, such as subscriptions.
pub const KEEPS: u32 = 1 << 29;
/// Not of Redis: EXEC evaluates the command before all others, and runs nothing if it fails.
pub const GUARD: u32 = 1 << 30;
/// Not of Redis: the command runs a script, which may write and may need the time.
pub const RUNS_SCRIPT: u32 = 1 << 31;

/// Names in COMMAND INFO, in the order of Redis.
pub const NAMES: &[(u32, &str)] = &[
    (WRITE, "write"),
    (READONLY, "readonly"),
    (DENYOOM, "denyoom"),
    (ADMIN, "admin"),
    (PUBSUB, "pubsub"),
    (NOSCRIPT, "noscript"),
    (BLOCKING, "blocking"),
    (LOADING, "loading"),
    (STALE, "stale"),
    (SKIP_MONITOR, "skip_monitor"),
    (SKIP_SLOWLOG, "skip_slowlog"),
    (FAST, "fast"),
    (NO_AUTH, "no_auth"),
    (ALLOW_BUSY, "allow_busy"),
    (MOVABLEKEYS, "movablekeys"),
    (NO_MULTI, "no_multi"),
];

/// State on which reply and change of a command depend beside its words, keys, the clock and earlier commands of its
/// client.
#[cfg(feature = "internals")]
pub const DEPENDS_ON: &[(u32, &str)] =
    &[(CHANCE, "chance"), (SERVER_STATE, "server"), (CONNECTION_STATE, "connections")];
