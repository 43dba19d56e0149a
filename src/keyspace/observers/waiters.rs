//! Blocked clients by the keys that they wait for, in queue order. Every operation takes logarithmic time in the number
//! of clients, whatever the number that wait for one key.

use alloc::boxed::Box;

use super::client_id::ClientId;
use crate::base::clock::Timestamp;
use crate::base::hash::hash_bytes;
use crate::store::name_index::NameIndex;
use crate::store::ordered::{Key, Ordered};
use crate::store::slots::{Slot, Slots};
use crate::values::Mode;

/// A key and its database.
pub type KeyName = (u8, Box<[u8]>);

/// Position of a blocked client in the queue. A smaller position has waited longer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct QueuePosition(pub u64);

/// Queue of a key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Queue {
    /// Clients that wait until the key is created.
    Created,
    /// Holders of a latch that wait for a stronger mode: ahead of its line.
    Upgrade,
    /// The line of a latch.
    Line,
    /// Clients that wait until a barrier opens.
    Barrier,
    /// Clients that wait for entries of a stream as consumers of a group.
    Consumer,
}

impl Queue {
    const ALL: [Queue; 5] = [Queue::Created, Queue::Upgrade, Queue::Line, Queue::Barrier, Queue::Consumer];
}

/// Client that waits for a latch, with the mode that it wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiter {
    pub client: ClientId,
    pub owner: Box<[u8]>,
    pub mode: Mode,
    pub permits: i64,
    /// Limit of all permits, or the number of parties of a barrier.
    pub limit: i64,
    pub since: Timestamp,
    pub until: Timestamp,
    /// Whether the key is the first one of the request, by which the same request of the same owner is found.
    pub is_first: bool,
}

/// Key that a blocked client waits for, with its queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitedKey {
    pub name: KeyName,
    pub queue: Queue,
    /// `None` in the queue of clients that wait for a new key.
    pub waiter: Option<Box<Waiter>>,
}

/// Numbers of queues, which are the low bits of the first number of an entry.
const QUEUE_BITS: u32 = 3;

/// Value of an entry without a waiter.
const NO_WAITER: u32 = u32::MAX;

/// Blocked clients in the queues of their keys.
#[derive(Clone, Debug, Default)]
pub struct Waiters {
    /// Numbers of lines by key; a line exists while a client waits in it.
    lines: NameIndex,
    /// Slots of waiters by line and queue, and by queue position.
    queues: Ordered,
    waiters: Slots<Box<Waiter>>,
    /// Slots of waiters by a hash of their first key and owner, and by queue position.
    owners: Ordered,
    last_line: u64,
    /// Number of entries of clients that wait for any change of a key.
    change_count: usize,
}

impl Waiters {
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// Whether any client waits for a change of a key that may exist already.
    #[inline(always)]
    pub fn want_changes(&self) -> bool {
        self.change_count > 0
    }

    /// Number of keys that are waited for.
    pub fn key_count(&self) -> usize {
        self.lines.len()
    }

    /// Keys that are waited for, each with its database.
    pub fn keys(&self) -> impl Iterator<Item = (u8, &[u8])> {
        self.lines.names()
    }

    /// Adds a client to a queue of a key. Without memory for the waiter it has none: it is served, but not shown.
    pub fn add(&mut self, position: QueuePosition, key: &WaitedKey, waiter: Option<Box<Waiter>>) {
        let (database, name) = (key.name.0, &key.name.1);
        let line = self.line(database, name).unwrap_or_else(|| {
            self.last_line += 1;
            self.lines.add(database, name, self.last_line);
            self.last_line
        });
        if self.queues.get(entry(line, key.queue, position)).is_some() {
            return;
        }
        let mut slot = NO_WAITER;
        if let Some(waiter) = waiter.filter(|_| self.waiters.reserve().is_ok()) {
            let owner = waiter.is_first.then(|| owner_hash(line, &waiter.owner));
            slot = self.waiters.insert(waiter).0;
            if let Some(hash) = owner {
                self.owners.insert((hash, position.0), slot);
            }
        }
        self.queues.insert(entry(line, key.queue, position), slot);
        self.change_count += usize::from(key.queue != Queue::Created);
    }

    /// Removes a client from a queue of a key. Returns whether it was the first of the line.
    pub fn remove(&mut self, position: QueuePosition, key: &WaitedKey) -> bool {
        let (database, name) = (key.name.0, &key.name.1);
        let Some(line) = self.line(database, name) else { return false };
        let was_first = self.first_in(line) == Some((key.queue, position));
        let Some(slot) = self.queues.remove(entry(line, key.queue, position)) else { return false };
        self.change_count -= usize::from(key.queue != Queue::Created);
        if let Some(waiter) = self.waiters.remove(Slot(slot)).filter(|waiter| waiter.is_first) {
            self.owners.remove((owner_hash(line, &waiter.owner), position.0));
        }
        if self.next_in(line, Queue::Created).is_none() {
            self.lines.remove(database, name, line);
        }
        was_first
    }

    /// Whether a client waits in the queue, or in one that follows it.
    pub fn has(&self, database: u8, key: &[u8], queue: Queue) -> bool {
        self.line(database, key).is_some_and(|line| self.next_in(line, queue).is_some())
    }

    /// Next client of a queue, after a position.
    pub fn next(&self, name: &KeyName, queue: Queue, after: QueuePosition) -> Option<QueuePosition> {
        let from = entry(self.line(name.0, &name.1)?, queue, QueuePosition(after.0 + 1));
        let ((in_queue, position), _) = self.queues.next(from)?;
        (in_queue == from.0).then_some(QueuePosition(position))
    }

    /// First client in the line of a latch. Upgrades precede the others.
    pub fn first(&self, name: &KeyName) -> Option<(Queue, QueuePosition)> {
        self.first_in(self.line(name.0, &name.1)?)
    }

