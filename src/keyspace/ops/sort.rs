//! SORT: the elements of a list, a set or a sorted set in another order, or what other keys hold for them.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use crate::base::headroom::copied;
use crate::base::number::parse_double;
use crate::keyspace::ops::keys;
use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, EventKind, NewValue};
use crate::store::sorted_vec::ranking;
use crate::values::{End, List, Value, ValueRef, owned};

/// What to sort by, and what to answer.
#[derive(Clone, Debug, Default)]
pub struct SortOptions<'a> {
    /// A pattern of the keys that hold the weights; without a star in it nothing is sorted.
    pub by: Option<&'a [u8]>,
    /// How many elements are passed over; a negative number is none.
    pub offset: i64,
    /// How many elements are answered; nothing said or a negative number is all.
    pub limit: Option<i64>,
    /// Patterns of what is answered for each element; without any, the element itself.
    pub get: Vec<&'a [u8]>,
    pub descending: bool,
    /// By bytes instead of by number.
    pub alpha: bool,
}

/// What stands for a place in a pattern.
const STAR: u8 = b'*';
/// The pattern of the element itself.
const ITSELF: &[u8] = b"#";
/// Behind it a pattern names a field of a hash.
const ARROW: &[u8] = b"->";

impl SortOptions<'_> {
    fn is_unsorted(&self) -> bool {
        self.by.is_some_and(|pattern| !pattern.contains(&STAR))
    }

    /// Which of `len` elements are answered.
    fn window(&self, len: usize) -> Range<usize> {
        let start = usize::try_from(self.offset.max(0)).unwrap_or(usize::MAX).min(len);
        let most = self.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        start..start + most.min(len - start)
    }
}

/// An element with what it is sorted by.
struct Candidate {
    element: Vec<u8>,
    score: f64,
    /// With ALPHA and BY: what the key of the pattern holds.
    text: Option<Vec<u8>>,
    /// Where it was; the elements of a set have no place.
    index: usize,
}

#[derive(Clone, Copy)]
struct Sorting {
    descending: bool,
    by: SortedBy,
}

#[derive(Clone, Copy)]
enum SortedBy {
    Score,
    Text,
    Element,
}

impl Sorting {
    fn compare(self, one: &Candidate, other: &Candidate) -> Ordering {
        let of_elements = || one.element.cmp(&other.element);
        let order = match self.by {
            SortedBy::Score => one.score.total_cmp(&other.score).then_with(of_elements),
            SortedBy::Text => one.text.cmp(&other.text),
            SortedBy::Element => of_elements(),
        };
        let order = if self.descending { order.reverse() } else { order };
        order.then_with(|| one.index.cmp(&other.index)).then_with(of_elements)
    }
}

/// The elements of a collection, in its own order.
struct Elements {
    all: Vec<Vec<u8>>,
    are_of_a_set: bool,
}

/// The elements of a list, a set or a sorted set, sorted, or what GET finds for each of them; `None` where it finds
/// nothing.
pub fn sort(txn: &mut Txn<'_>, key: &[u8], options: &SortOptions<'_>) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let sorted = sorted(txn, key, options, false)?;
    fetched(txn, sorted, &options.get)
}

/// Sorts and stores the answer as a list; nothing deletes the key. Answers the length.
pub fn sort_into(txn: &mut Txn<'_>, to: &[u8], key: &[u8], options: &SortOptions<'_>) -> Result<usize, Error> {
    let sorted = sorted(txn, key, options, true)?;
    let found = fetched(txn, sorted, &options.get)?;
    let slot = txn.entry(to, Access::Write);
    if found.is_empty() {
        keys::delete(txn, slot, to);
        return Ok(0);
    }
    let mut list = List::default();
    let elements = found.iter().map(|element| element.as_deref().unwrap_or_default());
    list.push(End::Tail, elements, txn.limits().list)?;
    txn.put(slot, to, NewValue::Value(Value::List(list)), None, EventKind::SortStore)?;
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
        // A set has no order of its own that would be the same everywhere: what is stored of it is sorted.
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
    let order = Sorting { descending: options.descending, by: sorted_by };
    let mut candidates = Vec::new();
    candidates.try_reserve_exact(all.len()).map_err(|_| Error::OutOfMemory)?;
    for (index, element) in all.into_iter().enumerate() {
        let index = if are_of_a_set { 0 } else { index };
        candidates.push(candidate(txn, element, index, order, by)?);
    }
    let ranking = ranking(candidates.len(), &|one, other| {
        order.compare(&candidates[one], &candidates[other]).then(one.cmp(&other)).is_lt()
    })?;
    let mut sorted = Vec::new();
    sorted.try_reserve_exact(window.len()).map_err(|_| Error::OutOfMemory)?;
    sorted.extend(ranking[window].iter().map(|&at| core::mem::take(&mut candidates[at].element)));
    Ok(sorted)
}

