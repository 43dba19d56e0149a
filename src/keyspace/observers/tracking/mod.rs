//! Client-side caching: the table of keys that clients have read, and the queue of invalidations. Delivery is done by
//! `server/invalidations`. Keys have no database here, as in Redis: a change in any database invalidates the copies.
//!
//! Entries of a disconnected client stay until the key changes or the table is full, because the table is not searched
//! by client.

mod tracker;

pub use tracker::{Invalidation, Recipient, Stale, TrackedReads, Tracker, TrackingOptions};

use alloc::vec::Vec;

use super::client_id::ClientId;
use super::event::EventKind;
use crate::base::headroom::copied;
use crate::base::headroom::{OutOfMemory, ensure_reserve_unspent, try_reserve};
use crate::base::random::Random;
use crate::store::name_index::NameIndex;
use crate::store::sorted_vec::SortedVecMap;
use crate::values::{Hash, NewDeadline, PackedLimit};

/// Default of `tracking-table-max-keys`.
const KEYS_MAX: u64 = 1_000_000;
/// Number of excess keys that one command forgets. The number grows by as many with each command that leaves the table
/// full.
const FORGOTTEN_PER_ROUND: u32 = 100;
/// Bytes of a change in tables until its delivery.
const CHANGE_BYTES: usize = 384;
/// Bytes of a client id in the table.
const ID_BYTES: usize = 4;
/// Limit of the compact encoding: the table never uses it.
const PACKED: PackedLimit = PackedLimit { members: 0, bytes: 0 };

