//! Tests of locks: SET with NX and a deadline, and deletion if the value equals the holder's token.

use crate::keyspace::expiry;
use core::iter::once;

use crate::keyspace::keys;
use crate::keyspace::strings;
use alloc::format;
use alloc::vec::Vec;

use super::{Presence, SetOptions};
use crate::base::clock::Timestamp;
use crate::keyspace::{CopyOptions, EventKind, EvictionPolicy, Expiry, Keyspace, MemoryLimit};
use crate::values::ValueRef;

const NOW: Timestamp = Timestamp::from_ms(1_000_000);
const TOKEN: &[u8] = b"token-4f1d09ac77";

/// Change to a lock before its release; returns the instant of the release.
type Change = fn(&mut Keyspace) -> Timestamp;

fn acquire(keyspace: &mut Keyspace, database: u8, key: &[u8]) {
    assert!(try_acquire(keyspace, database, key, TOKEN));
    keyspace.effects.end_unit();
}

fn try_acquire(keyspace: &mut Keyspace, database: u8, key: &[u8], token: &[u8]) -> bool {
    let expiry = Expiry::At(NOW.saturating_add_ms(1000));
    let options = SetOptions { presence: Some(Presence::Missing), expiry, ..SetOptions::default() };
    strings::set(&mut keyspace.at(database, NOW), key, token, &options).unwrap().stored
}

fn set(keyspace: &mut Keyspace, key: &[u8], value: &[u8]) {
    strings::set(&mut keyspace.at(0, NOW), key, value, &SetOptions::default()).unwrap();
}

/// Whether a key holds the token, by a direct lookup in the database.
fn is_held(keyspace: &Keyspace, database: u8, key: &[u8]) -> bool {
    let db = keyspace.database(database);
    let value = db.find(key).and_then(|handle| db.value(handle));
    matches!(value, Some(ValueRef::String(bytes)) if bytes == TOKEN)
}

const CHANGES: [(&str, bool, Change); 16] = [
    ("nothing", true, |_| NOW),
    ("deleted", false, |keyspace| {
        assert_eq!(keys::delete_all(&mut keyspace.at(0, NOW), once(&b"lock"[..])), 1);
        NOW
    }),
    ("expired", false, |_| NOW.saturating_add_ms(1001)),
    ("removed by the active expire cycle", false, |keyspace| {
        keyspace.sweep(NOW.saturating_add_ms(1001));
        NOW
    }),
    ("flushed", false, |keyspace| {
        keyspace.at(0, NOW).flush();
        NOW
    }),
    ("flushed with all", false, |keyspace| {
        keyspace.flush_all();
        NOW
    }),
    ("swapped", false, |keyspace| {
        keyspace.swap(0, 1, NOW).unwrap();
        NOW
    }),
    ("moved", false, |keyspace| {
        assert_eq!(keys::move_key(&mut keyspace.at(0, NOW), b"lock", 1), Ok(true));
        NOW
    }),
    ("renamed", false, |keyspace| {
        keys::rename(&mut keyspace.at(0, NOW), b"lock", b"other", false).unwrap();
        NOW
    }),
    ("replaced by RENAME", false, |keyspace| {
        set(keyspace, b"other", b"of another one's");
        keys::rename(&mut keyspace.at(0, NOW), b"other", b"lock", false).unwrap();
        NOW
    }),
    ("copied", true, |keyspace| {
        assert_eq!(keys::copy(&mut keyspace.at(0, NOW), b"lock", b"other", CopyOptions::default()), Ok(true));
        NOW
    }),
    ("overwritten", false, |keyspace| {
        set(keyspace, b"lock", b"of another one's");
        NOW
    }),
    ("overwritten by a longer value", false, |keyspace| {
        set(keyspace, b"lock", &[b'x'; 5000]);
        NOW
    }),
    ("acquired again", false, |keyspace| {
        assert_eq!(keys::delete_all(&mut keyspace.at(0, NOW), once(&b"lock"[..])), 1);
        assert!(try_acquire(keyspace, 0, b"lock", b"of another one's"));
        NOW
    }),
    ("persisted", true, |keyspace| {
        assert_eq!(expiry::persist(&mut keyspace.at(0, NOW), b"lock"), Ok(true));
        NOW
    }),
    ("evicted", false, |keyspace| {
        let limit = MemoryLimit { max_bytes: 1, policy: EvictionPolicy::Random, ..MemoryLimit::default() };
        keyspace.limit_memory(limit);
        while keyspace.database(0).find(b"lock").is_some() {
            keyspace.evict_to_limit(false, NOW);
        }
        NOW
    }),
];

