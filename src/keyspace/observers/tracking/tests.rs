use super::*;

const ONE: ClientId = ClientId(1);
const TWO: ClientId = ClientId(2);

fn tracking() -> Tracking {
    let mut tracking = Tracking::new(7);
    tracking.start(ONE, &TrackingOptions::default());
    tracking.start(TWO, &TrackingOptions::default());
    tracking
}

fn told(tracking: &mut Tracking) -> Vec<(u32, Stale)> {
    let told = tracking.take();
    let each = told.iter().flat_map(|news| news.told.iter().map(|told| (told.client.0, news.stale.clone())));
    each.collect()
}

fn key(name: &[u8]) -> Stale {
    Stale::Key(name.into())
}

#[test]
fn a_reader_is_remembered_once_and_told_once() {
    let mut tracking = tracking();
    for client in [ONE, TWO, ONE] {
        tracking.remember(client, b"k");
    }
    assert_eq!((tracking.key_count(), tracking.reader_count()), (1, 2));
    tracking.touch(b"other", EventKind::Set);
    assert!(!tracking.has_news());
    tracking.touch(b"k", EventKind::Set);
    tracking.touch(b"k", EventKind::Set);
    assert_eq!(told(&mut tracking), [(1, key(b"k")), (2, key(b"k"))]);
    assert_eq!((tracking.key_count(), tracking.reader_count()), (0, 0));
}

#[test]
fn those_who_left_are_told_nothing_and_leave_an_empty_table_behind_in_the_end() {
    let mut tracking = tracking();
    tracking.remember(ONE, b"k");
    tracking.stop(ONE);
    tracking.stop(TWO);
    assert!(!tracking.is_idle());
    tracking.touch(b"k", EventKind::Set);
    assert!(tracking.is_idle() && !tracking.has_news());
}

#[test]
fn too_many_keys_are_forgotten_a_bounded_number_at_a_time_and_every_reader_is_told() {
    let mut tracking = tracking();
    let mut random = Random::new(3);
    tracking.set_keys_max(10);
    for number in 0..1000u32 {
        tracking.remember(ONE, &number.to_le_bytes());
    }
    let mut forgotten = 0;
    let mut rounds = 0;
    while tracking.has_news() {
        tracking.forget_some(&mut random);
        let now = told(&mut tracking).len();
        rounds += 1;
        assert!(now <= 100 * rounds, "{now}");
        forgotten += now;
    }
    assert_eq!((forgotten, tracking.key_count(), rounds), (990, 10, 4));
}

#[test]
fn while_a_log_is_replayed_nobody_is_told_and_afterwards_everybody_that_everything_changed() {
    let mut tracking = tracking();
    tracking.remember(ONE, b"k");
    tracking.mute(true);
    tracking.touch(b"k", EventKind::Set);
    assert!(!tracking.has_news());
    tracking.mute(false);
    assert_eq!(told(&mut tracking), [(1, Stale::Everything), (2, Stale::Everything)]);
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
    assert!(told(&mut tracking).is_empty());
    let changed = tracking.take_changed();
    let entries: Vec<(&[u8], &[u64])> = changed.entries().map(|(_, key, author)| (key, author)).collect();
    assert_eq!(entries, [(&b"a"[..], &[1][..]), (b"b", &[2])]);
    tracking.touch(b"a", EventKind::Expired);
    assert_eq!(tracking.take_changed().of(0, b"a"), [0]);
    assert!(!tracking.has_news());
}
