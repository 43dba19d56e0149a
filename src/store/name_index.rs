//! Multimap from names to ids: watchers of keys, blocked clients, subscribers of channels. One type for all of them,
//! because each instantiation would add code.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;

/// Ids by name. A scope, such as a database index, separates equal names.
#[derive(Clone, Debug, Default)]
pub struct NameIndex {
    names: BTreeMap<(u8, Box<[u8]>), Vec<u64>>,
}

/// Name with its scope, owned or borrowed, so that a lookup allocates nothing.
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

    /// Number of names that have ids.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Registers an id. Returns false if it was registered already.
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

    /// Removes a registration. Returns false if there was none.
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

    /// Ids registered for a name, smallest first.
    pub fn of(&self, scope: u8, name: &[u8]) -> &[u64] {
        let name: &dyn Scoped = &(scope, name);
        self.names.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Names that have ids, in order.
    pub fn names(&self) -> impl Iterator<Item = (u8, &[u8])> {
        self.entries().map(|(scope, name, _)| (scope, name))
    }

    /// Names with their scopes and ids, in order.
    pub fn entries(&self) -> impl Iterator<Item = (u8, &[u8], &[u64])> {
        self.names.iter().map(|((scope, name), ids)| (*scope, &**name, ids.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_registered_once_and_a_name_goes_with_its_last_id() {
        let mut index = NameIndex::default();
        assert!(index.add(0, b"k", 9) && index.add(0, b"k", 4) && !index.add(0, b"k", 9));
        assert_eq!((index.of(0, b"k"), index.of(1, b"k")), (&[4, 9][..], &[][..]));
        assert!(index.remove(0, b"k", 9) && !index.remove(0, b"k", 9) && !index.remove(3, b"k", 4));
        assert_eq!(index.names().collect::<Vec<_>>(), [(0, &b"k"[..])]);
        assert!(index.remove(0, b"k", 4) && index.is_empty());
    }
}
