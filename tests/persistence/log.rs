//! Logs: replayed whole, cut anywhere, in pieces, broken, foreign.

use super::harness::{Db, Dice, piece, resp};
use super::workload::Workload;
use keylatch::LoadError;

const START_MS: i64 = 1_000_000;

#[test]
fn a_replayed_log_gives_the_same_keyspace_whatever_happened() {
    for seed in 0..60 {
        let mut live = Db::recording(seed, START_MS);
        let (mut workload, mut log) = (Workload::new(seed, START_MS), Vec::new());
        for _ in 0..300 {
            workload.step(&mut live);
            if workload.dice.roll(5) == 0 {
                log.extend(live.engine.take_effects());
            }
        }
        workload.finish(&mut live);
        log.extend(live.engine.take_effects());

        let mut restored = Db::new(seed + 1000, live.engine.now().as_ms());
        let replayed = restored.engine.replay(&log).unwrap();
        assert_eq!(replayed.dropped_bytes, 0);
        assert!(replayed.last_now_ms.is_some_and(|now| now <= live.engine.now().as_ms()));
        assert_eq!(restored.engine.digest(), live.engine.digest(), "seed {seed}");
        live.run_until_idle();
        restored.run_until_idle();
        assert_eq!(restored.engine.digest(), live.engine.digest(), "seed {seed}, idle");
    }
}

#[test]
fn deadlines_before_the_epoch_survive() {
    let mut live = Db::recording(1, -1_000_000);
    live.run_line("SET a 1 PX 500");
    live.run_line("RPUSH l x");
    live.run_line("PEXPIRE l 500");
    let mut restored = Db::new(2, -1_000_000);
    restored.engine.replay(&live.engine.take_effects()).unwrap();
    assert_eq!(restored.engine.digest(), live.engine.digest());
}

/// Units of every shape, each with the digest of the keyspace behind it.
fn log_of_units() -> (Vec<u8>, Vec<u64>) {
    let lines: &[&[&str]] = &[
        &["SET a 1"],
        &["MULTI", "INCR a", "SELECT 3", "RPUSH l x y", "PEXPIRE l 5000", "EXEC"],
        &["SET b 2 PX 100"],
        &["MULTI", "DEL b", "SELECT 0", "APPEND a 0", "EXEC"],
        &["MSET c 1 d 2"],
        &["RENAME c e"],
        &["MSETEX 2 f 1 g 2 EX 9"],
        &["PERSIST f"],
        &["FLUSHALL"],
        &["HSET h f v"],
        &["HSETEX h EX 9 FIELDS 2 g 1 f 2"],
        &["MULTI", "HINCRBYFLOAT h f 0.5", "HPERSIST h FIELDS 1 f", "HGETDEL h FIELDS 1 g", "EXEC"],
    ];
    let mut live = Db::recording(7, START_MS);
    let (mut log, mut digests) = (Vec::new(), vec![live.engine.digest()]);
    for (index, unit) in lines.iter().enumerate() {
        unit.iter().for_each(|line| drop(live.run_line(line)));
        digests.push(live.engine.digest());
        // Some pieces hold several units.
        if index % 3 != 1 {
            log.extend(live.engine.take_effects());
        }
    }
    log.extend(live.engine.take_effects());
    (log, digests)
}

#[test]
fn a_log_cut_anywhere_gives_a_whole_number_of_units() {
    let (log, digests) = log_of_units();
    let mut seen = 0;
    for cut in 0..=log.len() {
        let torn = &log[..cut];
        let mut restored = Db::new(1, START_MS);
        let replayed = restored.engine.replay(torn).unwrap();
        assert_eq!(restored.engine.digest(), digests[replayed.units], "cut at {cut}");
        assert!(replayed.units >= seen && replayed.units <= seen + 1, "cut at {cut}");
        seen = replayed.units;

        // Without the torn end the log is whole.
        let whole = &torn[..cut - replayed.dropped_bytes];
        let again = Db::new(2, START_MS).engine.replay(whole).unwrap();
        assert_eq!((again.units, again.dropped_bytes), (replayed.units, 0));
    }
    assert_eq!(seen, digests.len() - 1);
}

