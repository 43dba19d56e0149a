//! Blocked clients by the keys that they wait for, in queue order. Every operation takes logarithmic time in the number
//! of clients, whatever the number that wait for one key.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::client_id::ClientId;
use crate::base::clock::Timestamp;
use crate::store::name_index::NameIndex;
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

/// Place in a queue: number of the key's line, queue, position.
type Place = (u64, Queue, QueuePosition);

/// Blocked clients in the queues of their keys.
#[derive(Clone, Debug, Default)]
pub struct Waiters {
    /// Numbers of lines by key; a line exists while a client waits in it.
    lines: NameIndex,
    queues: BTreeMap<Place, Option<Box<Waiter>>>,
    /// Queue positions by first key and owner.
    owners: NameIndex,
    last_line: u64,
    /// Number of places of clients that wait for any change of a key.
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

    /// Adds a client to a queue of a key.
    pub fn add(&mut self, position: QueuePosition, key: &WaitedKey, waiter: Option<Box<Waiter>>) {
        let (database, name) = (key.name.0, &key.name.1);
        let line = self.line(database, name).unwrap_or_else(|| {
            self.last_line += 1;
            self.lines.add(database, name, self.last_line);
            self.last_line
        });
        if let Some(waiter) = waiter.as_ref().filter(|waiter| waiter.is_first) {
            self.owners.add(database, &owner_name(name, &waiter.owner), position.0);
        }
        if self.queues.insert((line, key.queue, position), waiter).is_none() && key.queue != Queue::Created {
            self.change_count += 1;
        }
    }

    /// Removes a client from a queue of a key. Returns whether it was the first of the line.
    pub fn remove(&mut self, position: QueuePosition, key: &WaitedKey) -> bool {
        let (database, name) = (key.name.0, &key.name.1);
        let Some(line) = self.line(database, name) else { return false };
        let was_first = self.first_in(line) == Some((key.queue, position));
        let Some(waiter) = self.queues.remove(&(line, key.queue, position)) else { return false };
        self.change_count -= usize::from(key.queue != Queue::Created);
        if let Some(waiter) = waiter.filter(|waiter| waiter.is_first) {
            self.owners.remove(database, &owner_name(name, &waiter.owner), position.0);
        }
        if self.in_line(line, Queue::Created).next().is_none() {
            self.lines.remove(database, name, line);
        }
        was_first
    }

    /// Whether a client waits in the queue, or in one that follows it.
    pub fn has(&self, database: u8, key: &[u8], queue: Queue) -> bool {
        self.line(database, key).is_some_and(|line| self.in_line(line, queue).next().is_some())
    }

    /// Next client of a queue, after a position.
    pub fn next(&self, name: &KeyName, queue: Queue, after: QueuePosition) -> Option<QueuePosition> {
        let line = self.line(name.0, &name.1)?;
        let mut places = self.queues.range((line, queue, QueuePosition(after.0 + 1))..);
        let ((of_line, of_queue, position), _) = places.next()?;
        (*of_line == line && *of_queue == queue).then_some(*position)
    }

    /// First client in the line of a latch. Upgrades precede the others.
    pub fn first(&self, name: &KeyName) -> Option<(Queue, QueuePosition)> {
        self.first_in(self.line(name.0, &name.1)?)
    }

    /// Whether a client at `position`, or a newcomer, has others before it in the line of a latch.
    pub fn is_behind(&self, database: u8, key: &[u8], position: Option<QueuePosition>) -> bool {
        let first = self.line(database, key).and_then(|line| self.first_in(line));
        first.is_some_and(|(queue, first)| queue == Queue::Upgrade || position.is_none_or(|position| first < position))
    }

    /// Clients in a queue of a key, in order.
    pub fn of(&self, database: u8, key: &[u8], queue: Queue) -> impl Iterator<Item = &Waiter> {
        let line = self.line(database, key).into_iter();
        let places = line.flat_map(move |line| self.in_line(line, queue));
        places.take_while(move |((_, of_queue, _), _)| *of_queue == queue).filter_map(|(_, waiter)| waiter.as_deref())
    }

    /// Position of the client that waits for a key as this owner.
    pub fn position_of(&self, database: u8, key: &[u8], owner: &[u8]) -> Option<QueuePosition> {
        if !self.want_changes() {
            return None;
        }
        self.owners.of(database, &owner_name(key, owner)).first().copied().map(QueuePosition)
    }

    fn line(&self, database: u8, key: &[u8]) -> Option<u64> {
        self.lines.of(database, key).first().copied()
    }

    fn first_in(&self, line: u64) -> Option<(Queue, QueuePosition)> {
        let ((_, queue, position), _) = self.in_line(line, Queue::Upgrade).next()?;
        (*queue <= Queue::Line).then_some((*queue, *position))
    }

    /// Entries of a line, from a queue on.
    fn in_line(&self, line: u64, queue: Queue) -> impl Iterator<Item = (&Place, &Option<Box<Waiter>>)> {
        let places = self.queues.range((line, queue, QueuePosition(0))..);
        places.take_while(move |((of_line, ..), _)| *of_line == line)
    }
}

/// Name of an owner at a key: the length of the key separates both.
fn owner_name(key: &[u8], owner: &[u8]) -> Vec<u8> {
    [&(key.len() as u32).to_le_bytes(), key, owner].concat()
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
        assert_eq!(waiters.of(0, b"k", Queue::Line).map(|waiter| &*waiter.owner).collect::<Vec<_>>(), [b"b", b"a"]);
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
