//! Lazy free of large values and whole databases that were deleted. Freeing a million members takes milliseconds, so
//! garbage is freed in slices. Until then it counts as memory in use.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::headroom::try_reserve;
use crate::values::Value;

/// Minimum size of queued garbage; smaller values are freed immediately.
const QUEUED_MIN_BYTES: u64 = 64 * 1024;
/// Bytes per piece of memory, for an estimate of the pieces in a small value.
const PIECE_BYTES: u64 = 4096;

/// Database with memory that can be freed in steps.
pub(in crate::keyspace) trait FreeInSteps {
    /// Frees up to `pieces` pieces of memory; returns the number freed.
    fn free_step(&mut self, pieces: usize) -> usize;
    fn counted_bytes(&self) -> u64;
}

#[derive(Clone, Debug)]
enum Garbage<D> {
    Value(Value),
    Database(Box<D>),
}

/// Queue of garbage.
#[derive(Clone, Debug)]
pub(in crate::keyspace) struct LazyFree<D> {
    /// Garbage with the counted bytes that are left of it.
    queue: Vec<(Garbage<D>, u64)>,
    bytes: u64,
}

impl<D> Default for LazyFree<D> {
    fn default() -> LazyFree<D> {
        LazyFree { queue: Vec::new(), bytes: 0 }
    }
}

impl<D: FreeInSteps> LazyFree<D> {
    pub(in crate::keyspace) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(in crate::keyspace) fn counted_bytes(&self) -> u64 {
        self.bytes
    }

    /// Queues a large value, or frees a small one. Returns an estimate of the pieces of memory freed.
    pub(in crate::keyspace) fn take_value(&mut self, value: Value, bytes: u64) -> usize {
        if bytes < QUEUED_MIN_BYTES {
            // Less than `QUEUED_MIN_BYTES`, so the cast is lossless.
            return 1 + (bytes / PIECE_BYTES) as usize;
        }
        self.push(Garbage::Value(value), bytes);
        1
    }

    pub(in crate::keyspace) fn take_database(&mut self, db: D) {
        let bytes = db.counted_bytes();
        if bytes >= QUEUED_MIN_BYTES {
            self.push(Garbage::Database(Box::new(db)), bytes);
        }
    }

    /// If the queue cannot grow, the garbage is freed immediately.
    fn push(&mut self, garbage: Garbage<D>, bytes: u64) {
        if try_reserve(&mut self.queue, 1).is_ok() {
            self.queue.push((garbage, bytes));
            self.bytes += bytes;
        }
    }

    /// Frees up to `pieces` pieces of memory; returns the number freed.
    pub(in crate::keyspace) fn free(&mut self, pieces: usize) -> usize {
        let mut freed = 0;
        while freed < pieces
            && let Some((garbage, bytes)) = self.queue.last_mut()
        {
            let left = pieces - freed;
            let (step, bytes_left) = match garbage {
                Garbage::Value(value) => (value.free_step(left), value.counted_bytes()),
                Garbage::Database(db) => (db.free_step(left), db.counted_bytes()),
            };
            self.bytes -= bytes.saturating_sub(bytes_left);
            *bytes = bytes_left.min(*bytes);
            if step < left {
                // A short step means that only a small rest is left, which is freed here.
                self.bytes -= *bytes;
                self.queue.pop();
            }
            freed += step.max(1);
        }
        freed
    }
}

#[cfg(test)]
mod tests {
    use crate::keyspace::hashes;
    use crate::keyspace::keys;
    use crate::keyspace::lists;
    use crate::keyspace::sets;
    use crate::keyspace::sorted_sets;
    use crate::keyspace::strings;
    use alloc::format;

    use super::*;
    use crate::base::clock::Timestamp;
    use crate::keyspace::Keyspace;
    use crate::keyspace::databases::FREED_MAX;
    use crate::values::End;

    /// More members than one slice frees.
    const MEMBERS: usize = 100_000;

    fn member(number: usize) -> Vec<u8> {
        format!("member:{number:08}").into_bytes()
    }

    fn filled(key: &[u8]) -> Keyspace {
        let mut keyspace = Keyspace::new(1);
        let members: Vec<Vec<u8>> = (0..MEMBERS).map(member).collect();
        let names = || members.iter().map(Vec::as_slice);
        let mut txn = keyspace.at(0, Timestamp::from_ms(0));
        match key {
            b"set" => drop(sets::add(&mut txn, key, names()).unwrap()),
            b"list" => drop(lists::push(&mut txn, key, End::Tail, names()).unwrap()),
            b"hash" => drop(hashes::set(&mut txn, key, names().map(|name| (name, name))).unwrap()),
            _ => {
                let pairs: Vec<(f64, &[u8])> = names().map(|name| (1.0, name)).collect();
                sorted_sets::add(&mut txn, key, Default::default(), &pairs).unwrap();
            }
        }
        keyspace.effects.end_unit();
        keyspace
    }

