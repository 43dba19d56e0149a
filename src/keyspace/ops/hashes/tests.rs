//! Deadlines of fields, compared with a model that removes expired fields immediately.

use crate::keyspace::dump;
use crate::keyspace::expiry;
use crate::keyspace::hashes;
use crate::keyspace::keys;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::*;
use crate::base::random::Random;
use crate::keyspace::{CopyOptions, DeadlineCondition, Keyspace, RestoreOptions};

type Fields = BTreeMap<Vec<u8>, (Vec<u8>, Option<i64>)>;
/// Hashes with their deadlines.
type Model = BTreeMap<Vec<u8>, (Fields, Option<i64>)>;

const KEYS: u64 = 4;
const NAMES: u64 = 12;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

fn expire_entry(model: &mut Model, now: i64) {
    let dies = |deadline: Option<i64>| deadline.is_some_and(|deadline| deadline < now);
    for (fields, _) in model.values_mut() {
        fields.retain(|_, (_, deadline)| !dies(*deadline));
    }
    model.retain(|_, (fields, deadline)| !fields.is_empty() && !dies(*deadline));
}

struct World {
    keyspace: Keyspace,
    model: Model,
    random: Random,
    now: i64,
}

impl World {
    fn new(seed: u64) -> World {
        let mut keyspace = Keyspace::new(seed);
        keyspace.set_sweeping(seed.is_multiple_of(2));
        World { keyspace, model: Model::new(), random: Random::new(seed), now: 1_000 }
    }

    fn key(&mut self) -> Vec<u8> {
        format!("k{}", self.random.below(KEYS)).into_bytes()
    }

    fn name(&mut self) -> Vec<u8> {
        format!("f{}", self.random.below(NAMES)).into_bytes()
    }

    fn value(&mut self) -> Vec<u8> {
        // Some values are too long for the compact encoding.
        alloc::vec![b'v'; self.random.below(if self.now % 2 == 0 { 10 } else { 700 }) as usize]
    }

    fn ahead(&mut self) -> i64 {
        self.now + self.random.below(40) as i64 - 5
    }

    fn step(&mut self) {
        self.now += self.random.below(5) as i64;
        self.keyspace.sweep(at(self.now));
        expire_entry(&mut self.model, self.now);
        match self.random.below(9) {
            0 | 1 => self.set(),
            2 => self.set_and_expire(),
            3 | 4 => self.expire(),
            5 => self.persist(),
            6 => self.remove(),
            7 => self.expire_key(),
            _ => self.copy(),
        }
        self.keyspace.effects.end_unit();
        self.model.retain(|_, (fields, _)| !fields.is_empty());
    }

    fn set(&mut self) {
        let (key, name, value) = (self.key(), self.name(), self.value());
        let pair = core::iter::once((name.as_slice(), value.as_slice()));
        let added = hashes::set(&mut self.keyspace.at(0, at(self.now)), &key, pair).unwrap();
        let old = self.model.entry(key).or_default().0.insert(name, (value, None));
        assert_eq!(added, usize::from(old.is_none()));
    }

    fn set_and_expire(&mut self) {
        let (key, name, value, ahead) = (self.key(), self.name(), self.value(), self.ahead());
        let keep = self.random.below(2) == 0;
        let expiry = if keep { FieldExpiry::Keep } else { FieldExpiry::At(at(ahead)) };
        let pair = core::iter::once((name.as_slice(), value.as_slice()));
        assert_eq!(hashes::set_and_expire(&mut self.keyspace.at(0, at(self.now)), &key, pair, None, expiry), Ok(true));
        let fields = &mut self.model.entry(key).or_default().0;
        let old = fields.get(&name).and_then(|(_, deadline)| *deadline);
        fields.insert(name.clone(), (value, if keep { old } else { Some(ahead) }));
        if !keep && ahead <= self.now {
            fields.remove(&name);
        }
    }

    fn expire(&mut self) {
        let (key, name, ahead) = (self.key(), self.name(), self.ahead());
        let condition = DeadlineCondition { later: self.random.below(3) == 0, ..DeadlineCondition::default() };
        let names = core::iter::once(name.as_slice());
        let outcomes =
            hashes::expire_at(&mut self.keyspace.at(0, at(self.now)), &key, names, at(ahead), condition).unwrap();
        let Some((value, deadline)) = self.model.get(&key).and_then(|(fields, _)| fields.get(&name).cloned()) else {
            assert_eq!(outcomes, [FieldFate::NoField]);
            return;
        };
        let fields = &mut self.model.get_mut(&key).unwrap().0;
        let expected = match deadline {
            current if condition.later && current.is_none_or(|current| ahead <= current) => FieldFate::Untouched,
            _ if ahead <= self.now => {
                fields.remove(&name);
                FieldFate::Deleted
            }
            _ => {
                fields.insert(name, (value, Some(ahead)));
                FieldFate::Changed
            }
        };
        assert_eq!(outcomes, [expected]);
    }

    fn persist(&mut self) {
        let (key, name) = (self.key(), self.name());
        let names = core::iter::once(name.as_slice());
        let outcomes = hashes::persist(&mut self.keyspace.at(0, at(self.now)), &key, names).unwrap();
        let field = self.model.get_mut(&key).and_then(|(fields, _)| fields.get_mut(&name));
        let expected = match field.map(|(_, deadline)| deadline.take()) {
            None => FieldFate::NoField,
            Some(None) => FieldFate::Untouched,
            Some(Some(_)) => FieldFate::Changed,
        };
        assert_eq!(outcomes, [expected]);
    }

