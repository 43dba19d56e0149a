//! SORT: elements of a list, set or sorted set in order, or values of other keys for them.

use alloc::vec::Vec;
use core::ops::Range;

use crate::base::headroom::copied;
use crate::base::number::parse_double;
use crate::keyspace::ops::keys;
use crate::keyspace::txn::{Access, Txn, count_visits};
use crate::keyspace::{Error, EventKind, NewValue};
use crate::store::sorted_vec::{score_rank, sort as sort_items};
use crate::values::{End, List, Value, ValueRef, owned};

/// Options of SORT.
#[derive(Clone, Debug, Default)]
pub struct SortOptions<'a> {
    /// Pattern of the keys that hold the weights. A pattern without `*` leaves the elements unsorted.
    pub by: Option<&'a [u8]>,
    /// Number of elements skipped; negative means 0.
    pub offset: i64,
    /// Maximum number of elements returned; absent or negative means all.
    pub limit: Option<i64>,
    /// Patterns of the values returned for each element. Without patterns the element itself is returned.
    pub get: Vec<&'a [u8]>,
    pub descending: bool,
    /// Whether elements are compared as bytes instead of numbers.
    pub alpha: bool,
}

/// Placeholder of the element in a pattern.
const STAR: u8 = b'*';
/// GET pattern of the element itself.
const ITSELF: &[u8] = b"#";
/// Separator between the key pattern and a field of a hash.
const ARROW: &[u8] = b"->";
/// Visits that the lookup of a pattern's key counts as.
const LOOKUP_VISITS: usize = 4;

impl SortOptions<'_> {
    fn is_unsorted(&self) -> bool {
        self.by.is_some_and(|pattern| !pattern.contains(&STAR))
    }

    /// Range of `len` elements that is returned.
    fn window(&self, len: usize) -> Range<usize> {
        let start = usize::try_from(self.offset.max(0)).unwrap_or(usize::MAX).min(len);
        let max_count = self.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        start..start + max_count.min(len - start)
    }
}

/// Element with its text to sort by.
struct SortItem {
    element: Vec<u8>,
    /// Value of the BY pattern's key, with ALPHA.
    text: Option<Vec<u8>>,
}

/// Number in the order of the text, for texts with different first bytes.
fn text_rank(text: &[u8]) -> u64 {
    let mut first = [0; 8];
    first.iter_mut().zip(text).for_each(|(byte, &of_text)| *byte = of_text);
    u64::from_be_bytes(first)
}

#[derive(Clone, Copy)]
struct Sorting {
    descending: bool,
    by: SortedBy,
    /// Whether equal elements keep their order. Those of a set have none.
    is_stable: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SortedBy {
    Score,
    Text,
    Element,
}

impl Sorting {
    /// Whether one of two items with equal numbers comes before the other.
    fn is_before(self, one: &SortItem, other: &SortItem) -> bool {
        let order = match self.by {
            SortedBy::Text => one.text.cmp(&other.text),
            SortedBy::Score | SortedBy::Element => one.element.cmp(&other.element),
        };
        let order = if self.descending { order.reverse() } else { order };
        match self.is_stable {
            true => order.is_lt(),
            false => order.then_with(|| one.element.cmp(&other.element)).is_lt(),
        }
    }
}

/// Elements of a collection in their own order.
struct Elements {
    all: Vec<Vec<u8>>,
    are_of_a_set: bool,
}

/// Returns the sorted elements, or the values of the GET patterns for each. `None` stands for a missing value.
pub fn sort(txn: &mut Txn<'_>, key: &[u8], options: &SortOptions<'_>) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let sorted = sorted(txn, key, options, false)?;
    fetched(txn, sorted, &options.get)
}

