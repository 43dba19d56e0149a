//! Lists.

use alloc::vec::Vec;
use core::iter::once;

use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::keyspace::txn::{Access, Change, Txn};
use crate::keyspace::{Error, EventKind, NewValue, Slot};
use crate::store::slab::Handle;
use crate::values::{Elements, End, List, Side, Value, ValueRef};

/// What LINSERT did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InsertOutcome {
    /// The list has this length now.
    Inserted(usize),
    NoPivot,
    NoList,
}

/// Which of the elements that equal one are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Search {
    /// Where to begin.
    pub from: End,
    /// How many of them are passed over first.
    pub skipped: usize,
    /// How many are wanted at most.
    pub most: usize,
    /// How many elements are compared at most.
    pub compared_most: usize,
}

/// What becomes of elements that leave a list.
type Take<'t> = &'t mut dyn FnMut(&mut dyn ExactSizeIterator<Item = &[u8]>) -> Result<(), OutOfMemory>;

impl Txn<'_> {
    /// Adds elements one after another at an end, creating the list; answers its new length.
    pub fn list_push<'e>(
        &mut self,
        key: &[u8],
        end: End,
        elements: impl Iterator<Item = &'e [u8]> + Clone,
    ) -> Result<usize, Error> {
        let slot = self.entry(key, Access::Write);
        self.list_push_all(slot, key, end, elements)
    }

    /// Adds elements to a list that exists; answers its new length, 0 when there is none.
    pub fn list_push_existing<'e>(
        &mut self,
        key: &[u8],
        end: End,
        elements: impl Iterator<Item = &'e [u8]> + Clone,
    ) -> Result<usize, Error> {
        match self.entry(key, Access::Write) {
            slot if slot.is_vacant() => Ok(0),
            slot => self.list_push_all(slot, key, end, elements),
        }
    }

    fn list_push_all<'e>(
        &mut self,
        slot: Slot,
        key: &[u8],
        end: End,
        elements: impl Iterator<Item = &'e [u8]> + Clone,
    ) -> Result<usize, Error> {
        let len = self.list_push_silently(slot, key, end, elements.clone())?;
        self.effect(|effect| {
            effect.bytes(if end == End::Head { b"LPUSH" } else { b"RPUSH" }).bytes(key);
            elements.for_each(|element| {
                effect.bytes(element);
            });
        });
        Ok(len)
    }

    /// The caller states the effect.
    fn list_push_silently<'e>(
        &mut self,
        slot: Slot,
        key: &[u8],
        end: End,
        elements: impl Iterator<Item = &'e [u8]> + Clone,
    ) -> Result<usize, Error> {
        let (event, limit) = (push_event(end), self.limits().list);
        let Some(handle) = slot.found() else {
            let mut list = List::default();
            list.push(end, elements, limit)?;
            let len = list.len();
            self.put(slot, key, NewValue::Value(Value::List(list)), None, event)?;
            return Ok(len);
        };
        let change = self.update_list(handle, event, |list| {
            list.push(end, elements.clone(), limit)?;
            Ok(Change::Changed(list.len()))
        });
        Ok(change?.answer())
    }

    /// Hands up to `count` elements from an end to `take`, in the order they leave, and takes them away; false when
    /// there is no list. A `count` of 0 changes nothing, and neither does an error of `take`.
    pub fn list_pop(&mut self, key: &[u8], end: End, count: usize, take: Take<'_>) -> Result<bool, Error> {
        let Some(handle) = self.write_list(key)?.found() else { return Ok(false) };
        let limit = self.limits().list;
        let mut taken = 0;
        let change = self.update_list(handle, pop_event(end), |list| {
            taken = count.min(list.len());
            match end {
                End::Head => take(&mut list.iter().take(count)),
                End::Tail => take(&mut list.iter().rev().take(count)),
            }?;
            list.pop(end, count);
            list.convert_encoding(limit);
            Ok(if count == 0 { Change::Unchanged(()) } else { Change::Changed(()) })
        })?;
        if change.is_change() {
            self.effect(|effect| {
                effect.bytes(if end == End::Head { b"LPOP" } else { b"RPOP" }).bytes(key);
                if taken > 1 {
                    effect.integer(taken as i64);
                }
            });
        }
        Ok(true)
    }

    /// Takes the element at one end of a list to an end of another, or of the same; answers it, `None` when the first
    /// list does not exist.
    pub fn list_move(&mut self, from: &[u8], from_end: End, to: &[u8], to_end: End) -> Result<Option<Vec<u8>>, Error> {
        let Some(source) = self.write_list(from)?.found() else { return Ok(None) };
        let target = self.write_list(to)?;
        let Some(element) = self.list(source).and_then(|list| list.peek(from_end)) else { return Ok(None) };
        let element = copied(element)?;
        self.ensure_room(1, element.len())?;
        if from == to {
            self.list_move_within(source, from_end, to_end)?;
        } else {
            self.list_push_silently(target, to, to_end, once(&element[..]))?;
            self.list_drop_end(source, from_end)?;
        }
        self.effect(|effect| {
            effect.bytes(b"LMOVE").bytes(from).bytes(to);
            for end in [from_end, to_end] {
                effect.bytes(if end == End::Head { b"LEFT" } else { b"RIGHT" });
            }
        });
        Ok(Some(element))
    }

    /// Moving an element to where it is counts as a change too, as in Redis.
    fn list_move_within(&mut self, handle: Handle, from: End, to: End) -> Result<(), Error> {
        let limit = self.limits().list;
        self.update_list(handle, push_event(to), |list| {
            if from != to {
                list.rotate(from, limit)?;
            }
            Ok(Change::Changed(()))
        })?;
        let key = self.key_of(handle);
        self.also(pop_event(from), &key);
        Ok(())
    }

    fn list_drop_end(&mut self, handle: Handle, end: End) -> Result<(), Error> {
        let limit = self.limits().list;
        self.update_list(handle, pop_event(end), |list| {
            list.pop(end, 1);
            list.convert_encoding(limit);
            Ok(Change::Changed(()))
        })?;
        Ok(())
    }

    /// How many elements the list has, 0 when there is none.
    pub fn list_len(&mut self, key: &[u8]) -> Result<usize, Error> {
        Ok(self.read_list(key)?.map_or(0, List::len))
    }

    /// The list at `key` for reading; `None` when there is no key.
    pub fn read_list(&mut self, key: &[u8]) -> Result<Option<&List>, Error> {
        match self.value_at(key) {
            None => Ok(None),
            Some(ValueRef::List(list)) => Ok(Some(list)),
            Some(_) => Err(Error::WrongType),
        }
    }

    /// The elements between two indexes, both included; negative ones count from the end. `None` when there is no list.
    pub fn list_range(&mut self, key: &[u8], start: i64, stop: i64) -> Result<Option<Elements<'_>>, Error> {
        let Some(list) = self.read_list(key)? else { return Ok(None) };
        let (start, count) = span(start, stop, list.len());
        Ok(Some(list.range(start, count)))
    }

    /// Replaces the element at an index; negative ones count from the end.
    pub fn list_set(&mut self, key: &[u8], index: i64, element: &[u8]) -> Result<(), Error> {
        let handle = self.write_list(key)?.found().ok_or(Error::NoSuchKey)?;
        let limit = self.limits().list;
        self.update_list(handle, EventKind::LSet, |list| {
            let place = list.resolve(index).ok_or(Error::NoSuchIndex)?;
            list.set(place, element, limit)?;
            list.convert_encoding(limit);
            Ok(Change::Changed(()))
        })?;
        self.effect(|effect| {
            effect.bytes(b"LSET").bytes(key).integer(index).bytes(element);
        });
        Ok(())
    }

    /// Puts an element next to the first one that equals `pivot`.
    pub fn list_insert(
        &mut self,
        key: &[u8],
        side: Side,
        pivot: &[u8],
        element: &[u8],
    ) -> Result<InsertOutcome, Error> {
        let Some(handle) = self.write_list(key)?.found() else { return Ok(InsertOutcome::NoList) };
        let limit = self.limits().list;
        let change = self.update_list(handle, EventKind::LInsert, |list| {
            Ok(match list.insert(side, pivot, element, limit)? {
                true => Change::Changed(InsertOutcome::Inserted(list.len())),
                false => Change::Unchanged(InsertOutcome::NoPivot),
            })
        })?;
        if change.is_change() {
            self.effect(|effect| {
                effect.bytes(b"LINSERT").bytes(key);
                effect.bytes(if side == Side::Before { b"BEFORE" } else { b"AFTER" }).bytes(pivot).bytes(element);
            });
        }
        Ok(change.answer())
    }

    /// Removes elements that equal one: the first `count` of them, the last ones when it is negative, all when it is
    /// 0. Answers how many.
    pub fn list_remove(&mut self, key: &[u8], count: i64, element: &[u8]) -> Result<usize, Error> {
        let Some(handle) = self.write_list(key)?.found() else { return Ok(0) };
        let limit = self.limits().list;
        let from = if count < 0 { End::Tail } else { End::Head };
        let most = if count == 0 { usize::MAX } else { usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX) };
        let change = self.update_list(handle, EventKind::LRem, |list| {
            let removed = list.remove_equal(from, element, most, limit);
            list.convert_encoding(limit);
            Ok(if removed == 0 { Change::Unchanged(0) } else { Change::Changed(removed) })
        })?;
        if change.is_change() {
            self.effect(|effect| {
                effect.bytes(b"LREM").bytes(key).integer(count).bytes(element);
            });
        }
        Ok(change.answer())
    }

    /// Keeps the elements between two indexes and removes the others. Keeping all of them counts as a change too, as
    /// in Redis.
    pub fn list_trim(&mut self, key: &[u8], start: i64, stop: i64) -> Result<(), Error> {
        let Some(handle) = self.write_list(key)?.found() else { return Ok(()) };
        let limit = self.limits().list;
        self.update_list(handle, EventKind::LTrim, |list| {
            let (start, count) = span(start, stop, list.len());
            list.pop(End::Tail, list.len() - start - count);
            list.pop(End::Head, start);
            list.convert_encoding(limit);
            Ok(Change::Changed(()))
        })?;
        self.effect(|effect| {
            effect.bytes(b"LTRIM").bytes(key).integer(start).integer(stop);
        });
        Ok(())
    }

    /// Tells `found` the indexes of elements that equal one, in the order of the search; false when there is no list.
    pub fn list_positions(
        &mut self,
        key: &[u8],
        element: &[u8],
        search: Search,
        found: &mut dyn FnMut(usize),
    ) -> Result<bool, Error> {
        let Some(list) = self.read_list(key)? else { return Ok(false) };
        let Search { skipped, most, compared_most: compared, .. } = search;
        let equal = |(index, here): (usize, &[u8])| (here == element).then_some(index);
        let elements: &mut dyn Iterator<Item = (usize, &[u8])> = match search.from {
            End::Head => &mut list.iter().enumerate(),
            End::Tail => &mut list.iter().enumerate().rev(),
        };
        elements.take(compared).filter_map(equal).skip(skipped).take(most).for_each(found);
        Ok(true)
    }

    /// Refuses a key that is missing or holds another type.
    pub fn expect_list(&mut self, key: &[u8]) -> Result<(), Error> {
        self.write_list(key)?.found().map(drop).ok_or(Error::NoSuchKey)
    }

    /// Looks a list up to change it.
    fn write_list(&mut self, key: &[u8]) -> Result<Slot, Error> {
        let slot = self.entry(key, Access::Write);
        let is_list = slot.found().is_none_or(|handle| self.list(handle).is_some());
        if is_list { Ok(slot) } else { Err(Error::WrongType) }
    }

    fn list(&self, handle: Handle) -> Option<&List> {
        match self.db().value(handle)? {
            ValueRef::List(list) => Some(list),
            _ => None,
        }
    }

    fn update_list<R>(
        &mut self,
        handle: Handle,
        event: EventKind,
        mut edit: impl FnMut(&mut List) -> Result<Change<R>, Error>,
    ) -> Result<Change<R>, Error> {
        self.update(handle, event, |value| match value {
            Value::List(list) => edit(list),
            _ => Err(Error::WrongType),
        })
    }
}

