//! Keys that clients watch, are blocked on, or track. Without such keys a change costs one test.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::client_id::ClientId;
use super::event::EventKind;
use super::tracking::Tracking;
use crate::base::headroom::{OutOfMemory, ensure, ensure_reserve_unspent, make_room};
use crate::store::name_index::NameIndex;
use crate::store::sorted_vec::SortedVecMap;

/// Bytes of a ready key in tables besides its name.
const READY_BYTES: usize = 256;

/// A key and its database.
pub type KeyName = (u8, Box<[u8]>);

/// Position of a blocked client in the queue. A smaller position has waited longer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct QueuePosition(pub u64);

/// Keys that are watched by transactions, waited for by blocked clients, or tracked.
#[derive(Clone, Debug)]
pub struct Interest {
    /// Client ids by watched key.
    watched: NameIndex,
    /// Watched keys by client.
    watching: SortedVecMap<ClientId, Vec<KeyName>>,
    /// Clients with a watched key that changed (Redis' `CLIENT_DIRTY_CAS`).
    dirty: SortedVecMap<ClientId, ()>,
    /// Queue positions by waited-for key.
    waited: NameIndex,
    /// Waited-for keys that were created, each once, in order of creation.
    ready: Vec<KeyName>,
    /// Index of `ready`.
    is_ready: NameIndex,
    pub tracking: Tracking,
}

impl Interest {
    /// Creates an empty registry. `seed` decides which tracked keys are forgotten when there are too many.
    pub(in crate::keyspace) fn new(seed: u64) -> Interest {
        Interest {
            watched: NameIndex::default(),
            watching: SortedVecMap::default(),
            dirty: SortedVecMap::default(),
            waited: NameIndex::default(),
            ready: Vec::new(),
            is_ready: NameIndex::default(),
            tracking: Tracking::new(seed),
        }
    }

