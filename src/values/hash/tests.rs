//! Tests of hashes against a model, in all forms.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::*;

type Model = BTreeMap<Vec<u8>, (Vec<u8>, Option<i64>)>;

const LIMIT: PackedLimit = PackedLimit { members: 20, bytes: 30 };

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

fn contents(hash: &Hash) -> Model {
    let owned = |field: Field<'_>| (field.name.to_vec(), (field.value.to_vec(), field.deadline.map(Timestamp::as_ms)));
    hash.iter().map(owned).collect()
}

/// Random name of a field; every third is a number.
fn name(random: &mut Random, names: u64) -> Vec<u8> {
    let number = random.below(names);
    if number.is_multiple_of(3) { format!("{}", number * 37) } else { format!("f{number}") }.into_bytes()
}

fn value(random: &mut Random) -> Vec<u8> {
    match random.below(3) {
        0 => format!("{}", (random.next_u64() as i64) >> random.below(64)).into_bytes(),
        _ => alloc::vec![b'v'; random.below(40) as usize],
    }
}

fn set(hash: &mut Hash, model: &mut Model, random: &mut Random, names: u64) {
    let count = 1 + random.below(3);
    let pairs: Vec<(Vec<u8>, Vec<u8>)> = (0..count).map(|_| (name(random, names), value(random))).collect();
    let deadline = match random.below(3) {
        0 => NewDeadline::None,
        1 => NewDeadline::Keep,
        _ => NewDeadline::At(at(random.below(100) as i64)),
    };
    let mut added = 0;
    for (name, value) in &pairs {
        let old = model.get(name).map(|(_, deadline)| *deadline);
        added += usize::from(old.is_none());
        let deadline = match deadline {
            NewDeadline::None => None,
            NewDeadline::Keep => old.flatten(),
            NewDeadline::At(deadline) => Some(deadline.as_ms()),
        };
        model.insert(name.clone(), (value.clone(), deadline));
    }
    let result = match pairs.as_slice() {
        [(name, value)] => usize::from(hash.set(name, value, deadline, LIMIT).unwrap()),
        _ => {
            let mut pairs = pairs.iter().map(|(name, value)| (name.as_slice(), value.as_slice()));
            hash.set_all(&mut pairs, deadline, LIMIT).unwrap()
        }
    };
    assert_eq!(result, added);
}

fn set_deadline(hash: &mut Hash, model: &mut Model, random: &mut Random, names: u64) {
    let name = name(random, names);
    let deadline = (random.below(4) > 0).then(|| random.below(100) as i64);
    hash.try_reserve(&mut core::iter::once(name.as_slice())).unwrap();
    assert_eq!(hash.set_deadline(&name, deadline.map(at)), model.contains_key(&name));
    if let Some((_, current)) = model.get_mut(&name) {
        *current = deadline;
    }
}

#[test]
fn agrees_with_a_model_in_every_form() {
    for (names, encoding) in [(12, "hashtable"), (400, "hashtable")] {
        let mut random = Random::new(names);
        let (mut hash, mut model) = (Hash::new(7), Model::new());
        for round in 0..6_000 {
            match random.below(4) {
                0 => {
                    let name = name(&mut random, names);
                    assert_eq!(hash.remove(&name), model.remove(&name).is_some());
                }
                1 => set_deadline(&mut hash, &mut model, &mut random, names),
                _ => set(&mut hash, &mut model, &mut random, names),
            }
            let first = model.values().filter_map(|(_, deadline)| *deadline).min();
            assert_eq!(hash.first_deadline(), first.map(at));
            let first_expiring = hash.first_expiring().map(|field| model[&*field.name].1);
            assert_eq!(first_expiring, first.map(Some));
            assert_eq!(hash.len(), model.len());
            if round % 50 == 0 {
                assert_eq!(contents(&hash), model);
                assert_eq!(contents(&hash.try_clone().unwrap()), model);
                let field = hash.random(&mut random).unwrap();
                assert_eq!(model[&*field.name].0, *field.value);
            }
        }
        assert_eq!(hash.encoding(), encoding);
        assert_eq!(matches!(hash.form, Form::Large(_)), names > PACKED_FIELDS_MAX as u64);
        let (mut paged, mut cursor) = (Model::new(), 0);
        loop {
            cursor = hash.page(cursor, 10, &mut |field| {
                let deadline = field.deadline.map(Timestamp::as_ms);
                paged.insert(field.name.to_vec(), (field.value.to_vec(), deadline));
            });
            if cursor == 0 {
                break;
            }
        }
        assert_eq!(paged, model);
    }
}

