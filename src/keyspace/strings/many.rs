//! MSET and its kin: several strings set at once, where they fit into the places of those that are there, or all or none.

use alloc::vec::Vec;

use super::{Expiry, Presence};
use crate::keyspace::db::{Place, Staged};
use crate::keyspace::{Error, EventKind, Space};
use crate::memory::make_room;

/// Room is made for so many keys of an MSET together.
const PLACES_AT_ONCE: usize = 64;

/// Where strings are to be put in the places of others.
struct Fitting {
    places: Vec<Place>,
    /// All are as long as what is there.
    as_long: bool,
}

impl Space<'_> {
    /// Sets several keys. Later pairs win over earlier ones of the same key.
    pub fn set_many<'p>(
        &mut self,
        pairs: impl Iterator<Item = (&'p [u8], &'p [u8])> + Clone,
        presence: Option<Presence>,
        expiry: Expiry,
    ) -> Result<bool, Error> {
        if let Some(presence) = presence {
            for (key, _) in pairs.clone() {
                if !presence.holds(self.write(key).is_some()) {
                    return Ok(false);
                }
            }
        }
        if let Some(fitting) = self.find_fitting(pairs.clone(), expiry)? {
            self.overwrite_many(&fitting, pairs.clone());
        } else if self.is_past_expiry(expiry) {
            for (key, value) in pairs {
                let existing = self.write(key);
                self.put_string(existing, key, value, expiry)?;
            }
            return Ok(true);
        } else {
            self.stage_many(pairs.clone(), expiry)?;
        }
        if expiry != Expiry::Never {
            return Ok(true);
        }
        self.effect(|effect| {
            effect.bytes(b"MSET");
            pairs.for_each(|(key, value)| {
                effect.bytes(key).bytes(value);
            });
        });
        Ok(true)
    }

    /// Looks all keys up to change them. Where every one is there and has a place for its string, as most have, where: of
    /// a key that is named twice too, since what is written first keeps the place.
    #[inline(always)]
    fn find_fitting<'p>(
        &mut self,
        pairs: impl Iterator<Item = (&'p [u8], &'p [u8])>,
        expiry: Expiry,
    ) -> Result<Option<Fitting>, Error> {
        let mut fit = expiry == Expiry::Never && self.keeps_use();
        let mut fitting = Fitting { places: Vec::new(), as_long: true };
        let use_of_any = self.word_of_any_use();
        for (key, value) in pairs {
            let at_once = use_of_any.and_then(|last_use| self.db_mut().fitting(key, value.len(), last_use));
            let place = at_once.or_else(|| {
                fitting.as_long = false;
                self.fitting(key, value.len(), &mut fit)
            });
            let Some(place) = place else { continue };
            if fitting.places.len() == fitting.places.capacity() {
                make_room(&mut fitting.places, PLACES_AT_ONCE)?;
            }
            fitting.places.push(place);
        }
        Ok(fit.then_some(fitting))
    }

    /// Looks a key up to change it. Unless it has a place for a string of a length, not all `fit`.
    #[inline(never)]
    fn fitting(&mut self, key: &[u8], len: usize, fit: &mut bool) -> Option<Place> {
        let found = self.write(key);
        *fit &= found.is_some_and(|handle| self.db().can_overwrite(handle, len));
        found.map(Place::of)
    }

    /// Puts strings in the places of others.
    #[inline(always)]
    fn overwrite_many<'p>(&mut self, fitting: &Fitting, pairs: impl Iterator<Item = (&'p [u8], &'p [u8])> + Clone) {
        let db = self.db_mut();
        for (place, (_, value)) in fitting.places.iter().zip(pairs.clone()) {
            match fitting.as_long {
                true => db.fill(*place, value),
                false => db.overwrite_at(*place, value),
            }
        }
        if !self.is_quiet() {
            pairs.for_each(|(key, _)| self.notify(EventKind::Set, key));
        }
    }

    /// Sets several keys, all or none, and tells of each as SET would; the effect of MSET is left to the caller.
    fn stage_many<'p>(
        &mut self,
        pairs: impl Iterator<Item = (&'p [u8], &'p [u8])>,
        expiry: Expiry,
    ) -> Result<(), Error> {
        let mut staged = Vec::new();
        for (key, value) in pairs {
            make_room(&mut staged, 1)?;
            let existing = self.db().find(key);
            let (deadline, last_use) = (self.deadline_to_be(existing, expiry), self.use_to_be(existing));
            staged.push((Staged { key, value, deadline, last_use }, existing.is_none()));
        }
        self.db_mut().put_all(staged.iter().map(|(string, _)| *string))?;
        for (Staged { key, value, deadline, .. }, is_new) in staged {
            self.notify_at_once(EventKind::Set, key);
            if is_new {
                self.appear(key);
            }
            if expiry != Expiry::Never {
                self.tell_of_string(key, value, deadline, expiry);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;
    use crate::keyspace::{Keyspace, SetOptions};
    use crate::random::Random;
    use alloc::format;

    const NOW: Timestamp = Timestamp::from_ms(1_000_000);

    /// Sets pairs at once in one keyspace and one after the other in another; both must be the same then.
    fn set_both(many: &mut Keyspace, one_by_one: &mut Keyspace, pairs: &[(Vec<u8>, Vec<u8>)]) {
        let pairs = || pairs.iter().map(|(key, value)| (key.as_slice(), value.as_slice()));
        assert_eq!(many.at(0, NOW).set_many(pairs(), None, Expiry::Never), Ok(true));
        many.effects.end_unit();
        for (key, value) in pairs() {
            one_by_one.at(0, NOW).set(key, value, &SetOptions::default()).unwrap();
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
            // Of so few keys that most are there, some twice in one call.
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
                    keyspace.at(0, NOW).set(key, b"with a deadline", &options).unwrap();
                    keyspace.effects.end_unit();
                }
            }
        }
    }

    #[test]
    fn of_a_key_that_is_named_twice_the_last_string_counts() {
        let mut keyspace = Keyspace::new(1);
        let pairs = |first, second| [(&b"k"[..], first), (&b"l"[..], &b"other"[..]), (&b"k"[..], second)].into_iter();
        // New, then in their places, then too long for those.
        for (first, second) in
            [(&b"one"[..], &b"two"[..]), (b"three", b"4"), (b"five", &[b'6'; 300]), (&[b'7'; 300], b"8")]
        {
            keyspace.at(0, NOW).set_many(pairs(first, second), None, Expiry::Never).unwrap();
            keyspace.effects.end_unit();
            assert_eq!(keyspace.at(0, NOW).get(b"k"), Ok(Some(second)));
            assert_eq!(keyspace.at(0, NOW).get(b"l"), Ok(Some(&b"other"[..])));
        }
    }
}
