//! Streams beside a plain list of entries.

use alloc::vec::Vec;

use super::*;
use crate::base::argv::Argv;
use crate::base::random::Random;

fn id(ms: u64) -> StreamId {
    StreamId::new(ms, ms % 3)
}

fn fields(ms: u64) -> Argv {
    match ms % 7 {
        0 => Argv::from_slices(&["other", "v"]),
        1 => Argv::from_slices(&["a", "x", "b", "-17", "c", ""]),
        _ => Argv::from_slices(&["a", "1", "b", "value that is longer"]),
    }
}

fn filled(count: u64) -> (Stream, Vec<StreamId>) {
    let (mut stream, mut ids) = (Stream::default(), Vec::new());
    for ms in 1..=count {
        stream.append(id(ms), FieldPairs(fields(ms).as_ref())).unwrap();
        ids.push(id(ms));
    }
    (stream, ids)
}

fn ids(entries: Entries<'_>) -> Vec<StreamId> {
    entries.map(|entry| entry.id).collect()
}

fn texts(entry: Entry<'_>) -> Vec<Vec<u8>> {
    let both = |(field, value): (crate::values::listpack::Element<'_>, crate::values::listpack::Element<'_>)| {
        [field.with_text(<[u8]>::to_vec), value.with_text(<[u8]>::to_vec)]
    };
    entry.fields.flat_map(both).collect()
}

/// Whether all counts follow from the blocks, and blocks read back from their listpacks.
fn check(stream: &Stream) {
    let mut copy = Stream { marks: stream.marks, ..Stream::default() };
    for block in stream.blocks() {
        let mut packed = Vec::new();
        block.listpack(&mut |part| packed.extend_from_slice(part));
        assert_eq!(packed.len(), block.listpack_len());
        copy.append_listpack(block.master_id(), &packed).unwrap().unwrap();
    }
    assert_eq!((copy.len(), copy.counted_bytes()), (stream.len(), stream.counted_bytes()));
    assert_eq!(
        ids(copy.range(StreamId::MIN, StreamId::MAX, false)),
        ids(stream.range(StreamId::MIN, StreamId::MAX, false))
    );
}

#[test]
fn entries_keep_their_fields() {
    let (stream, _) = filled(500);
    for ms in 1..=500 {
        let argv = fields(ms);
        let expected: Vec<Vec<u8>> = argv.as_ref().iter().map(<[u8]>::to_vec).collect();
        assert_eq!(stream.get(id(ms)).map(texts), Some(expected));
    }
    assert!(stream.blocks().len() >= 5 && stream.get(StreamId::new(3, 9)).is_none());
    check(&stream);
}

#[test]
fn ranges_and_deletions_agree_with_a_list() {
    let mut random = Random::new(5);
    let (mut stream, mut left) = filled(700);
    for round in 0..2_000 {
        let (one, other) = (id(random.below(702)), id(random.below(702)));
        match random.below(3) {
            0 => {
                let found = left.iter().position(|id| *id == one);
                assert_eq!(stream.delete(one), found.map(|index| left.remove(index)).is_some());
            }
            direction => {
                let expected = left.iter().copied().filter(|id| (one..=other).contains(id));
                let reversed = direction == 2;
                let expected: Vec<_> = if reversed { expected.rev().collect() } else { expected.collect() };
                assert_eq!(ids(stream.range(one, other, reversed)), expected);
            }
        }
        assert_eq!((stream.len(), stream.first_id()), (left.len(), left.first().copied().unwrap_or_default()));
        assert_eq!(stream.last_valid_id(), left.last().copied());
        if round % 100 == 0 {
            check(&stream);
        }
    }
}

#[test]
fn trims_remove_the_oldest_entries() {
    let mut random = Random::new(6);
    for _ in 0..200 {
        let (mut stream, mut left) = filled(450);
        for _ in 0..random.below(300) {
            let at = random.below(left.len() as u64) as usize;
            assert!(stream.delete(left.remove(at)));
        }
        let approximate = random.below(2) == 0;
        let limit = if approximate && random.below(2) == 0 { Some(random.below(300) as usize) } else { None };
        let bound = match random.below(2) {
            0 => TrimBound::MaxLen(random.below(500)),
            _ => TrimBound::MinId(id(random.below(460))),
        };
        let excess = match bound {
            TrimBound::MaxLen(len) => left.len().saturating_sub(len as usize),
            TrimBound::MinId(min) => left.iter().filter(|id| **id < min).count(),
        };
        let mut trimmed = stream.trim(&Trim { bound, approximate, limit, references: References::Keep });
        let most = limit.unwrap_or(usize::MAX).min(excess);
        assert!(trimmed.entries <= most && (approximate || trimmed.entries == excess));
        assert!(!approximate || limit.is_some() || excess - trimmed.entries < block::ENTRIES_MAX);
        assert_eq!(ids(stream.range(StreamId::MIN, StreamId::MAX, false)), left[trimmed.entries..]);
        check(&stream);
        while trimmed.removed.free_step(1) > 0 {}
        assert_eq!(trimmed.removed.counted_bytes(), Stream::default().counted_bytes());
    }
}

#[test]
fn damaged_listpacks_are_refused() {
    let (stream, _) = filled(12);
    let block = stream.blocks().next().unwrap();
    let mut packed = Vec::new();
    block.listpack(&mut |part| packed.extend_from_slice(part));
    for end in 0..packed.len() {
        assert!(Stream::default().append_listpack(block.master_id(), &packed[..end]).is_none());
    }
    for at in 0..packed.len() {
        for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut damaged = packed.clone();
            damaged[at] ^= flip;
            let mut stream = Stream::default();
            if let Some(read) = stream.append_listpack(block.master_id(), &damaged) {
                read.unwrap();
                // Damage that is not seen leaves blocks that can be walked in both directions.
                let mut forth = ids(stream.range(StreamId::MIN, StreamId::MAX, false));
                forth.reverse();
                assert_eq!(forth, ids(stream.range(StreamId::MIN, StreamId::MAX, true)));
                assert!(
                    stream.range(StreamId::MIN, StreamId::MAX, false).all(|entry| texts(entry).len().is_multiple_of(2))
                );
            }
        }
    }
}
