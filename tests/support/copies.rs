//! Copies of a keyspace: one made from its log, one from a snapshot.

use keylatch::{Keylatch, ManualClock, Options};

/// Takes the effects of an engine that has recorded since its creation, and reports a copy with a different keyspace.
pub fn check(engine: &mut Keylatch<ManualClock>) -> Result<(), String> {
    let log = engine.take_effects();
    check_with(engine, &log)
}

/// Variant of [`check`] with a log that was taken piece by piece.
pub fn check_with(engine: &mut Keylatch<ManualClock>, log: &[u8]) -> Result<(), String> {
    // Another seed: copies have equal contents, not an equal order.
    let copy = |seed| Keylatch::new(Options { seed }, ManualClock::new(engine.now()));
    let (mut replayed, mut loaded) = (copy(0x5eed), copy(0xfeed));
    match replayed.replay(log) {
        Err(error) => return Err(format!("the log is refused: {error}\n{}", log.escape_ascii())),
        Ok(outcome) if outcome.dropped_bytes > 0 => return Err("the log is torn".to_owned()),
        Ok(_) => {}
    }
    if replayed.digest() != engine.digest() {
        return Err(format!("the effects give another keyspace\n{}", log.escape_ascii()));
    }
    let snapshot = engine.snapshot().map_err(|error| format!("no snapshot: {error:?}"))?;
    loaded.load(&snapshot).map_err(|error| format!("the snapshot is refused: {error}"))?;
    // A snapshot omits expired keys.
    [&mut *engine, &mut replayed, &mut loaded].into_iter().for_each(run_until_idle);
    match (replayed.digest() == engine.digest(), loaded.digest() == engine.digest()) {
        (true, true) => Ok(()),
        (false, _) => Err("once what is due is gone, the effects give another keyspace".to_owned()),
        (true, false) => Err("the snapshot gives another keyspace".to_owned()),
    }
}

/// Removes all due keys.
fn run_until_idle(engine: &mut Keylatch<ManualClock>) {
    engine.tick();
    while engine.next_deadline().is_some_and(|due| due <= engine.now()) {
        engine.tick();
    }
}
