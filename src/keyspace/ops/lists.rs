//! Lists: the typed operations of LPUSH, LPOP, LMOVE, LPOS and others.

use alloc::vec::Vec;
use core::iter::once;

use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;
use crate::keyspace::txn::{Access, Change, Txn, count_visits};
use crate::keyspace::{Error, EventKind, Lookup, NewValue};
use crate::store::slab::Handle;
use crate::values::{Elements, End, Kind, List, Side, Value, ValueRef};

/// Outcome of LINSERT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InsertOutcome {
    /// Inserted; the new length of the list.
    Inserted(usize),
    NoPivot,
    NoList,
}

/// Options of LPOS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Search {
    /// End at which the search begins.
    pub from: End,
    /// Number of matches skipped first.
    pub skipped: usize,
    /// Maximum number of matches.
    pub most: usize,
    /// Maximum number of elements compared.
    pub compared_most: usize,
}

/// Consumer of popped elements.
type Take<'t> = &'t mut dyn FnMut(&mut dyn ExactSizeIterator<Item = &[u8]>) -> Result<(), OutOfMemory>;

/// Pushes elements one after another at an end and creates the list if missing. Returns the new length.
pub fn push<'e>(
    txn: &mut Txn<'_>,
    key: &[u8],
    end: End,
    elements: impl Iterator<Item = &'e [u8]> + Clone,
) -> Result<usize, Error> {
    let lookup = txn.entry(key, Access::Write);
    push_all(txn, lookup, key, end, elements)
}

/// Pushes elements to an existing list. Returns the new length, or 0 if the list does not exist.
pub fn push_existing<'e>(
    txn: &mut Txn<'_>,
    key: &[u8],
    end: End,
    elements: impl Iterator<Item = &'e [u8]> + Clone,
) -> Result<usize, Error> {
    match txn.entry(key, Access::Write) {
        lookup if lookup.is_vacant() => Ok(0),
        lookup => push_all(txn, lookup, key, end, elements),
    }
}

fn push_all<'e>(
    txn: &mut Txn<'_>,
    lookup: Lookup,
    key: &[u8],
    end: End,
    elements: impl Iterator<Item = &'e [u8]> + Clone,
) -> Result<usize, Error> {
    let len = push_silently(txn, lookup, key, end, elements.clone())?;
    txn.effect(|effect| {
        effect.bytes(if end == End::Head { b"LPUSH" } else { b"RPUSH" }).bytes(key);
        elements.for_each(|element| {
            effect.bytes(element);
        });
    });
    Ok(len)
}

/// Pushes elements; the caller states the effect.
fn push_silently<'e>(
    txn: &mut Txn<'_>,
    lookup: Lookup,
    key: &[u8],
    end: End,
    elements: impl Iterator<Item = &'e [u8]> + Clone,
) -> Result<usize, Error> {
    let (event, limit) = (push_event(end), txn.limits().list);
    let Some(handle) = lookup.found() else {
        let mut list = List::default();
        list.push(end, elements, limit)?;
        let len = list.len();
        txn.put(lookup, key, NewValue::Value(Value::List(list)), None, event)?;
        return Ok(len);
    };
    let change = update(txn, handle, event, |list| {
        list.push(end, elements.clone(), limit)?;
        Ok(Change::Changed(list.len()))
    });
    Ok(change?.result())
}

