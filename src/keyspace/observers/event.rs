//! Events of keys, with the names of Redis' keyspace notifications. Events are made only while they are listened for.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::headroom::{OutOfMemory, ensure_reserve_unspent, try_reserve};

/// Classes of events, as in the parameter `notify-keyspace-events`.
///
/// # Examples
/// ```
/// assert_eq!(keylatch::EventClass::Hash.letter(), Some('h'));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventClass {
    /// Commands for keys of any type: DEL, EXPIRE, RENAME.
    Generic,
    /// Commands for strings.
    String,
    /// Commands for lists.
    List,
    /// Commands for sets.
    Set,
    /// Commands for sorted sets.
    ZSet,
    /// Commands for hashes.
    Hash,
    /// Commands for streams.
    Stream,
    /// The deadline of a key has passed.
    Expired,
    /// A key was removed for `maxmemory`.
    Evicted,
    /// Events of the engine itself, which are not about a key and not published.
    Engine,
}

impl EventClass {
    /// Its letter in `notify-keyspace-events`; `None` for events that are not published.
    pub fn letter(self) -> Option<char> {
        match self {
            EventClass::Generic => Some('g'),
            EventClass::String => Some('$'),
            EventClass::List => Some('l'),
            EventClass::Set => Some('s'),
            EventClass::ZSet => Some('z'),
            EventClass::Hash => Some('h'),
            EventClass::Stream => Some('t'),
            EventClass::Expired => Some('x'),
            EventClass::Evicted => Some('e'),
            EventClass::Engine => None,
        }
    }
}

macro_rules! kinds {
    ($($kind:ident = $class:ident $name:literal;)*) => {
        /// Kinds of events.
        ///
        /// # Examples
        /// ```
        /// use keylatch::{EventClass, EventKind};
        ///
        /// assert_eq!((EventKind::IncrBy.name(), EventKind::IncrBy.class()), ("incrby", EventClass::String));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum EventKind {
            $(#[doc = concat!("The event `", $name, "`.")] $kind,)*
        }

        impl EventKind {
            /// Name as Redis publishes it.
            pub fn name(self) -> &'static str {
                match self {
                    $(EventKind::$kind => $name,)*
                }
            }

            /// Class of this kind.
            pub fn class(self) -> EventClass {
                match self {
                    $(EventKind::$kind => EventClass::$class,)*
                }
            }

            /// Whether a command did it, and not the end of a key's or a field's time.
            pub fn has_author(self) -> bool {
                !matches!(self, EventKind::Expired | EventKind::HExpired | EventKind::Evicted)
            }

            /// Its bit among the kinds.
            #[inline(always)]
            fn bit(self) -> u128 {
                1 << self as u32
            }

            /// Every kind there is.
            pub const ALL: &'static [EventKind] = &[$(EventKind::$kind,)*];
        }
    };
}

kinds! {
    Del = Generic "del";
    Expire = Generic "expire";
    Persist = Generic "persist";
    RenameFrom = Generic "rename_from";
    RenameTo = Generic "rename_to";
    CopyTo = Generic "copy_to";
    MoveFrom = Generic "move_from";
    MoveTo = Generic "move_to";
    Restore = Generic "restore";
    Expired = Expired "expired";
    Evicted = Evicted "evicted";
    Set = String "set";
    IncrBy = String "incrby";
    IncrByFloat = String "incrbyfloat";
    Append = String "append";
    SetRange = String "setrange";
    SetBit = String "setbit";
    PfAdd = String "pfadd";
    LPush = List "lpush";
    RPush = List "rpush";
    LPop = List "lpop";
    RPop = List "rpop";
    LSet = List "lset";
    LInsert = List "linsert";
    LRem = List "lrem";
    LTrim = List "ltrim";
    SortStore = List "sortstore";
    SAdd = Set "sadd";
    SRem = Set "srem";
    SPop = Set "spop";
    SInterStore = Set "sinterstore";
    SUnionStore = Set "sunionstore";
    SDiffStore = Set "sdiffstore";
    ZAdd = ZSet "zadd";
    ZIncr = ZSet "zincr";
    ZRem = ZSet "zrem";
    ZRemRangeByRank = ZSet "zremrangebyrank";
    ZRemRangeByScore = ZSet "zremrangebyscore";
    ZRemRangeByLex = ZSet "zremrangebylex";
    ZPopMin = ZSet "zpopmin";
    ZPopMax = ZSet "zpopmax";
    ZRangeStore = ZSet "zrangestore";
    ZInterStore = ZSet "zinterstore";
    ZUnionStore = ZSet "zunionstore";
    ZDiffStore = ZSet "zdiffstore";
    GeoSearchStore = ZSet "geosearchstore";
    GeoRadiusStore = ZSet "georadiusstore";
    HSet = Hash "hset";
    HDel = Hash "hdel";
    HIncrBy = Hash "hincrby";
    HIncrByFloat = Hash "hincrbyfloat";
    HExpire = Hash "hexpire";
    HExpired = Hash "hexpired";
    HPersist = Hash "hpersist";
    XAdd = Stream "xadd";
    XTrim = Stream "xtrim";
    XDel = Stream "xdel";
    XSetId = Stream "xsetid";
    XGroupCreate = Stream "xgroup-create";
    XGroupCreateConsumer = Stream "xgroup-createconsumer";
    XGroupDelConsumer = Stream "xgroup-delconsumer";
    XGroupDestroy = Stream "xgroup-destroy";
    XGroupSetId = Stream "xgroup-setid";
    XPending = Engine "xpending";
    Clock = Engine "clock";
}