    fn remove(&mut self) {
        let (key, name) = (self.key(), self.name());
        let names = core::iter::once(name.as_slice());
        let values = hashes::take(&mut self.keyspace.at(0, at(self.now)), &key, names).unwrap();
        let removed = self.model.get_mut(&key).and_then(|(fields, _)| fields.remove(&name));
        assert_eq!(values, [removed.map(|(value, _)| value)]);
    }

    fn expire_key(&mut self) {
        let (key, ahead) = (self.key(), self.ahead());
        let mut txn = self.keyspace.at(0, at(self.now));
        let set = expiry::expire_at(&mut txn, &key, at(ahead), DeadlineCondition::default()).unwrap();
        assert_eq!(set, self.model.contains_key(&key));
        if ahead <= self.now {
            self.model.remove(&key);
        } else if let Some((_, deadline)) = self.model.get_mut(&key) {
            *deadline = Some(ahead);
        }
    }

    fn copy(&mut self) {
        let (from, to) = (self.key(), self.key());
        let renames = self.random.below(2) == 0;
        if from == to || !self.model.contains_key(&from) {
            return;
        }
        let mut txn = self.keyspace.at(0, at(self.now));
        if renames {
            keys::rename(&mut txn, &from, &to, false).unwrap();
            let moved = self.model.remove(&from).unwrap();
            self.model.insert(to, moved);
        } else {
            keys::copy(&mut txn, &from, &to, CopyOptions { replace: true, ..CopyOptions::default() }).unwrap();
            self.model.insert(to, self.model[&from].clone());
        }
    }

    /// Compares all fields with the model, and the next deadline with the model's earliest.
    fn check(&mut self) {
        for key in (0..KEYS).map(|index| format!("k{index}").into_bytes()) {
            let mut txn = self.keyspace.at(0, at(self.now));
            let seen: Option<Fields> = hashes::find(&mut txn, &key).unwrap().map(|hash| {
                let owned = |field: Field<'_>| {
                    (field.name.to_vec(), (field.value.to_vec(), field.deadline.map(Timestamp::as_ms)))
                };
                hash.iter().map(owned).collect()
            });
            assert_eq!(seen.as_ref(), self.model.get(&key).map(|(fields, _)| fields));
            let deadline = txn.peek(&key).and_then(|entry| entry.deadline).map(Timestamp::as_ms);
            assert_eq!(deadline, self.model.get(&key).and_then(|(_, deadline)| *deadline));
        }
        self.keyspace.effects.end_unit();
        let own = self.model.values().filter_map(|(_, deadline)| *deadline);
        let of_fields =
            self.model.values().flat_map(|(fields, _)| fields.values().filter_map(|(_, deadline)| *deadline));
        assert_eq!(self.keyspace.first_deadline(), own.clone().chain(of_fields).min().map(at));
        let db = self.keyspace.database(0);
        assert_eq!(db.deadline_count(), own.count());
        let dated = |fields: &Fields| fields.values().any(|(_, deadline)| deadline.is_some());
        assert_eq!(db.field_deadline_count(), self.model.values().filter(|(fields, _)| dated(fields)).count());
        assert_eq!(db.len(), self.model.len());
    }
}

#[test]
fn expired_fields_are_never_returned_and_the_next_deadline_is_exact() {
    for seed in 0..20 {
        let mut world = World::new(seed);
        for _ in 0..800 {
            world.step();
            world.check();
        }
    }
}

#[test]
fn an_active_expire_cycle_removes_a_bounded_number_of_fields() {
    let mut keyspace = Keyspace::new(1);
    let names: Vec<Vec<u8>> = (0..1_000).map(|number| format!("f{number}").into_bytes()).collect();
    let pairs = names.iter().map(|name| (name.as_slice(), &b"v"[..]));
    hashes::set_and_expire(&mut keyspace.at(0, at(1)), b"h", pairs, None, FieldExpiry::At(at(5))).unwrap();
    keyspace.effects.end_unit();
    for left in [744, 488, 232] {
        keyspace.sweep(at(6));
        let len = keyspace.database(0).entries().next().map(|entry| entry.value.size());
        assert_eq!(len, Some(left));
    }
    keyspace.sweep(at(6));
    assert_eq!((keyspace.database(0).len(), keyspace.counts.expired_fields), (0, 1_000));
}

#[test]
fn a_payload_keeps_deadlines_of_fields_and_names_a_version_that_has_them() {
    let mut keyspace = Keyspace::new(1);
    let mut txn = keyspace.at(0, at(1));
    let pair = |name: &'static [u8]| core::iter::once((name, &b"v"[..]));
    hashes::set(&mut txn, b"plain", pair(b"f")).unwrap();
    hashes::set(&mut txn, b"dated", pair(b"f")).unwrap();
    hashes::set_and_expire(&mut txn, b"dated", pair(b"g"), None, FieldExpiry::At(at(50))).unwrap();
    for (key, version) in [(&b"plain"[..], 10), (b"dated", 12)] {
        let payload = dump::dump(&mut txn, key).unwrap().unwrap();
        let (body, _) = payload.split_last_chunk::<8>().unwrap();
        assert_eq!(body[body.len() - 2..], [version, 0]);
        dump::restore(&mut txn, b"copy", &payload, RestoreOptions { replace: true, ..RestoreOptions::default() })
            .unwrap();
    }
    assert_eq!(hashes::time_to_live(&mut txn, b"copy", b"f"), Ok(FieldTimeToLive::Forever));
    assert_eq!(hashes::time_to_live(&mut txn, b"copy", b"g"), Ok(FieldTimeToLive::Until(at(50))));
}