/// Passes up to `count` elements from an end to `take`, in pop order, and removes them. Returns false if the list does
/// not exist. A `count` of 0 or an error of `take` changes nothing.
pub fn pop(txn: &mut Txn<'_>, key: &[u8], end: End, count: usize, take: Take<'_>) -> Result<bool, Error> {
    let Some(handle) = txn.find_for_write(key, Kind::List)?.found() else { return Ok(false) };
    let limit = txn.limits().list;
    let mut taken = 0;
    let change = update(txn, handle, pop_event(end), |list| {
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
        txn.effect(|effect| {
            effect.bytes(if end == End::Head { b"LPOP" } else { b"RPOP" }).bytes(key);
            if taken > 1 {
                effect.integer(taken as i64);
            }
        });
    }
    Ok(true)
}

/// Moves the element at one end of a list to an end of another list, or of the same. Returns the element; `None` if the
/// source does not exist.
pub fn move_element(
    txn: &mut Txn<'_>,
    from: &[u8],
    from_end: End,
    to: &[u8],
    to_end: End,
) -> Result<Option<Vec<u8>>, Error> {
    let Some(source) = txn.find_for_write(from, Kind::List)?.found() else { return Ok(None) };
    let target = txn.find_for_write(to, Kind::List)?;
    let Some(element) = list_of(txn, source).and_then(|list| list.peek(from_end)) else { return Ok(None) };
    let element = copied(element)?;
    txn.reserve_headroom(1, element.len())?;
    if from == to {
        move_within(txn, source, from_end, to_end)?;
    } else {
        push_silently(txn, target, to, to_end, once(&element[..]))?;
        drop_end(txn, source, from_end)?;
    }
    txn.effect(|effect| {
        effect.bytes(b"LMOVE").bytes(from).bytes(to);
        for end in [from_end, to_end] {
            effect.bytes(if end == End::Head { b"LEFT" } else { b"RIGHT" });
        }
    });
    Ok(Some(element))
}

/// Moves an element within a list. Moving it to the same end counts as a change too, as in Redis.
fn move_within(txn: &mut Txn<'_>, handle: Handle, from: End, to: End) -> Result<(), Error> {
    let limit = txn.limits().list;
    update(txn, handle, push_event(to), |list| {
        if from != to {
            list.rotate(from, limit)?;
        }
        Ok(Change::Changed(()))
    })?;
    let key = txn.db().key_of(handle);
    txn.push_event(pop_event(from), &key);
    Ok(())
}

fn drop_end(txn: &mut Txn<'_>, handle: Handle, end: End) -> Result<(), Error> {
    let limit = txn.limits().list;
    update(txn, handle, pop_event(end), |list| {
        list.pop(end, 1);
        list.convert_encoding(limit);
        Ok(Change::Changed(()))
    })?;
    Ok(())
}

/// Returns the length of a list; 0 if it does not exist.
pub fn len(txn: &mut Txn<'_>, key: &[u8]) -> Result<usize, Error> {
    Ok(find(txn, key)?.map_or(0, List::len))
}

/// Returns the list at `key`; `None` if the key does not exist.
pub fn find<'t>(txn: &'t mut Txn<'_>, key: &[u8]) -> Result<Option<&'t List>, Error> {
    match txn.value_at(key) {
        None => Ok(None),
        Some(ValueRef::List(list)) => Ok(Some(list)),
        Some(_) => Err(Error::WrongType),
    }
}

/// Returns the elements between two indexes, both inclusive; negative ones count from the end. `None` if the list does
/// not exist.
pub fn range<'t>(txn: &'t mut Txn<'_>, key: &[u8], start: i64, stop: i64) -> Result<Option<Elements<'t>>, Error> {
    let Some(list) = find(txn, key)? else { return Ok(None) };
    let (start, count) = span(start, stop, list.len());
    Ok(Some(list.range(start, count)))
}

/// Replaces the element at an index; a negative index counts from the end.
pub fn set(txn: &mut Txn<'_>, key: &[u8], index: i64, element: &[u8]) -> Result<(), Error> {
    let handle = txn.find_for_write(key, Kind::List)?.found().ok_or(Error::NoSuchKey)?;
    let limit = txn.limits().list;
    update(txn, handle, EventKind::LSet, |list| {
        let position = list.resolve(index).ok_or(Error::NoSuchIndex)?;
        list.set(position, element, limit)?;
        list.convert_encoding(limit);
        Ok(Change::Changed(()))
    })?;
    txn.effect(|effect| {
        effect.bytes(b"LSET").bytes(key).integer(index).bytes(element);
    });
    Ok(())
}

/// Inserts an element before or after the first one that equals `pivot`.
pub fn insert(txn: &mut Txn<'_>, key: &[u8], side: Side, pivot: &[u8], element: &[u8]) -> Result<InsertOutcome, Error> {
    let Some(handle) = txn.find_for_write(key, Kind::List)?.found() else { return Ok(InsertOutcome::NoList) };
    let len = list_of(txn, handle).map_or(0, List::len);
    count_visits(txn, len);
    let limit = txn.limits().list;
    let change = update(txn, handle, EventKind::LInsert, |list| {
        Ok(match list.insert(side, pivot, element, limit)? {
            true => Change::Changed(InsertOutcome::Inserted(list.len())),
            false => Change::Unchanged(InsertOutcome::NoPivot),
        })
    })?;
    if change.is_change() {
        txn.effect(|effect| {
            effect.bytes(b"LINSERT").bytes(key);
            effect.bytes(if side == Side::Before { b"BEFORE" } else { b"AFTER" }).bytes(pivot).bytes(element);
        });
    }
    Ok(change.result())
}

/// Removes elements equal to `element`: the first `count`, the last `-count` if negative, or all if 0. Returns the
/// number removed.
pub fn remove(txn: &mut Txn<'_>, key: &[u8], count: i64, element: &[u8]) -> Result<usize, Error> {
    let Some(handle) = txn.find_for_write(key, Kind::List)?.found() else { return Ok(0) };
    let len = list_of(txn, handle).map_or(0, List::len);
    count_visits(txn, len.saturating_mul(2));
    let limit = txn.limits().list;
    let from = if count < 0 { End::Tail } else { End::Head };
    let max_count = if count == 0 { usize::MAX } else { usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX) };
    let change = update(txn, handle, EventKind::LRem, |list| {
        let removed = list.remove_equal(from, element, max_count, limit);
        list.convert_encoding(limit);
        Ok(if removed == 0 { Change::Unchanged(0) } else { Change::Changed(removed) })
    })?;
    if change.is_change() {
        txn.effect(|effect| {
            effect.bytes(b"LREM").bytes(key).integer(count).bytes(element);
        });
    }
    Ok(change.result())
}

