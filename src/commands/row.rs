//! What is known about a command: one row, written once.

use alloc::vec::Vec;

use super::{Args, Context};
use crate::base::clock::Timestamp;
use crate::keyspace::KeyName;
use crate::resp::error::CommandError;
use crate::values::Kind;

/// Flags of a row: Redis' own, and three of ours. A row's `flags` are their sum.
pub mod flags {
    pub const WRITE: u32 = 1 << 0;
    pub const READONLY: u32 = 1 << 1;
    pub const DENYOOM: u32 = 1 << 2;
    pub const FAST: u32 = 1 << 3;
    pub const NOSCRIPT: u32 = 1 << 4;
    pub const LOADING: u32 = 1 << 5;
    pub const STALE: u32 = 1 << 6;
    pub const ALLOW_BUSY: u32 = 1 << 7;
    /// The keys cannot be found by position alone.
    pub const MOVABLEKEYS: u32 = 1 << 8;
    pub const ADMIN: u32 = 1 << 9;
    pub const BLOCKING: u32 = 1 << 10;
    pub const PUBSUB: u32 = 1 << 11;
    /// Allowed before AUTH.
    pub const NO_AUTH: u32 = 1 << 12;
    pub const SKIP_MONITOR: u32 = 1 << 13;
    pub const SKIP_SLOWLOG: u32 = 1 << 14;
    /// Ours: the command needs the time even when nothing is due.
    pub const TIME: u32 = 1 << 24;
    /// Ours: the reply is a set in no promised order.
    pub const UNORDERED: u32 = 1 << 25;
    /// Ours: runs at once, also between MULTI and EXEC.
    pub const IMMEDIATE: u32 = 1 << 26;
    /// Ours: the keyspace as a whole is read or changed; ACL category `dangerous`.
    pub const DANGEROUS: u32 = 1 << 27;
    /// Ours: may take long though Redis calls it fast, and neither request nor reply shows that it did.
    pub const LONG: u32 = 1 << 28;

    /// Ours: keeps small pieces of memory though it puts no data into the keyspace.
    pub const KEEPS: u32 = 1 << 29;

    /// The names COMMAND INFO shows.
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
    ];
}

/// The families of the documentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    String,
    Bitmap,
    Generic,
    List,
    Set,
    SortedSet,
    Geo,
    HyperLogLog,
    Hash,
    PubSub,
    Connection,
    Server,
    Cluster,
    Transactions,
}

impl Group {
    /// As COMMAND DOCS names it.
    pub fn name(self) -> &'static str {
        match self {
            Group::String => "string",
            Group::Bitmap => "bitmap",
            Group::Generic => "generic",
            Group::List => "list",
            Group::Set => "set",
            Group::SortedSet => "sorted-set",
            Group::Geo => "geo",
            Group::HyperLogLog => "hyperloglog",
            Group::Hash => "hash",
            Group::PubSub => "pubsub",
            Group::Connection => "connection",
            Group::Server => "server",
            Group::Cluster => "cluster",
            Group::Transactions => "transactions",
        }
    }

    /// The ACL category every command of the group belongs to.
    pub fn category(self) -> Option<&'static str> {
        match self {
            Group::String => Some("@string"),
            Group::Bitmap => Some("@bitmap"),
            Group::Generic => Some("@keyspace"),
            Group::List => Some("@list"),
            Group::Set => Some("@set"),
            Group::SortedSet => Some("@sortedset"),
            Group::Geo => Some("@geo"),
            Group::HyperLogLog => Some("@hyperloglog"),
            Group::Hash => Some("@hash"),
            Group::PubSub => Some("@pubsub"),
            Group::Connection => Some("@connection"),
            Group::Server | Group::Cluster => None,
            Group::Transactions => Some("@transaction"),
        }
    }
}

/// What a command does with keys, in the words of COMMAND INFO.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads the value and answers it.
    ReadAccess,
    /// Reads only what is around the value (type, deadline, existence).
    ReadOnly,
    /// Replaces the value whatever it was.
    Overwrite,
    /// Changes the value depending on what it was, and answers from it.
    ReadWriteAccess,
    /// Changes the value depending on what it was.
    ReadWriteUpdate,
    /// Sets a key that was missing.
    OverwriteInsert,
    /// Overwrites, and may answer the old value.
    OverwriteAccess,
    /// Removes the key.
    Delete,
    /// Reads the value, answers it and removes the key.
    ReadDelete,
    /// Adds to the value without reading it out.
    Insert,
    /// Removes parts of the value without reading them out.
    Remove,
}

impl Access {
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Access::ReadAccess => &["RO", "access"],
            Access::ReadOnly => &["RO"],
            Access::Overwrite => &["OW", "update"],
            Access::ReadWriteAccess => &["RW", "access", "update"],
            Access::ReadWriteUpdate => &["RW", "update"],
            Access::OverwriteInsert => &["OW", "insert"],
            Access::OverwriteAccess => &["RW", "access", "update", "variable_flags"],
            Access::Delete => &["RM", "delete"],
            Access::ReadDelete => &["RW", "access", "delete"],
            Access::Insert => &["RW", "insert"],
            Access::Remove => &["RW", "delete"],
        }
    }
}

