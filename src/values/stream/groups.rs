//! Groups of a stream by name, and facts that need the entries too.

use super::{Group, Stream, StreamId};
use crate::base::headroom::{OutOfMemory, try_reserve};

impl Stream {
    /// Groups in the order of their names.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &Group> {
        self.groups.iter()
    }

    fn group_index(&self, name: &[u8]) -> Result<usize, usize> {
        self.groups.binary_search_by(|group| group.name.as_slice().cmp(name))
    }

    pub fn group(&self, name: &[u8]) -> Option<&Group> {
        self.groups.get(self.group_index(name).ok()?)
    }

    /// Edits a group; `None` if it does not exist.
    pub fn edit_group<R>(&mut self, name: &[u8], edit: impl FnOnce(&mut Group) -> R) -> Option<R> {
        let index = self.group_index(name).ok()?;
        let group = self.groups.get_mut(index)?;
        let before = group.counted_bytes();
        let result = edit(group);
        self.group_bytes = self.group_bytes - before + group.counted_bytes();
        Some(result)
    }

    /// Adds a group; returns false if there is one of its name.
    pub fn add_group(&mut self, group: Group) -> Result<bool, OutOfMemory> {
        let Err(index) = self.group_index(&group.name) else { return Ok(false) };
        try_reserve(&mut self.groups, 1)?;
        self.group_bytes += group.counted_bytes();
        self.groups.insert(index, group);
        Ok(true)
    }

    /// Takes a group out, as a stream to be freed.
    pub fn take_group(&mut self, name: &[u8]) -> Option<Stream> {
        let group = self.groups.remove(self.group_index(name).ok()?);
        self.group_bytes -= group.counted_bytes();
        let mut taken = Stream::default();
        // A vector of one group is a small piece.
        let added = taken.add_group(group);
        debug_assert_eq!(added, Ok(true));
        Some(taken)
    }

    /// Whether a group has not delivered an entry, or waits for it to be acknowledged.
    pub(super) fn is_referenced(&self, id: StreamId) -> bool {
        self.groups.iter().any(|group| group.last_id < id || group.get(id).is_some())
    }

    /// Makes an entry pending in no group.
    pub(super) fn remove_references(&mut self, id: StreamId) {
        for group in &mut self.groups {
            let before = group.counted_bytes();
            group.remove_pending(id);
            self.group_bytes = self.group_bytes - before + group.counted_bytes();
        }
    }

    /// Whether an entry behind an id, or at it, may have been deleted.
    fn has_deleted_from(&self, id: StreamId) -> bool {
        let deleted = self.marks.max_deleted_id;
        !self.is_empty() && deleted != StreamId::MIN && id <= deleted
    }

    /// Number of entries up to an id that were ever added, if it is certain.
    fn added_up_to(&self, id: StreamId, first: StreamId) -> Option<u64> {
        let marks = self.marks;
        if marks.entries_added == 0 {
            return Some(0);
        }
        if id == marks.last_id || self.is_empty() && id < marks.last_id {
            return Some(marks.entries_added);
        }
        let is_fragmented = id != StreamId::MIN && id < marks.max_deleted_id;
        let is_whole = marks.max_deleted_id == StreamId::MIN || marks.max_deleted_id < first;
        if is_fragmented || id > marks.last_id || id > first || !is_whole {
            return None;
        }
        let before_first = marks.entries_added.wrapping_sub(self.len() as u64);
        Some(if id < first { before_first } else { before_first.wrapping_add(1) })
    }

    /// Number of entries that were not delivered to a group, if it is certain.
    pub fn lag(&self, group: &Group) -> Option<i64> {
        let (marks, first) = (self.marks, self.first_id());
        if marks.entries_added == 0 || self.is_empty() {
            return Some(0);
        }
        if group.last_id < first && marks.max_deleted_id < first {
            return Some(self.len() as i64);
        }
        let read = group.entries_read.filter(|_| !self.has_deleted_from(group.last_id));
        let read = read.or_else(|| self.added_up_to(group.last_id, first))?;
        Some(marks.entries_added.wrapping_sub(read) as i64)
    }

    /// Marks after the delivery of entries behind the last id of a group: the last id, and the number of entries read.
    pub fn after_delivery(&self, group: &Group, ids: &[StreamId]) -> (StreamId, Option<u64>) {
        let first = self.first_id();
        let (mut last, mut read) = (group.last_id, group.entries_read);
        for &id in ids.iter().filter(|id| **id > group.last_id) {
            if read.is_some() && last >= first && !self.has_deleted_from(last) {
                read = read.map(|read| read.wrapping_add(1));
            } else if self.marks.entries_added > 0 {
                read = self.added_up_to(id, first);
            }
            last = id;
        }
        (last, read)
    }
}
