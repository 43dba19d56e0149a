//! Which handles hashes led to lately: most programs ask for few of their keys again and again, and here a key is found with
//! one load. It only ever repeats what the table answered, so no order and no reply depends on it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Slot;
use crate::slab::Handle;

/// 32 KiB, which only a table takes that is searched and holds more than [`LEN_MIN`].
const PLACES: usize = 4096;
/// A smaller table is as quick by itself.
const LEN_MIN: usize = 64;

/// Each hash has one place, named by its last bits: the table has used the first ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent(Option<Box<[Slot; PLACES]>>);

impl Recent {
    #[inline(always)]
    pub(super) fn get(&self, hash: u32) -> Option<Handle> {
        let slot = self.0.as_ref()?[place_of(hash)];
        (slot.hash == hash).then_some(slot.handle)
    }

    /// Notes what was found in a table of so many keys.
    #[inline(always)]
    pub(super) fn found(&mut self, slot: Slot, len: usize) {
        match &mut self.0 {
            Some(places) => places[place_of(slot.hash)] = slot,
            None if len > LEN_MIN => self.0 = nothing(),
            None => {}
        }
    }

    /// Notes what was inserted, when anything is noted.
    #[inline(always)]
    pub(super) fn inserted(&mut self, slot: Slot) {
        if let Some(places) = &mut self.0 {
            places[place_of(slot.hash)] = slot;
        }
    }

    /// Notes that the key moved.
    pub(super) fn replaced(&mut self, hash: u32, old: Handle, new: Handle) {
        if let Some(places) = &mut self.0
            && places[place_of(hash)] == (Slot { hash, handle: old })
        {
            places[place_of(hash)].handle = new;
        }
    }

    pub(super) fn forget(&mut self, slot: Slot) {
        if let Some(places) = &mut self.0
            && places[place_of(slot.hash)] == slot
        {
            places[place_of(slot.hash)] = vacant(place_of(slot.hash));
        }
    }

    pub(super) fn forget_all(&mut self) {
        self.0 = None;
    }
}

#[inline(always)]
fn place_of(hash: u32) -> usize {
    hash as usize % PLACES
}

/// What a place holds that holds nothing: a hash of another place, which nobody looks for there.
fn vacant(place: usize) -> Slot {
    Slot { hash: !(place as u32), handle: Handle::LEAST }
}

/// Places that hold nothing; none when there is no memory for them, and all goes on as before.
#[cold]
fn nothing() -> Option<Box<[Slot; PLACES]>> {
    let mut places = Vec::new();
    places.try_reserve_exact(PLACES).ok()?;
    places.extend((0..PLACES).map(vacant));
    places.into_boxed_slice().try_into().ok()
}

#[cfg(test)]
mod tests {
    use crate::random::Random;
    use crate::slab::{Handle, Slab};
    use crate::table::{Insertion, Slot, Table};
    use alloc::vec::Vec;

    /// Whether a search for any handle of a hash comes to what the table holds.
    fn is_right(table: &mut Table, hash: u32) -> bool {
        let mut held = Vec::new();
        table.find(hash, |handle| {
            held.push(handle);
            false
        });
        match table.recent(hash).or_else(|| table.any_of(hash)) {
            Some(handle) => held.contains(&handle),
            None => held.is_empty(),
        }
    }

    #[test]
    fn what_is_noted_is_what_the_table_holds() {
        let mut slab = Slab::new();
        let mut random = Random::new(11);
        let mut table = Table::default();
        // Some hashes are equal, and many share a place.
        let hashes: Vec<u32> =
            (0..400).map(|_| random.below(1 << 3) as u32 | (random.below(40) as u32) << 27).collect();
        let mut held: Vec<(u32, Handle)> = Vec::new();
        for round in 0..60_000 {
            let hash = hashes[random.below(400) as usize];
            match random.below(8) {
                0..3 if held.len() < 300 => {
                    let handle = slab.allocate(8).unwrap();
                    table.reserve(hash).unwrap();
                    table.insert(hash, handle);
                    held.push((hash, handle));
                }
                // As a lock does.
                4 if held.len() < 300 => {
                    match table.insert_missing(hash, || slab.allocate(8)).unwrap() {
                        Insertion::Done(handle) => held.push((hash, handle)),
                        Insertion::Taken(handle) => assert!(held.contains(&(hash, handle)), "{round}"),
                    }
                    assert_eq!(table.len(), held.len());
                }
                5 => {
                    if let Some(Slot { hash, handle }) = table.latest() {
                        table.remove(hash, handle);
                        held.retain(|other| *other != (hash, handle));
                        assert_eq!((table.latest(), table.len()), (None, held.len()), "{round}");
                    }
                }
                3 if !held.is_empty() => {
                    let (hash, handle) = held.swap_remove(random.below(held.len() as u64) as usize);
                    table.remove(hash, handle);
                    assert!(is_right(&mut table, hash), "{round}");
                }
                6 if !held.is_empty() => {
                    let index = random.below(held.len() as u64) as usize;
                    let new = slab.allocate(8).unwrap();
                    table.replace(held[index].0, held[index].1, new);
                    held[index].1 = new;
                    assert!(is_right(&mut table, held[index].0), "{round}");
                }
                _ => {}
            }
            assert!(is_right(&mut table, hash), "{round}");
            assert!(table.latest().is_none_or(|Slot { hash, handle }| held.contains(&(hash, handle))), "{round}");
            if round % 5_000 == 0 {
                table = table.clone();
            }
        }
        assert!(table.recent.0.is_some());
        table.shed(1);
        assert!(table.recent.0.is_none() && table.latest().is_none());
    }
}
