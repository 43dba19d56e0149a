//! Rows: name, arity, flags, keys, grammar and documentation of each command, in one place.

pub use super::flags;
pub use super::role::{FamilyCategory, Role};

/// Groups of commands in COMMAND DOCS.
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
    Stream,
    PubSub,
    Connection,
    Server,
    Cluster,
    Transactions,
    Scripting,
    Latch,
}

impl Group {
    /// Returns the name in COMMAND DOCS.
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
            Group::Stream => "stream",
            Group::PubSub => "pubsub",
            Group::Connection => "connection",
            Group::Server => "server",
            Group::Cluster => "cluster",
            Group::Transactions => "transactions",
            Group::Scripting => "scripting",
            Group::Latch => "latch",
        }
    }

    /// Returns the ACL category of all commands of the group, if there is one.
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
            Group::Stream => Some("@stream"),
            Group::PubSub => Some("@pubsub"),
            Group::Connection => Some("@connection"),
            Group::Server | Group::Cluster => None,
            Group::Transactions => Some("@transaction"),
            Group::Scripting => Some("@scripting"),
            Group::Latch => Some("@latch"),
        }
    }
}

/// KeyAccess of a command to a key; [`KeyAccess::flags`] are the flags of COMMAND INFO.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyAccess {
    /// Reads and returns the value.
    ReadAccess,
    /// Reads metadata only, such as type, length, deadline or existence.
    ReadOnly,
    /// Replaces the value without reading it.
    Overwrite,
    /// Changes the value depending on the old one, and returns data of it.
    ReadWriteAccess,
    /// Changes the value depending on the old one.
    ReadWriteUpdate,
    /// Creates a missing key.
    OverwriteInsert,
    /// Replaces the value and, with some options, returns the old one.
    OverwriteAccess,
    /// Removes the key.
    Delete,
    /// Removes the value or parts of it and returns them.
    ReadDelete,
    /// Adds to the value without returning data of it.
    Insert,
    /// Removes parts of the value without returning them.
    Remove,
}

impl KeyAccess {
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            KeyAccess::ReadAccess => &["RO", "access"],
            KeyAccess::ReadOnly => &["RO"],
            KeyAccess::Overwrite => &["OW", "update"],
            KeyAccess::ReadWriteAccess => &["RW", "access", "update"],
            KeyAccess::ReadWriteUpdate => &["RW", "update"],
            KeyAccess::OverwriteInsert => &["OW", "insert"],
            KeyAccess::OverwriteAccess => &["RW", "access", "update", "variable_flags"],
            KeyAccess::Delete => &["RM", "delete"],
            KeyAccess::ReadDelete => &["RW", "access", "delete"],
            KeyAccess::Insert => &["RW", "insert"],
            KeyAccess::Remove => &["RW", "delete"],
        }
    }
}

/// Position of the first key of a key spec (`begin_search` in COMMAND INFO).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begin {
    Index(i32),
    /// After the keyword `word`, searched from argument `from` on. Without the keyword there are no keys.
    Keyword {
        word: &'static str,
        from: i32,
    },
}

/// Positions of further keys, relative to the first (`find_keys` in COMMAND INFO).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Find {
    /// Every `step`-th argument up to `last`, which counts from the first key, or from the end if negative.
    Range { last: i32, step: i32 },
    /// The number of keys is the argument `count_at`, and keys begin at `first`; both are relative to the beginning.
    Counted { count_at: i32, first: i32, step: i32 },
    /// The first half of the arguments from the first key on.
    FirstHalf,
}

/// Rule that finds keys among the arguments of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeySpec {
    pub access: KeyAccess,
    pub begin: Begin,
    pub find: Find,
}

impl KeySpec {
    /// Returns the spec of one key at an index.
    pub const fn one(index: i32, access: KeyAccess) -> KeySpec {
        KeySpec { access, begin: Begin::Index(index), find: Find::Range { last: 0, step: 1 } }
    }

    /// Returns the spec of keys in all arguments from an index on.
    pub const fn rest(index: i32, access: KeyAccess) -> KeySpec {
        KeySpec { access, begin: Begin::Index(index), find: Find::Range { last: -1, step: 1 } }
    }

