//! The performance aims of the project, each with the floor below which it counts as missed.

use super::row::Row;

/// The number of a row to which an aim applies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Measure {
    /// keylatch's figure itself.
    Own,
    /// keylatch's figure as a rate, for rows in nanoseconds.
    Rate,
    /// keylatch's figure divided by that of another store in the same row.
    Ratio(&'static str),
    /// keylatch's figure divided by its own in another row of the same run.
    Beside(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    AtMost,
    AtLeast,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Aim {
    pub(crate) suite: &'static str,
    pub(crate) row: String,
    pub(crate) measure: Measure,
    pub(crate) bound: Bound,
    pub(crate) aim: f64,
    /// Equal to the aim where no slack is allowed.
    pub(crate) floor: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    BelowAim,
    Miss,
}

impl Verdict {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::BelowAim => "below aim",
            Verdict::Miss => "**MISS**",
        }
    }
}

impl Aim {
    /// The number for this aim, if its rows were measured with the stores it names.
    pub(crate) fn measured(&self, rows: &[Row]) -> Option<f64> {
        self.measure.of(rows, &self.row)
    }

    pub(crate) fn verdict(&self, measured: f64) -> Verdict {
        let reaches = |limit: f64| match self.bound {
            Bound::AtMost => measured <= limit,
            Bound::AtLeast => measured >= limit,
        };
        match (reaches(self.aim), reaches(self.floor)) {
            (true, _) => Verdict::Met,
            (false, true) => Verdict::BelowAim,
            (false, false) => Verdict::Miss,
        }
    }
}

impl Measure {
    /// The number in the row of that name.
    pub(crate) fn of(self, rows: &[Row], name: &str) -> Option<f64> {
        let row = |name: &str| rows.iter().find(|row| row.name == name);
        let own = |row: &Row| Some(row.figures.first()?.value);
        match self {
            Measure::Own => own(row(name)?),
            Measure::Rate => Some(1e9 / own(row(name)?)?),
            Measure::Ratio(store) => row(name)?.figure(store)?.ratio,
            Measure::Beside(other) => Some(own(row(name)?)? / own(row(other)?)?),
        }
    }
}

/// The aims of a suite.
pub(crate) fn of(suite: &str) -> Vec<Aim> {
    match suite {
        "node" => [caches(), configurations(), commands(), maps(), pipelines(), scripts()].concat(),
        "browser" => browser(),
        "native" => native(),
        "memory" => memory(),
        "persist" => persist(),
        "worker" => worker(),
        "server" => server(),
        _ => Vec::new(),
    }
}

fn at_most(suite: &'static str, row: &str, measure: Measure, aim: f64, floor: f64) -> Aim {
    Aim { suite, row: row.into(), measure, bound: Bound::AtMost, aim, floor }
}

fn at_least(suite: &'static str, row: &str, measure: Measure, aim: f64, floor: f64) -> Aim {
    Aim { suite, row: row.into(), measure, bound: Bound::AtLeast, aim, floor }
}

/// Data in files.
fn persist() -> Vec<Aim> {
    let recording = Measure::Ratio("recording");
    vec![
        at_most("persist", "opening 100,000 keys, snapshot", Measure::Own, 250.0, 300.0),
        at_most("persist", "opening 100,000 keys, log", Measure::Own, 600.0, 700.0),
        at_most("persist", "SET, everysec", recording, 1.3, 1.5),
    ]
}

/// A Durable Object, beside one that does nothing, one that writes a row a call, one that echoes messages, and one that is empty.
fn worker() -> Vec<Aim> {
    let nothing = Measure::Ratio("nothing");
    let echo = Measure::Ratio("echo");
    vec![
        at_most("worker", "GET", nothing, 1.4, 1.6),
        at_least("worker", "SETNX, 32 connections, disk", nothing, 0.35, 0.3),
        at_least("worker", "SETNX, 32 connections, memory", nothing, 0.75, 0.6),
        at_least("worker", "SETNX, 1 connection, disk", Measure::Ratio("one row"), 0.9, 0.8),
        at_least("worker", "socket GET, 100 in flight", echo, 0.8, 0.7),
        at_least("worker", "socket SET, 100 in flight, disk", echo, 0.4, 0.3),
        at_least("worker", "socket GET, 100 a message", echo, 12.0, 10.0),
        at_most("worker", "wake, 1,000 keys", Measure::Ratio("empty"), 2.0, 3.0),
        at_most("worker", "wake, 100,000 keys", Measure::Own, 300.0, 350.0),
    ]
}

const MAP: Measure = Measure::Ratio("Map");
const DEADLINES: Measure = Measure::Ratio("Map + deadline");
const LRU_CACHE: Measure = Measure::Ratio("lru-cache");
const BARE: Measure = Measure::Ratio("bare");

