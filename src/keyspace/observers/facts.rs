//! Facts: the changes of keys and of fields of hashes as values. Facts are made only while they are asked for.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::client_id::ClientId;
use super::event::EventKind;
use crate::base::clock::Timestamp;
use crate::base::headroom::{OutOfMemory, ensure, ensure_reserve_unspent, try_reserve};
use crate::values::{Field, Holder, Mode};

/// Kinds of changes.
///
/// # Examples
/// ```
/// assert_eq!(keylatch::FactKind::Evicted.name(), "evicted");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactKind {
    /// The key or field did not exist before.
    Created,
    /// The key or field exists before and after, and was written or has another deadline.
    Changed,
    /// A command removed the key or field.
    Removed,
    /// The deadline has passed.
    Expired,
    /// The key was removed for `maxmemory`.
    Evicted,
    /// The key has another name or database from now on.
    Renamed,
}

impl FactKind {
    /// The kind as a word.
    pub const fn name(self) -> &'static str {
        match self {
            FactKind::Created => "created",
            FactKind::Changed => "changed",
            FactKind::Removed => "removed",
            FactKind::Expired => "expired",
            FactKind::Evicted => "evicted",
            FactKind::Renamed => "renamed",
        }
    }

    /// Kind of a removal with this event.
    pub(in crate::keyspace) fn of_removal(event: EventKind) -> FactKind {
        match event {
            EventKind::Expired | EventKind::HExpired => FactKind::Expired,
            EventKind::Evicted => FactKind::Evicted,
            _ => FactKind::Removed,
        }
    }
}

/// A change of a key. Fields of a removed key, or of a replaced value, are gone without facts of their own.
///
/// # Examples
/// ```
/// use keylatch::{Argv, FactKind, Keylatch, ManualClock, Options, Timestamp};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// db.facts().collect(true);
/// let client = db.connect();
/// db.execute(client, Argv::from_slices(&["SET", "lock", "me", "NX", "PX", "5000"]).as_ref(), &mut Vec::new());
/// let facts = db.facts().take();
/// assert_eq!((facts.len(), facts[0].kind, facts[0].client), (1, FactKind::Created, Some(client)));
/// assert_eq!((facts[0].deadline, facts[0].sets_deadline), (Some(Timestamp::from_ms(5000)), true));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Client of the command that changed the key, also if it was queued or blocked; `None` if time or memory did.
    pub client: Option<ClientId>,
    /// Database of the key.
    pub database: u8,
    /// The key; `None` stands for all keys of the database.
    pub key: Option<Box<[u8]>>,
    /// Kind of the change.
    pub kind: FactKind,
    /// Deadline of the key after the change.
    pub deadline: Option<Timestamp>,
    /// Whether the command set the deadline, even if to the one before. False for deadlines that the engine finds itself: that
    /// of a limit is the end of its window.
    pub sets_deadline: bool,
    /// Whether the value was replaced as a whole: fields that it had are gone.
    pub replaces: bool,
    /// Whether the command wrote only because the key or the fields were missing, as with NX.
    pub if_missing: bool,
    /// The text that the command put as a whole, as SET does.
    pub text: Option<Box<[u8]>>,
    /// Database and name after [`FactKind::Renamed`]; without a name, all keys of the database are meant.
    pub to: Option<(u8, Option<Box<[u8]>>)>,
    /// Changed fields of a hash.
    pub fields: Vec<FieldFact>,
}

/// A change of a field of a hash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldFact {
    /// Name of the field; the owner of a latch.
    pub name: Box<[u8]>,
    /// Kind of the change.
    pub kind: FactKind,
    /// Deadline of the field after the change.
    pub deadline: Option<Timestamp>,
    /// Whether the command set the deadline, even if to the one before.
    pub sets_deadline: bool,
    /// The hold that the field has after the change, if the hash is a latch.
    pub hold: Option<Hold>,
}

