//! Tests of packed hashes against a vector of fields.

use super::*;
use crate::base::random::Random;
use alloc::format;

const LENS: [usize; 12] = [0, 1, 7, 8, 9, 54, 55, 63, 64, 127, 128, 300];

type Model = Vec<(Vec<u8>, Vec<u8>, Option<i64>)>;

/// Text of every class of lengths, and numbers of every size.
fn text(random: &mut Random, kinds: u64) -> Vec<u8> {
    match random.below(3) {
        0 => format!("{}", (1i64 << (random.below(kinds) % 63)) - 1).into_bytes(),
        _ => alloc::vec![b'a' + random.below(3) as u8; LENS[(random.below(kinds) % 12) as usize]],
    }
}

fn set(small: &mut Small, model: &mut Model, random: &mut Random, is_timed: bool) {
    let (name, value) = (text(random, 12), text(random, 60));
    let loc = small.locate(&name);
    let known = model.iter().position(|(candidate, ..)| *candidate == name);
    assert_eq!(loc.is_some(), known.is_some());
    let deadline = match random.below(3) {
        0 if is_timed => NewDeadline::At(Timestamp::from_ms(random.below(90) as i64)),
        1 => NewDeadline::Keep,
        _ => NewDeadline::None,
    };
    small.set(loc, &name, &value, deadline).unwrap();
    let new = match deadline {
        NewDeadline::At(deadline) => Some(deadline.as_ms()),
        NewDeadline::Keep => known.and_then(|index| model[index].2),
        NewDeadline::None => None,
    };
    match known {
        Some(index) => model[index] = (name, value, new),
        None => model.push((name, value, new)),
    }
}

#[test]
fn agrees_with_a_vector_for_fields_of_every_length() {
    for is_timed in [false, true] {
        let (mut small, mut model, mut random) = (Small::default(), Model::new(), Random::new(4));
        for _ in 0..8_000 {
            let name = text(&mut random, 12);
            let known = model.iter().position(|(candidate, ..)| *candidate == name);
            match (random.below(8), known) {
                (0, _) => {
                    assert_eq!(small.remove(&name), known.is_some());
                    known.map(|index| model.remove(index));
                }
                (1, _) if is_timed => {
                    let deadline = (random.below(2) == 0).then_some(7);
                    small.reserve_deadline(&name).unwrap();
                    assert_eq!(small.set_deadline(&name, deadline.map(Timestamp::from_ms)), known.is_some());
                    known.into_iter().for_each(|index| model[index].2 = deadline);
                }
                _ => set(&mut small, &mut model, &mut random, is_timed),
            }
            let fields = small
                .iter()
                .map(|field| (field.name.to_vec(), field.value.to_vec(), field.deadline.map(Timestamp::as_ms)));
            assert_eq!(fields.collect::<Model>(), model);
            assert_eq!(small.len(), model.len());
            assert_eq!(small.first().map(Timestamp::as_ms), model.iter().filter_map(|field| field.2).min());
            let value = small.get(&name).map(|field| field.value.to_vec());
            let held = model.iter().find(|(candidate, ..)| *candidate == name).map(|field| field.1.clone());
            assert_eq!(value, held);
        }
    }
}

#[test]
fn a_value_of_equal_length_stays_where_it_is() {
    let mut small = Small::default();
    for name in [&b"one"[..], b"two", b"3"] {
        small.set(None, name, b"value", NewDeadline::None).unwrap();
    }
    let before = (small.bytes.as_ptr(), small.bytes.capacity(), small.byte_len());
    small.set(small.locate(b"two"), b"two", b"other", NewDeadline::None).unwrap();
    assert_eq!((small.bytes.as_ptr(), small.bytes.capacity(), small.byte_len()), before);
    assert!(small.iter().map(|field| field.value.to_vec()).eq([&b"value"[..], b"other", b"value"]));
}