/// Where a run of keys begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begin {
    Index(i32),
    /// Behind this word, which is looked for from an index on; without it there are no keys.
    Keyword {
        word: &'static str,
        from: i32,
    },
}

/// How a run of keys goes on from its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Find {
    /// Up to `last` (counted from the beginning, negative from the end), every `step`-th argument.
    Range { last: i32, step: i32 },
    /// The argument `count_at` says how many; keys begin at `first`, both counted from the beginning.
    Counted { count_at: i32, first: i32, step: i32 },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeySpec {
    pub access: Access,
    pub begin: Begin,
    pub find: Find,
}

impl KeySpec {
    /// One key at an index.
    pub const fn one(index: i32, access: Access) -> KeySpec {
        KeySpec { access, begin: Begin::Index(index), find: Find::Range { last: 0, step: 1 } }
    }

    /// All arguments from an index on.
    pub const fn rest(index: i32, access: Access) -> KeySpec {
        KeySpec { access, begin: Begin::Index(index), find: Find::Range { last: -1, step: 1 } }
    }

    /// As many as the argument at an index says, behind it.
    pub const fn counted(index: i32, access: Access) -> KeySpec {
        let find = Find::Counted { count_at: 0, first: 1, step: 1 };
        KeySpec { access, begin: Begin::Index(index), find }
    }

    /// Every other argument from an index on.
    pub const fn pairs(index: i32, access: Access) -> KeySpec {
        KeySpec { access, begin: Begin::Index(index), find: Find::Range { last: -1, step: 2 } }
    }
}

/// How a command ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The reply is written.
    Done,
    /// Nothing is written: the command runs again when one of the keys changes or the time has come.
    Block(BlockOn),
}

/// Condition that a blocked command waits for. A command that is run again and blocks again keeps its first one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockOn {
    pub wanted: Option<Wanted>,
    /// From this instant on the command gives up.
    pub until: Option<Timestamp>,
}

impl BlockOn {
    pub fn keys(&self) -> &[KeyName] {
        self.wanted.as_ref().map_or(&[], |wanted| &wanted.keys)
    }
}

/// Keys, and what a changed one of them must hold for the command to run again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    pub keys: Vec<KeyName>,
    pub kind: Kind,
}

/// In which run of a command its handler finds itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocking {
    /// The command may block.
    Allowed,
    /// It must answer from what there is: it runs in a transaction, or out of a log.
    Denied,
    /// Its time is over: it must answer that nothing came.
    TimedOut,
}

/// How a handler ended: the reply is written, or the command waits ([`Context::block_on`]); an error is the reply.
pub type Reply = Result<(), CommandError>;

pub type Handler = fn(&mut Context<'_>, &mut Args<'_>) -> Reply;

/// One command, or one subcommand of a container (`object|encoding`).
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Lower case, as errors and COMMAND print it.
    pub name: &'static str,
    /// Number of words of a request, the name included; negative: at least that many.
    pub arity: i32,
    pub flags: u32,
    pub group: Group,
    pub keys: &'static [KeySpec],
    /// The Redis version that brought it.
    pub since: &'static str,
    pub complexity: &'static str,
    /// The arguments in the notation of `grammar`.
    pub arguments: &'static str,
    pub summary: &'static str,
    /// What is answered, in the notation of `docs`: alternatives separated by `|`.
    pub reply: &'static str,
    /// Hints for proxies and clusters, as COMMAND INFO shows them.
    pub tips: &'static [&'static str],
    pub subcommands: &'static [Row],
    pub handler: Handler,
    /// Of the name.
    pub(super) words: u8,
}

const fn words_of(name: &str) -> u8 {
    let (bytes, mut words, mut at) = (name.as_bytes(), 1, 0);
    while at < bytes.len() {
        words += (bytes[at] == b'|') as u8;
        at += 1;
    }
    words
}

impl Row {
    /// A row to fill in with `..`: what most rows share.
    pub const fn of(
        group: Group,
        name: &'static str,
        arity: i32,
        flags: u32,
        keys: &'static [KeySpec],
        handler: Handler,
    ) -> Row {
        Row {
            name,
            arity,
            flags,
            group,
            keys,
            since: "1.0.0",
            complexity: "O(1)",
            arguments: "",
            summary: "",
            reply: "OK",
            tips: &[],
            subcommands: &[],
            handler,
            words: words_of(name),
        }
    }

    /// How many words the name has: 2 for a subcommand.
    #[inline(always)]
    pub fn words(&self) -> usize {
        usize::from(self.words)
    }

    /// The last word of the name.
    pub fn own_name(&self) -> &'static str {
        self.name.rsplit('|').next().unwrap_or(self.name)
    }

    #[inline(always)]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Whether the reply is in no promised order.
    pub fn is_unordered(&self) -> bool {
        self.has(flags::UNORDERED)
    }

    /// Whether a request of so many words has the right arity.
    #[inline(always)]
    pub fn accepts(&self, words: usize) -> bool {
        let words = i32::try_from(words).unwrap_or(i32::MAX);
        if self.arity >= 0 { words == self.arity } else { words >= -self.arity }
    }
}