/// A cache under a limit, compared with lru-cache with `max` and `ttl`.
fn caches() -> Vec<Aim> {
    [
        ("GET concatenated 1e5 JSON TTL, maxmemory", 1.0, 1.2),
        ("SET PX concatenated 1e5 JSON TTL, maxmemory", 1.9, 2.2),
        ("GET same 1e5 JSON TTL, maxmemory", 1.9, 2.2),
        ("SET PX same 1e5 JSON TTL, maxmemory", 2.7, 3.2),
        ("GET same 1e3 80 B, maxmemory", 3.3, 4.0),
    ]
    .map(|(row, aim, floor)| at_most("node", row, LRU_CACHE, aim, floor))
    .into()
}

/// Rows that are measured in every configuration.
const CONFIGURED: [&str; 7] = [
    "GET same 1e3 80 B",
    "GET same 1e5 80 B",
    "GET same 1e6 80 B",
    "SET same 1e3 80 B",
    "SET same 1e5 80 B",
    "90 % GET, 10 % SET same 1e3 80 B",
    "90 % GET, 10 % SET same 1e5 80 B",
];

fn configurations() -> Vec<Aim> {
    let limits = [("listener", 1.15, 1.3), ("subscriber", 1.15, 1.3), ("recording", 1.6, 2.0)];
    let aims = |(configuration, aim, floor)| {
        CONFIGURED.map(|row| at_most("node", &format!("{row}, {configuration}"), BARE, aim, floor))
    };
    limits.into_iter().flat_map(aims).collect()
}

/// Other commands compared with GET, joined texts compared with flat ones.
fn commands() -> Vec<Aim> {
    const GET: &str = "GET same 1e3";
    let like_get = ["HGET 1e3", "SADD 1e3", "LPUSH 1e3", "RPOP 1e3", "INCR 1e3", "EXPIRE same 1e3"];
    let mut rows = like_get.map(|row| (row, GET, 2.0, 2.5)).to_vec();
    rows.extend([
        ("HSET into 10 fields 1e3", GET, 2.3, 2.8),
        ("ZADD into 10 members 1e3", GET, 4.0, 5.0),
        ("ZADD into 100 members 1e3", GET, 4.0, 5.0),
        ("SET joined 1e3 80 B", "SET same 1e3 80 B", 1.5, 2.0),
        ("SET joined 1e5 80 B", "SET same 1e5 80 B", 1.5, 2.0),
    ]);
    let aim = |(row, other, aim, floor): (&str, _, _, _)| at_most("node", row, Measure::Beside(other), aim, floor);
    rows.into_iter().map(aim).collect()
}

fn maps() -> Vec<Aim> {
    [
        ("GET same 1e3", MAP, 3.5, 4.5),
        ("GET concatenated 1e3", MAP, 1.3, 1.6),
        ("GET concatenated 1e5", MAP, 0.8, 0.8),
        ("GET concatenated 1e6", MAP, 0.75, 0.75),
        ("SET same 1e3", MAP, 5.0, 6.5),
        ("SET concatenated 1e5", MAP, 0.85, 1.0),
        ("MGET 100 same 1e3", MAP, 3.0, 3.0),
        ("MSET 100 same 1e3", MAP, 3.0, 3.0),
        ("lock acquire + release same 1e5 TTL", DEADLINES, 1.8, 2.2),
        ("lock acquire + release concatenated 1e5 TTL", DEADLINES, 1.8, 2.2),
    ]
    .map(|(row, measure, aim, floor)| at_most("node", row, measure, aim, floor))
    .into_iter()
    .chain(["same", "concatenated"].map(leases))
    .collect()
}

/// LATCH.ACQUIRE and LATCH.RELEASE beside SET NX PX and DELEX.
fn leases(state: &str) -> Aim {
    let other = if state == "same" {
        "lock acquire + release same 1e5 TTL"
    } else {
        "lock acquire + release concatenated 1e5 TTL"
    };
    at_most("node", &format!("latch acquire + release {state} 1e5 TTL"), Measure::Beside(other), 1.0 / 0.6, 2.0)
}

fn pipelines() -> Vec<Aim> {
    [("GET", 16e6), ("SET", 16e6), ("HSET", 5e6), ("LPUSH", 5e6)]
        .map(|(command, rate)| at_least("node", &format!("RESP pipeline 100 {command} 1e3"), Measure::Rate, rate, rate))
        .into()
}

fn browser() -> Vec<Aim> {
    let own = [
        ("100,000 keys reopened from a snapshot", 250.0),
        ("100,000 keys reopened from a log", 600.0),
        ("GET of a follower", 0.6),
        ("failover to another tab", 150.0),
    ];
    let mut aims = own.map(|(row, aim)| at_most("browser", row, Measure::Own, aim, aim)).to_vec();
    aims.push(at_least("browser", "persisted SET, flushed after 100", Measure::Rate, 1e5, 1e5));
    aims.extend(beside_map());
    aims
}

fn beside_map() -> Vec<Aim> {
    [
        ("GET same 1e3", 7.0, 7.0),
        ("MGET 100 same 1e3", 5.0, 5.0),
        ("SET same 1e3", 6.5, 6.5),
        ("GET concatenated 1e5", 1.0, 1.2),
    ]
    .map(|(row, aim, floor)| at_most("browser", row, MAP, aim, floor))
    .into()
}

/// Regression limit: a reached figure may get no more than this much worse.
const SLACK: f64 = 1.03;

