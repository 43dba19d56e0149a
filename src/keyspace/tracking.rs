//! Client-side caching: which keys each client may hold a copy of, and what it has to be told when one changes. Here
//! invalidations are values in a queue; how one reaches a client is decided above. Keys have no database here, as in
//! Redis: a copy goes with the first change of that name anywhere.
//!
//! What a client read outlives the client, until the key changes or the table is full: nobody searches the table for
//! a client that leaves.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::{ClientId, EventKind};
use crate::random::Random;
use crate::registry::Registry;
use crate::slab::OutOfMemory;
use crate::sorted::SortedMap;
use crate::value::{Hash, NewDeadline, PackedLimit};

/// How many keys are remembered at most, unless the configuration says otherwise.
const KEYS_MAX: u64 = 1_000_000;
/// How many keys too many one command forgets; as many more with each one after which there are still too many.
const FORGOTTEN_AT_ONCE: u32 = 100;
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
}

impl Tracker {
    fn remembers(&self) -> bool {
        let chosen = match self.reads {
            TrackedReads::All => true,
            TrackedReads::OptIn => self.caching,
            TrackedReads::OptOut => !self.caching,
        };
        chosen && !self.broadcast
    }
}

/// Copies of these keys are out of date.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stale {
    Keys(Vec<Box<[u8]>>),
    /// A database was emptied: of whatever key.
    Everything,
}

/// What a client has to be told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalidation {
    pub client: ClientId,
    /// As it was when the key changed.
    pub redirect: Option<ClientId>,
    pub stale: Stale,
}

#[derive(Clone, Debug)]
pub struct Tracking {
    seed: u64,
    trackers: SortedMap<ClientId, Tracker>,
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
    changed: Registry,
    queue: Vec<Invalidation>,
    muted: bool,
}

impl Tracking {
    pub(super) fn new(seed: u64) -> Tracking {
        Tracking {
            seed,
            trackers: SortedMap::default(),
            read: Hash::new(seed),
            readers: 0,
            keys_max: KEYS_MAX,
            rounds: 0,
            author: None,
            changed: Registry::default(),
            queue: Vec::new(),
            muted: false,
        }
    }