/// Table of tracked keys, tracking clients and pending invalidations.
#[derive(Clone, Debug)]
pub struct Tracking {
    seed: u64,
    trackers: SortedVecMap<ClientId, Tracker>,
    /// Keys that were read, each with the ids of its readers.
    read: Hash,
    /// Number of pairs of a key and a reader.
    readers: u64,
    /// Maximum number of keys in the table; 0 means no limit.
    keys_max: u64,
    /// Number of consecutive commands that left the table full.
    rounds: u32,
    /// Client of the running command.
    author: Option<ClientId>,
    /// Changed keys that match a prefix, each with the client that changed it last; 0 for changes without a command.
    changed: NameIndex,
    queue: Vec<Invalidation>,
    /// Whether an invalidation of some tracker was lost.
    any_lost: bool,
    /// Whether changes are ignored, in load mode.
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
            any_lost: false,
            muted: false,
        }
    }

    /// Whether no client tracks and the table is empty.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.trackers.is_empty() && self.read.is_empty()
    }

    /// Sets the maximum number of keys in the table; 0 means no limit.
    pub fn set_keys_max(&mut self, keys_max: u64) {
        self.keys_max = keys_max;
    }

    /// Sets the client of the running command.
    pub fn set_author(&mut self, author: Option<ClientId>) {
        self.author = author;
    }

    // --- Tracking clients.

    /// Starts tracking, or changes its options. Prefixes are added to the present ones.
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

    /// Sets whether CLIENT CACHING applies to the next command.
    pub fn set_caching(&mut self, client: ClientId, caching: bool) {
        if let Some(tracker) = self.trackers.get_mut(client) {
            tracker.caching = caching;
        }
    }

    /// Marks a redirect as broken: the redirect client was disconnected.
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

    /// Number of pairs of a key and a client that read it.
    pub fn reader_count(&self) -> u64 {
        self.readers
    }

    /// Number of distinct prefixes.
    pub fn prefix_count(&self) -> usize {
        let mut distinct = NameIndex::default();
        self.trackers.iter().flat_map(|(_, tracker)| &tracker.prefixes).for_each(|prefix| {
            distinct.add(0, prefix, 0);
        });
        distinct.len()
    }

    /// Upper bound in bytes of the invalidations of a command with `arguments` arguments of `bytes` bytes in all.
    #[inline(always)]
    pub(in crate::keyspace) fn message_bytes(&self, arguments: usize, bytes: usize) -> usize {
        if self.trackers.is_empty() {
            return 0;
        }
        let recipients = self.trackers.len().saturating_mul(2 * size_of::<Recipient>());
        arguments.saturating_mul(CHANGE_BYTES.saturating_add(recipients)).saturating_add(bytes.saturating_mul(2))
    }

    // --- Reads.

    /// Whether keys read by the client's present command are remembered.
    pub fn remembers(&self, client: ClientId) -> bool {
        self.trackers.get(client).is_some_and(Tracker::remembers)
    }

    /// Records that a client has read a key. If memory is short, the client's copy is invalidated immediately.
    pub fn remember(&mut self, client: ClientId, key: &[u8]) {
        if self.try_remember(client, key).is_err() {
            let redirect = self.trackers.get(client).and_then(|tracker| tracker.redirect);
            if push_invalidation(&mut self.queue, stale(key), &mut core::iter::once(Recipient { client, redirect }))
                .is_err()
            {
                self.mark_lost(&|other, _| other == client);
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

    // --- Changes.

    /// Queues the invalidations of a changed key.
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
        if self.trackers.iter().any(|(_, tracker)| tracker.matches(key)) {
            let author = self.author.filter(|_| event.has_author());
            self.note_change(key, author);
        }
        self.forget(key);
    }

    fn note_change(&mut self, key: &[u8], author: Option<ClientId>) {
        if ensure_reserve_unspent().is_err() {
            return self.mark_lost(&|_, tracker| tracker.matches(key));
        }
        if let Some(before) = self.changed.of(0, key).first().copied() {
            self.changed.remove(0, key, before);
        }
        self.changed.add(0, key, author.map_or(0, |author| author.0.into()));
    }

    /// Queues an invalidation for the readers of a key, and removes the key from the table.
    fn forget(&mut self, key: &[u8]) {
        let Tracking { read, readers: count, trackers, author, queue, any_lost, .. } = self;
        let Some(ids) = read.get(key) else { return };
        *count -= readers(&ids).count() as u64;
        let is_notified =
            |reader: ClientId, tracker: &Tracker| !(tracker.broadcast || tracker.noloop && *author == Some(reader));
        let recipient = |client: ClientId| {
            let tracker = trackers.get(client).filter(|tracker| is_notified(client, tracker))?;
            Some(Recipient { client, redirect: tracker.redirect })
        };
        if push_invalidation(queue, stale(key), &mut readers(&ids).filter_map(recipient)).is_err() {
            for reader in readers(&ids) {
                if let Some(tracker) = trackers.get_mut(reader).filter(|tracker| is_notified(reader, tracker)) {
                    (tracker.has_lost, *any_lost) = (true, true);
                }
            }
        }
        read.remove(key);
    }

    /// Marks the trackers for which `is_affected` returns true: an invalidation was lost.
    fn mark_lost(&mut self, is_affected: &dyn Fn(ClientId, &Tracker) -> bool) {
        for (client, tracker) in self.trackers.iter_mut() {
            tracker.has_lost |= is_affected(client, tracker);
            self.any_lost |= tracker.has_lost;
        }
    }

    /// Invalidates all copies of all clients and empties the table: a database was emptied or loaded.
    pub(in crate::keyspace) fn flush(&mut self) {
        if self.is_idle() || self.muted {
            return;
        }
        let recipient = |(client, tracker): (ClientId, &Tracker)| Recipient { client, redirect: tracker.redirect };
        let queued =
            push_invalidation(&mut self.queue, Ok(Stale::Everything), &mut self.trackers.iter().map(recipient));
        if queued.is_err() {
            self.mark_lost(&|_, _| true);
        }
        self.read = Hash::new(self.seed);
        self.readers = 0;
    }

    /// Invalidates all copies of one client.
    pub fn invalidate_all_of(&mut self, client: ClientId) {
        let recipient = self.trackers.get(client).map(|tracker| Recipient { client, redirect: tracker.redirect });
        if push_invalidation(&mut self.queue, Ok(Stale::Everything), &mut recipient.into_iter()).is_err() {
            self.mark_lost(&|other, _| other == client);
        }
    }

    /// Begins or ends load mode. While a log is replayed, changes are ignored; afterwards all copies are invalidated.
    pub(in crate::keyspace) fn mute(&mut self, muted: bool) {
        self.muted = muted;
        self.flush();
    }

    // --- Delivery.

    /// Whether invalidations are to be delivered, or keys to be forgotten.
    pub fn has_pending(&self) -> bool {
        !self.queue.is_empty() || !self.changed.is_empty() || self.any_lost || self.is_full()
    }

    /// Takes the queue of invalidations.
    pub fn take(&mut self) -> Vec<Invalidation> {
        core::mem::take(&mut self.queue)
    }

    /// Takes the changed keys that match a prefix, in order, each with the client that changed it last. Clients are 0
    /// for changes without a command.
    pub fn take_changed(&mut self) -> NameIndex {
        core::mem::take(&mut self.changed)
    }

    /// Returns the first tracking client with an id larger than `client`.
    pub fn tracker_after(&self, client: ClientId) -> Option<(ClientId, &Tracker)> {
        self.trackers.iter_behind(client).next()
    }

    /// Passes each client that missed an invalidation to `disconnect`, once.
    pub fn take_lost(&mut self, disconnect: &mut dyn FnMut(Recipient)) {
        if !core::mem::take(&mut self.any_lost) {
            return;
        }
        for (client, tracker) in self.trackers.iter_mut() {
            if core::mem::take(&mut tracker.has_lost) {
                disconnect(Recipient { client, redirect: tracker.redirect });
            }
        }
    }

    fn is_full(&self) -> bool {
        self.keys_max > 0 && self.read.len() as u64 > self.keys_max
    }

    /// Forgets random keys while the table exceeds its limit, and invalidates their readers' copies. The number per
    /// call is bounded, and grows while the table stays full. If a key cannot be copied, all keys are forgotten.
    pub(in crate::keyspace) fn forget_some(&mut self, random: &mut Random) {
        let mut left = FORGOTTEN_PER_ROUND.saturating_mul(self.rounds.saturating_add(1));
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

/// Queues an invalidation, unless it has no recipients.
fn push_invalidation(
    queue: &mut Vec<Invalidation>,
    stale: Result<Stale, OutOfMemory>,
    clients: &mut dyn Iterator<Item = Recipient>,
) -> Result<(), OutOfMemory> {
    let mut recipients = Vec::new();
    for client in clients {
        try_reserve(&mut recipients, 1)?;
        recipients.push(client);
    }
    if !recipients.is_empty() {
        ensure_reserve_unspent()?;
        try_reserve(queue, 1)?;
        queue.push(Invalidation { stale: stale?, recipients });
    }
    Ok(())
}

fn readers(ids: &[u8]) -> impl Iterator<Item = ClientId> + '_ {
    ids.as_chunks().0.iter().map(|id| ClientId(u32::from_le_bytes(*id)))
}

#[cfg(test)]
mod tests;