/// A hold of a latch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// Mode in which the latch is held.
    pub mode: Mode,
    /// Number of permits; 1 in other modes.
    pub permits: i64,
    /// Limit of the permits of all holders, if the command named one.
    pub limit: Option<i64>,
    /// Token of the grant.
    pub token: u64,
    /// Last instant of the lease; `None` without an end. The deadline of the field adds the delay after the lease.
    pub end: Option<Timestamp>,
}

impl Hold {
    fn of(field: &Field<'_>, limit: Option<i64>) -> Option<Hold> {
        let Holder { mode, permits, delay_ms, token, .. } = Holder::parse(&field.value)?;
        let end = field.deadline.map(|deadline| Timestamp::from_ms(deadline.as_ms().saturating_sub(delay_ms)));
        Some(Hold { mode, permits, limit: limit.filter(|_| mode == Mode::Permits), token, end })
    }
}

/// Bytes of a field's fact besides its name.
const FIELD_BYTES: usize = size_of::<FieldFact>();
/// Factor by which a list of fields grows beyond its content.
const GROWTH: usize = 3;

/// Queue of facts.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    wanted: bool,
    /// Set while a log is replayed: its changes happened before.
    muted: bool,
    queue: Vec<Fact>,
    author: Option<ClientId>,
    /// Names of the fields of the last changed hash before its change, in order.
    before: Vec<Vec<u8>>,
    /// Event of the last verb.
    event: Option<EventKind>,
    /// Whether the last verb set deadlines of fields.
    dates_fields: bool,
    /// Limit of permits that the running request names.
    limit: Option<i64>,
}

impl Facts {
    /// Starts or stops facts; those that wait are dropped.
    pub fn want(&mut self, wanted: bool) {
        *self = Facts { wanted, muted: self.muted, ..Facts::default() };
    }

    pub fn take(&mut self) -> Vec<Fact> {
        core::mem::take(&mut self.queue)
    }

    /// Sets the client of the commands that run from now on.
    #[inline(always)]
    pub fn set_author(&mut self, author: ClientId) {
        self.author = Some(author);
    }

    /// Whether facts are asked for.
    pub fn are_wanted(&self) -> bool {
        self.wanted
    }

    /// Number of facts that wait.
    #[inline(always)]
    pub(in crate::keyspace) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(in crate::keyspace) fn mute(&mut self, muted: bool) {
        self.muted = muted;
    }

    #[inline(always)]
    pub(in crate::keyspace) fn are_built(&self) -> bool {
        self.wanted && !self.muted
    }

    /// Reserves memory for facts of `count` keys, and for as many fields with names of `bytes` bytes.
    pub(in crate::keyspace) fn try_reserve(&mut self, count: usize, bytes: usize) -> Result<(), OutOfMemory> {
        if !self.are_built() {
            return Ok(());
        }
        ensure_reserve_unspent()?;
        try_reserve(&mut self.queue, count)?;
        ensure(count.saturating_mul(FIELD_BYTES).saturating_add(bytes).saturating_mul(GROWTH))
    }

    /// Sets the limit of permits for the holds that follow.
    pub(in crate::keyspace) fn set_limit(&mut self, limit: Option<i64>) {
        self.limit = limit;
    }

    /// Sets the names of fields, in order, that a hash has before it changes.
    pub(in crate::keyspace) fn set_before(&mut self, names: Vec<Vec<u8>>) {
        self.before = names;
    }

    /// Adds the fact that a key was written, changed or removed by a verb with this event.
    pub(in crate::keyspace) fn push(
        &mut self,
        event: EventKind,
        (database, key): (u8, &[u8]),
        kind: FactKind,
        deadline: Option<Timestamp>,
    ) {
        (self.event, self.dates_fields) = (Some(event), event == EventKind::HExpire);
        let sets_deadline = event == EventKind::Expire && deadline.is_some();
        let fact = self.fact(event, (database, Some(key)), kind);
        self.queue.push(Fact { deadline, sets_deadline, ..fact });
    }