impl EventKind {
    /// Whether the change is of groups or marks of a stream: in Redis, clients that watch or track the key do not see it.
    pub(in crate::keyspace) fn is_of_groups(self) -> bool {
        use EventKind::*;
        let of_groups = matches!(self, XGroupCreate | XGroupSetId | XGroupDestroy | XPending | XSetId);
        of_groups || matches!(self, XGroupCreateConsumer | XGroupDelConsumer)
    }
}

/// A word has a bit for each.
const _: () = assert!(EventKind::ALL.len() <= 128);

/// A change of a key.
///
/// # Examples
/// ```
/// use keylatch::{Argv, EventKind, Keylatch, ManualClock, Options};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// db.listen_to([EventKind::Del].into_iter());
/// let client = db.connect();
/// for words in [["SET", "k", "v"].as_slice(), &["DEL", "k"]] {
///     db.execute(client, Argv::from_slices(words).as_ref(), &mut Vec::new());
/// }
/// let events = db.take_events();
/// assert_eq!((events.len(), &*events[0].key, events[0].database), (1, &b"k"[..], 0));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Kind of the event.
    pub kind: EventKind,
    /// Key; empty for events of the engine itself.
    pub key: Box<[u8]>,
    /// Database of the key.
    pub database: u8,
}

/// The queue of events the host drains.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The kinds that the host takes, a bit each.
    wanted: u128,
    /// Set while a log is replayed: its changes happened before.
    muted: bool,
    /// The engine itself publishes them.
    published: bool,
    queue: Vec<Event>,
    /// How many of the queue the engine has seen.
    seen: usize,
}

impl Events {
    /// Starts or stops building events; those already queued stay.
    pub fn want(&mut self, wanted: bool) {
        self.wanted = if wanted { u128::MAX } else { 0 };
    }

    /// Builds events of these kinds from now on, and no others; those already queued stay.
    pub fn want_kinds(&mut self, kinds: impl Iterator<Item = EventKind>) {
        self.wanted = kinds.fold(0, |wanted, kind| wanted | kind.bit());
    }

    pub(in crate::keyspace) fn mute(&mut self, muted: bool) {
        self.muted = muted;
    }

    pub fn take(&mut self) -> Vec<Event> {
        self.seen = 0;
        core::mem::take(&mut self.queue)
    }

    /// How many wait for the host. A u32 counts more than memory holds.
    pub fn len(&self) -> u32 {
        self.queue.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Starts or stops building events for [`Events::unseen`].
    pub fn publish(&mut self, published: bool) {
        self.published = published;
        self.seen = self.queue.len();
    }

    pub fn are_published(&self) -> bool {
        self.published
    }

    /// Whether events are listened for or published.
    pub(in crate::keyspace) fn are_built(&self) -> bool {
        self.wanted != 0 || self.published
    }

    /// Whether [`Events::unseen`] has something to answer.
    pub fn has_unseen(&self) -> bool {
        self.published && self.seen < self.queue.len()
    }

    /// How many of those that wait for the host came before what [`Events::unseen`] answers.
    pub fn seen(&self) -> u32 {
        if self.has_unseen() { self.seen as u32 } else { self.len() }
    }

    /// The events since [`Events::see_all`], for publishing.
    pub fn unseen(&self) -> &[Event] {
        if self.has_unseen() { &self.queue[self.seen..] } else { &[] }
    }

    /// Marks all events as published. They stay in the host's queue.
    pub fn see_all(&mut self) {
        if !self.has_unseen() {
            return;
        }
        if self.wanted == 0 {
            self.queue.clear();
        }
        self.seen = self.queue.len();
    }

    /// The clock stepped back. No key, so the empty one.
    pub fn clock_stepped_back(&mut self) {
        self.push(EventKind::Clock, b"", 0);
    }

    /// Makes sure that so many events can be queued.
    pub(in crate::keyspace) fn try_reserve(&mut self, count: usize) -> Result<(), OutOfMemory> {
        if !self.are_built() {
            return Ok(());
        }
        ensure_reserve_unspent()?;
        try_reserve(&mut self.queue, count)
    }

    #[inline(always)]
    pub(in crate::keyspace) fn push(&mut self, kind: EventKind, key: &[u8], database: u8) {
        if self.wanted & kind.bit() != 0 || self.published {
            self.build(kind, key, database);
        }
    }

    fn build(&mut self, kind: EventKind, key: &[u8], database: u8) {
        if !self.muted {
            self.queue.push(Event { kind, key: key.into(), database });
        }
    }
}
