//! Who wants to know when a key changes. Nobody pays while nobody is interested.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::client_id::ClientId;
use super::event::EventKind;
use super::tracking::Tracking;
use crate::base::headroom::{OutOfMemory, ensure, ensure_reserve_unspent, make_room};
use crate::store::name_index::NameIndex;
use crate::store::sorted_vec::SortedVecMap;

/// What a key that is ready takes in tables, beside its name.
const READY_BYTES: usize = 256;

/// A key and its database.
pub type KeyName = (u8, Box<[u8]>);

/// The place of a blocked command in the order of waiting: a smaller one waits longer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct QueuePosition(pub u64);

/// Keys that transactions watch, blocked commands wait for and clients hold copies of.
#[derive(Clone, Debug)]
pub struct Interest {
    /// By client id.
    watched: NameIndex,
    /// What each client watches, to find its entries again.
    watching: SortedVecMap<ClientId, Vec<KeyName>>,
    /// Clients one of whose keys changed since they began to watch.
    disturbed: SortedVecMap<ClientId, ()>,
    /// By position.
    waited: NameIndex,
    /// Keys somebody waits for that came into being, each once, in that order.
    ready: Vec<KeyName>,
    /// What is in `ready`.
    is_ready: NameIndex,
    pub tracking: Tracking,
}

impl Interest {
    /// Nobody is interested in anything. `seed` decides which copies are forgotten when there are too many.
    pub(in crate::keyspace) fn new(seed: u64) -> Interest {
        Interest {
            watched: NameIndex::default(),
            watching: SortedVecMap::default(),
            disturbed: SortedVecMap::default(),
            waited: NameIndex::default(),
            ready: Vec::new(),
            is_ready: NameIndex::default(),
            tracking: Tracking::new(seed),
        }
    }

