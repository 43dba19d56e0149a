//! Client-side caching: which keys each client may hold a copy of, and what it has to be told when one changes. Here
//! invalidations are values in a queue; how one reaches a client is decided above. Keys have no database here, as in
//! Redis: a copy goes with the first change of that name anywhere.
//!
//! What a client read outlives the client, until the key changes or the table is full: nobody searches the table for
//! a client that leaves.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::client_id::ClientId;
use super::event::EventKind;
use crate::base::headroom::copied;
use crate::base::headroom::{OutOfMemory, ensure_reserve_unspent, make_room};
use crate::base::random::Random;
use crate::store::name_index::NameIndex;
use crate::store::sorted_vec::SortedVecMap;
use crate::values::{Hash, NewDeadline, PackedLimit};

/// How many keys are remembered at most, unless the configuration says otherwise.
const KEYS_MAX: u64 = 1_000_000;
/// How many keys too many one command forgets; as many more with each one after which there are still too many.
const FORGOTTEN_AT_ONCE: u32 = 100;
/// What a change takes in tables until it is told.
const CHANGE_BYTES: usize = 384;
/// The bytes of a client id in the table.
const ID_BYTES: usize = 4;
/// The table is no value of a user: when it is packed is its own business.
const PACKED: PackedLimit = PackedLimit { members: 0, bytes: 0 };

/// Which of the keys that a client reads are remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TrackedReads {
    #[default]
    All,
    /// Those of the command behind CLIENT CACHING YES.
    OptIn,
    /// All but those of the command behind CLIENT CACHING NO.
    OptOut,
}

/// What CLIENT TRACKING ON asks for.
#[derive(Clone, Debug, Default)]
pub struct TrackingOptions<'a> {
    /// Who is told instead of the client itself.
    pub redirect: Option<ClientId>,
    /// Every change of a key with one of the prefixes is told, whoever read it.
    pub broadcast: bool,
    pub reads: TrackedReads,
    /// Not told is what the client changes itself.
    pub noloop: bool,
    pub prefixes: Vec<&'a [u8]>,
}

/// A client that is told about changes.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    pub redirect: Option<ClientId>,
    /// Something was to be told, and the one to be told was gone.
    pub is_redirect_broken: bool,
    pub broadcast: bool,
    pub reads: TrackedReads,
    /// CLIENT CACHING was given for the next command.
    pub caching: bool,
    pub noloop: bool,
    /// In order. The empty one stands for every key.
    pub prefixes: Vec<Box<[u8]>>,
    /// There was no memory to tell it something.
    is_missed: bool,
}

impl Tracker {
    /// Whether a key has one of the prefixes.
    fn is_of_interest(&self, key: &[u8]) -> bool {
        self.prefixes.iter().any(|prefix| key.starts_with(prefix))
    }

    fn remembers(&self) -> bool {
        let chosen = match self.reads {
            TrackedReads::All => true,
            TrackedReads::OptIn => self.caching,
            TrackedReads::OptOut => !self.caching,
        };
        chosen && !self.broadcast
    }
}

/// Which copies are out of date.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stale {
    Key(Box<[u8]>),
    /// A database was emptied: of whatever key.
    Everything,
}

/// A client that has to be told, and who is told instead, as it was when the key changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recipient {
    pub client: ClientId,
    pub redirect: Option<ClientId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalidation {
    pub stale: Stale,
    pub told: Vec<Recipient>,
}

#[derive(Clone, Debug)]
pub struct Tracking {
    seed: u64,
    trackers: SortedVecMap<ClientId, Tracker>,
    /// The keys that were read, each with the ids of its readers.
    read: Hash,
    /// How many readers of keys there are.
    readers: u64,
    keys_max: u64,
    /// How often in a row a command left too many keys.
    rounds: u32,
    /// Whose command runs.
    author: Option<ClientId>,
    /// Keys that changed and have to be told by their prefix, each with its last author; 0: nobody's command did it.
    changed: NameIndex,
    queue: Vec<Invalidation>,
    /// Some tracker is missed.
    has_missed: bool,
    muted: bool,
}

impl Tracking {
    pub(in crate::keyspace) fn new(seed: u64) -> Tracking {
        Tracking {
            seed,
            trackers: SortedVecMap::default(),
            read: Hash::new(seed),
            readers: 0,
            keys_max: KEYS_MAX,
            rounds: 0,
            author: None,
            changed: NameIndex::default(),
            queue: Vec::new(),
            has_missed: false,
            muted: false,
        }
    }

