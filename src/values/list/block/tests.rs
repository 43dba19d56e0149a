//! Tests of blocks: reading from both ends, growth, replacement, and sizes of listpacks.

use super::*;

fn elements(block: &Block) -> Vec<Vec<u8>> {
    let (mut at, mut found) = (block.start(), Vec::new());
    while let Some((element, next)) = block.entry_at(at) {
        found.push(element.to_vec());
        at = next;
    }
    let (mut at, mut backwards) = (block.end(), Vec::new());
    while let Some((element, previous)) = block.entry_before(at) {
        backwards.push(element.to_vec());
        at = previous;
    }
    backwards.reverse();
    assert_eq!(found, backwards);
    assert_eq!(found.len(), block.len());
    assert_eq!(block.listpack_bytes, found.iter().map(|element| listpack_entry_bytes(element)).sum::<usize>());
    found
}

#[test]
fn elements_of_every_length_are_read_from_both_ends() {
    let mut block = Block::default();
    let lens = [0, 1, 127, 128, 129, 16_383, 16_384, 2_097_152];
    for len in lens {
        block.push(End::Tail, &alloc::vec![7; len]).unwrap();
        block.push(End::Head, &alloc::vec![8; len]).unwrap();
    }
    let found = elements(&block);
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>()[8..], lens);
    assert_eq!(block.offset_of(16), block.end());
    assert_eq!(block.entry_at(block.offset_of(15)).unwrap().0.len(), 2_097_152);
    assert_eq!(block.entry_before(block.offset_of(1)).unwrap().0.len(), 2_097_152);
}

#[test]
fn a_queue_of_few_elements_stays_in_little_memory() {
    for (from, to) in [(End::Head, End::Tail), (End::Tail, End::Head)] {
        let mut block = Block::of(b"first").unwrap();
        for _ in 0..10_000 {
            block.push(to, b"0123456789").unwrap();
            block.pop(from, 1);
        }
        assert_eq!(elements(&block), [b"0123456789"]);
        assert!(block.bytes.capacity() <= 128, "{}", block.bytes.capacity());
    }
}

#[test]
fn replacing_keeps_the_neighbours() {
    for replacement in [&b""[..], b"bb", b"longer than it was", &[b'x'; 200]] {
        for gap in [false, true] {
            let mut block = Block::of(b"gone").unwrap();
            [&b"a"[..], b"bb", b"c"].iter().for_each(|element| block.push(End::Tail, element).unwrap());
            if gap {
                block.pop(End::Head, 1);
            }
            let index = if gap { 1 } else { 2 };
            block.replace(block.offset_of(index), replacement).unwrap();
            assert_eq!(elements(&block)[index - 1..], [b"a", replacement, b"c"]);
        }
    }
}

#[test]
fn the_size_of_a_listpack_is_that_of_redis() {
    let cases: [(&[u8], usize); 12] = [
        (b"", 2),
        (b"0", 2),
        (b"127", 2),
        (b"128", 3),
        (b"-1", 3),
        (b"4096", 4),
        (b"40000", 5),
        (b"8388608", 6),
        (b"99999999999", 10),
        (b"01", 4),
        (&[b'x'; 63], 65),
        (&[b'x'; 126], 130),
    ];
    for (element, bytes) in cases {
        assert_eq!(listpack_entry_bytes(element), bytes, "{element:?}");
    }
    assert_eq!(Block::of(b"hello").unwrap().listpack_bytes(), 14);
}

#[test]
fn equal_elements_are_removed_with_exceptions() {
    let mut block = Block::default();
    [b"a", b"b", b"a", b"a", b"b"].iter().for_each(|element| block.push(End::Tail, *element).unwrap());
    assert_eq!(block.count_of(b"a"), 3);
    assert_eq!(block.remove_equal(b"a", 1, 1), 1);
    assert_eq!(elements(&block), [b"a", b"b", b"a", b"b"]);
    assert_eq!(block.remove_equal(b"b", 0, 9), 2);
    assert_eq!(elements(&block), [b"a", b"a"]);
    assert_eq!(elements(&block.copy_from(block.offset_of(1)).unwrap()), [b"a"]);
}