    /// Nobody watches anything or waits for it.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.watched.is_empty() && self.waited.is_empty()
    }

    /// How many keys are watched or waited for.
    pub fn name_count(&self) -> usize {
        self.watched.len() + self.waited.len()
    }

    /// Makes sure that there is place for everybody whom a command may disturb or wake.
    #[inline(always)]
    pub(in crate::keyspace) fn make_room(&mut self) -> Result<(), OutOfMemory> {
        if self.is_idle() { Ok(()) } else { self.make_places() }
    }

    fn make_places(&mut self) -> Result<(), OutOfMemory> {
        ensure_reserve_unspent()?;
        self.disturbed.make_room(self.watching.len())?;
        let more = self.waited.len().saturating_sub(self.ready.len());
        make_room(&mut self.ready, more)
    }

    /// Makes sure that every key somebody waits for can be told to be there.
    pub(in crate::keyspace) fn ensure_room_to_wake_all(&self) -> Result<(), OutOfMemory> {
        ensure(self.waited.names().map(|(_, key)| READY_BYTES + 2 * key.len()).sum())
    }

    /// A blocked command waits for a key.
    pub fn wait(&mut self, position: QueuePosition, (database, key): &KeyName) {
        self.waited.add(*database, key, position.0);
    }

    /// A blocked command is gone, or about to run again.
    pub fn unwait(&mut self, position: QueuePosition, keys: &[KeyName]) {
        for (database, key) in keys {
            self.waited.remove(*database, key, position.0);
        }
    }

    /// Keys appeared that somebody waits for, and nobody has looked yet: after a load, for example.
    #[inline(always)]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The keys that appeared since they were asked for last, and that somebody waits for.
    pub fn take_ready(&mut self) -> Vec<KeyName> {
        if self.ready.is_empty() {
            // The places in it stay.
            return Vec::new();
        }
        self.is_ready = NameIndex::default();
        core::mem::take(&mut self.ready)
    }

    /// Of the blocked commands that wait for a key, the one that waits longest of those that wait less long than
    /// another.
    pub fn next_waiting(&self, (database, key): &KeyName, after: QueuePosition) -> Option<QueuePosition> {
        let positions = self.waited.of(*database, key);
        positions.get(positions.partition_point(|&position| position <= after.0)).copied().map(QueuePosition)
    }

    pub fn watch(&mut self, client: ClientId, database: u8, key: &[u8]) {
        if self.watched.add(database, key, client.0.into()) {
            self.watching.get_or_default(client).push((database, key.into()));
        }
    }

    /// Ends all watching of a client and forgets whether it was disturbed.
    pub fn unwatch(&mut self, client: ClientId) {
        self.disturbed.remove(client);
        for (database, key) in self.watching.remove(client).unwrap_or_default() {
            self.watched.remove(database, &key, client.0.into());
        }
    }

    pub fn is_disturbed(&self, client: ClientId) -> bool {
        self.disturbed.contains(client)
    }

    /// The keys a client watches, each with its database.
    pub fn watched_by(&self, client: ClientId) -> &[KeyName] {
        self.watching.get(client).map(Vec::as_slice).unwrap_or_default()
    }

    /// Takes the list of what a client watches, to be put back by [`Interest::resume`]: it goes on being disturbed.
    pub fn suspend(&mut self, client: ClientId) -> Vec<KeyName> {
        self.watching.get_mut(client).map(core::mem::take).unwrap_or_default()
    }

    pub fn resume(&mut self, client: ClientId, watched: Vec<KeyName>) {
        if let Some(place) = self.watching.get_mut(client) {
            *place = watched;
        }
    }

    /// Keys of a database are not what they were: those of whom `is_held` says so.
    pub(in crate::keyspace) fn touch_all(&mut self, database: u8, is_held: &dyn Fn(&[u8]) -> bool) {
        for (_, _, ids) in self.watched.entries().filter(|(of, key, _)| *of == database && is_held(key)) {
            for id in ids {
                self.disturbed.insert(ClientId(*id as u32), ());
            }
        }
    }

    /// Keys of a database may have come into being: those of whom `is_held` says so. Room must have been made for
    /// that: [`Interest::ensure_room_to_wake_all`].
    pub(in crate::keyspace) fn appear_all(&mut self, database: u8, is_held: &dyn Fn(&[u8]) -> bool) {
        for (_, key, _) in self.waited.entries().filter(|(of, key, _)| *of == database && is_held(key)) {
            if self.is_ready.add(database, key, 0) {
                self.ready.push((database, key.into()));
            }
        }
    }

    /// A command, or the end of its time, changed a key.
    #[inline(always)]
    pub(in crate::keyspace) fn changed(&mut self, database: u8, key: &[u8], event: EventKind) {
        self.touch(database, key);
        self.tracking.touch(key, event);
    }

    /// A key is not what those who watch it or wait for it knew.
    #[inline(always)]
    pub(in crate::keyspace) fn touch(&mut self, database: u8, key: &[u8]) {
        if !self.is_idle() {
            self.notify(database, key);
        }
    }

    fn notify(&mut self, database: u8, key: &[u8]) {
        for id in self.watched.of(database, key) {
            // Ids of clients are 32 bits wide.
            self.disturbed.insert(ClientId(*id as u32), ());
        }
    }

    /// A key came into being where none was. To overwrite one wakes nobody, as in Redis: a sorted set stored over a
    /// string leaves those waiting who wait for a sorted set.
    pub(in crate::keyspace) fn appear(&mut self, database: u8, key: &[u8]) {
        if !self.is_idle() && !self.waited.of(database, key).is_empty() && self.is_ready.add(database, key, 0) {
            self.ready.push((database, key.into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touch_disturbs_exactly_those_who_watch_that_key_in_that_database() {
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
    fn keys_that_appear_are_told_once_in_order_and_those_who_wait_for_them_in_line() {
        let mut interest = Interest::new(0);
        let key: KeyName = (0, b"k"[..].into());
        interest.wait(QueuePosition(7), &key);
        interest.wait(QueuePosition(3), &key);
        let other: KeyName = (1, b"a"[..].into());
        interest.wait(QueuePosition(5), &other);
        interest.touch(0, b"k");
        assert!(!interest.has_ready());
        for (database, name) in [(0, b"k"), (1, b"a"), (1, b"k"), (0, b"k")] {
            interest.appear(database, name);
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