#[test]
fn a_lock_is_released_only_while_it_is_held() {
    for (name, is_kept, change) in CHANGES {
        // The freed block may be reused by keys of the same size, and the index may have grown.
        for others in [0, 1, 40, 2000] {
            let mut keyspace = Keyspace::new(1);
            (0..others / 2).for_each(|number| set(&mut keyspace, format!("early:{number}").as_bytes(), TOKEN));
            acquire(&mut keyspace, 0, b"lock");
            let now = change(&mut keyspace);
            (0..others).for_each(|number| set(&mut keyspace, format!("k{number:03}").as_bytes(), TOKEN));
            assert_eq!(is_held(&keyspace, 0, b"lock") && now == NOW, is_kept, "{name}");
            let len = keyspace.database(0).len();
            assert_eq!(strings::delete_if_equal(&mut keyspace.at(0, now), b"lock", TOKEN), Ok(is_kept), "{name}");
            let removed = usize::from(is_kept || name == "expired");
            assert_eq!(keyspace.database(0).len(), len - removed, "{name}");
            assert!((0..others).all(|number| is_held(&keyspace, 0, format!("k{number:03}").as_bytes())));
        }
    }
}

#[test]
fn each_database_has_locks_of_its_own() {
    let mut keyspace = Keyspace::new(1);
    acquire(&mut keyspace, 0, b"lock");
    acquire(&mut keyspace, 1, b"lock");
    let mut release = |database| strings::delete_if_equal(&mut keyspace.at(database, NOW), b"lock", TOKEN).unwrap();
    assert_eq!([0, 0, 1, 1, 2].map(&mut release), [true, false, true, false, false]);
}

#[test]
fn locks_are_released_in_any_order() {
    let mut keyspace = Keyspace::new(1);
    let name = |number: usize| format!("lock:{number}").into_bytes();
    for round in 0..300 {
        let held: Vec<Vec<u8>> = (0..=round % 7).map(|number| name(round + number)).collect();
        held.iter().for_each(|key| acquire(&mut keyspace, 0, key));
        let mut order: Vec<usize> = (0..held.len()).collect();
        order.rotate_left(round % held.len());
        for index in order {
            let mut txn = keyspace.at(0, NOW);
            assert_eq!(strings::delete_if_equal(&mut txn, &held[index], b"of another one's"), Ok(false));
            assert_eq!(strings::delete_if_equal(&mut txn, &held[index], TOKEN), Ok(true));
            assert_eq!(strings::delete_if_equal(&mut txn, &held[index], TOKEN), Ok(false));
        }
        assert!(keyspace.database(0).is_empty() && !keyspace.database(0).is_timed());
    }
}

#[test]
fn an_expired_lock_can_be_acquired_but_not_released() {
    let mut keyspace = Keyspace::new(1);
    keyspace.events.want(true);
    let lease = |now: Timestamp| SetOptions {
        presence: Some(Presence::Missing),
        expiry: Expiry::At(now.saturating_add_ms(1000)),
        ..SetOptions::default()
    };
    let mut take = |now, holder: &[u8]| {
        let outcome = strings::set(&mut keyspace.at(0, now), b"lock", holder, &lease(now)).unwrap();
        keyspace.effects.end_unit();
        let released = strings::delete_if_equal(&mut keyspace.at(0, now), b"lock", b"first").unwrap();
        keyspace.effects.end_unit();
        (outcome.stored, released)
    };
    assert_eq!(take(NOW, b"second"), (true, false));
    assert_eq!(take(NOW.saturating_add_ms(1000), b"first"), (false, false));
    assert_eq!(take(NOW.saturating_add_ms(1001), b"first"), (true, true));
    assert_eq!(take(NOW.saturating_add_ms(1002), b"second"), (true, false));
    assert_eq!(keys::delete_all(&mut keyspace.at(0, NOW.saturating_add_ms(2003)), once(&b"lock"[..])), 0);
    let kinds: Vec<EventKind> = keyspace.events.take().into_iter().map(|event| event.kind).collect();
    let taken = [EventKind::Set, EventKind::Expire];
    let expected = [&taken[..], &[EventKind::Expired], &taken, &[EventKind::Del], &taken, &[EventKind::Expired]];
    assert_eq!(kinds, expected.concat());
}
