//! Allowed differences from Redis 7.0.15: the engine follows 8.6.3, and each entry is proven by a recording of it in
//! tests/conformance or by a change in a newer version. Differences that would leave the two sides with different data
//! are not in this list: `special` prevents such requests.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use keylatch::internals::resp::read::Value;

use super::compare::mode_of;
use super::replies::{same_but_for_digits, seventeen_decimals, shortest};
use super::scope::row_of;

#[derive(Clone, Copy)]
pub enum Proof {
    /// A session of tests/conformance that has our reply.
    Recording(&'static str),
    /// Change in a newer version of Redis.
    Rule(&'static str),
}

pub struct Allowed {
    pub about: &'static str,
    pub proof: Proof,
    applies: fn(&Case<'_>) -> bool,
}

use Proof::{Recording, Rule};

pub const ALLOWED: &[Allowed] = &[
    Allowed {
        about: "an unknown command without arguments: 7.0 says that there were some",
        proof: Rule("8.0 leaves the empty list out"),
        applies: |case| case.argv.len() == 1 && case.errors("ERR unknown command '", "ERR unknown command '"),
    },
    Allowed {
        about: "a timeout beyond all numbers: 7.0 lets it overflow",
        proof: Rule("7.2 checks the range first"),
        applies: |case| case.errors("ERR timeout is out of range", "ERR timeout is negative"),
    },
    Allowed {
        about: "a wrong range of bits in a key that is missing, or no string",
        proof: Rule("7.2 reads the range before it looks for the key"),
        applies: |case| {
            let is_looked_for = matches!(case.theirs, Value::Integer(-1 | 0)) || case.theirs_begins("WRONGTYPE ");
            case.is(&["bitcount", "bitpos"]) && case.ours_begins("ERR ") && is_looked_for
        },
    },
    Allowed {
        about: "how often a value is shared: a small number with others, any with the request that a transaction holds",
        proof: Rule("8.2 keeps each value with its key"),
        applies: |case| {
            let is_shared = matches!(case.theirs, Value::Integer(2..));
            case.is(&["object|refcount"]) && *case.ours == Value::Integer(1) && is_shared
        },
    },
    Allowed {
        about: "a negative cursor, or none: 7.0 takes it for a huge one, or for zero",
        proof: Recording("generic-003"),
        applies: |case| {
            let is_odd = case.cursor().is_some_and(|cursor| cursor.is_empty() || cursor.starts_with(b"-"));
            is_odd && case.ours_begins("ERR invalid cursor")
        },
    },
    Allowed {
        about: "a cursor with blanks in front",
        proof: Rule("7.2 reads cursors by another function, which passes over them"),
        applies: |case| {
            let is_odd = case.cursor().is_some_and(|cursor| cursor.starts_with(b" "));
            is_odd && case.theirs_begins("ERR invalid cursor")
        },
    },
    Allowed {
        about: "the smallest RANK of LPOS, which has no opposite",
        proof: Recording("list-006"),
        applies: |case| case.is(&["lpos"]) && case.ours_begins("ERR value is out of range, value must between"),
    },
    Allowed {
        about: "more words for ZRANK and ZREVRANK, whose WITHSCORE came with 7.2",
        proof: Recording("zset-006"),
        applies: |case| {
            case.is(&["zrank", "zrevrank"]) && case.errors("ERR syntax error", "ERR wrong number of arguments")
        },
    },
    Allowed {
        about: "the keys of a command without arguments: 7.0 wants at least one",
        proof: Rule("7.2 lets a command stand alone there"),
        applies: |case| case.is(&["command|getkeys"]) && case.errors("ERR ", "ERR wrong number of arguments"),
    },
    Allowed {
        about: "the name of the command whose streams and ids do not match",
        proof: Rule("7.2 says that it was XREADGROUP"),
        applies: |case| case.errors("ERR Unbalanced '", "ERR Unbalanced XREAD list of streams"),
    },
    Allowed {
        about: "words and ids of XREADGROUP in the wrong place, which newer versions name",
        proof: Rule("7.4 knows the id +, and 8.4 the word CLAIM"),
        applies: |case| {
            let is_named = case.errors("ERR The + ID is meaningless", "ERR Invalid stream ID")
                || case.errors("ERR The CLAIM option is only", "ERR syntax error");
            case.is(&["xread", "xreadgroup"]) && is_named
        },
    },
    Allowed {
        about: "an id of XSETID below that of a deleted entry",
        proof: Rule("8.0 compares it without MAXDELETEDID, too"),
        applies: |case| case.is(&["xsetid"]) && case.ours_begins("ERR The ID specified in XSETID is smaller"),
    },
    Allowed {
        about: "more entries read than were added, of which 7.0 makes a negative lag",
        proof: Rule("8.0 reads at most those that were added"),
        applies: |case| case.is(&["xinfo|groups"]) && has_negative(case.theirs) && !has_negative(case.ours),
    },
    Allowed {
        about: "the lag of a group",
        proof: Rule("7.4 computes it from the first and last ids too"),
        applies: |case| case.is(&["xinfo|groups"]) && same_but_for_lag(case.ours, case.theirs),
    },
    Allowed {
        about: "scores with seventeen digits",
        proof: Recording("zset-042"),
        applies: |case| {
            let has_scores = row_of(case.argv).is_some_and(|row| row.group.name() == "sorted-set");
            has_scores && same_but_for_digits(mode_of(case.argv), shortest, case.ours, case.theirs)
        },
    },
    Allowed {
        about: "coordinates with seventeen decimals",
        proof: Rule("8.0 prints the shortest digits that are the same number"),
        applies: |case| {
            let is_geo = row_of(case.argv).is_some_and(|row| row.group.name() == "geo");
            is_geo && same_but_for_digits(mode_of(case.argv), seventeen_decimals, case.ours, case.theirs)
        },
    },
];

/// Whether a reply contains a negative number.
fn has_negative(value: &Value<'_>) -> bool {
    match value {
        Value::Integer(number) => *number < 0,
        Value::Array(elements) => elements.iter().any(has_negative),
        Value::Map(pairs) => pairs.iter().any(|(_, value)| has_negative(value)),
        _ => false,
    }
}

/// Whether replies are alike but for the lag of groups.
fn same_but_for_lag(ours: &Value<'_>, theirs: &Value<'_>) -> bool {
    let is_lag = |name: &Value<'_>| *name == Value::Bulk(b"lag");
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => {
            let is_same = |at: usize| at > 0 && is_lag(&ours[at - 1]) || same_but_for_lag(&ours[at], &theirs[at]);
            ours.len() == theirs.len() && (0..ours.len()).all(is_same)
        }
        (Value::Map(ours), Value::Map(theirs)) => {
            let mut pairs = ours.iter().zip(theirs);
            ours.len() == theirs.len()
                && pairs.all(|(ours, theirs)| is_lag(&ours.0) || same_but_for_lag(&ours.1, &theirs.1))
        }
        (ours, theirs) => ours == theirs,
    }
}

/// A request and both replies to it.
pub struct Case<'a> {
    pub argv: &'a [Vec<u8>],
    pub ours: &'a Value<'a>,
    pub theirs: &'a Value<'a>,
}

impl Case<'_> {
    fn is(&self, names: &[&str]) -> bool {
        row_of(self.argv).is_some_and(|row| names.contains(&row.name))
    }