fn elements(txn: &mut Txn<'_>, key: &[u8]) -> Result<Elements, Error> {
    let slot = txn.entry(key, Access::Read);
    // Redis looks into a sorted set in its large form only, and it stays in that.
    if let Some(handle) = slot.found() {
        let index = |value: &mut Value| if let Value::ZSet(zset) = value { zset.index() } else { Ok(()) };
        txn.db_mut().edit(handle, index).unwrap_or(Ok(()))?;
    }
    let all = match txn.value(slot) {
        None => Vec::new(),
        Some(ValueRef::List(list)) => owned(list.iter())?,
        Some(ValueRef::ZSet(zset)) => owned(zset.iter().map(|(member, _)| member))?,
        Some(ValueRef::Set(set)) => return Ok(Elements { all: owned(set.iter())?, are_of_a_set: true }),
        Some(_) => return Err(Error::WrongType),
    };
    Ok(Elements { all, are_of_a_set: false })
}

/// Looks up what an element is sorted by. What is not there counts as 0, and comes before every text.
fn candidate(
    txn: &mut Txn<'_>,
    element: Vec<u8>,
    index: usize,
    order: Sorting,
    by: Option<&[u8]>,
) -> Result<Candidate, Error> {
    let looked_up = match by {
        Some(pattern) => looked_up(txn, pattern, &element)?,
        None => None,
    };
    let (mut score, mut text) = (0.0, None);
    match (order.by, by) {
        (SortedBy::Text, _) => text = looked_up,
        (SortedBy::Score, None) => score = weight(&element)?,
        (SortedBy::Score, Some(_)) => score = looked_up.map_or(Ok(0.0), |text| weight(&text))?,
        (SortedBy::Element, _) => {}
    }
    Ok(Candidate { element, score, text, index })
}

fn fetched(txn: &mut Txn<'_>, elements: Vec<Vec<u8>>, patterns: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
    if patterns.is_empty() {
        return Ok(elements.into_iter().map(Some).collect());
    }
    let mut found = Vec::new();
    for element in &elements {
        found.try_reserve(patterns.len()).map_err(|_| Error::OutOfMemory)?;
        for pattern in patterns {
            found.push(looked_up(txn, pattern, element)?);
        }
    }
    Ok(found)
}

/// What a pattern means for an element: the element itself, the string at a key, or a field of the hash at a key.
fn looked_up(txn: &mut Txn<'_>, pattern: &[u8], element: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    if pattern == ITSELF {
        return Ok(Some(copied(element)?));
    }
    let Some(star) = pattern.iter().position(|&byte| byte == STAR) else { return Ok(None) };
    let (before, behind) = (&pattern[..star], &pattern[star + 1..]);
    let arrow = behind.windows(ARROW.len()).position(|window| window == ARROW);
    let (behind, field) = match arrow {
        Some(at) if at + ARROW.len() < behind.len() => (&behind[..at], Some(&behind[at + ARROW.len()..])),
        _ => (behind, None),
    };
    let mut key = Vec::new();
    key.try_reserve_exact(before.len() + element.len() + behind.len()).map_err(|_| Error::OutOfMemory)?;
    [before, element, behind].into_iter().for_each(|piece| key.extend_from_slice(piece));
    txn.find_unexpired(&key)?;
    Ok(match (txn.value_at(&key), field) {
        (Some(ValueRef::String(bytes)), None) => Some(copied(bytes)?),
        (Some(ValueRef::Hash(hash)), Some(field)) => hash.get(field).map(|value| copied(&value)).transpose()?,
        _ => None,
    })
}

/// A number to sort by, as C reads it: it ends at a zero byte, blanks may stand before it, and no text at all is 0.
fn weight(text: &[u8]) -> Result<f64, Error> {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    if text.is_empty() {
        return Ok(0.0);
    }
    // A negative zero is equal to zero.
    parse_double(text.trim_ascii_start()).map(|weight| weight + 0.0).ok_or(Error::NotSortable)
}
