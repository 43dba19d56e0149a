//! Schedules: lists of what clients, network, clock and process do, drawn from a seed. Every part can be left out.

use crate::dice::Dice;

pub const CLIENTS: usize = 4;
/// Locks, with the first one above the second.
pub const LOCKS: [&str; 3] = ["a", "a/b", "c"];
pub const SEMAPHORE: &str = "permits";
/// Limit of the semaphore.
pub const PERMITS: u64 = 3;
pub const FIXED_LIMIT: u64 = 3;
pub const FIXED_PERIOD: u64 = 20;
/// Events of a schedule.
const EVENTS: usize = 250;

#[derive(Clone, Debug)]
pub struct Event {
    /// Milliseconds since the event before.
    pub after_ms: i64,
    pub client: usize,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// A request, in which `$` stands for the token that the client believes in.
    Request {
        line: String,
        key: &'static str,
        fate: Fate,
    },
    /// A transaction that writes beside a lock, guarded by the token.
    Guard {
        key: &'static str,
    },
    /// Once-only work: ask, or finish what was begun.
    Work {
        id: u64,
        finish: bool,
    },
    /// The client reads no reply for a while.
    Pause(i64),
    /// The clock of the host jumps.
    ClockJump(i64),
    Disconnect,
    Cancel {
        with_error: bool,
    },
    /// The process ends, and starts again from its log.
    Crash,
    /// The log is replaced by a snapshot.
    Snapshot,
}

/// Fate of a request and its reply.
#[derive(Clone, Copy, Debug)]
pub struct Fate {
    pub is_lost: bool,
    pub delay_ms: i64,
    /// Delay of a second copy, which takes another connection.
    pub copy_ms: Option<i64>,
    pub is_reply_lost: bool,
    pub reply_ms: i64,
    /// The process ends while it writes the effects, after this share of their bytes, in 255ths.
    pub crash: Option<u8>,
}

pub fn draw(seed: u64) -> Vec<Event> {
    let mut dice = Dice::new(seed);
    (0..EVENTS)
        .map(|_| Event {
            after_ms: if dice.roll(2) == 0 { 0 } else { dice.roll(6) as i64 },
            client: dice.roll(CLIENTS as u64) as usize,
            kind: kind(&mut dice),
        })
        .collect()
}

fn kind(dice: &mut Dice) -> Kind {
    match dice.roll(100) {
        0 => Kind::Crash,
        1 => Kind::Snapshot,
        2 => Kind::Disconnect,
        3..=5 => Kind::Cancel { with_error: dice.roll(2) == 0 },
        6..=7 => Kind::Pause(1 + dice.roll(40) as i64),
        8 => Kind::ClockJump(dice.roll(60) as i64 - 20),
        9..=19 => Kind::Guard { key: lock(dice) },
        20..=29 => Kind::Work { id: dice.roll(2), finish: dice.roll(2) == 0 },
        _ => {
            let fate = fate(dice);
            let (line, key) = request(dice);
            Kind::Request { line, key, fate }
        }
    }
}

fn lock(dice: &mut Dice) -> &'static str {
    let key: &&str = dice.pick(&LOCKS);
    key
}

fn fate(dice: &mut Dice) -> Fate {
    let delay = |dice: &mut Dice| if dice.roll(3) > 0 { 0 } else { dice.roll(10) as i64 };
    Fate {
        is_lost: dice.roll(20) == 0,
        delay_ms: delay(dice),
        copy_ms: (dice.roll(12) == 0).then(|| delay(dice)),
        is_reply_lost: dice.roll(12) == 0,
        reply_ms: delay(dice),
        crash: (dice.roll(60) == 0).then(|| dice.roll(256) as u8),
    }
}

/// A request of the owner `@`.
fn request(dice: &mut Dice) -> (String, &'static str) {
    let key = lock(dice);
    let ttl = 1 + dice.roll(40);
    let wait = if dice.roll(3) > 0 { format!(" WAIT {}", 1 + dice.roll(60)) } else { String::new() };
    let mode = if dice.roll(2) == 0 { " SHARED" } else { "" };
    let above = if key == "a/b" { " INTENT 1 a" } else { "" };
    let permits = 1 + dice.roll(PERMITS);
    let line = match dice.roll(32) {
        0..=8 => format!("LATCH.ACQUIRE {key} @ TTL {ttl}{mode}{wait}{above}"),
        9 => format!("LATCH.ACQUIRE {key} @ TTL {ttl}{wait} ALSO 1 c DELAY 5"),
        10 => format!("LATCH.ACQUIRE {key} @ TTL {ttl} STEAL"),
        11 => format!("LATCH.ACQUIRE {key} @ TTL {ttl}{mode}{wait} DEPTH 2"),
        12..=18 => format!("LATCH.RELEASE {key} @"),
        19..=20 => format!("LATCH.RELEASE {key} @ TOKEN $"),
        21..=23 => format!("LATCH.RENEW {key} @ TTL {ttl}"),
        24 => format!("LATCH.RENEW {key} @ TTL {ttl} SHARED"),
        25 => format!("LATCH.RELEASE {key} @ DEPTH 1"),
        26 | 27 => {
            return (
                format!("LATCH.ACQUIRE {SEMAPHORE} @ TTL {ttl} PERMITS {permits} LIMIT {PERMITS}{wait}"),
                SEMAPHORE,
            );
        }
        28 => return (format!("LATCH.RELEASE {SEMAPHORE} @"), SEMAPHORE),
        29 | 30 => return (format!("LATCH.LIMIT uses {FIXED_LIMIT} PERIOD {FIXED_PERIOD} FIXED"), "uses"),
        _ if dice.roll(4) == 0 => format!("DEL {key}"),
        _ if dice.roll(8) == 0 => String::from("FLUSHALL"),
        _ => format!("LATCH.INSPECT {key}"),
    };
    (line, key)
}