/// Sorts and stores the result as a list; returns its length. An empty result deletes the key.
pub fn sort_into(txn: &mut Txn<'_>, to: &[u8], key: &[u8], options: &SortOptions<'_>) -> Result<usize, Error> {
    let sorted = sorted(txn, key, options, true)?;
    let found = fetched(txn, sorted, &options.get)?;
    let lookup = txn.entry(to, Access::Write);
    if found.is_empty() {
        keys::delete(txn, lookup, to);
        return Ok(0);
    }
    let mut list = List::default();
    let elements = found.iter().map(|element| element.as_deref().unwrap_or_default());
    list.push(End::Tail, elements, txn.limits().list)?;
    txn.put(lookup, to, NewValue::Value(Value::List(list)), None, EventKind::SortStore)?;
    txn.effect(|effect| {
        effect.bytes(b"SORT").bytes(key);
        if let Some(pattern) = options.by {
            effect.bytes(b"BY").bytes(pattern);
        }
        effect.bytes(b"LIMIT").integer(options.offset).integer(options.limit.unwrap_or(-1));
        for pattern in &options.get {
            effect.bytes(b"GET").bytes(pattern);
        }
        effect.bytes(if options.descending { b"DESC" } else { b"ASC" });
        if options.alpha {
            effect.bytes(b"ALPHA");
        }
        effect.bytes(b"STORE").bytes(to);
    });
    Ok(found.len())
}

fn sorted(txn: &mut Txn<'_>, key: &[u8], options: &SortOptions<'_>, is_stored: bool) -> Result<Vec<Vec<u8>>, Error> {
    let Elements { all, are_of_a_set } = elements(txn, key)?;
    let window = options.window(all.len());
    let mut by = options.by;
    let sorted_by = match options.alpha {
        // The order of a set depends on the seed, so a stored result is always sorted.
        _ if options.is_unsorted() && are_of_a_set && is_stored => {
            by = None;
            SortedBy::Element
        }
        _ if options.is_unsorted() => {
            let mut all = all;
            if options.descending && !are_of_a_set {
                all.reverse();
            }
            all.truncate(window.end);
            all.drain(..window.start);
            return Ok(all);
        }
        true if by.is_some() => SortedBy::Text,
        true => SortedBy::Element,
        false => SortedBy::Score,
    };
    let order = Sorting { descending: options.descending, by: sorted_by, is_stable: !are_of_a_set };
    // Each element is read, and compared as often as a sort that halves compares it.
    count_visits(txn, all.len().saturating_mul(2 + all.len().max(1).ilog2() as usize));
    let (mut items, mut ranked) = (Vec::new(), Vec::new());
    items.try_reserve_exact(all.len()).map_err(|_| Error::OutOfMemory)?;
    ranked.try_reserve_exact(all.len()).map_err(|_| Error::OutOfMemory)?;
    for (index, element) in all.into_iter().enumerate() {
        let (item, rank) = sort_item(txn, element, order, by)?;
        items.push(item);
        ranked.push((if order.descending { !rank } else { rank }, index));
    }
    sort_items(&mut ranked, &|one, other| order.is_before(&items[one], &items[other]))?;
    let mut sorted = Vec::new();
    sorted.try_reserve_exact(window.len()).map_err(|_| Error::OutOfMemory)?;
    sorted.extend(ranked[window].iter().map(|&(_, at)| core::mem::take(&mut items[at].element)));
    Ok(sorted)
}

fn elements(txn: &mut Txn<'_>, key: &[u8]) -> Result<Elements, Error> {
    let lookup = txn.entry(key, Access::Read);
    // SORT converts a sorted set to its large encoding, as in Redis, where it stays so.
    if let Some(handle) = lookup.found() {
        let index = |value: &mut Value| if let Value::ZSet(zset) = value { zset.index() } else { Ok(()) };
        txn.db_mut().entries.edit(handle, index).unwrap_or(Ok(()))?;
    }
    let all = match txn.value(lookup) {
        None => Vec::new(),
        Some(ValueRef::List(list)) => owned(list.iter())?,
        Some(ValueRef::ZSet(zset)) => owned(zset.iter().map(|(member, _)| member))?,
        Some(ValueRef::Set(set)) => return Ok(Elements { all: owned(set.iter())?, are_of_a_set: true }),
        Some(_) => return Err(Error::WrongType),
    };
    Ok(Elements { all, are_of_a_set: false })
}