    /// Our reply is an error that begins like this.
    fn ours_begins(&self, text: &str) -> bool {
        matches!(self.ours, Value::Error(error) if error.starts_with(text.as_bytes()))
    }

    /// The server's reply is an error that begins like this.
    fn theirs_begins(&self, text: &str) -> bool {
        matches!(self.theirs, Value::Error(error) if error.starts_with(text.as_bytes()))
    }

    fn errors(&self, ours: &str, theirs: &str) -> bool {
        self.ours_begins(ours) && self.theirs_begins(theirs)
    }

    /// The cursor of a SCAN command.
    fn cursor(&self) -> Option<&[u8]> {
        let index = if self.is(&["scan"]) { 1 } else { 2 };
        let is_walk = self.is(&["scan", "sscan", "hscan", "zscan"]);
        self.argv.get(index).filter(|_| is_walk).map(Vec::as_slice)
    }
}

/// Counts uses of each entry, and successful requests of each row.
pub struct Tally {
    used: Vec<Cell<u64>>,
    rows: RefCell<BTreeMap<&'static str, Counts>>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    replies: u64,
    errors: u64,
}

impl Tally {
    pub fn new() -> Tally {
        Tally { used: ALLOWED.iter().map(|_| Cell::new(0)).collect(), rows: RefCell::default() }
    }

    /// Counts a reply of the engine.
    pub fn count(&self, argv: &[Vec<u8>], reply: &[u8]) {
        if let Some(row) = row_of(argv).filter(|_| reply != b"+QUEUED\r\n") {
            let mut rows = self.rows.borrow_mut();
            let counts = rows.entry(row.name).or_default();
            counts.replies += 1;
            counts.errors += u64::from(reply.starts_with(b"-"));
        }
    }

    /// Rows with fewer than the wanted number of requests without an error.
    pub fn seldom_legal(&self, wanted: impl Iterator<Item = (&'static str, u64)>) -> Vec<String> {
        let counts = self.rows.borrow();
        wanted
            .map(|(name, wanted)| (name, wanted, counts.get(name).copied().unwrap_or_default()))
            .filter(|(_, wanted, counts)| counts.replies - counts.errors < *wanted)
            .map(|(name, _, counts)| format!("{name}: {} replies, {} of them errors", counts.replies, counts.errors))
            .collect()
    }

    /// True when an entry covers a difference.
    pub fn covers(&self, case: &Case<'_>) -> bool {
        let entry = ALLOWED.iter().position(|entry| (entry.applies)(case));
        if let Some(index) = entry {
            self.used[index].set(self.used[index].get() + 1);
        }
        entry.is_some()
    }

    pub fn report(&self) -> String {
        let line = |(entry, used): (&Allowed, &Cell<u64>)| format!("  {:>6} times: {}\n", used.get(), entry.about);
        let rows = self.rows.borrow();
        let (replies, errors) =
            rows.values().fold((0, 0), |(replies, errors), counts| (replies + counts.replies, errors + counts.errors));
        let lines: String = ALLOWED.iter().zip(&self.used).map(line).collect();
        format!("{replies} replies, {errors} of them errors; differences allowed:\n{lines}")
    }
}

#[test]
fn every_recording_that_proves_a_difference_exists() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    for entry in ALLOWED {
        match entry.proof {
            Recording(id) => {
                let group = id.split('-').next().unwrap_or_default();
                let text = std::fs::read_to_string(folder.join(format!("{group}.jsonl"))).expect(id);
                assert!(text.contains(&format!("{{\"id\": \"{id}\"")), "{id}");
            }
            Rule(rule) => assert!(!rule.is_empty()),
        }
    }
}
