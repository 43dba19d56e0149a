//! Tests of sorted sets against a model, in both forms.

use super::*;
use alloc::format;
use alloc::vec::Vec;

const LIMIT: PackedLimit = PackedLimit { members: 128, bytes: 64 };

/// Whether one pair of score and member sorts before another.
fn is_before(one: (f64, &[u8]), other: (f64, &[u8])) -> bool {
    one.0 < other.0 || (one.0 == other.0 && one.1 < other.1)
}

/// Pairs in a sorted vector.
#[derive(Default)]
struct Model(Vec<(f64, Vec<u8>)>);

impl Model {
    fn insert(&mut self, member: &[u8], score: f64) -> Option<f64> {
        let old = self.remove(member);
        let at = self.0.iter().take_while(|(s, m)| is_before((*s, m), (score, member))).count();
        self.0.insert(at, (score, member.to_vec()));
        old
    }

    fn remove(&mut self, member: &[u8]) -> Option<f64> {
        let at = self.0.iter().position(|(_, candidate)| candidate == member)?;
        Some(self.0.remove(at).0)
    }
}

#[test]
fn agrees_with_a_model_in_both_forms() {
    for keys in [60, 700] {
        let (mut random, mut zset, mut model) = (Random::new(keys), ZSet::new(5), Model::default());
        for step in 0..5_000 {
            let member = format!("m{}", random.below(keys)).into_bytes();
            // Few distinct scores, so that members decide too.
            let score = random.below(40) as f64 / 4.0 - 3.0;
            match random.below(5) {
                0 | 1 => assert_eq!(zset.remove(&member), model.remove(&member)),
                _ => assert_eq!(zset.insert(&member, score, LIMIT), Ok(model.insert(&member, score))),
            }
            let rank = model.0.iter().position(|(_, candidate)| *candidate == member);
            assert_eq!(zset.rank(&member), rank.map(|rank| (rank, model.0[rank].0)));
            assert_eq!(zset.score(&member), rank.map(|rank| model.0[rank].0));
            if step % 500 == 0 {
                compare(&zset, &model, score, score + random.below(4) as f64);
            }
        }
        assert_eq!(zset.encoding(), if keys < 128 { "listpack" } else { "skiplist" });
        let mut paged = 0;
        let mut cursor = 0;
        loop {
            cursor = zset.page(cursor, 10, &mut |member, score| {
                assert_eq!(zset.score(member), Some(score));
                paged += 1;
            });
            if cursor == 0 {
                break;
            }
        }
        assert_eq!(paged, zset.len());
        let limit = PackedLimit { members: 2_000, bytes: 64 };
        zset.convert_encoding(limit).unwrap();
        assert_eq!(zset.encoding(), "listpack");
        compare(&zset, &model, -1.0, 1.0);
    }
}

fn compare(zset: &ZSet, model: &Model, least: f64, most: f64) {
    let pairs: Vec<(f64, Vec<u8>)> = zset.iter().map(|(member, score)| (score, member.to_vec())).collect();
    assert_eq!(pairs, model.0);
    assert!(zset.iter().rev().map(|(member, _)| member).eq(model.0.iter().rev().map(|(_, member)| member)));
    for exclusive in [false, true] {
        let scores =
            ScoreRange { least: ScoreBound { score: least, exclusive }, most: ScoreBound { score: most, exclusive } };
        let inside =
            |score: f64| if exclusive { least < score && score < most } else { least <= score && score <= most };
        let expected = model.0.iter().filter(|(score, _)| inside(*score)).count();
        let ranks = zset.select(&Interval::Scores(scores).into());
        assert_eq!(ranks.len(), expected);
        assert!(zset.range(ranks).all(|(_, score)| inside(score)));
    }
}

#[test]
fn ranks_count_from_both_ends_and_stay_inside() {
    let mut zset = ZSet::new(0);
    for (member, score) in [("a", 1.0), ("b", 2.0), ("c", 3.0)] {
        zset.insert(member.as_bytes(), score, LIMIT).unwrap();
    }
    let select = |start, stop, reversed, offset, limit| {
        zset.select(&Selection { interval: Interval::Ranks(start, stop), reversed, offset, limit })
    };
    assert_eq!(select(0, -1, false, 0, -1), 0..3);
    assert_eq!(select(-2, 9, false, 0, -1), 1..3);
    assert_eq!(select(0, 0, true, 0, -1), 2..3);
    assert_eq!(select(1, -1, true, 0, -1), 0..2);
    assert_eq!(select(0, -1, true, 1, 1), 1..2);
    assert_eq!(select(0, -1, false, 9, -1).len(), 0);
    assert_eq!(select(0, -1, false, -1, -1), 0..0);
    for (start, stop) in [(2, 1), (3, 9), (0, -4), (i64::MAX, i64::MIN)] {
        assert_eq!(select(start, stop, false, 0, -1), 0..0, "{start} {stop}");
        assert_eq!(select(start, stop, true, 0, -1), 0..0, "{start} {stop}");
    }
    assert_eq!(select(i64::MIN, i64::MAX, false, 0, -1), 0..3);
}