    /// Whether a client at `position`, or a newcomer, has others before it in the line of a latch.
    pub fn is_behind(&self, database: u8, key: &[u8], position: Option<QueuePosition>) -> bool {
        let line = if self.want_changes() { self.line(database, key) } else { None };
        let first = line.and_then(|line| self.first_in(line));
        first.is_some_and(|(queue, first)| queue == Queue::Upgrade || position.is_none_or(|position| first < position))
    }

    /// First client of a queue after a position, with its own.
    pub fn after(
        &self,
        database: u8,
        key: &[u8],
        queue: Queue,
        position: QueuePosition,
    ) -> Option<(QueuePosition, &Waiter)> {
        let mut from = entry(self.line(database, key)?, queue, QueuePosition(position.0 + 1));
        loop {
            let ((in_queue, position), slot) =
                self.queues.next(from).filter(|((in_queue, _), _)| *in_queue == from.0)?;
            if let Some(waiter) = self.waiters.get(Slot(slot)) {
                return Some((QueuePosition(position), waiter));
            }
            from = (in_queue, position + 1);
        }
    }

    /// Position of the client that waits for a key as this owner.
    pub fn position_of(&self, database: u8, key: &[u8], owner: &[u8]) -> Option<QueuePosition> {
        if !self.want_changes() {
            return None;
        }
        let line = self.line(database, key)?;
        let hash = owner_hash(line, owner);
        let entries = self.owners.entries((hash, 0)).take_while(|((of_hash, _), _)| *of_hash == hash);
        let is_own = |position: QueuePosition, slot: u32| {
            let of_queue = |queue| self.queues.get(entry(line, queue, position)) == Some(slot);
            (of_queue(Queue::Line) || of_queue(Queue::Upgrade))
                && self.waiters.get(Slot(slot)).is_some_and(|waiter| *waiter.owner == *owner)
        };
        let mut positions = entries.map(|((_, position), slot)| (QueuePosition(position), slot));
        positions.find(|(position, slot)| is_own(*position, *slot)).map(|(position, _)| position)
    }

    fn line(&self, database: u8, key: &[u8]) -> Option<u64> {
        self.lines.of(database, key).first().copied()
    }

    fn first_in(&self, line: u64) -> Option<(Queue, QueuePosition)> {
        self.next_in(line, Queue::Upgrade).filter(|(queue, _)| *queue <= Queue::Line)
    }

    /// First client of a line, from a queue on.
    fn next_in(&self, line: u64, queue: Queue) -> Option<(Queue, QueuePosition)> {
        let ((in_queue, position), _) = self.queues.next(entry(line, queue, QueuePosition(0)))?;
        let queue = *Queue::ALL.get(in_queue as usize & ((1 << QUEUE_BITS) - 1))?;
        (in_queue >> QUEUE_BITS == line).then_some((queue, QueuePosition(position)))
    }
}

/// Key of an entry: line and queue, then the position.
fn entry(line: u64, queue: Queue, position: QueuePosition) -> Key {
    (line << QUEUE_BITS | queue as u64, position.0)
}

/// Hash of an owner in a line. Owners of equal hashes are compared.
fn owner_hash(line: u64, owner: &[u8]) -> u64 {
    hash_bytes(line, owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waited(queue: Queue, owner: &str) -> WaitedKey {
        let waiter = Waiter {
            client: ClientId(1),
            owner: owner.as_bytes().into(),
            mode: Mode::Exclusive,
            permits: 1,
            limit: 1,
            since: Timestamp::MIN,
            until: Timestamp::MAX,
            is_first: true,
        };
        WaitedKey { name: (0, b"k"[..].into()), queue, waiter: Some(Box::new(waiter)) }
    }

    #[test]
    fn upgrades_precede_the_line_and_a_line_goes_with_its_last_client() {
        let mut waiters = Waiters::default();
        let places = [(7, Queue::Line, "a"), (3, Queue::Line, "b"), (9, Queue::Upgrade, "c"), (1, Queue::Barrier, "d")];
        for (position, queue, owner) in places {
            let key = waited(queue, owner);
            waiters.add(QueuePosition(position), &key, key.waiter.clone());
        }
        let name = waited(Queue::Line, "").name;
        assert_eq!(waiters.position_of(0, b"k", b"b"), Some(QueuePosition(3)));
        let after = |position| {
            let found = waiters.after(0, b"k", Queue::Line, QueuePosition(position));
            found.map(|(position, waiter)| (position.0, waiter.owner.to_vec()))
        };
        assert_eq!((after(0), after(3), after(7)), (Some((3, b"b".to_vec())), Some((7, b"a".to_vec())), None));
        for (position, queue, owner) in [(9, Queue::Upgrade, "c"), (3, Queue::Line, "b"), (7, Queue::Line, "a")] {
            assert_eq!(waiters.first(&name), Some((queue, QueuePosition(position))));
            assert!(waiters.is_behind(0, b"k", None));
            assert_eq!(waiters.is_behind(0, b"k", Some(QueuePosition(3))), queue == Queue::Upgrade);
            assert!(waiters.remove(QueuePosition(position), &waited(queue, owner)));
        }
        assert!(waiters.first(&name).is_none() && waiters.has(0, b"k", Queue::Upgrade));
        assert_eq!(waiters.next(&name, Queue::Barrier, QueuePosition(0)), Some(QueuePosition(1)));
        assert!(!waiters.remove(QueuePosition(1), &waited(Queue::Barrier, "d")));
        assert!(waiters.is_empty() && !waiters.want_changes() && waiters.key_count() == 0);
        assert_eq!(waiters.position_of(0, b"k", b"d"), None);
    }
}