#[test]
fn a_torn_log_is_cut_and_written_on() {
    let (log, _) = log_of_units();
    for cut in (0..log.len()).step_by(7) {
        let mut db = Db::recording(3, START_MS);
        let replayed = db.engine.replay(&log[..cut]).unwrap();
        let mut log = log[..cut - replayed.dropped_bytes].to_vec();
        db.run_line("SET a after PX 10");
        db.run_line("SELECT 9");
        db.run_line("INCR n");
        log.extend(db.engine.take_effects());
        let mut restored = Db::new(4, START_MS);
        assert_eq!(restored.engine.replay(&log).unwrap().units, replayed.units + 2);
        assert_eq!(restored.engine.digest(), db.engine.digest());
    }
}

#[test]
fn a_key_past_its_deadline_can_still_be_rescued() {
    let log = [piece(50, &["SELECT 0", "SET k v PXAT 100", "SET dead v PXAT 100"]), piece(90, &["PERSIST k"])].concat();
    let mut whole = Db::new(1, 5_000);
    whole.engine.replay(&log).unwrap();
    assert_eq!((whole.run_line("GET k"), whole.run_line("PTTL k")), ("$1\r\nv\r\n".into(), ":-1\r\n".into()));
    assert_eq!(whole.run_line("EXISTS dead"), ":0\r\n");

    // Also when the rescuing unit is in a later piece: the active expire cycle does not run between them.
    let (mut pieces, cut) = (Db::new(1, 5_000), log.windows(4).rposition(|window| window == b"#KL:").unwrap());
    pieces.engine.replay(&log[..cut]).unwrap();
    pieces.engine.replay(&log[cut..]).unwrap();
    assert_eq!(pieces.run_line("GET k"), "$1\r\nv\r\n");
}

#[test]
fn what_is_due_after_a_replay_expires_as_ever() {
    let mut db = Db::recording(1, 5_000);
    db.engine.listen(true);
    db.engine.replay(&piece(50, &["SELECT 2", "SET k v PXAT 100"])).unwrap();
    assert_eq!(db.engine.next_deadline().map(|due| due.as_ms()), Some(101));
    assert!(db.engine.take_effects().is_empty() && db.engine.take_events().is_empty());
    db.engine.tick();
    let events = db.engine.take_events();
    assert_eq!(events.iter().map(|event| event.kind.name()).collect::<Vec<_>>(), ["expired"]);
    assert_eq!(db.engine.take_effects(), piece(5_000, &["SELECT 2", "DEL k"]));
}

#[test]
fn a_replay_is_neither_an_event_nor_an_effect_and_leaves_clients_alone() {
    let mut db = Db::recording(1, START_MS);
    db.engine.listen(true);
    // None of the following needs the time.
    db.engine.tick();
    db.run_line("SET w 1");
    db.run_line("WATCH w");
    db.engine.take_events();
    db.engine.take_effects();
    let replayed = db.engine.replay(&piece(START_MS - 5, &["SELECT 0", "SET w 2", "SET x 1"])).unwrap();
    assert_eq!((replayed.units, replayed.last_now_ms), (2, Some(START_MS - 5)));
    assert!(db.engine.take_events().is_empty() && db.engine.take_effects().is_empty());
    assert_eq!(db.engine.now().as_ms(), START_MS, "an older log does not turn time back");
    assert_eq!(db.engine.connect().0, db.client.0 + 1, "a replay takes no number");
    db.run_line("MULTI");
    assert_eq!(db.run_line("EXEC"), "*-1\r\n", "the watched key changed");
}

#[test]
fn the_last_instant_of_a_log_is_the_floor() {
    let mut db = Db::new(1, 100);
    db.engine.listen(true);
    let log = [piece(700, &["SELECT 0", "SET k v"]), piece(600, &["SELECT 0", "SET k w"])].concat();
    assert_eq!(db.engine.replay(&log).unwrap().last_now_ms, Some(700));
    assert_eq!(db.engine.now().as_ms(), 700);
    assert!(db.engine.take_events().is_empty());
    // The clock itself is behind: it is set back as for any step back.
    db.engine.tick();
    assert_eq!(db.engine.take_events().iter().map(|event| event.kind.name()).collect::<Vec<_>>(), ["clock"]);
}