    /// Whether no key is watched or waited for.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.watched.is_empty() && self.waited.is_empty()
    }

    /// Number of keys that are watched or waited for.
    pub fn name_count(&self) -> usize {
        self.watched.len() + self.waited.len()
    }

    /// Reserves memory for all clients that a command may mark as dirty, and for all keys it may make ready.
    #[inline(always)]
    pub(in crate::keyspace) fn make_room(&mut self) -> Result<(), OutOfMemory> {
        if self.is_idle() { Ok(()) } else { self.reserve_marks() }
    }

    fn reserve_marks(&mut self) -> Result<(), OutOfMemory> {
        ensure_reserve_unspent()?;
        self.dirty.make_room(self.watching.len())?;
        let more = self.waited.len().saturating_sub(self.ready.len());
        make_room(&mut self.ready, more)
    }

    /// Checks that there is memory to mark every waited-for key as ready.
    pub(in crate::keyspace) fn ensure_room_to_mark_ready(&self) -> Result<(), OutOfMemory> {
        ensure(self.waited.names().map(|(_, key)| READY_BYTES + 2 * key.len()).sum())
    }

    /// Adds a blocked client to the queue of a key.
    pub fn wait(&mut self, position: QueuePosition, (database, key): &KeyName) {
        self.waited.add(*database, key, position.0);
    }

    /// Removes a blocked client from the queues of its keys.
    pub fn unwait(&mut self, position: QueuePosition, keys: &[KeyName]) {
        for (database, key) in keys {
            self.waited.remove(*database, key, position.0);
        }
    }

    /// Whether waited-for keys were created and their blocked clients not yet served, for example by a load.
    #[inline(always)]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Takes the ready keys: those created since the last call, in order.
    pub fn take_ready(&mut self) -> Vec<KeyName> {
        if self.ready.is_empty() {
            // The reserved capacity stays.
            return Vec::new();
        }
        self.is_ready = NameIndex::default();
        core::mem::take(&mut self.ready)
    }

    /// Returns the next blocked client in the queue of a key, after a position.
    pub fn next_waiting(&self, (database, key): &KeyName, after: QueuePosition) -> Option<QueuePosition> {
        let positions = self.waited.of(*database, key);
        positions.get(positions.partition_point(|&position| position <= after.0)).copied().map(QueuePosition)
    }

    pub fn watch(&mut self, client: ClientId, database: u8, key: &[u8]) {
        if self.watched.add(database, key, client.0.into()) {
            self.watching.get_or_default(client).push((database, key.into()));
        }
    }

    /// Removes all watched keys of a client, and its dirty mark.
    pub fn unwatch(&mut self, client: ClientId) {
        self.dirty.remove(client);
        for (database, key) in self.watching.remove(client).unwrap_or_default() {
            self.watched.remove(database, &key, client.0.into());
        }
    }

    /// Whether a watched key of the client changed.
    pub fn is_disturbed(&self, client: ClientId) -> bool {
        self.dirty.contains(client)
    }

    /// Keys that a client watches, each with its database.
    pub fn watched_by(&self, client: ClientId) -> &[KeyName] {
        self.watching.get(client).map(Vec::as_slice).unwrap_or_default()
    }

    /// Takes the list of a client's watched keys until [`Interest::resume`]. Changes still mark the client as dirty.
    pub fn suspend(&mut self, client: ClientId) -> Vec<KeyName> {
        self.watching.get_mut(client).map(core::mem::take).unwrap_or_default()
    }

    /// Restores the list taken by [`Interest::suspend`].
    pub fn resume(&mut self, client: ClientId, watched: Vec<KeyName>) {
        if let Some(list) = self.watching.get_mut(client) {
            *list = watched;
        }
    }

    /// Marks the clients dirty that watch a key of the database for which `is_held` returns true.
    pub(in crate::keyspace) fn mark_all_dirty(&mut self, database: u8, is_held: &dyn Fn(&[u8]) -> bool) {
        for (_, _, ids) in self.watched.entries().filter(|(of, key, _)| *of == database && is_held(key)) {
            for id in ids {
                self.dirty.insert(ClientId(*id as u32), ());
            }
        }
    }

    /// Marks all waited-for keys of the database as ready for which `is_held` returns true.
    /// [`Interest::ensure_room_to_mark_ready`] must have succeeded.
    pub(in crate::keyspace) fn mark_all_ready(&mut self, database: u8, is_held: &dyn Fn(&[u8]) -> bool) {
        for (_, key, _) in self.waited.entries().filter(|(of, key, _)| *of == database && is_held(key)) {
            if self.is_ready.add(database, key, 0) {
                self.ready.push((database, key.into()));
            }
        }
    }

    /// Notifies watching and tracking clients of a changed key.
    #[inline(always)]
    pub(in crate::keyspace) fn changed(&mut self, database: u8, key: &[u8], event: EventKind) {
        self.touch(database, key);
        self.tracking.touch(key, event);
    }

    /// Notifies watching clients of a changed key.
    #[inline(always)]
    pub(in crate::keyspace) fn touch(&mut self, database: u8, key: &[u8]) {
        if !self.is_idle() {
            self.mark_dirty(database, key);
        }
    }

    fn mark_dirty(&mut self, database: u8, key: &[u8]) {
        for id in self.watched.of(database, key) {
            // Client ids are 32 bits wide.
            self.dirty.insert(ClientId(*id as u32), ());
        }
    }

    /// Marks a new key as ready if a blocked client waits for it. An overwrite wakes no client, as in Redis: after a
    /// sorted set replaces a string, BZPOPMIN stays blocked.
    pub(in crate::keyspace) fn mark_ready(&mut self, database: u8, key: &[u8]) {
        if !self.is_idle() && !self.waited.of(database, key).is_empty() && self.is_ready.add(database, key, 0) {
            self.ready.push((database, key.into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_marks_the_clients_that_watch_the_key_in_its_database() {
        let (one, two) = (ClientId(1), ClientId(2));
        let mut interest = Interest::new(0);
        interest.watch(one, 0, b"k");
        interest.watch(one, 0, b"k");
        interest.watch(two, 1, b"k");
        assert_eq!(interest.watched_by(one).len(), 1);
        interest.touch(0, b"other");
        assert!(!interest.is_disturbed(one));
        interest.touch(0, b"k");
        assert!(interest.is_disturbed(one) && !interest.is_disturbed(two));
        interest.unwatch(one);
        assert!(!interest.is_disturbed(one));
        interest.unwatch(two);
        assert!(interest.is_idle());
    }

    #[test]
    fn new_keys_become_ready_once_and_their_clients_are_served_in_queue_order() {
        let mut interest = Interest::new(0);
        let key: KeyName = (0, b"k"[..].into());
        interest.wait(QueuePosition(7), &key);
        interest.wait(QueuePosition(3), &key);
        let other: KeyName = (1, b"a"[..].into());
        interest.wait(QueuePosition(5), &other);
        interest.touch(0, b"k");
        assert!(!interest.has_ready());
        for (database, name) in [(0, b"k"), (1, b"a"), (1, b"k"), (0, b"k")] {
            interest.mark_ready(database, name);
        }
        assert_eq!(interest.take_ready(), [key.clone(), other.clone()]);
        assert!(interest.take_ready().is_empty());
        let next =
            |interest: &Interest, after| interest.next_waiting(&key, QueuePosition(after)).map(|position| position.0);
        assert_eq!((next(&interest, 0), next(&interest, 3), next(&interest, 7)), (Some(3), Some(7), None));
        interest.unwait(QueuePosition(3), core::slice::from_ref(&key));
        assert_eq!((next(&interest, 0), next(&interest, 3)), (Some(7), Some(7)));
        interest.unwait(QueuePosition(7), core::slice::from_ref(&key));
        interest.unwait(QueuePosition(5), &[other]);
        assert!(interest.is_idle());
    }
}