    /// Nobody tracks anything, and nothing is remembered.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.trackers.is_empty() && self.read.is_empty()
    }

    /// The most keys that are remembered; 0: any number.
    pub fn set_keys_max(&mut self, keys_max: u64) {
        self.keys_max = keys_max;
    }

    /// Whose command runs from now on.
    pub fn set_author(&mut self, author: Option<ClientId>) {
        self.author = author;
    }

    // --- Who tracks.

    /// Begins to track, or goes on in another way; prefixes are added to those there are.
    pub fn start(&mut self, client: ClientId, options: &TrackingOptions<'_>) {
        let tracker = self.trackers.get_or_default(client);
        tracker.redirect = options.redirect;
        tracker.is_redirect_broken = false;
        (tracker.broadcast, tracker.reads, tracker.noloop) = (options.broadcast, options.reads, options.noloop);
        let all: &[&[u8]] = &[b""];
        for prefix in if options.prefixes.is_empty() { all } else { &options.prefixes } {
            match tracker.prefixes.binary_search_by(|known| (**known).cmp(prefix)) {
                Err(at) if options.broadcast => tracker.prefixes.insert(at, (*prefix).into()),
                _ => {}
            }
        }
    }

    pub fn stop(&mut self, client: ClientId) {
        self.trackers.remove(client);
    }

    pub fn tracker(&self, client: ClientId) -> Option<&Tracker> {
        self.trackers.get(client)
    }

    /// CLIENT CACHING: the next command is an exception.
    pub fn set_caching(&mut self, client: ClientId, caching: bool) {
        if let Some(tracker) = self.trackers.get_mut(client) {
            tracker.caching = caching;
        }
    }

    /// The one to be told was gone.
    pub fn note_broken_redirect(&mut self, client: ClientId) {
        if let Some(tracker) = self.trackers.get_mut(client) {
            tracker.is_redirect_broken = true;
        }
    }

    pub fn client_count(&self) -> usize {
        self.trackers.len()
    }

    pub fn key_count(&self) -> usize {
        self.read.len()
    }

    /// Pairs of a key and a client that read it.
    pub fn reader_count(&self) -> u64 {
        self.readers
    }

    /// How many different prefixes there are.
    pub fn prefix_count(&self) -> usize {
        let mut different = NameIndex::default();
        self.trackers.iter().flat_map(|(_, tracker)| &tracker.prefixes).for_each(|prefix| {
            different.add(0, prefix, 0);
        });
        different.len()
    }

    /// What it takes at most to tell everybody of a command with so many arguments, of so many bytes together.
    #[inline(always)]
    pub(in crate::keyspace) fn room(&self, arguments: usize, bytes: usize) -> usize {
        if self.trackers.is_empty() {
            return 0;
        }
        let told = self.trackers.len().saturating_mul(2 * size_of::<Recipient>());
        arguments.saturating_mul(CHANGE_BYTES.saturating_add(told)).saturating_add(bytes.saturating_mul(2))
    }

    // --- What was read.

    /// Whether the keys that this client reads now have to be remembered.
    pub fn remembers(&self, client: ClientId) -> bool {
        self.trackers.get(client).is_some_and(Tracker::remembers)
    }

    /// A client has read a key. Without memory to remember it, its copy is out of date from the beginning.
    pub fn remember(&mut self, client: ClientId, key: &[u8]) {
        if self.try_remember(client, key).is_err() {
            let redirect = self.trackers.get(client).and_then(|tracker| tracker.redirect);
            if queue_up(&mut self.queue, stale(key), &mut core::iter::once(Recipient { client, redirect })).is_err() {
                self.miss(&|other, _| other == client);
            }
        }
    }

    fn try_remember(&mut self, client: ClientId, key: &[u8]) -> Result<(), OutOfMemory> {
        let id = client.0.to_le_bytes();
        let mut ids = Vec::new();
        if let Some(known) = self.read.get(key) {
            if readers(&known).any(|reader| reader == client) {
                return Ok(());
            }
            ids.try_reserve_exact(known.len() + ID_BYTES).map_err(|_| OutOfMemory)?;
            ids.extend_from_slice(&known);
        }
        ids.extend_from_slice(&id);
        self.read.set(key, &ids, NewDeadline::None, PACKED)?;
        self.readers += 1;
        Ok(())
    }

    // --- What changed.

    /// A key changed.
    #[inline(always)]
    pub(in crate::keyspace) fn touch(&mut self, key: &[u8], event: EventKind) {
        if !self.is_idle() {
            self.notify_of_change(key, event);
        }
    }

    fn notify_of_change(&mut self, key: &[u8], event: EventKind) {
        if self.muted {
            return;
        }
        if self.trackers.iter().any(|(_, tracker)| tracker.is_of_interest(key)) {
            let author = self.author.filter(|_| event.has_author());
            self.note_change(key, author);
        }
        self.forget(key);
    }

    fn note_change(&mut self, key: &[u8], author: Option<ClientId>) {
        if ensure_reserve_unspent().is_err() {
            return self.miss(&|_, tracker| tracker.is_of_interest(key));
        }
        if let Some(before) = self.changed.of(0, key).first().copied() {
            self.changed.remove(0, key, before);
        }
        self.changed.add(0, key, author.map_or(0, |author| author.0.into()));
    }

    /// Tells the readers of a key, and forgets them.
    fn forget(&mut self, key: &[u8]) {
        let Tracking { read, readers: count, trackers, author, queue, has_missed, .. } = self;
        let Some(ids) = read.get(key) else { return };
        *count -= readers(&ids).count() as u64;
        let is_told =
            |reader: ClientId, tracker: &Tracker| !(tracker.broadcast || tracker.noloop && *author == Some(reader));
        let told = |client: ClientId| {
            let tracker = trackers.get(client).filter(|tracker| is_told(client, tracker))?;
            Some(Recipient { client, redirect: tracker.redirect })
        };
        if queue_up(queue, stale(key), &mut readers(&ids).filter_map(told)).is_err() {
            for reader in readers(&ids) {
                if let Some(tracker) = trackers.get_mut(reader).filter(|tracker| is_told(reader, tracker)) {
                    (tracker.is_missed, *has_missed) = (true, true);
                }
            }
        }
        read.remove(key);
    }

    /// Some trackers cannot be told what they want to know.
    fn miss(&mut self, is_meant: &dyn Fn(ClientId, &Tracker) -> bool) {
        for (client, tracker) in self.trackers.iter_mut() {
            tracker.is_missed |= is_meant(client, tracker);
            self.has_missed |= tracker.is_missed;
        }
    }

    /// A database was emptied, or everything was read anew: everybody is told, and what was read is forgotten.
    pub(in crate::keyspace) fn flush(&mut self) {
        if self.is_idle() || self.muted {
            return;
        }
        let told = |(client, tracker): (ClientId, &Tracker)| Recipient { client, redirect: tracker.redirect };
        let queued = queue_up(&mut self.queue, Ok(Stale::Everything), &mut self.trackers.iter().map(told));
        if queued.is_err() {
            self.miss(&|_, _| true);
        }
        self.read = Hash::new(self.seed);
        self.readers = 0;
    }

    /// While a log is replayed nobody is told; when it ends, everybody is told that everything may have changed.
    pub(in crate::keyspace) fn mute(&mut self, muted: bool) {
        self.muted = muted;
        self.flush();
    }

    // --- What has to be told.

    /// Whether anything is left to do after a command.
    pub fn has_news(&self) -> bool {
        !self.queue.is_empty() || !self.changed.is_empty() || self.has_missed || self.is_full()
    }

    /// What has to be told now.
    pub fn take(&mut self) -> Vec<Invalidation> {
        core::mem::take(&mut self.queue)
    }

    /// Takes the changes that have to be told by prefixes once a command has ended: each key once with its author, in
    /// order. A change without an author has 0.
    pub fn take_changed(&mut self) -> NameIndex {
        core::mem::take(&mut self.changed)
    }

    /// The first client behind another one, in the order of their numbers, that tracks.
    pub fn tracker_behind(&self, client: ClientId) -> Option<(ClientId, &Tracker)> {
        self.trackers.iter_behind(client).next()
    }

    /// Names those who could not be told something, once.
    pub fn take_missed(&mut self, missed: &mut dyn FnMut(Recipient)) {
        if !core::mem::take(&mut self.has_missed) {
            return;
        }
        for (client, tracker) in self.trackers.iter_mut() {
            if core::mem::take(&mut tracker.is_missed) {
                missed(Recipient { client, redirect: tracker.redirect });
            }
        }
    }

    fn is_full(&self) -> bool {
        self.keys_max > 0 && self.read.len() as u64 > self.keys_max
    }

    /// Forgets keys while there are too many of them, any of them, and tells their readers: a bounded number, which
    /// grows from command to command while that is not enough. Without the memory for the name of one it forgets all,
    /// for otherwise there would be something to do for ever.
    pub(in crate::keyspace) fn forget_some(&mut self, random: &mut Random) {
        let mut left = FORGOTTEN_AT_ONCE.saturating_mul(self.rounds.saturating_add(1));
        while self.is_full() && left > 0 {
            left -= 1;
            let key = self.read.random(random).map(|field| copied(&field.name));
            match key {
                Some(Ok(key)) => self.forget(&key),
                _ => self.flush(),
            }
        }
        self.rounds = if self.is_full() { self.rounds.saturating_add(1) } else { 0 };
    }
}

fn stale(key: &[u8]) -> Result<Stale, OutOfMemory> {
    Ok(Stale::Key(copied(key)?.into_boxed_slice()))
}

/// Queues what is to be told, if it is to be told to anybody.
fn queue_up(
    queue: &mut Vec<Invalidation>,
    stale: Result<Stale, OutOfMemory>,
    clients: &mut dyn Iterator<Item = Recipient>,
) -> Result<(), OutOfMemory> {
    let mut told = Vec::new();
    for client in clients {
        make_room(&mut told, 1)?;
        told.push(client);
    }
    if !told.is_empty() {
        ensure_reserve_unspent()?;
        make_room(queue, 1)?;
        queue.push(Invalidation { stale: stale?, told });
    }
    Ok(())
}

fn readers(ids: &[u8]) -> impl Iterator<Item = ClientId> + '_ {
    ids.as_chunks().0.iter().map(|id| ClientId(u32::from_le_bytes(*id)))
}

#[cfg(test)]
mod tests;
