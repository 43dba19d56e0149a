//! Operation of MSET, MSETNX and MSETEX: sets several strings atomically. If all fit, they are overwritten in place.

use alloc::vec::Vec;

use super::Presence;
use crate::base::headroom::{OutOfMemory, try_reserve};
use crate::keyspace::db::Staged;
use crate::keyspace::txn::Access;
use crate::keyspace::{Error, EventKind, Expiry, Lookup, Txn};

/// Number of slots that the list of slots grows by.
const SLOTS_AT_ONCE: usize = 64;

/// Sets several keys if the condition holds for all. Of a key given twice the last value counts. Returns whether the
/// keys were set.
pub fn set_many<'p>(
    txn: &mut Txn<'_>,
    pairs: impl Iterator<Item = (&'p [u8], &'p [u8])> + Clone,
    presence: Option<Presence>,
    expiry: Expiry,
) -> Result<bool, Error> {
    if let Some(presence) = presence {
        for (key, _) in pairs.clone() {
            if !presence.holds(!txn.entry(key, Access::Write).is_vacant()) {
                return Ok(false);
            }
        }
    }
    let facts = txn.facts().len();
    let slots = entries(txn, &mut pairs.clone().map(|(key, _)| key))?;
    if super::is_past_expiry(txn, expiry) {
        for (key, value) in pairs {
            let lookup = txn.entry(key, Access::Write);
            super::put(txn, lookup, key, value, expiry)?;
        }
        return Ok(true);
    }
    let all = slots.iter().zip(pairs.clone());
    let mut lens = all.clone().map(|(lookup, (_, value))| (lookup, value.len()));
    if expiry == Expiry::Never
        && txn.keeps_use()
        && lens.all(|(lookup, len)| txn.db().entries.can_overwrite(*lookup, len))
    {
        for (lookup, (key, value)) in all {
            txn.put_string(*lookup, key, value, expiry, EventKind::Set)?;
        }
    } else {
        stage_many(txn, &mut all.map(|(lookup, (key, value))| (*lookup, key, value)), expiry)?;
    }
    if presence == Some(Presence::Missing) {
        txn.facts().note_missing(facts);
    }
    if expiry != Expiry::Never {
        return Ok(true);
    }
    txn.effect(|effect| {
        effect.bytes(b"MSET");
        pairs.for_each(|(key, value)| {
            effect.bytes(key).bytes(value);
        });
    });
    Ok(true)
}

/// Looks keys up for writing.
fn entries(txn: &mut Txn<'_>, keys: &mut dyn Iterator<Item = &[u8]>) -> Result<Vec<Lookup>, OutOfMemory> {
    let mut slots = Vec::new();
    for key in keys {
        if slots.len() == slots.capacity() {
            try_reserve(&mut slots, SLOTS_AT_ONCE)?;
        }
        slots.push(txn.entry(key, Access::Write));
    }
    Ok(slots)
}

/// Sets several keys atomically, with the events of SET. The effect of MSET is left to the caller.
fn stage_many(
    txn: &mut Txn<'_>,
    strings: &mut dyn Iterator<Item = (Lookup, &[u8], &[u8])>,
    expiry: Expiry,
) -> Result<(), Error> {
    let mut staged = Vec::new();
    for (lookup, key, value) in strings {
        try_reserve(&mut staged, 1)?;
        let (deadline, last_use) = (txn.deadline_for(lookup, expiry), txn.last_use_for(lookup));
        staged.push(Staged { lookup, key, value, deadline, last_use });
    }
    txn.db_mut().put_all(&staged)?;
    for (index, Staged { lookup, key, value, deadline, .. }) in staged.iter().enumerate() {
        let (key, deadline) = (*key, *deadline);
        // The second mention of a new key changes it.
        let is_first = !txn.facts().are_built() || staged[..index].iter().all(|earlier| earlier.key != key);
        txn.notify_of_put(EventKind::Set, key, lookup.is_vacant() && is_first);
        if expiry != Expiry::Never {
            super::notify_of_put(txn, key, value, deadline, expiry);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::Timestamp;
    use crate::base::random::Random;
    use crate::keyspace::strings;
    use crate::keyspace::{Keyspace, SetOptions};
    use alloc::format;

    const NOW: Timestamp = Timestamp::from_ms(1_000_000);

    /// Sets pairs at once in one keyspace and one by one in another, and compares both.
    fn set_both(many: &mut Keyspace, one_by_one: &mut Keyspace, pairs: &[(Vec<u8>, Vec<u8>)]) {
        let pairs = || pairs.iter().map(|(key, value)| (key.as_slice(), value.as_slice()));
        assert_eq!(strings::set_many(&mut many.at(0, NOW), pairs(), None, Expiry::Never), Ok(true));
        many.effects.end_unit();
        for (key, value) in pairs() {
            strings::set(&mut one_by_one.at(0, NOW), key, value, &SetOptions::default()).unwrap();
            one_by_one.effects.end_unit();
        }
        assert_eq!((many.digest(), many.counted_bytes()), (one_by_one.digest(), one_by_one.counted_bytes()));
        assert_eq!(many.events.take(), one_by_one.events.take());
    }

    #[test]
    fn many_strings_are_set_as_one_after_the_other() {
        let mut random = Random::new(5);
        let mut spaces = [(); 2].map(|()| Keyspace::new(3));
        spaces.iter_mut().for_each(|keyspace| keyspace.events.want(true));
        let [many, one_by_one] = &mut spaces;
        for _ in 0..2000 {
            // From 12 keys, so that most exist and some are given twice.
            let mut pair = || {
                let key = format!("key:{}", random.below(12)).into_bytes();
                let len = if random.below(20) == 0 { 2000 } else { 20 + random.below(8) };
                (key, alloc::vec![b'a' + random.below(26) as u8; len as usize])
            };
            let pairs = [(); 6].map(|()| pair());
            set_both(many, one_by_one, &pairs);
            if random.below(4) == 0 {
                let (key, _) = &pairs[0];
                let expiry = Expiry::At(NOW.saturating_add_ms(1000));
                let options = SetOptions { expiry, ..SetOptions::default() };
                for keyspace in [&mut *many, &mut *one_by_one] {
                    strings::set(&mut keyspace.at(0, NOW), key, b"with a deadline", &options).unwrap();
                    keyspace.effects.end_unit();
                }
            }
        }
    }

    #[test]
    fn of_a_key_given_twice_the_last_string_counts() {
        let mut keyspace = Keyspace::new(1);
        let pairs = |first, second| [(&b"k"[..], first), (&b"l"[..], &b"other"[..]), (&b"k"[..], second)].into_iter();
        // New keys, then values that fit in place, then values too long for their blocks.
        for (first, second) in
            [(&b"one"[..], &b"two"[..]), (b"three", b"4"), (b"five", &[b'6'; 300]), (&[b'7'; 300], b"8")]
        {
            strings::set_many(&mut keyspace.at(0, NOW), pairs(first, second), None, Expiry::Never).unwrap();
            keyspace.effects.end_unit();
            assert_eq!(strings::get(&mut keyspace.at(0, NOW), b"k"), Ok(Some(second)));
            assert_eq!(strings::get(&mut keyspace.at(0, NOW), b"l"), Ok(Some(&b"other"[..])));
        }
    }
}