fn no_worse(suite: &'static str, row: &str, measure: Measure, reached: f64) -> Aim {
    at_most(suite, row, measure, reached * SLACK, reached * SLACK)
}

fn native() -> Vec<Aim> {
    const HASH_MAP: Measure = Measure::Ratio("HashMap");
    [
        ("get 1e3", HASH_MAP, 1.20),
        ("get 1e5", HASH_MAP, 1.04),
        ("set 1e3", HASH_MAP, 1.53),
        ("set 1e5", HASH_MAP, 0.59),
        ("incr 1e3", HASH_MAP, 0.49),
        ("incr 1e5", HASH_MAP, 0.32),
        ("RESP chunk of 100, 1e3", Measure::Beside("get 1e3"), 103.0),
        ("RESP chunk of 100, 1e5", Measure::Beside("get 1e5"), 38.1),
    ]
    .map(|(row, measure, reached)| no_worse("native", row, measure, reached))
    .into_iter()
    .chain(latches())
    .collect()
}

/// Latches beside the commands that they replace, and a long line of clients beside a short one.
fn latches() -> [Aim; 4] {
    let beside = |row, other, aim, floor| at_most("native", row, Measure::Beside(other), aim, floor);
    [
        beside("latch.acquire, latch.release", "set nx px, delex", 1.0 / 0.6, 2.0),
        beside("latch.limit", "incr of one counter", 1.0 / 0.6, 1.0 / 0.6),
        beside("latch handed over, 1e5 waiting", "latch handed over, 1e3 waiting", 2.0, 2.0),
        beside("wait cancelled and begun again, 1e5 waiting", "wait cancelled and begun again, 1e3 waiting", 2.0, 2.0),
    ]
}

fn memory() -> Vec<Aim> {
    [
        ("bytes counted 1e6", 68.0),
        ("bytes of linear memory 1e6", 76.8),
        ("bytes counted TTL 1e6", 84.0),
        ("bytes of linear memory TTL 1e6", 92.6),
        ("worst insert", 388.0),
    ]
    .map(|(row, reached)| no_worse("memory", row, Measure::Own, reached))
    .into()
}

/// The tests that redis-benchmark runs by default.
#[rustfmt::skip]
const REDIS_TESTS: [&str; 19] = [
    "PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", "LPUSH", "RPUSH", "LPOP", "RPOP", "SADD", "HSET", "SPOP", "ZADD", "ZPOPMIN",
    "LRANGE_100", "LRANGE_300", "LRANGE_500", "LRANGE_600", "MSET",
];

/// Scripts in Lua, in the package that has it.
fn scripts() -> Vec<Aim> {
    [
        ("EVALSHA of a release", 2500.0, 3000.0),
        ("EVAL of a release, compiled before", 3500.0, 4000.0),
        ("first EVAL of a process", 30.0, 30.0),
    ]
    .map(|(row, aim, floor)| at_most("node", row, Measure::Own, aim, floor))
    .into()
}

fn server() -> Vec<Aim> {
    let loads = [(16, 0.85, 0.7), (100, 1.0, 0.85), (1, 0.9, 0.8)];
    let redis = Measure::Ratio("redis-server");
    let aims = |(pipelined, aim, floor)| {
        REDIS_TESTS.map(|test| at_least("server", &format!("{test} -P {pipelined} -c 50"), redis, aim, floor))
    };
    let scripts = at_least("server", "EVALSHA -P 16 -c 50", redis, 0.5, 0.5);
    loads.into_iter().flat_map(aims).chain([scripts]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::row::Figure;
    use super::*;

    #[test]
    fn between_aim_and_floor_is_below_aim() {
        let most = at_most("node", "GET", MAP, 0.8, 1.0);
        assert_eq!([0.8, 0.9, 1.01].map(|ratio| most.verdict(ratio)), [Verdict::Met, Verdict::BelowAim, Verdict::Miss]);
        let least = at_least("node", "GET", Measure::Rate, 10.0, 8.0);
        assert_eq!([10.0, 8.5, 7.9].map(|rate| least.verdict(rate)), [Verdict::Met, Verdict::BelowAim, Verdict::Miss]);
    }

    #[test]
    fn an_aim_without_slack_is_met_or_missed() {
        let aim = no_worse("memory", "bytes", Measure::Own, 100.0);
        assert_eq!([103.0, 103.1].map(|bytes| aim.verdict(bytes)), [Verdict::Met, Verdict::Miss]);
    }

    #[test]
    fn a_row_is_compared_with_another_of_the_run() {
        let row = |name: &str, value| Row {
            table: "1e3".into(),
            name: name.into(),
            unit: "ns".into(),
            figures: vec![Figure { of: "keylatch".into(), value, ratio: None }],
        };
        let rows = [row("HGET 1e3", 150.0), row("GET same 1e3", 100.0)];
        let aim = at_most("node", "HGET 1e3", Measure::Beside("GET same 1e3"), 2.0, 2.5);
        assert_eq!(aim.measured(&rows), Some(1.5));
        assert_eq!(aim.measured(&rows[..1]), None);
    }
}