#[test]
fn members_between_bounds_are_found_in_both_forms() {
    use MemberBound::{Excluded, Highest, Included, Lowest};
    for limit in [LIMIT, PackedLimit { members: 0, bytes: 0 }] {
        let mut zset = ZSet::new(0);
        for member in ["a", "b", "c", "d"] {
            zset.insert(member.as_bytes(), 0.0, limit).unwrap();
        }
        let cases = [
            (Lowest, Highest, 0..4),
            (Included(&b"b"[..]), Included(&b"c"[..]), 1..3),
            (Excluded(b"b"), Excluded(b"d"), 2..3),
            (Included(b"b"), Included(b"b"), 1..2),
            (Included(b"aa"), Highest, 1..4),
            (Lowest, Excluded(b"a"), 0..0),
            (Included(b"x"), Highest, 4..4),
            (Included(b"b"), Excluded(b"b"), 0..0),
            (Highest, Lowest, 0..0),
            (Lowest, Lowest, 0..0),
        ];
        for (least, most, expected) in cases {
            for reversed in [false, true] {
                let interval = Interval::Members(MemberRange { least, most });
                let ranks = zset.select(&Selection { reversed, ..interval.into() });
                let both_empty = ranks.is_empty() && expected.is_empty();
                assert!(ranks == expected || both_empty, "{least:?} {most:?} {ranks:?}");
            }
        }
    }
}

#[test]
fn the_form_follows_number_and_length() {
    let mut zset = ZSet::new(0);
    for number in 0..128 {
        zset.insert(format!("{number}").as_bytes(), 1.0, LIMIT).unwrap();
    }
    zset.insert(b"7", -0.0, LIMIT).unwrap();
    assert_eq!(zset.encoding(), "listpack");
    assert!(zset.score(b"7").is_some_and(f64::is_sign_positive), "a small set has no negative zero");
    zset.insert(b"128", -0.0, LIMIT).unwrap();
    assert_eq!(zset.encoding(), "skiplist");
    assert!(zset.score(b"128").is_some_and(f64::is_sign_negative));
    zset.remove_ranks(0..100);
    assert_eq!((zset.len(), zset.encoding()), (29, "skiplist"), "Redis does not turn back either");
    let mut long = ZSet::new(0);
    long.insert(&[b'x'; 65], 1.0, LIMIT).unwrap();
    assert_eq!(long.encoding(), "skiplist");
    let mut many = ZSet::new(0);
    many.expect(129, 1, LIMIT).unwrap();
    assert_eq!(many.encoding(), "skiplist");
}

#[test]
fn only_an_exact_insertion_distinguishes_zeros() {
    for limit in [LIMIT, PackedLimit { members: 0, bytes: 0 }] {
        let mut zset = ZSet::new(0);
        zset.expect(1, 1, limit).unwrap();
        zset.insert_exact(b"a", -0.0).unwrap();
        zset.insert(b"a", 0.0, limit).unwrap();
        assert!(zset.score(b"a").is_some_and(f64::is_sign_negative));
        zset.insert_exact(b"a", 0.0).unwrap();
        assert!(zset.score(b"a").is_some_and(f64::is_sign_positive));
        assert_eq!(zset.len(), 1);
    }
}

#[test]
fn members_that_are_ordered_at_the_end_make_the_same_set() {
    let mut random = Random::new(5);
    for members in [1, 3, 200, 3000] {
        let (mut built, mut unordered) = (ZSet::new(7), UnorderedZSet::new(7));
        for _ in 0..3 * members {
            let member = format!("m{}", random.below(members));
            let score = random.below(9) as f64 - 4.0;
            let sum = built.score(member.as_bytes()).map_or(score, |sum| sum + score);
            built.index().unwrap();
            built.insert_exact(member.as_bytes(), sum).unwrap();
            unordered.add(member.as_bytes(), score, |sum, score| sum + score).unwrap();
        }
        let ordered = unordered.ordered().unwrap();
        assert!(built.iter().eq(ordered.iter()));
        assert_eq!(built.counted_bytes(), ordered.counted_bytes());
        for (rank, (member, score)) in ordered.iter().enumerate() {
            assert_eq!(ordered.rank(member), Some((rank, score)));
        }
    }
}
