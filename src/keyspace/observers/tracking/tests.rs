//! Tests of the table of tracked keys and of the queue of invalidations.

use super::*;

const ONE: ClientId = ClientId(1);
const TWO: ClientId = ClientId(2);

fn tracking() -> Tracking {
    let mut tracking = Tracking::new(7);
    tracking.start(ONE, &TrackingOptions::default());
    tracking.start(TWO, &TrackingOptions::default());
    tracking
}

fn taken(tracking: &mut Tracking) -> Vec<(u32, Stale)> {
    let invalidations = tracking.take();
    let pairs = invalidations.iter().flat_map(|invalidation| {
        invalidation.recipients.iter().map(|recipient| (recipient.client.0, invalidation.stale.clone()))
    });
    pairs.collect()
}

fn key(name: &[u8]) -> Stale {
    Stale::Key(name.into())
}

#[test]
fn a_reader_is_remembered_once_and_invalidated_once() {
    let mut tracking = tracking();
    for client in [ONE, TWO, ONE] {
        tracking.remember(client, b"k");
    }
    assert_eq!((tracking.key_count(), tracking.reader_count()), (1, 2));
    tracking.touch(b"other", EventKind::Set);
    assert!(!tracking.has_pending());
    tracking.touch(b"k", EventKind::Set);
    tracking.touch(b"k", EventKind::Set);
    assert_eq!(taken(&mut tracking), [(1, key(b"k")), (2, key(b"k"))]);
    assert_eq!((tracking.key_count(), tracking.reader_count()), (0, 0));
}

#[test]
fn entries_of_disconnected_clients_are_removed_without_invalidations() {
    let mut tracking = tracking();
    tracking.remember(ONE, b"k");
    tracking.stop(ONE);
    tracking.stop(TWO);
    assert!(!tracking.is_idle());
    tracking.touch(b"k", EventKind::Set);
    assert!(tracking.is_idle() && !tracking.has_pending());
}

#[test]
fn excess_keys_are_forgotten_in_bounded_rounds_and_their_readers_invalidated() {
    let mut tracking = tracking();
    let mut random = Random::new(3);
    tracking.set_keys_max(10);
    for number in 0..1000u32 {
        tracking.remember(ONE, &number.to_le_bytes());
    }
    let mut forgotten = 0;
    let mut rounds = 0;
    while tracking.has_pending() {
        tracking.forget_some(&mut random);
        let now = taken(&mut tracking).len();
        rounds += 1;
        assert!(now <= 100 * rounds, "{now}");
        forgotten += now;
    }
    assert_eq!((forgotten, tracking.key_count(), rounds), (990, 10, 4));
}

#[test]
fn after_a_replay_all_copies_are_invalidated() {
    let mut tracking = tracking();
    tracking.remember(ONE, b"k");
    tracking.mute(true);
    tracking.touch(b"k", EventKind::Set);
    assert!(!tracking.has_pending());
    tracking.mute(false);
    assert_eq!(taken(&mut tracking), [(1, Stale::Everything), (2, Stale::Everything)]);
    assert_eq!(tracking.key_count(), 0);
}

#[test]
fn a_key_that_changes_often_is_noted_once_with_its_last_author() {
    let mut tracking = Tracking::new(0);
    let prefixes = alloc::vec![&b"a"[..], b""];
    tracking.start(ONE, &TrackingOptions { broadcast: true, noloop: true, prefixes, ..Default::default() });
    assert_eq!(tracking.prefix_count(), 2);
    for (author, name) in [(ONE, b"b"), (TWO, b"a"), (ONE, b"a"), (TWO, b"b")] {
        tracking.set_author(Some(author));
        tracking.touch(name, EventKind::Set);
    }
    assert!(taken(&mut tracking).is_empty());
    let changed = tracking.take_changed();
    let entries: Vec<(&[u8], &[u64])> = changed.entries().map(|(_, key, author)| (key, author)).collect();
    assert_eq!(entries, [(&b"a"[..], &[1][..]), (b"b", &[2])]);
    tracking.touch(b"a", EventKind::Expired);
    assert_eq!(tracking.take_changed().of(0, b"a"), [0]);
    assert!(!tracking.has_pending());
}
