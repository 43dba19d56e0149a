//! Logs: of this engine, of Redis, or neither.

use super::engines::{check_copy, engine, fill};

/// A log is refused, or gives one keyspace, whatever the seed; a refused one leaves an engine that works.
pub fn check(log: &[u8]) {
    let (mut one, mut other) = (engine(1), engine(2));
    let outcome = one.replay(log);
    assert_eq!(outcome, other.replay(log));
    assert_eq!(one.digest(), other.digest());
    check_copy(&one);
    // Without its torn end a log is whole, and gives the same keyspace.
    if let Ok(outcome) = outcome {
        let mut whole = engine(3);
        let kept = &log[..log.len() - outcome.dropped_bytes];
        assert_eq!(whole.replay(kept).map(|again| (again.units, again.dropped_bytes)), Ok((outcome.units, 0)));
        assert_eq!(whole.digest(), one.digest());
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut recording = engine(1);
    recording.record(true);
    fill(&mut recording);
    let own = recording.take_effects();
    let redis = b"#TS:1700000000\r\n*2\r\n$6\r\nselect\r\n$1\r\n1\r\n*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nincr\r\n$1\r\nn\r\n*1\r\n$4\r\nEXEC\r\n";
    vec![own, redis.to_vec(), b"#KL:2 v1\r\n*1\r\n$8\r\nFLUSHALL\r\n".to_vec()]
}
