//! Where keys are that a caller numbers: JavaScript keeps those it uses again and again in places of its own, and by the number
//! of its place such a key is found without its hash. What is noted here is a guess: whoever takes it compares the key.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::slab::Handle;

/// 8 KiB, which only a database takes that is asked by numbers.
const SEATS: usize = 2048;
/// Numbers are addresses, at least so far apart from each other.
const APART_BITS: u32 = 5;

/// The number of a key; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seat(usize);

impl Seat {
    pub const NONE: Seat = Seat(0);

    /// Of a key that lies at an address.
    pub fn at(address: usize) -> Seat {
        Seat(address)
    }

    #[inline(always)]
    fn index(self) -> usize {
        (self.0 >> APART_BITS) % SEATS
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Seats {
    handles: Option<Box<[Option<Handle>; SEATS]>>,
    /// The state of the slab these are of: pages it gave back since may be cut into other blocks.
    returns: u64,
}

impl Seats {
    #[inline(always)]
    pub(super) fn get(&self, seat: Seat, returns: u64) -> Option<Handle> {
        if seat.0 == 0 || self.returns != returns {
            return None;
        }
        self.handles.as_ref()?[seat.index()]
    }

    /// Notes one that most likely is of the key.
    #[inline(always)]
    pub(super) fn note(&mut self, seat: Seat, handle: Handle, returns: u64) {
        if seat.0 != 0 {
            self.note_some(seat, handle, returns);
        }
    }

    #[inline(never)]
    fn note_some(&mut self, seat: Seat, handle: Handle, returns: u64) {
        if self.returns != returns || self.handles.is_none() {
            self.handles = nothing();
            self.returns = returns;
        }
        if let Some(handles) = &mut self.handles {
            handles[seat.index()] = Some(handle);
        }
    }

    /// The key was not there.
    #[inline(never)]
    pub(super) fn forget(&mut self, seat: Seat) {
        if let Some(handles) = &mut self.handles {
            handles[seat.index()] = None;
        }
    }
}

/// None noted; nothing at all when there is no memory for it, and all goes on as before.
fn nothing() -> Option<Box<[Option<Handle>; SEATS]>> {
    let mut handles = Vec::new();
    handles.try_reserve_exact(SEATS).ok()?;
    handles.resize(SEATS, None);
    handles.into_boxed_slice().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyspace::{Db, NewValue};
    use crate::value::ValueRef;
    use alloc::format;
    use alloc::vec;

    const KEYS: usize = 1500;

    fn seat_of(number: usize) -> Seat {
        Seat::at(((number + 1) << APART_BITS) + 7)
    }

    fn key_of(number: usize) -> Vec<u8> {
        format!("key:{number:04}").into_bytes()
    }

    fn put(db: &mut Db, key: &[u8], value: &[u8]) {
        let existing = db.find(key);
        db.put(existing, key, NewValue::Bytes(value), None, 0).unwrap();
    }

    fn read(db: &mut Db, number: usize) -> Option<Vec<u8>> {
        match db.value_of(&key_of(number), seat_of(number), None)? {
            ValueRef::String(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }

    /// Reads twice: the second time by the seat.
    fn is_held(db: &mut Db, number: usize, expected: Option<&[u8]>) -> bool {
        [(); 2].iter().all(|()| read(db, number).as_deref() == expected)
    }

    #[test]
    fn a_key_is_found_by_its_seat_wherever_it_moves() {
        let mut db = Db::new(5);
        for value in [&b"short"[..], b"other", b"a longer one, in another block", b"2"] {
            (0..KEYS).for_each(|number| put(&mut db, &key_of(number), value));
            assert!((0..KEYS).all(|number| is_held(&mut db, number, Some(value))));
            assert!((0..KEYS).all(|number| db.seats.get(seat_of(number), db.slab.returns()).is_some()));
        }
    }

    #[test]
    fn a_key_that_was_removed_is_not_found_by_its_seat() {
        let mut db = Db::new(5);
        for round in 0..4 {
            (0..20).for_each(|number| put(&mut db, &key_of(number), b"short"));
            assert!((0..20).all(|number| is_held(&mut db, number, Some(b"short"))));
            for number in round..20 {
                let handle = db.find(&key_of(number)).unwrap();
                db.remove(handle);
                assert!(is_held(&mut db, number, None));
            }
        }
    }

    /// Pages are given back and cut anew, and values hold the image of a key at every place where one was.
    #[test]
    fn nobody_is_found_where_something_else_looks_alike() {
        for shift in 0..6 {
            let mut db = Db::new(5);
            (0..KEYS).for_each(|number| put(&mut db, &key_of(number), b"short"));
            assert!((0..KEYS).all(|number| is_held(&mut db, number, Some(b"short"))));
            let image = db.slab.block(db.find(&key_of(0)).unwrap()).to_vec();
            assert_eq!(image.len(), 24);
            for number in 0..KEYS {
                let handle = db.find(&key_of(number)).unwrap();
                db.remove(handle);
            }
            let value = [vec![0; shift * 4], image.repeat(37)].concat();
            (0..100).for_each(|number| put(&mut db, format!("image:{number:02}").as_bytes(), &value));
            for number in 0..KEYS {
                assert!(db.value_of(&key_of(0), seat_of(number), None).is_none());
            }
        }
    }

    #[test]
    fn keys_may_change_seats_and_share_them() {
        let mut db = Db::new(5);
        for number in 0..KEYS {
            put(&mut db, &key_of(number), &key_of(number));
        }
        for round in 0..3 * KEYS {
            let (number, seat) = (round * 7 % KEYS, seat_of(round % 10));
            let value = db.value_of(&key_of(number), seat, None);
            assert!(matches!(value, Some(ValueRef::String(bytes)) if bytes == key_of(number)));
        }
    }
}