/// Looks up the sort key of an element. A missing weight counts as 0; a missing text sorts first.
fn sort_item(txn: &mut Txn<'_>, element: Vec<u8>, order: Sorting, by: Option<&[u8]>) -> Result<(SortItem, u64), Error> {
    let value = match by {
        Some(pattern) => lookup_by_pattern(txn, pattern, &element)?,
        None => None,
    };
    let rank = match (order.by, by) {
        (SortedBy::Text, _) => text_rank(value.as_deref().unwrap_or_default()),
        (SortedBy::Score, None) => score_rank(weight(&element)?),
        (SortedBy::Score, Some(_)) => score_rank(value.as_deref().map_or(Ok(0.0), weight)?),
        (SortedBy::Element, _) => text_rank(&element),
    };
    Ok((SortItem { element, text: value.filter(|_| order.by == SortedBy::Text) }, rank))
}

fn fetched(txn: &mut Txn<'_>, elements: Vec<Vec<u8>>, patterns: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
    if patterns.is_empty() {
        return Ok(elements.into_iter().map(Some).collect());
    }
    let mut found = Vec::new();
    for element in &elements {
        found.try_reserve(patterns.len()).map_err(|_| Error::OutOfMemory)?;
        for pattern in patterns {
            found.push(lookup_by_pattern(txn, pattern, element)?);
        }
    }
    Ok(found)
}

/// Resolves a BY or GET pattern for an element (Redis' `lookupKeyByPattern`): the element, a string, or a field of a
/// hash.
fn lookup_by_pattern(txn: &mut Txn<'_>, pattern: &[u8], element: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    if pattern == ITSELF {
        return Ok(Some(copied(element)?));
    }
    let Some(star) = pattern.iter().position(|&byte| byte == STAR) else { return Ok(None) };
    let (prefix, suffix) = (&pattern[..star], &pattern[star + 1..]);
    let arrow = suffix.windows(ARROW.len()).position(|window| window == ARROW);
    let (suffix, field) = match arrow {
        Some(at) if at + ARROW.len() < suffix.len() => (&suffix[..at], Some(&suffix[at + ARROW.len()..])),
        _ => (suffix, None),
    };
    let mut key = Vec::new();
    key.try_reserve_exact(prefix.len() + element.len() + suffix.len()).map_err(|_| Error::OutOfMemory)?;
    [prefix, element, suffix].into_iter().for_each(|piece| key.extend_from_slice(piece));
    count_visits(txn, LOOKUP_VISITS);
    txn.find_unexpired(&key)?;
    Ok(match (txn.value_at(&key), field) {
        (Some(ValueRef::String(bytes)), None) => Some(copied(bytes)?),
        (Some(ValueRef::Hash(hash)), Some(field)) => hash.get(field).map(|value| copied(&value)).transpose()?,
        _ => None,
    })
}

/// Parses a weight as C's `strtod` does: it ends at a zero byte, leading blanks are skipped, and empty text is 0.
fn weight(text: &[u8]) -> Result<f64, Error> {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    if text.is_empty() {
        return Ok(0.0);
    }
    // A negative zero is equal to zero.
    parse_double(text.trim_ascii_start()).map(|weight| weight + 0.0).ok_or(Error::NotSortable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_have_the_order_of_first_bytes() {
        let texts: [&[u8]; 7] = [b"", b"\x01", b"1", b"10", b"2", b"abcdefgh", b"abcdefi"];
        assert!(texts.is_sorted_by(|one, other| text_rank(one) < text_rank(other)));
        // Longer texts, and those that end with zero bytes, are compared as a whole.
        assert_eq!(text_rank(b"abcdefgh1"), text_rank(b"abcdefgh2"));
        assert_eq!(text_rank(b"a"), text_rank(b"a\0"));
    }
}
