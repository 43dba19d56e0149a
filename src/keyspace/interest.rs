//! Who wants to know when a key changes. Nobody pays while nobody is interested.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// Names a client of one engine. Ids start at 1 and are not used twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct ClientId(pub u32);

type WatchedKey = (u8, Box<[u8]>);

/// Keys that transactions watch.
#[derive(Clone, Debug, Default)]
pub struct Interest {
    watched: BTreeMap<WatchedKey, Vec<ClientId>>,
    /// What each client watches, to find its entries again.
    watching: BTreeMap<ClientId, Vec<WatchedKey>>,
    /// Clients one of whose keys changed since they began to watch.
    disturbed: BTreeSet<ClientId>,
}

impl Interest {
    /// Nobody is interested in anything.
    pub fn is_idle(&self) -> bool {
        self.watched.is_empty()
    }

    pub fn watch(&mut self, client: ClientId, database: u8, key: &[u8]) {
        let watched: WatchedKey = (database, key.into());
        let watchers = self.watched.entry(watched.clone()).or_default();
        if !watchers.contains(&client) {
            watchers.push(client);
            self.watching.entry(client).or_default().push(watched);
        }
    }

    /// Ends all watching of a client and forgets whether it was disturbed.
    pub fn unwatch(&mut self, client: ClientId) {
        self.disturbed.remove(&client);
        for watched in self.watching.remove(&client).unwrap_or_default() {
            if let Some(watchers) = self.watched.get_mut(&watched) {
                watchers.retain(|&watcher| watcher != client);
                if watchers.is_empty() {
                    self.watched.remove(&watched);
                }
            }
        }
    }

    pub fn is_disturbed(&self, client: ClientId) -> bool {
        self.disturbed.contains(&client)
    }

    /// The keys a client watches, each with its database.
    pub fn watched_by(&self, client: ClientId) -> Vec<(u8, Box<[u8]>)> {
        self.watching.get(&client).cloned().unwrap_or_default()
    }

    /// The watched keys of one database.
    pub(super) fn watched_in(&self, database: u8) -> Vec<Box<[u8]>> {
        self.watched.keys().filter(|(of, _)| *of == database).map(|(_, key)| key.clone()).collect()
    }

    /// A key changed.
    pub(super) fn touch(&mut self, database: u8, key: &[u8]) {
        if self.is_idle() {
            return;
        }
        if let Some(watchers) = self.watched.get(&(database, key.into())) {
            self.disturbed.extend(watchers);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touch_disturbs_exactly_those_who_watch_that_key_in_that_database() {
        let (one, two) = (ClientId(1), ClientId(2));
        let mut interest = Interest::default();
        interest.watch(one, 0, b"k");
        interest.watch(one, 0, b"k");
        interest.watch(two, 1, b"k");
        interest.touch(0, b"other");
        assert!(!interest.is_disturbed(one));
        interest.touch(0, b"k");
        assert!(interest.is_disturbed(one) && !interest.is_disturbed(two));
        interest.unwatch(one);
        assert!(!interest.is_disturbed(one));
        interest.unwatch(two);
        assert!(interest.is_idle());
    }
}