fn push_event(end: End) -> EventKind {
    if end == End::Head { EventKind::LPush } else { EventKind::RPush }
}

fn pop_event(end: End) -> EventKind {
    if end == End::Head { EventKind::LPop } else { EventKind::RPop }
}

/// The first index and the number of elements between two indexes that may count from the end.
fn span(start: i64, stop: i64, len: usize) -> (usize, usize) {
    // A length is far below the range of i64, so the sums do not overflow.
    let from_end = |index: i64| if index < 0 { index + len as i64 } else { index };
    let (start, stop) = (from_end(start).max(0), from_end(stop).min(len as i64 - 1));
    if start > stop { (0, 0) } else { (start as usize, (stop - start) as usize + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_count_from_both_ends_and_stay_inside() {
        let cases = [
            (0, -1, (0, 3)),
            (1, 1, (1, 1)),
            (-2, 9, (1, 2)),
            (-9, 0, (0, 1)),
            (2, 1, (0, 0)),
            (3, 9, (0, 0)),
            (0, -4, (0, 0)),
            (i64::MIN, i64::MAX, (0, 3)),
            (i64::MAX, i64::MIN, (0, 0)),
        ];
        for (start, stop, expected) in cases {
            assert_eq!(span(start, stop, 3), expected, "{start} {stop}");
        }
        assert_eq!(span(0, -1, 0), (0, 0));
    }
}