/// Removes all elements outside a range of indexes. A trim that removes nothing counts as a change too, as in Redis.
pub fn trim(txn: &mut Txn<'_>, key: &[u8], start: i64, stop: i64) -> Result<(), Error> {
    let Some(handle) = txn.find_for_write(key, Kind::List)?.found() else { return Ok(()) };
    let limit = txn.limits().list;
    update(txn, handle, EventKind::LTrim, |list| {
        let (start, count) = span(start, stop, list.len());
        list.pop(End::Tail, list.len() - start - count);
        list.pop(End::Head, start);
        list.convert_encoding(limit);
        Ok(Change::Changed(()))
    })?;
    txn.effect(|effect| {
        effect.bytes(b"LTRIM").bytes(key).integer(start).integer(stop);
    });
    Ok(())
}

/// Passes the indexes of matching elements to `found`, in search order. Returns false if the list does not exist.
pub fn positions(
    txn: &mut Txn<'_>,
    key: &[u8],
    element: &[u8],
    search: Search,
    found: &mut dyn FnMut(usize),
) -> Result<bool, Error> {
    let Some(list) = find(txn, key)? else { return Ok(false) };
    let compared = list.len().min(search.compared_most);
    let Search { skipped, most: max_count, compared_most: compared_max, .. } = search;
    let equal = |(index, candidate): (usize, &[u8])| (candidate == element).then_some(index);
    let elements: &mut dyn Iterator<Item = (usize, &[u8])> = match search.from {
        End::Head => &mut list.iter().enumerate(),
        End::Tail => &mut list.iter().enumerate().rev(),
    };
    elements.take(compared_max).filter_map(equal).skip(skipped).take(max_count).for_each(found);
    count_visits(txn, compared);
    Ok(true)
}

/// Fails if the key does not exist or does not hold a list.
pub fn expect(txn: &mut Txn<'_>, key: &[u8]) -> Result<(), Error> {
    txn.find_for_write(key, Kind::List)?.found().map(drop).ok_or(Error::NoSuchKey)
}

fn list_of<'t>(txn: &'t Txn<'_>, handle: Handle) -> Option<&'t List> {
    match txn.db().value(handle)? {
        ValueRef::List(list) => Some(list),
        _ => None,
    }
}

fn update<R>(
    txn: &mut Txn<'_>,
    handle: Handle,
    event: EventKind,
    mut edit: impl FnMut(&mut List) -> Result<Change<R>, Error>,
) -> Result<Change<R>, Error> {
    txn.update(handle, event, |value| match value {
        Value::List(list) => edit(list),
        _ => Err(Error::WrongType),
    })
}

fn push_event(end: End) -> EventKind {
    if end == End::Head { EventKind::LPush } else { EventKind::RPush }
}

fn pop_event(end: End) -> EventKind {
    if end == End::Head { EventKind::LPop } else { EventKind::RPop }
}

/// First index and number of elements between two inclusive indexes, which may count from the end.
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