    /// Returns the spec of keys that follow their number, the argument at an index.
    pub const fn counted(index: i32, access: KeyAccess) -> KeySpec {
        let find = Find::Counted { count_at: 0, first: 1, step: 1 };
        KeySpec { access, begin: Begin::Index(index), find }
    }

    /// Returns the spec of keys in every other argument from an index on.
    pub const fn pairs(index: i32, access: KeyAccess) -> KeySpec {
        KeySpec { access, begin: Begin::Index(index), find: Find::Range { last: -1, step: 2 } }
    }
}

/// One command, or one subcommand of a container (`object|encoding`), with its handler.
#[derive(Clone, Copy, Debug)]
pub struct Row<H: 'static> {
    /// Name in lower case; a subcommand includes its container.
    pub name: &'static str,
    /// Number of words of a request, the name included. A negative number is a minimum.
    pub arity: i32,
    pub flags: u32,
    pub group: Group,
    pub keys: &'static [KeySpec],
    /// Keywords, from the third argument on, in front of patterns of keys. Keys that they match depend on the data, so they
    /// have no spec.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub key_patterns: &'static [&'static str],
    /// First version with the command, of Redis unless another product is named.
    pub since: &'static str,
    pub complexity: &'static str,
    /// Arguments in the notation of `table/grammar`.
    pub arguments: &'static str,
    pub summary: &'static str,
    /// Shape of the reply, such as `array(bulk)|null`. Alternatives are separated by `|`.
    pub reply: &'static str,
    /// Command tips of COMMAND INFO, for clients and proxies.
    pub tips: &'static [&'static str],
    pub subcommands: &'static [Row<H>],
    pub handler: H,
    /// Number of words of the name.
    pub words: u8,
    pub role: Role,
    pub category: FamilyCategory,
}

const fn words_of(name: &str) -> u8 {
    let (bytes, mut words, mut index) = (name.as_bytes(), 1, 0);
    while index < bytes.len() {
        words += (bytes[index] == b'|') as u8;
        index += 1;
    }
    words
}

impl<H: Copy + 'static> Row<H> {
    /// Returns a row with defaults for the remaining fields, for use in struct update syntax.
    pub const fn of(
        group: Group,
        name: &'static str,
        arity: i32,
        flags: u32,
        keys: &'static [KeySpec],
        handler: H,
    ) -> Row<H> {
        Row {
            name,
            arity,
            flags,
            group,
            keys,
            key_patterns: &[],
            since: "1.0.0",
            complexity: "O(1)",
            arguments: "",
            summary: "",
            reply: "OK",
            tips: &[],
            subcommands: &[],
            handler,
            words: words_of(name),
            role: Role::Regular,
            category: FamilyCategory::OfGroup,
        }
    }

    /// Number of words of the name: 2 for a subcommand, otherwise 1.
    #[inline(always)]
    pub fn words(&self) -> usize {
        usize::from(self.words)
    }

    /// Returns the name without its container.
    pub fn own_name(&self) -> &'static str {
        self.name.rsplit('|').next().unwrap_or(self.name)
    }

    #[inline(always)]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Whether the command gives the value of its first argument, a key, to the key that is its second.
    pub fn copies_key(&self) -> bool {
        let is_at = |spec: &KeySpec, index| spec.begin == Begin::Index(index);
        let creates = |access| matches!(access, KeyAccess::Overwrite | KeyAccess::OverwriteInsert);
        matches!(self.keys, [from, to] if is_at(from, 1) && is_at(to, 2) && creates(to.access))
    }

    /// Whether the command is refused over the memory limit.
    pub fn grows_memory(&self) -> bool {
        self.has(flags::DENYOOM | flags::GROWS)
    }

    /// Whether the elements of the reply have no defined order.
    pub fn is_unordered(&self) -> bool {
        self.has(flags::UNORDERED)
    }

    /// Whether a request of this many words matches the arity.
    #[inline(always)]
    pub fn accepts(&self, words: usize) -> bool {
        let words = i32::try_from(words).unwrap_or(i32::MAX);
        if self.arity >= 0 { words == self.arity } else { words >= -self.arity }
    }
}