#[test]
fn the_encoding_follows_what_was_set() {
    let limit = PackedLimit { members: 512, bytes: 64 };
    let mut hash = Hash::new(1);
    hash.set(b"f", &[b'v'; 64], NewDeadline::None, limit).unwrap();
    assert_eq!(hash.encoding(), "listpack");
    hash.set(b"f", b"v", NewDeadline::At(at(5)), limit).unwrap();
    assert_eq!(hash.encoding(), "listpackex");
    hash.set(b"g", &[b'v'; 65], NewDeadline::None, limit).unwrap();
    assert_eq!(hash.encoding(), "hashtable");
    assert!(hash.remove(b"g") && !hash.remove(b"g"));
    assert_eq!((hash.encoding(), hash.first_deadline()), ("hashtable", Some(at(5))));
    let mut many = Hash::new(1);
    for number in 0..513 {
        assert_eq!(many.encoding(), "listpack");
        many.set(format!("{number}").as_bytes(), b"", NewDeadline::None, limit).unwrap();
    }
    assert_eq!(many.encoding(), "hashtable");
}

#[test]
fn a_field_keeps_its_position_while_the_hash_is_packed() {
    let mut hash = Hash::new(0);
    for (name, value) in [("b", "1"), ("a", "2"), ("b", "three")] {
        hash.set(name.as_bytes(), value.as_bytes(), NewDeadline::Keep, LIMIT).unwrap();
    }
    hash.set(b"b", b"4", NewDeadline::At(at(1)), LIMIT).unwrap();
    let pairs: Vec<_> = hash.iter().map(|field| (field.name.to_vec(), field.value.to_vec())).collect();
    assert_eq!(pairs, [(b"b".to_vec(), b"4".to_vec()), (b"a".to_vec(), b"2".to_vec())]);
}

#[test]
fn thousands_of_deadlines_can_be_set_at_once_in_a_large_hash() {
    let names: Vec<Vec<u8>> = (0..5_000).map(|number| format!("f{number}").into_bytes()).collect();
    let pairs = || names.iter().map(|name| (name.as_slice(), &b"v"[..]));
    let mut hash = Hash::new(3);
    hash.set_all(&mut pairs().take(3_000), NewDeadline::At(at(9)), LIMIT).unwrap();
    hash.set_all(&mut pairs(), NewDeadline::At(at(7)), LIMIT).unwrap();
    assert!(hash.iter().all(|field| field.deadline == Some(at(7))));
    hash.set_all(&mut pairs(), NewDeadline::Keep, LIMIT).unwrap();
    hash.set_all(&mut pairs().skip(10), NewDeadline::None, LIMIT).unwrap();
    assert_eq!(hash.iter().filter(|field| field.deadline.is_some()).count(), 10);
    hash.try_reserve(&mut names.iter().map(Vec::as_slice)).unwrap();
    assert!(names.iter().all(|name| hash.set_deadline(name, Some(at(4)))));
    let mut removed = 0;
    while let Some(name) = hash.first_expiring().map(|field| field.name.to_vec()) {
        removed += usize::from(hash.remove(&name));
    }
    assert_eq!((removed, hash.len()), (5_000, 0));
}

#[test]
fn short_fields_cost_no_more_than_in_redis() {
    let limit = PackedLimit { members: 512, bytes: 64 };
    // MEMORY USAGE of Redis 7.0.15 for a key of one letter; 36 of these bytes are counted elsewhere.
    for (name, value, base, redis_bytes) in
        [("field", "value", 0, 2608), ("f", "", 0, 1072), ("", "", 0, 688), ("", "", 1_000_000, 1072)]
    {
        let mut hash = Hash::new(1);
        for number in 0..128 {
            let (name, value) = (format!("{name}{number}"), format!("{value}{}", base + number));
            hash.set(name.as_bytes(), value.as_bytes(), NewDeadline::None, limit).unwrap();
        }
        assert_eq!(hash.encoding(), "listpack");
        assert!(hash.counted_bytes() + 36 <= redis_bytes, "{}", hash.counted_bytes());
    }
}