    /// Adds the fact that a value was put in place of whatever there was.
    pub(in crate::keyspace) fn push_put(
        &mut self,
        event: EventKind,
        name: (u8, &[u8]),
        is_new: bool,
        deadline: Option<Timestamp>,
    ) {
        self.before.clear();
        self.push(event, name, if is_new { FactKind::Created } else { FactKind::Changed }, deadline);
        if let Some(fact) = self.queue.last_mut() {
            fact.replaces = !is_new;
        }
    }

    /// Adds to the last fact the text that was put.
    pub(in crate::keyspace) fn set_text(&mut self, text: Option<Vec<u8>>) {
        if let Some(fact) = self.queue.last_mut() {
            fact.text = text.map(Vec::into_boxed_slice);
        }
    }

    /// Notes that the changes behind the first `count` were made only because the key or the fields were missing.
    pub(in crate::keyspace) fn note_missing(&mut self, count: usize) {
        self.queue.iter_mut().skip(count).for_each(|fact| fact.if_missing = true);
    }

    /// Adds the fact that all keys of a database were removed.
    pub(in crate::keyspace) fn push_flushed(&mut self, database: u8) {
        let fact = self.fact(EventKind::Del, (database, None), FactKind::Removed);
        self.queue.push(fact);
    }

    /// Adds the fact that a key, or all keys of a database, have another name or database.
    pub(in crate::keyspace) fn push_renamed(
        &mut self,
        (database, key): (u8, Option<&[u8]>),
        (to_database, to): (u8, Option<&[u8]>),
        deadline: Option<Timestamp>,
    ) {
        let fact = self.fact(EventKind::RenameTo, (database, key), FactKind::Renamed);
        self.queue.push(Fact { deadline, to: Some((to_database, to.map(Box::from))), ..fact });
    }

    fn fact(&self, event: EventKind, (database, key): (u8, Option<&[u8]>), kind: FactKind) -> Fact {
        Fact {
            client: self.author.filter(|_| event.has_author()),
            database,
            key: key.map(Box::from),
            kind,
            deadline: None,
            sets_deadline: false,
            replaces: false,
            if_missing: false,
            text: None,
            to: None,
            fields: Vec::new(),
        }
    }

    /// Notes a second event of the last verb: one of a deadline says that the command set it.
    pub(in crate::keyspace) fn note_event(&mut self, event: EventKind) {
        match (event, self.queue.last_mut()) {
            (EventKind::Expire, Some(fact)) => fact.sets_deadline = fact.deadline.is_some(),
            (EventKind::HExpire, _) => self.dates_fields = true,
            _ => {}
        }
    }

    /// Notes that the engine found the deadline of the last verb itself.
    pub(in crate::keyspace) fn found_deadline(&mut self) {
        if let Some(fact) = self.queue.last_mut() {
            fact.sets_deadline = false;
        }
    }

    /// Adds a field to the fact of the last verb, which was about this key. `now` is the field after the change.
    pub(in crate::keyspace) fn add_field(&mut self, database: u8, key: &[u8], name: &[u8], now: Option<Field<'_>>) {
        let was = self.before.binary_search_by(|before| before.as_slice().cmp(name)).is_ok();
        let kind = match (was, &now, self.event) {
            (false, Some(_), _) => FactKind::Created,
            (true, Some(_), _) => FactKind::Changed,
            (true, None, Some(event)) => FactKind::of_removal(event),
            _ => return,
        };
        let deadline = now.as_ref().and_then(|field| field.deadline);
        let sets_deadline = self.dates_fields && deadline.is_some();
        let hold = now.and_then(|field| Hold::of(&field, self.limit));
        let field = FieldFact { name: name.into(), kind, deadline, sets_deadline, hold };
        let Some(fact) =
            self.queue.last_mut().filter(|fact| fact.database == database && fact.key.as_deref() == Some(key))
        else {
            return;
        };
        match fact.fields.iter_mut().find(|known| *known.name == *name) {
            Some(known) => *known = FieldFact { kind: known.kind, ..field },
            None => fact.fields.push(field),
        }
    }
}