#[test]
fn a_log_of_redis_is_understood() {
    let log = [
        &b"#TS:1700000000\r\n"[..],
        &resp("select 1"),
        &resp("set k v"),
        b"#TS:1700000001\n",
        &resp("MULTI"),
        &resp("incr n"),
        &resp("del k"),
        &resp("EXEC"),
    ]
    .concat();
    let mut db = Db::new(1, START_MS);
    let replayed = db.engine.replay(&log).unwrap();
    assert_eq!((replayed.units, replayed.last_now_ms), (2, None));
    db.run_line("SELECT 1");
    assert_eq!(db.run_line("GET n"), "$1\r\n1\r\n");
    assert_eq!(db.engine.replay(b"").unwrap(), Default::default());
}

#[test]
fn newer_and_broken_logs_are_refused_before_anything_happens() {
    let good = piece(1, &["SELECT 0", "SET k v"]);
    let at = good.len();
    let malformed = |offset| LoadError::Malformed { offset };
    let cases: &[(&[u8], LoadError)] = &[
        (b"#KL:2 v3\r\n", LoadError::NewerVersion),
        (b"#KL:2 v2\r\n", malformed(at)),
        (b"#KL:2 v2 x\r\n", malformed(at)),
        (b"#KL:2 v2 5 more\r\n", malformed(at)),
        (b"#KL:2 v7 packed\r\n", LoadError::NewerVersion),
        (b"#KL:x v1\r\n", malformed(at)),
        (b"#KL:2\r\n", malformed(at)),
        (b"#KL:2 v1 more\r\n", malformed(at)),
        (b"garbage\r\n", malformed(at)),
        (b"SET k v\r\n", malformed(at)),
        (b"*0\r\n", malformed(at + 4)),
        (b"*-1\r\n", malformed(at + 1)),
        (b"*x\r\n", malformed(at + 1)),
        (b"*99999999999\r\n", malformed(at + 12)),
        (b"*1\r\n:3\r\n", malformed(at + 4)),
        (b"*1\r\n$3\r\nfoobar\r\n", malformed(at + 11)),
        (&resp("NOSUCHCOMMAND"), LoadError::Unsupported { offset: at }),
        (&resp("VADD v VALUES 1 1 e"), LoadError::Unsupported { offset: at }),
        (&resp("EVAL return 0"), LoadError::Unsupported { offset: at }),
        (&resp("\x01SET k v"), malformed(at)),
        (&resp("GET k"), malformed(at)),
        (&resp("SET k"), malformed(at)),
        (&resp("WATCH k"), malformed(at)),
        (&resp("EXEC"), malformed(at)),
        (&[resp("MULTI"), resp("MULTI")].concat(), malformed(at + resp("MULTI").len())),
        (&[resp("MULTI"), piece(3, &[])].concat(), malformed(at + resp("MULTI").len())),
    ];
    for (end, error) in cases {
        let mut db = Db::new(1, START_MS);
        let refused = db.engine.replay(&[&good, *end].concat());
        assert_eq!(refused.as_ref(), Err(error), "{:?}", String::from_utf8_lossy(end));
        assert_eq!(db.run_line("DBSIZE"), ":0\r\n");
    }
}

#[test]
fn a_command_that_fails_is_reported_and_the_engine_lives_on() {
    let log = piece(1, &["SELECT 0", "RPUSH l x", "INCR l", "SET after 1"]);
    let mut db = Db::recording(1, START_MS);
    let offset = log.len() - resp("INCR l").len() - resp("SET after 1").len();
    assert_eq!(db.engine.replay(&log), Err(LoadError::Malformed { offset }));
    assert!(db.engine.take_effects().is_empty());
    assert_eq!(db.run_line("SET k v PX 1"), "+OK\r\n");
    assert!(!db.engine.take_effects().is_empty(), "load mode is over");
    db.advance(2);
    assert_eq!(db.run_line("GET k"), "$-1\r\n");
}

#[test]
fn mutated_logs_are_refused_or_replayed_but_never_panic() {
    let (log, _) = log_of_units();
    let mut dice = Dice::new(11);
    for _ in 0..20_000 {
        let mutant = super::mutation::mutated(&log, &mut dice);
        let _ = Db::new(1, START_MS).engine.replay(&mutant);
    }
}
