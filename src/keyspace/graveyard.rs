//! Large values and databases that nobody can reach any more. Giving the memory of a million members back takes
//! milliseconds, so it is done in slices: no call pays for everybody. Until then they count as memory in use.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Db;
use crate::base::headroom::make_room;
use crate::values::Value;

/// What counts as less is given back at once.
const KEPT_MIN_BYTES: u64 = 64 * 1024;
/// A value is of no more pieces of memory than one for so many bytes.
const PIECE_BYTES: u64 = 4096;

#[derive(Clone, Debug)]
enum Remains {
    Value(Value),
    Database(Box<Db>),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Graveyard {
    /// Each with the bytes that what is left of it counts as.
    graves: Vec<(Remains, u64)>,
    bytes: u64,
}

impl Graveyard {
    pub(super) fn is_empty(&self) -> bool {
        self.graves.is_empty()
    }

    pub(super) fn counted_bytes(&self) -> u64 {
        self.bytes
    }

    /// Keeps a large value, and gives a small one back; answers of how many pieces of memory that may have been.
    pub(super) fn take_value(&mut self, value: Value, bytes: u64) -> usize {
        if bytes < KEPT_MIN_BYTES {
            // Below the constant, so it fits.
            return 1 + (bytes / PIECE_BYTES) as usize;
        }
        self.bury(Remains::Value(value), bytes);
        1
    }

    pub(super) fn take_database(&mut self, db: Db) {
        let bytes = db.counted_bytes();
        if bytes >= KEPT_MIN_BYTES {
            self.bury(Remains::Database(Box::new(db)), bytes);
        }
    }

    /// Without the memory for a grave it goes at once.
    fn bury(&mut self, remains: Remains, bytes: u64) {
        if make_room(&mut self.graves, 1).is_ok() {
            self.graves.push((remains, bytes));
            self.bytes += bytes;
        }
    }

    /// Gives up to so many pieces of memory back; answers how many.
    pub(super) fn free(&mut self, pieces: usize) -> usize {
        let mut freed = 0;
        while freed < pieces
            && let Some((remains, bytes)) = self.graves.last_mut()
        {
            let left = pieces - freed;
            let (shed, bytes_left) = match remains {
                Remains::Value(value) => (value.shed(left), value.counted_bytes()),
                Remains::Database(db) => (db.shed(left), db.counted_bytes()),
            };
            self.bytes -= bytes.saturating_sub(bytes_left);
            *bytes = bytes_left.min(*bytes);
            if shed < left {
                // What is left of it is small.
                self.bytes -= *bytes;
                self.graves.pop();
            }
            freed += shed.max(1);
        }
        freed
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::base::clock::Timestamp;
    use crate::keyspace::{FREED_MAX, Keyspace};
    use crate::values::End;

    /// More than is given back at once.
    const MEMBERS: usize = 100_000;

    fn member(number: usize) -> Vec<u8> {
        format!("member:{number:08}").into_bytes()
    }

    fn filled(key: &[u8]) -> Keyspace {
        let mut keyspace = Keyspace::new(1);
        let members: Vec<Vec<u8>> = (0..MEMBERS).map(member).collect();
        let names = || members.iter().map(Vec::as_slice);
        let mut space = keyspace.at(0, Timestamp::from_ms(0));
        match key {
            b"set" => drop(space.set_add(key, names()).unwrap()),
            b"list" => drop(space.list_push(key, End::Tail, names()).unwrap()),
            b"hash" => drop(space.hash_set(key, names().map(|name| (name, name))).unwrap()),
            _ => {
                let pairs: Vec<(f64, &[u8])> = names().map(|name| (1.0, name)).collect();
                space.zset_add(key, Default::default(), &pairs).unwrap();
            }
        }
        keyspace.effects.end_unit();
        keyspace
    }

    /// Frees in slices until nothing is left; answers how many it took.
    fn emptied(keyspace: &mut Keyspace) -> usize {
        let (mut slices, mut held) = (0, keyspace.counted_bytes());
        while keyspace.free_remains() {
            slices += 1;
            let left = keyspace.counted_bytes();
            assert!(left < held, "a slice gives something back: {left} of {held} bytes");
            held = left;
        }
        assert!(!keyspace.has_remains());
        slices
    }

    #[test]
    fn a_large_value_goes_in_slices_however_it_goes() {
        for key in [&b"set"[..], b"list", b"hash", b"zset"] {
            for way in 0..3 {
                let mut keyspace = filled(key);
                let held = keyspace.counted_bytes();
                let mut space = keyspace.at(0, Timestamp::from_ms(0));
                match way {
                    0 => assert_eq!(space.delete_all(core::iter::once(key)), 1),
                    1 => drop(space.set(key, b"short", &Default::default()).unwrap()),
                    _ => space.flush(),
                }
                keyspace.effects.end_unit();
                // It counts until it is given back.
                assert!(keyspace.counted_bytes() >= held * 9 / 10);
                let slices = emptied(&mut keyspace);
                let least = if key == b"list" { 1 } else { 2 };
                assert!(slices >= least, "{slices} slices");
                assert!(keyspace.counted_bytes() < 100, "{} bytes stay", keyspace.counted_bytes());
            }
        }
    }

    #[test]
    fn a_database_goes_in_slices_with_all_it_holds() {
        let mut keyspace = filled(b"set");
        let mut space = keyspace.at(0, Timestamp::from_ms(0));
        for number in 0..20_000 {
            let (key, value) = (member(number), [&b"x"[..]; 2]);
            space.list_push(&key, End::Tail, value.into_iter()).unwrap();
        }
        keyspace.effects.end_unit();
        let pieces = 20_000;
        keyspace.flush_all();
        keyspace.effects.end_unit();
        assert!(keyspace.database(0).is_empty());
        // Every short list is a piece of its own, and a slice takes a bounded number of them.
        let slices = emptied(&mut keyspace);
        assert!(slices >= pieces / FREED_MAX, "{slices} slices");
        assert_eq!(keyspace.counted_bytes(), 0);
    }

    #[test]
    fn what_a_snapshot_replaces_goes_in_slices() {
        let mut keyspace = filled(b"set");
        let held = keyspace.counted_bytes();
        keyspace.replace_with(Keyspace::new(1)).unwrap();
        assert!(keyspace.database(0).is_empty() && keyspace.counted_bytes() >= held * 9 / 10);
        assert!(emptied(&mut keyspace) >= 2);
        assert_eq!(keyspace.counted_bytes(), 0);
    }

    #[test]
    fn a_slice_takes_fewer_of_larger_values() {
        let mut keyspace = Keyspace::new(1);
        let mut space = keyspace.at(0, Timestamp::from_ms(0));
        let (lists, element) = (2_000, [b'x'; 1_000]);
        for number in 0..lists {
            space.list_push(&member(number), End::Tail, [&element[..]; 40].into_iter()).unwrap();
        }
        keyspace.effects.end_unit();
        keyspace.flush_all();
        keyspace.effects.end_unit();
        // Forty thousand bytes each: below what is kept, but of several pieces.
        let slices = emptied(&mut keyspace);
        assert!(slices >= lists * 9 / FREED_MAX, "{slices} slices");
    }

    #[test]
    fn small_values_go_at_once() {
        let mut keyspace = Keyspace::new(1);
        let mut space = keyspace.at(0, Timestamp::from_ms(0));
        space.list_push(b"list", End::Tail, [&b"a"[..]; 1_000].into_iter()).unwrap();
        space.delete_all(core::iter::once(&b"list"[..]));
        keyspace.effects.end_unit();
        assert!(!keyspace.has_remains() && !keyspace.free_remains());
    }
}