    /// Nobody tracks anything, and nothing is remembered.
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
        let mut different = Registry::default();
        self.trackers.iter().flat_map(|(_, tracker)| &tracker.prefixes).for_each(|prefix| {
            different.add(0, prefix, 0);
        });
        different.len()
    }

    // --- What was read.

    /// Whether the keys that this client reads now have to be remembered.
    pub fn remembers(&self, client: ClientId) -> bool {
        self.trackers.get(client).is_some_and(Tracker::remembers)
    }

    /// A client has read a key. Without memory to remember it, its copy is out of date from the beginning.
    pub fn remember(&mut self, client: ClientId, key: &[u8]) {
        if self.try_remember(client, key).is_err() {
            self.tell(client, Stale::Keys(vec![key.into()]));
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
    pub(super) fn touch(&mut self, key: &[u8], event: EventKind) {
        if !self.is_idle() {
            self.tell_change(key, event);
        }
    }

    fn tell_change(&mut self, key: &[u8], event: EventKind) {
        if self.muted {
            return;
        }
        if self.trackers.iter().any(|(_, tracker)| tracker.prefixes.iter().any(|prefix| key.starts_with(prefix))) {
            let author = self.author.filter(|_| event.has_author());
            self.note_change(key, author);
        }
        self.forget(key);
    }

    fn note_change(&mut self, key: &[u8], author: Option<ClientId>) {
        if let Some(before) = self.changed.of(0, key).first().copied() {
            self.changed.remove(0, key, before);
        }
        self.changed.add(0, key, author.map_or(0, |author| author.0.into()));
    }

    /// Tells the readers of a key, and forgets them.
    fn forget(&mut self, key: &[u8]) {
        let Some(ids) = self.read.get(key).map(|ids| ids.to_vec()) else { return };
        self.read.remove(key);
        for reader in readers(&ids) {
            self.readers -= 1;
            let is_told = |tracker: &Tracker| !(tracker.broadcast || tracker.noloop && self.author == Some(reader));
            if self.trackers.get(reader).is_some_and(is_told) {
                self.tell(reader, Stale::Keys(vec![key.into()]));
            }
        }
    }

    fn tell(&mut self, client: ClientId, stale: Stale) {
        let redirect = self.trackers.get(client).and_then(|tracker| tracker.redirect);
        self.queue.push(Invalidation { client, redirect, stale });
    }

    /// A database was emptied, or everything was read anew: everybody is told, and what was read is forgotten.
    pub(super) fn flush(&mut self) {
        if self.is_idle() || self.muted {
            return;
        }
        let clients: Vec<ClientId> = self.trackers.iter().map(|(client, _)| client).collect();
        clients.into_iter().for_each(|client| self.tell(client, Stale::Everything));
        self.read = Hash::new(self.seed);
        self.readers = 0;
    }

    /// While a log is replayed nobody is told; when it ends, everybody is told that everything may have changed.
    pub(super) fn mute(&mut self, muted: bool) {
        self.muted = muted;
        self.flush();
    }

    // --- What has to be told.

    /// Whether anything is left to do after a command.
    pub fn has_news(&self) -> bool {
        !self.queue.is_empty() || !self.changed.is_empty() || self.is_full()
    }

    /// What has to be told now.
    pub fn take(&mut self) -> Vec<Invalidation> {
        core::mem::take(&mut self.queue)
    }

    /// What has to be told by prefixes once a command has ended: each key once, in order.
    pub fn take_broadcasts(&mut self) -> Vec<Invalidation> {
        let changed = core::mem::take(&mut self.changed);
        if changed.is_empty() {
            return Vec::new();
        }
        let told = self.trackers.iter().flat_map(|(client, tracker)| {
            let changed = &changed;
            tracker.prefixes.iter().filter_map(move |prefix| {
                let own = |key| tracker.noloop && changed.of(0, key).first() == Some(&client.0.into());
                let keys = changed.names().map(|(_, key)| key).filter(|key| key.starts_with(prefix) && !own(key));
                let keys: Vec<Box<[u8]>> = keys.map(Box::from).collect();
                let stale = Some(Stale::Keys(keys)).filter(|stale| *stale != Stale::Keys(Vec::new()))?;
                Some(Invalidation { client, redirect: tracker.redirect, stale })
            })
        });
        told.collect()
    }

    fn is_full(&self) -> bool {
        self.keys_max > 0 && self.read.len() as u64 > self.keys_max
    }

    /// Forgets keys while there are too many of them, any of them, and tells their readers: a bounded number, which
    /// grows from command to command while that is not enough.
    pub(super) fn forget_some(&mut self, random: &mut Random) {
        let mut left = FORGOTTEN_AT_ONCE.saturating_mul(self.rounds.saturating_add(1));
        while self.is_full() && left > 0 {
            left -= 1;
            let Some(key) = self.read.random(random).map(|field| field.name.to_vec()) else { return };
            self.forget(&key);
        }
        self.rounds = if self.is_full() { self.rounds.saturating_add(1) } else { 0 };
    }
}

fn readers(ids: &[u8]) -> impl Iterator<Item = ClientId> + '_ {
    ids.as_chunks().0.iter().map(|id| ClientId(u32::from_le_bytes(*id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: ClientId = ClientId(1);
    const TWO: ClientId = ClientId(2);

    fn tracking() -> Tracking {
        let mut tracking = Tracking::new(7);
        tracking.start(ONE, &TrackingOptions::default());
        tracking.start(TWO, &TrackingOptions::default());
        tracking
    }

    fn told(tracking: &mut Tracking) -> Vec<(u32, Stale)> {
        tracking.take().into_iter().map(|told| (told.client.0, told.stale)).collect()
    }

    fn key(name: &[u8]) -> Stale {
        Stale::Keys(vec![name.into()])
    }

    #[test]
    fn a_reader_is_remembered_once_and_told_once() {
        let mut tracking = tracking();
        for client in [ONE, TWO, ONE] {
            tracking.remember(client, b"k");
        }
        assert_eq!((tracking.key_count(), tracking.reader_count()), (1, 2));
        tracking.touch(b"other", EventKind::Set);
        assert!(!tracking.has_news());
        tracking.touch(b"k", EventKind::Set);
        tracking.touch(b"k", EventKind::Set);
        assert_eq!(told(&mut tracking), [(1, key(b"k")), (2, key(b"k"))]);
        assert_eq!((tracking.key_count(), tracking.reader_count()), (0, 0));
    }

    #[test]
    fn those_who_left_are_told_nothing_and_leave_an_empty_table_behind_in_the_end() {
        let mut tracking = tracking();
        tracking.remember(ONE, b"k");
        tracking.stop(ONE);
        tracking.stop(TWO);
        assert!(!tracking.is_idle());
        tracking.touch(b"k", EventKind::Set);
        assert!(tracking.is_idle() && !tracking.has_news());
    }

    #[test]
    fn too_many_keys_are_forgotten_a_bounded_number_at_a_time_and_every_reader_is_told() {
        let mut tracking = tracking();
        let mut random = Random::new(3);
        tracking.set_keys_max(10);
        for number in 0..1000u32 {
            tracking.remember(ONE, &number.to_le_bytes());
        }
        let mut forgotten = 0;
        let mut rounds = 0;
        while tracking.has_news() {
            tracking.forget_some(&mut random);
            let now = told(&mut tracking).len();
            rounds += 1;
            assert!(now <= 100 * rounds, "{now}");
            forgotten += now;
        }
        assert_eq!((forgotten, tracking.key_count(), rounds), (990, 10, 4));
    }

    #[test]
    fn while_a_log_is_replayed_nobody_is_told_and_afterwards_everybody_that_everything_changed() {
        let mut tracking = tracking();
        tracking.remember(ONE, b"k");
        tracking.mute(true);
        tracking.touch(b"k", EventKind::Set);
        assert!(!tracking.has_news());
        tracking.mute(false);
        assert_eq!(told(&mut tracking), [(1, Stale::Everything), (2, Stale::Everything)]);
        assert_eq!(tracking.key_count(), 0);
    }

    #[test]
    fn a_key_that_changes_often_is_broadcast_once_by_its_last_author() {
        let mut tracking = Tracking::new(0);
        let prefixes = vec![&b"a"[..], b""];
        tracking.start(ONE, &TrackingOptions { broadcast: true, noloop: true, prefixes, ..Default::default() });
        assert_eq!(tracking.prefix_count(), 2);
        for (author, name) in [(ONE, b"b"), (TWO, b"a"), (ONE, b"a"), (TWO, b"b")] {
            tracking.set_author(Some(author));
            tracking.touch(name, EventKind::Set);
        }
        assert!(told(&mut tracking).is_empty());
        let broadcasts = tracking.take_broadcasts();
        assert_eq!(broadcasts.iter().map(|told| &told.stale).collect::<Vec<_>>(), [&key(b"b")]);
        tracking.touch(b"a", EventKind::Expired);
        assert_eq!(tracking.take_broadcasts().len(), 2);
        assert!(!tracking.has_news());
    }
}
