//! Consumer groups: the last id that was delivered, and entries that consumers have not acknowledged.

use alloc::vec::Vec;

use super::StreamId;
use crate::base::headroom::{OutOfMemory, copied, ensure, try_reserve};
use crate::store::ordered::{Key, Ordered};
use crate::store::slots::{Slot, Slots};

/// Counted bytes of a group and of a consumer besides their names, and of a pending entry.
const GROUP_BYTES: usize = 200;
const CONSUMER_BYTES: usize = 120;
const PENDING_BYTES: usize = 112;
/// Upper bound of memory per counted byte while a copy of a group is made.
const COPY_FACTOR: usize = 2;

/// Entry that was delivered and not yet acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    pub consumer: ConsumerRef,
    /// Time of the last delivery.
    pub delivered_ms: i64,
    pub deliveries: u64,
}

/// Consumer of one group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConsumerRef(u32);

#[derive(Clone, Debug)]
pub struct Consumer {
    pub name: Vec<u8>,
    /// Time of the last command of the consumer.
    pub seen_ms: i64,
    /// Time at which it last got an entry.
    pub active_ms: Option<i64>,
    pending: Ordered,
}

impl Consumer {
    /// Number of its pending entries.
    pub fn pending_count(&self) -> usize {
        self.pending.len()
    }
}

#[derive(Clone, Debug, Default)]
pub struct Group {
    pub name: Vec<u8>,
    /// Last id that was delivered.
    pub last_id: StreamId,
    /// Number of entries up to the last id that were ever added; `None` if it is not known.
    pub entries_read: Option<u64>,
    pending: Ordered,
    deliveries: Slots<Pending>,
    consumers: Slots<Consumer>,
    /// Consumers in the order of their names.
    names: Vec<ConsumerRef>,
    /// Counted bytes of consumers and their names.
    consumer_bytes: usize,
}

fn key_of(id: StreamId) -> Key {
    (id.ms, id.seq)
}

fn id_of((ms, seq): Key) -> StreamId {
    StreamId::new(ms, seq)
}

impl Group {
    pub fn new(name: &[u8], last_id: StreamId, entries_read: Option<u64>) -> Result<Group, OutOfMemory> {
        Ok(Group { name: copied(name)?, last_id, entries_read, ..Group::default() })
    }

    pub(super) fn try_clone(&self) -> Result<Group, OutOfMemory> {
        ensure((self.counted_bytes() as usize).saturating_mul(COPY_FACTOR))?;
        Ok(self.clone())
    }

    /// Bytes counted in used memory: a formula over names and numbers, equal on every target.
    pub fn counted_bytes(&self) -> u64 {
        (GROUP_BYTES + self.name.len() + self.consumer_bytes + PENDING_BYTES * self.pending.len()) as u64
    }

    /// Checks that so many entries can become pending.
    pub fn ensure_room(&self, count: usize) -> Result<(), OutOfMemory> {
        ensure(count.saturating_mul(PENDING_BYTES * COPY_FACTOR))
    }

    /// Number of pending entries.
    pub fn pending_count(&self) -> usize {
        self.pending.len()
    }

    pub fn get(&self, id: StreamId) -> Option<&Pending> {
        self.deliveries.get(Slot(self.pending.get(key_of(id))?))
    }

    pub fn get_mut(&mut self, id: StreamId) -> Option<&mut Pending> {
        self.deliveries.get_mut(Slot(self.pending.get(key_of(id))?))
    }

    /// Pending entries from an id on: those of a consumer, or all.
    pub fn pending_from(
        &self,
        from: StreamId,
        consumer: Option<ConsumerRef>,
    ) -> impl Iterator<Item = (StreamId, &Pending)> {
        let tree = match consumer {
            Some(consumer) => self.consumer(consumer).map(|consumer| &consumer.pending),
            None => Some(&self.pending),
        };
        let entries = tree.map(|tree| tree.entries(key_of(from))).into_iter().flatten();
        entries.filter_map(|(key, slot)| Some((id_of(key), self.deliveries.get(Slot(slot))?)))
    }

    /// Id of the last pending entry.
    pub fn last_pending(&self) -> Option<StreamId> {
        self.pending.last().map(|(key, _)| id_of(key))
    }

    /// Makes an entry pending, or changes its delivery. Returns false if there is no memory.
    pub fn set_pending(&mut self, id: StreamId, pending: Pending) -> bool {
        let key = key_of(id);
        let slot = match self.pending.get(key) {
            Some(slot) => {
                let Some(old) = self.deliveries.get_mut(Slot(slot)) else { return false };
                let previous = core::mem::replace(old, pending).consumer;
                if previous == pending.consumer {
                    return true;
                }
                if let Some(consumer) = self.consumer_mut(previous) {
                    consumer.pending.remove(key);
                }
                slot
            }
            None if self.deliveries.reserve().is_err() => return false,
            None => {
                let Slot(slot) = self.deliveries.insert(pending);
                self.pending.insert(key, slot);
                slot
            }
        };
        if let Some(consumer) = self.consumer_mut(pending.consumer) {
            consumer.pending.insert(key, slot);
        }
        true
    }

