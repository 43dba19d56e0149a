//! Who is registered for which name: watchers of keys, blocked commands, subscribers of channels. One type for all of
//! them, because each would otherwise be compiled on its own.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;

/// Ids by name; names are told apart by a scope, for example a database.
#[derive(Clone, Debug, Default)]
pub struct NameIndex {
    names: BTreeMap<(u8, Box<[u8]>), Vec<u64>>,
}

/// A name with its scope, as it is kept or as it is looked for: a look takes no memory.
trait Scoped {
    fn scoped(&self) -> (u8, &[u8]);
}

impl Scoped for (u8, Box<[u8]>) {
    fn scoped(&self) -> (u8, &[u8]) {
        (self.0, &self.1)
    }
}

impl Scoped for (u8, &[u8]) {
    fn scoped(&self) -> (u8, &[u8]) {
        *self
    }
}

impl PartialEq for dyn Scoped + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.scoped() == other.scoped()
    }
}

impl Eq for dyn Scoped + '_ {}

impl PartialOrd for dyn Scoped + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for dyn Scoped + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.scoped().cmp(&other.scoped())
    }
}

impl<'a> Borrow<dyn Scoped + 'a> for (u8, Box<[u8]>) {
    fn borrow(&self) -> &(dyn Scoped + 'a) {
        self
    }
}

impl NameIndex {
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How many names somebody is registered for.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Registers an id; false when it was registered already.
    pub fn add(&mut self, scope: u8, name: &[u8], id: u64) -> bool {
        let ids = self.names.entry((scope, name.into())).or_default();
        match ids.binary_search(&id) {
            Ok(_) => false,
            Err(at) => {
                ids.insert(at, id);
                true
            }
        }
    }

    /// Ends a registration; false when there was none.
    pub fn remove(&mut self, scope: u8, name: &[u8], id: u64) -> bool {
        let name: &dyn Scoped = &(scope, name);
        let Some(ids) = self.names.get_mut(name) else { return false };
        let Ok(at) = ids.binary_search(&id) else { return false };
        ids.remove(at);
        if ids.is_empty() {
            self.names.remove(name);
        }
        true
    }

    /// The ids registered for a name, smallest first.
    pub fn of(&self, scope: u8, name: &[u8]) -> &[u64] {
        let name: &dyn Scoped = &(scope, name);
        self.names.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The names somebody is registered for, in order.
    pub fn names(&self) -> impl Iterator<Item = (u8, &[u8])> {
        self.entries().map(|(scope, name, _)| (scope, name))
    }

    /// The names with the ids that are registered for each.
    pub fn entries(&self) -> impl Iterator<Item = (u8, &[u8], &[u64])> {
        self.names.iter().map(|((scope, name), ids)| (*scope, &**name, ids.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_registered_once_and_a_name_goes_with_its_last_id() {
        let mut registry = NameIndex::default();
        assert!(registry.add(0, b"k", 9) && registry.add(0, b"k", 4) && !registry.add(0, b"k", 9));
        assert_eq!((registry.of(0, b"k"), registry.of(1, b"k")), (&[4, 9][..], &[][..]));
        assert!(registry.remove(0, b"k", 9) && !registry.remove(0, b"k", 9) && !registry.remove(3, b"k", 4));
        assert_eq!(registry.names().collect::<Vec<_>>(), [(0, &b"k"[..])]);
        assert!(registry.remove(0, b"k", 4) && registry.is_empty());
    }
}