    /// Frees slices until no garbage is left; returns their number.
    fn free_all(keyspace: &mut Keyspace) -> usize {
        let (mut slices, mut held) = (0, keyspace.counted_bytes());
        while keyspace.free_garbage() {
            slices += 1;
            let left = keyspace.counted_bytes();
            assert!(left < held, "a slice gives something back: {left} of {held} bytes");
            held = left;
        }
        assert!(!keyspace.has_garbage());
        slices
    }

    #[test]
    fn a_large_value_is_freed_in_slices_after_any_removal() {
        for key in [&b"set"[..], b"list", b"hash", b"zset"] {
            for removal in 0..3 {
                let mut keyspace = filled(key);
                let held = keyspace.counted_bytes();
                let mut txn = keyspace.at(0, Timestamp::from_ms(0));
                match removal {
                    0 => assert_eq!(keys::delete_all(&mut txn, core::iter::once(key)), 1),
                    1 => drop(strings::set(&mut txn, key, b"short", &Default::default()).unwrap()),
                    _ => txn.flush(),
                }
                keyspace.effects.end_unit();
                // Garbage counts as memory in use.
                assert!(keyspace.counted_bytes() >= held * 9 / 10);
                let slices = free_all(&mut keyspace);
                let min_slices = if key == b"list" { 1 } else { 2 };
                assert!(slices >= min_slices, "{slices} slices");
                assert!(keyspace.counted_bytes() < 100, "{} bytes stay", keyspace.counted_bytes());
            }
        }
    }

    #[test]
    fn a_database_is_freed_in_slices_with_its_values() {
        let mut keyspace = filled(b"set");
        let mut txn = keyspace.at(0, Timestamp::from_ms(0));
        for number in 0..20_000 {
            let (key, value) = (member(number), [&b"x"[..]; 2]);
            lists::push(&mut txn, &key, End::Tail, value.into_iter()).unwrap();
        }
        keyspace.effects.end_unit();
        let pieces = 20_000;
        keyspace.flush_all();
        keyspace.effects.end_unit();
        assert!(keyspace.database(0).is_empty());
        // Every short list is a piece of its own, and a slice takes a bounded number of them.
        let slices = free_all(&mut keyspace);
        assert!(slices >= pieces / FREED_MAX, "{slices} slices");
        assert_eq!(keyspace.counted_bytes(), 0);
    }

    #[test]
    fn keys_replaced_by_a_snapshot_are_freed_in_slices() {
        let mut keyspace = filled(b"set");
        let held = keyspace.counted_bytes();
        keyspace.replace_with(Keyspace::new(1)).unwrap();
        assert!(keyspace.database(0).is_empty() && keyspace.counted_bytes() >= held * 9 / 10);
        assert!(free_all(&mut keyspace) >= 2);
        assert_eq!(keyspace.counted_bytes(), 0);
    }

    #[test]
    fn a_slice_frees_fewer_values_if_they_are_larger() {
        let mut keyspace = Keyspace::new(1);
        let mut txn = keyspace.at(0, Timestamp::from_ms(0));
        let (lists, element) = (2_000, [b'x'; 1_000]);
        for number in 0..lists {
            lists::push(&mut txn, &member(number), End::Tail, [&element[..]; 40].into_iter()).unwrap();
        }
        keyspace.effects.end_unit();
        keyspace.flush_all();
        keyspace.effects.end_unit();
        // 40,000 bytes each: too small to be queued, but of several pieces.
        let slices = free_all(&mut keyspace);
        assert!(slices >= lists * 9 / FREED_MAX, "{slices} slices");
    }

    #[test]
    fn small_values_are_freed_immediately() {
        let mut keyspace = Keyspace::new(1);
        let mut txn = keyspace.at(0, Timestamp::from_ms(0));
        lists::push(&mut txn, b"list", End::Tail, [&b"a"[..]; 1_000].into_iter()).unwrap();
        keys::delete_all(&mut txn, core::iter::once(&b"list"[..]));
        keyspace.effects.end_unit();
        assert!(!keyspace.has_garbage() && !keyspace.free_garbage());
    }
}