    /// Removes a pending entry. Returns whether there was one.
    pub fn remove_pending(&mut self, id: StreamId) -> bool {
        let removed = self.pending.remove(key_of(id)).and_then(|slot| self.deliveries.remove(Slot(slot)));
        let Some(removed) = removed else { return false };
        if let Some(consumer) = self.consumer_mut(removed.consumer) {
            consumer.pending.remove(key_of(id));
        }
        true
    }

    /// Consumers in the order of their names.
    pub fn consumers(&self) -> impl ExactSizeIterator<Item = &Consumer> {
        self.names.iter().map(|consumer| self.consumer(*consumer).unwrap_or(&NO_CONSUMER))
    }

    pub fn consumer(&self, consumer: ConsumerRef) -> Option<&Consumer> {
        self.consumers.get(Slot(consumer.0))
    }

    pub fn consumer_mut(&mut self, consumer: ConsumerRef) -> Option<&mut Consumer> {
        self.consumers.get_mut(Slot(consumer.0))
    }

    fn index_of(&self, name: &[u8]) -> Result<usize, usize> {
        self.names
            .binary_search_by(|consumer| self.consumer(*consumer).map_or(&[][..], |consumer| &consumer.name).cmp(name))
    }

    pub fn find_consumer(&self, name: &[u8]) -> Option<ConsumerRef> {
        self.index_of(name).ok().map(|index| self.names[index])
    }

    /// Creates a consumer, which must not exist.
    pub fn create_consumer(&mut self, name: &[u8], seen_ms: i64) -> Result<ConsumerRef, OutOfMemory> {
        let index = match self.index_of(name) {
            Ok(index) => return Ok(self.names[index]),
            Err(index) => index,
        };
        let consumer = Consumer { name: copied(name)?, seen_ms, active_ms: None, pending: Ordered::default() };
        self.consumers.reserve()?;
        try_reserve(&mut self.names, 1)?;
        let Slot(slot) = self.consumers.insert(consumer);
        self.names.insert(index, ConsumerRef(slot));
        self.consumer_bytes += CONSUMER_BYTES + name.len();
        Ok(ConsumerRef(slot))
    }

    /// Deletes a consumer with its pending entries; returns their number. `None` if it does not exist.
    pub fn delete_consumer(&mut self, name: &[u8]) -> Option<usize> {
        let consumer = self.names.remove(self.index_of(name).ok()?);
        let mut deleted = self.consumers.remove(Slot(consumer.0))?;
        self.consumer_bytes -= CONSUMER_BYTES + name.len();
        let count = deleted.pending.len();
        while let Some((key, slot)) = deleted.pending.pop() {
            self.pending.remove(key);
            self.deliveries.remove(Slot(slot));
        }
        Some(count)
    }

    /// Frees up to `pieces` pieces of memory; returns how many were freed. Afterwards only [`Group::counted_bytes`] may be
    /// called.
    pub(super) fn free_step(&mut self, pieces: usize) -> usize {
        let mut freed = 0;
        while freed < pieces {
            let is_left = match self.names.last() {
                Some(&last) => {
                    let consumer = self.consumer_mut(last);
                    let popped = consumer.and_then(|consumer| consumer.pending.pop());
                    if popped.is_none() {
                        self.names.pop();
                        self.consumer_bytes -=
                            self.consumers.remove(Slot(last.0)).map_or(0, |gone| CONSUMER_BYTES + gone.name.len());
                    }
                    true
                }
                None => self.pending.pop().is_some() | self.deliveries.pop().is_some(),
            };
            if !is_left {
                break;
            }
            freed += 1;
        }
        freed
    }

    /// Passes all that lasts to `sink`. Times of consumers do not: no log has them.
    pub(super) fn canonical(&self, sink: &mut dyn FnMut(&[u8])) {
        sink(&self.name);
        let read = self.entries_read.map_or(u64::MAX, |read| read);
        [self.last_id.ms, self.last_id.seq, read].iter().for_each(|number| sink(&number.to_le_bytes()));
        for consumer in self.consumers() {
            sink(&consumer.name);
            for (key, slot) in consumer.pending.entries((0, 0)) {
                let Some(pending) = self.deliveries.get(Slot(slot)) else { continue };
                [key.0, key.1, pending.delivered_ms as u64, pending.deliveries]
                    .iter()
                    .for_each(|number| sink(&number.to_le_bytes()));
            }
        }
    }
}

/// Stands for a consumer that is missing, which none is.
static NO_CONSUMER: Consumer = Consumer { name: Vec::new(), seen_ms: 0, active_ms: None, pending: Ordered::new() };
