//! Keys that clients watch, are blocked on, or track. Without such keys a change costs one test.

use alloc::vec::Vec;

use super::client_id::ClientId;
use super::event::EventKind;
use super::tracking::Tracking;
use super::waiters::{KeyName, Queue, Waiters};
use crate::base::headroom::{OutOfMemory, ensure, ensure_reserve_unspent, try_reserve};
use crate::store::name_index::NameIndex;
use crate::store::sorted_vec::SortedVecMap;

/// Bytes of a ready key in tables besides its name.
const READY_BYTES: usize = 256;
/// Number of entries of a key among the ready ones: created and changed.
const WANTS: usize = 2;

/// Change of a key that blocked clients wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// The key appears.
    Created,
    /// The key changes, appears or disappears.
    Changed,
}

/// Keys that are watched by transactions, waited for by blocked clients, or tracked.
#[derive(Clone, Debug)]
pub struct Interest {
    /// Client ids by watched key.
    watched: NameIndex,
    /// Watched keys by client.
    watching: SortedVecMap<ClientId, Vec<KeyName>>,
    /// Clients with a watched key that changed (Redis' `CLIENT_DIRTY_CAS`).
    dirty: SortedVecMap<ClientId, ()>,
    /// Blocked clients by waited-for key.
    pub waiters: Waiters,
    /// Waited-for keys that were created or changed, each once, in order.
    ready: Vec<(Want, KeyName)>,
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
            waiters: Waiters::default(),
            ready: Vec::new(),
            is_ready: NameIndex::default(),
            tracking: Tracking::new(seed),
        }
    }

    /// Whether no key is watched or waited for.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.watched.is_empty() && self.waiters.is_empty()
    }

    /// Number of keys that are watched or waited for.
    pub fn name_count(&self) -> usize {
        self.watched.len() + self.waiters.key_count()
    }

    /// Reserves memory for all clients that a command may mark as dirty, and for all keys it may make ready.
    #[inline(always)]
    pub(in crate::keyspace) fn try_reserve(&mut self) -> Result<(), OutOfMemory> {
        if self.is_idle() { Ok(()) } else { self.reserve_marks() }
    }

    fn reserve_marks(&mut self) -> Result<(), OutOfMemory> {
        ensure_reserve_unspent()?;
        self.dirty.try_reserve(self.watching.len())?;
        let more = (WANTS * self.waiters.key_count()).saturating_sub(self.ready.len());
        try_reserve(&mut self.ready, more)
    }

    /// Checks that there is memory to mark every waited-for key as ready.
    pub fn reserve_headroom_to_mark_ready(&self) -> Result<(), OutOfMemory> {
        ensure(self.waiters.keys().map(|(_, key)| WANTS * (READY_BYTES + 2 * key.len())).sum())
    }

    /// Whether waited-for keys were created or changed and their blocked clients not yet served, for example by a load.
    #[inline(always)]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Takes the ready keys: those created or changed since the last call, in order.
    pub fn take_ready(&mut self) -> Vec<(Want, KeyName)> {
        if self.ready.is_empty() {
            // The reserved capacity stays.
            return Vec::new();
        }
        self.is_ready = NameIndex::default();
        core::mem::take(&mut self.ready)
    }

    /// Forgets the last change of a key, after its blocked clients have seen it.
    pub fn forget_change(&mut self, name: &KeyName) {
        if self.ready.last().is_some_and(|(want, last)| *want == Want::Changed && last == name) {
            self.ready.pop();
            self.is_ready.remove(name.0, &name.1, Want::Changed as u64);
        }
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

    /// Marks a client as if a key that it watches had changed.
    pub fn disturb(&mut self, client: ClientId) {
        self.dirty.insert(client, ());
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

    /// Marks all waited-for keys of the database as changed for which `is_held` returns true, and as created if
    /// `is_created`. [`Interest::reserve_headroom_to_mark_ready`] must have succeeded.
    pub(in crate::keyspace) fn mark_all_ready(
        &mut self,
        database: u8,
        is_created: bool,
        is_held: &dyn Fn(&[u8]) -> bool,
    ) {
        for (_, key) in self.waiters.keys().filter(|(of, key)| *of == database && is_held(key)) {
            for want in [Want::Created, Want::Changed] {
                let is_wanted = is_created || want == Want::Changed;
                if is_wanted && self.is_ready.add(database, key, want as u64) {
                    self.ready.push((want, (database, key.into())));
                }
            }
        }
    }

    /// Notifies watching and tracking clients of a changed key.
    #[inline(always)]
    pub(in crate::keyspace) fn changed(&mut self, database: u8, key: &[u8], event: EventKind) {
        self.touch(database, key);
        self.tracking.touch(key, event);
    }

    /// Notifies watching clients of a changed key, and clients that wait for a change.
    #[inline(always)]
    pub(in crate::keyspace) fn touch(&mut self, database: u8, key: &[u8]) {
        if !self.is_idle() {
            self.mark_dirty(database, key);
            self.mark_changed(database, key);
        }
    }

    fn mark_dirty(&mut self, database: u8, key: &[u8]) {
        for id in self.watched.of(database, key) {
            // Client ids are 32 bits wide.
            self.dirty.insert(ClientId(*id as u32), ());
        }
    }

    /// Marks a key as ready for the clients that wait for any change of it.
    pub fn mark_changed(&mut self, database: u8, key: &[u8]) {
        if self.waiters.want_changes()
            && self.waiters.has(database, key, Queue::Upgrade)
            && self.is_ready.add(database, key, Want::Changed as u64)
        {
            self.ready.push((Want::Changed, (database, key.into())));
        }
    }

    /// Marks a new key as ready if a blocked client waits for it. An overwrite wakes no client, as in Redis: after a
    /// sorted set replaces a string, BZPOPMIN stays blocked.
    pub(in crate::keyspace) fn mark_ready(&mut self, database: u8, key: &[u8]) {
        if !self.waiters.is_empty()
            && self.waiters.has(database, key, Queue::Created)
            && self.is_ready.add(database, key, Want::Created as u64)
        {
            self.ready.push((Want::Created, (database, key.into())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyspace::observers::waiters::{QueuePosition, WaitedKey};

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

    fn waited(name: &KeyName, queue: Queue) -> WaitedKey {
        WaitedKey { name: name.clone(), queue, waiter: None }
    }

    #[test]
    fn new_keys_become_ready_once_and_their_clients_are_served_in_queue_order() {
        let mut interest = Interest::new(0);
        let (key, other): (KeyName, KeyName) = ((0, b"k"[..].into()), (1, b"a"[..].into()));
        for (position, name) in [(7, &key), (3, &key), (5, &other)] {
            interest.waiters.add(QueuePosition(position), &waited(name, Queue::Created), None);
        }
        interest.touch(0, b"k");
        assert!(!interest.has_ready());
        for (database, name) in [(0, b"k"), (1, b"a"), (1, b"k"), (0, b"k")] {
            interest.mark_ready(database, name);
        }
        assert_eq!(interest.take_ready(), [(Want::Created, key.clone()), (Want::Created, other.clone())]);
        assert!(interest.take_ready().is_empty());
        let next = |interest: &Interest, after| interest.waiters.next(&key, Queue::Created, QueuePosition(after));
        assert_eq!((next(&interest, 0), next(&interest, 3)), (Some(QueuePosition(3)), Some(QueuePosition(7))));
        for (position, name) in [(3, &key), (7, &key), (5, &other)] {
            interest.waiters.remove(QueuePosition(position), &waited(name, Queue::Created));
        }
        assert!(interest.is_idle());
    }

    #[test]
    fn any_change_makes_a_key_ready_for_the_clients_that_wait_for_one() {
        let mut interest = Interest::new(0);
        let key: KeyName = (0, b"k"[..].into());
        interest.waiters.add(QueuePosition(1), &waited(&key, Queue::Line), None);
        interest.touch(0, b"k");
        interest.touch(0, b"k");
        interest.mark_ready(0, b"other");
        assert_eq!(interest.take_ready(), [(Want::Changed, key.clone())]);
        interest.touch(0, b"k");
        interest.forget_change(&key);
        assert!(!interest.has_ready());
        interest.mark_all_ready(0, false, &|_| true);
        assert_eq!(interest.take_ready(), [(Want::Changed, key)]);
    }
}
