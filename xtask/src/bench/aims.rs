//! The figures the project wants to reach, and what a run has to say about each.

use super::row::Row;

/// A figure under this part of its aim is a miss.
const FLOOR: f64 = 0.8;

/// Which number of a row is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Measure {
    /// keylatch's figure itself.
    Own,
    /// keylatch's figure as a rate, where the row has nanoseconds.
    Rate,
    /// keylatch's figure as a part of that store's.
    Ratio(&'static str),
    /// How often keylatch's figure goes into that store's.
    Times(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    pub(crate) place: &'static str,
    pub(crate) row: &'static str,
    pub(crate) measure: Measure,
    pub(crate) bound: Bound,
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

const fn at_most(place: &'static str, row: &'static str, measure: Measure, aim: f64) -> Aim {
    Aim { place, row, measure, bound: Bound::AtMost(aim), floor: aim / FLOOR }
}

const fn at_least(place: &'static str, row: &'static str, measure: Measure, aim: f64) -> Aim {
    Aim { place, row, measure, bound: Bound::AtLeast(aim), floor: aim * FLOOR }
}

/// An aim that is its own floor.
const fn exactly(aim: Aim) -> Aim {
    let (Bound::AtMost(floor) | Bound::AtLeast(floor)) = aim.bound;
    Aim { floor, ..aim }
}

const REDIS: Measure = Measure::Ratio("redis-server");
const MOCK: Measure = Measure::Times("ioredis-mock, one by one");
const MAP: Measure = Measure::Ratio("Map");
const DEADLINES: Measure = Measure::Ratio("Map + deadline");
const LRU_CACHE: Measure = Measure::Ratio("lru-cache");

const AIMS: &[Aim] = &[
    at_most("node", "GET concatenated 1e3", MAP, 1.2),
    at_most("node", "GET concatenated 1e5", MAP, 0.7),
    at_most("node", "GET concatenated 1e6", MAP, 0.7),
    at_most("node", "SET concatenated 1e5", MAP, 1.0),
    at_most("node", "GET concatenated 1e5", DEADLINES, 1.0),
    at_most("node", "GET concatenated 1e5", LRU_CACHE, 1.0),
    at_most("node", "SET concatenated 1e5", DEADLINES, 1.0),
    at_most("node", "SET concatenated 1e5", LRU_CACHE, 1.0),
    at_most("node", "GET concatenated 1e5 TTL", DEADLINES, 1.0),
    at_most("node", "GET concatenated 1e5 TTL", LRU_CACHE, 1.0),
    at_most("node", "SET PX concatenated 1e5 TTL", DEADLINES, 1.0),
    at_most("node", "SET PX concatenated 1e5 TTL", LRU_CACHE, 1.0),
    at_most("node", "GET same 1e3", MAP, 3.5),
    at_most("node", "SET same 1e3", MAP, 3.5),
    at_most("node", "MGET 100 same 1e3", MAP, 1.8),
    at_most("node", "MSET 100 same 1e3", MAP, 1.8),
    at_least("node", "RESP pipeline 100 1e3", Measure::Rate, 20e6),
    at_least("node", "RESP pipeline 100 1e3", Measure::Times("JS parser + Map"), 8.0),
    at_least("node", "lock acquire + release same 1e5 TTL", Measure::Rate, 2e6),
    at_most("node", "lock acquire + release concatenated 1e5 TTL", DEADLINES, 1.0),
    at_most("node", "lock acquire + release concatenated 1e5 TTL", LRU_CACHE, 1.0),
    at_least("node", "GET, ioredis-mock", MOCK, 15.0),
    at_least("node", "SET, ioredis-mock", MOCK, 15.0),
    at_least("node", "INCR, ioredis-mock", MOCK, 15.0),
    at_most("browser", "GET concatenated 1e3", MAP, 1.5),
    at_most("browser", "GET concatenated 1e5", MAP, 0.7),
    at_most("browser", "GET concatenated 1e6", MAP, 0.7),
    at_most("browser", "SET concatenated 1e5", MAP, 1.0),
    at_most("browser", "GET concatenated 1e5", DEADLINES, 1.0),
    at_most("browser", "GET concatenated 1e5", LRU_CACHE, 1.0),
    at_most("browser", "SET concatenated 1e5", DEADLINES, 1.0),
    at_most("browser", "SET concatenated 1e5", LRU_CACHE, 1.0),
    at_most("browser", "GET same 1e3", MAP, 6.0),
    at_most("browser", "SET same 1e3", MAP, 6.0),
    at_most("browser", "MGET 100 same 1e3", MAP, 3.0),
    at_most("browser", "MSET 100 same 1e3", MAP, 3.0),
    at_most("native", "get 1e3", Measure::Ratio("HashMap"), 1.1),
    at_most("native", "get 1e5", Measure::Ratio("HashMap"), 1.1),
    at_most("memory", "bytes counted 1e6", Measure::Own, 84.0),
    at_most("memory", "bytes of linear memory 1e6", Measure::Own, 84.0),
    at_most("memory", "bytes of linear memory 1e6", MAP, 0.76),
    at_most("memory", "bytes for a TTL of linear memory 1e6", Measure::Own, 16.0),
    at_most("memory", "worst insert", Measure::Own, 2000.0),
    at_least("server", "SET -P 100 -c 50", REDIS, 1.0),
    at_least("server", "GET -P 100 -c 50", REDIS, 1.0),
    exactly(at_least("server", "SET -P 1 -c 50", REDIS, 0.5)),
    exactly(at_least("server", "GET -P 1 -c 50", REDIS, 0.5)),
    exactly(at_most("server", "ZADD, 1e6 members", REDIS, 3.0)),
    exactly(at_most("server", "ZRANK, 1e6 members", REDIS, 3.0)),
    exactly(at_most("server", "bytes, hash of 128 short fields", REDIS, 1.0)),
];

/// The aims of a place.
pub(crate) fn of(place: &str) -> impl Iterator<Item = &'static Aim> {
    AIMS.iter().filter(move |aim| aim.place == place)
}

impl Aim {
    /// The number this aim is about, if the row was measured with what it names.
    pub(crate) fn measured(&self, row: &Row) -> Option<f64> {
        let own = row.figures.first()?.value;
        let ratio = |peer: &str| row.figure(peer)?.ratio;
        match self.measure {
            Measure::Own => Some(own),
            Measure::Rate => Some(1e9 / own),
            Measure::Ratio(peer) => ratio(peer),
            Measure::Times(peer) => Some(1.0 / ratio(peer)?),
        }
    }

    pub(crate) fn verdict(&self, measured: f64) -> Verdict {
        let reaches = |limit: f64| match self.bound {
            Bound::AtMost(_) => measured <= limit,
            Bound::AtLeast(_) => measured >= limit,
        };
        let (Bound::AtMost(aim) | Bound::AtLeast(aim)) = self.bound;
        match (reaches(aim), reaches(self.floor)) {
            (true, _) => Verdict::Met,
            (false, true) => Verdict::BelowAim,
            (false, false) => Verdict::Miss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_aim_and_floor_is_below_aim() {
        let most = at_most("node", "GET", MAP, 0.8);
        assert_eq!([0.8, 0.9, 1.01].map(|ratio| most.verdict(ratio)), [Verdict::Met, Verdict::BelowAim, Verdict::Miss]);
        let least = at_least("node", "GET", Measure::Rate, 10.0);
        assert_eq!([10.0, 8.5, 7.9].map(|rate| least.verdict(rate)), [Verdict::Met, Verdict::BelowAim, Verdict::Miss]);
    }
}
