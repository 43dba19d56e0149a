//! What the grammar of a row does not say: arguments that are seldom legal when drawn one by one, requests that would
//! cost memory or part the two sides for no fault of either, and what has to follow some of them.

use keylatch::internals::commands::{Begin, Find, KeySpec, Row};

use super::compare::{has_option, stores_any_order};
use super::generator::{Generator, words};
use super::pools::Pools;
use super::scope::row_of;

type Argv = Vec<Vec<u8>>;
type Make = fn(&mut Generator<'_>) -> Argv;

/// How the arguments of a command are made most of the time, where the grammar alone rarely makes a legal request.
const ARGUMENTS: &[(&str, Make)] = &[
    ("bitop", bitop),
    ("command|getkeys", getkeys),
    ("client|setname", client_name),
    ("client|tracking", tracking),
    ("swapdb", databases),
    ("zrange", range),
    ("zrangestore", range_to),
];

/// Numbers that a reply or a string may be long by.
const LENGTH_MAX: i64 = 1_000;
/// In seconds or milliseconds, whichever it is: no drawn lifetime is shorter, only spoilt ones are.
const LIFETIME_MIN: i64 = 100_000;
/// No field that is drawn ends behind this bit, unless it is refused.
const BIT_BEYOND_ALL: &str = "1023";
/// Enough to make a sketch dense.
const ELEMENTS_MAX: u64 = 1_500;
/// Offsets between these would make a string of many megabytes.
const OFFSET_MAX: i64 = 4_000;
const OFFSET_REFUSED: i64 = 1 << 32;

pub fn arguments(name: &str) -> Option<Make> {
    ARGUMENTS.iter().find(|(command, _)| *command == name).map(|(_, make)| *make)
}

/// The operations that 7.0 knows: it documents none of them.
fn bitop(generator: &mut Generator<'_>) -> Argv {
    let operation = *generator.pools().dice.pick(&["AND", "OR", "XOR", "NOT", "not", "FOO"]);
    let sources = if operation.eq_ignore_ascii_case("not") { 1 } else { 1 + generator.pools().dice.roll(3) };
    let keys = (0..=sources).map(|_| generator.key_of("bitmap")).collect();
    [words(operation), keys].concat()
}

fn getkeys(generator: &mut Generator<'_>) -> Argv {
    words(generator.pools().dice.pick::<&str>(&[
        "GET k",
        "MSET a 1 b 2",
        "DEL a b c",
        "LMPOP 2 a b LEFT",
        "BLMPOP 0 1 a RIGHT",
        "SINTERCARD 3 a b c LIMIT 5",
        "SINTERCARD 0 a",
        "PING",
        "SET k",
        "NOPE a",
        "OBJECT ENCODING k",
        "SMOVE a b m",
        "BITOP AND d a b",
        "LCS a b",
        "COPY a b DB 3",
    ]))
}

fn databases(generator: &mut Generator<'_>) -> Argv {
    (0..2).map(|_| generator.pools().dice.roll(3).to_string().into_bytes()).collect()
}

/// A range of ranks, scores or members, its ends in the order its direction asks for, and options that fit.
fn range(generator: &mut Generator<'_>) -> Argv {
    let key = generator.key_of("sorted-set");
    let mut argv = [vec![key], range_options(generator)].concat();
    if generator.pools().one_in(3) {
        argv.push(b"WITHSCORES".to_vec());
    }
    argv
}

fn range_to(generator: &mut Generator<'_>) -> Argv {
    [vec![generator.key_of("sorted-set"), generator.key_of("sorted-set")], range_options(generator)].concat()
}

fn range_options(generator: &mut Generator<'_>) -> Argv {
    let pools = generator.pools();
    let by = *pools.dice.pick(&["", "BYSCORE", "BYLEX"]);
    let end = |pools: &mut Pools| if by.is_empty() { pools.integer() } else { pools.bound(by == "BYLEX") };
    let mut argv = vec![end(pools), end(pools)];
    argv.extend(words(by));
    if pools.one_in(3) {
        argv.push(b"REV".to_vec());
    }
    if !by.is_empty() && pools.one_in(3) {
        argv.extend([b"LIMIT".to_vec(), pools.integer(), pools.integer()]);
    }
    argv
}

fn client_name(generator: &mut Generator<'_>) -> Argv {
    words(generator.pools().dice.pick::<&str>(&["worker", "a-b", "\u{e9}", "x\ny"]))
}

/// With BCAST the server tells of all requests of a batch at once.
fn tracking(generator: &mut Generator<'_>) -> Argv {
    words(generator.pools().dice.pick::<&str>(&[
        "ON",
        "ON",
        "on noloop",
        "ON OPTIN",
        "ON OPTOUT NOLOOP",
        "OFF",
        "ON OPTIN OPTOUT",
        "ON BCAST OPTIN",
        "ON PREFIX a",
        "ON REDIRECT 0",
        "ON maybe",
        "maybe BCAST",
    ]))
}

/// What a client that is about to send something may do.
pub struct Situation {
    pub is_resp3: bool,
    pub in_transaction: bool,
    /// One client at least is always free to end the waiting of the others.
    pub may_block: bool,
    /// Of the others more than one waits.
    pub many_wait: bool,
    pub tracks: bool,
}

/// What becomes of some sketches, from the first element to their end.
pub fn sketches(generator: &mut Generator<'_>) -> Vec<Argv> {
    let keys: Argv = (0..3).map(|_| generator.key_of("hyperloglog")).collect();
    let pools = generator.pools();
    let mut requests = Vec::new();
    for _ in 0..2 + pools.dice.roll(8) {
        let name = *pools.dice.pick(&["PFADD", "PFADD", "PFCOUNT", "PFMERGE"]);
        let mut argv = words(name);
        argv.push(pools.dice.pick(&keys).clone());
        let many = if pools.one_in(4) { ELEMENTS_MAX } else { 4 };
        match name {
            "PFADD" => argv.extend((0..pools.dice.roll(many)).map(|_| pools.element())),
            _ => argv.extend((0..pools.dice.roll(3)).map(|_| pools.dice.pick(&keys).clone())),
        }
        requests.push(argv);
    }
    requests.push([words("DEL"), keys].concat());
    requests
}

/// Whether a request that would wait may do so. 7.0 serves a waiting client the key that was filled, 7.2 runs the
/// command again from its first key on: with one key that is the same.
pub fn may_wait(argv: &[Vec<u8>]) -> bool {
    let name = row_of(argv).map_or("", |row| row.name);
    match name {
        "blmpop" | "bzmpop" => number(argv, 2) == Some(1),
        "blmove" | "brpoplpush" => true,
        _ => argv.len() == 3,
    }
}

/// Whether a request may be sent: it wastes no memory, does not wait when nobody would be left to end that, and
/// means the same in both versions.
pub fn is_wanted(argv: &[Vec<u8>], client: &Situation) -> bool {
    let Some(row) = row_of(argv) else { return true };
    if is_short_lived(row.name, argv) || client.tracks && counts_strangely(row, argv) {
        return false;
    }
    match row.name {
        "setrange" => !number(argv, 2).is_some_and(|offset| (OFFSET_MAX..=1 << 29).contains(&offset)),
        "setbit" => !number(argv, 2).is_some_and(|offset| (OFFSET_MAX..OFFSET_REFUSED).contains(&offset)),
        "srandmember" | "hrandfield" | "zrandmember" => {
            !number(argv, 2).is_some_and(|count| count != i64::MIN && count < -LENGTH_MAX)
        }
        // 7.0 keeps what is dead on arrival until it is looked at, or swept.
        "set" => !argv.windows(2).any(|option| is_past(&option[0], &option[1])),
        // A wrong number of words ends a transaction, and 7.0 counts these otherwise.
        "zrank" | "zrevrank" => argv.len() <= 3,
        "command|getkeys" => argv.len() != 3,
        // Numbers of clients differ, and what is told by prefixes comes once for all requests of a batch.
        "client|tracking" => client.tracks && !tells_otherwise(argv),
        "client|caching" => client.tracks,
        // Whom it wakes for which key first is random from one start of the server to the next.
        "swapdb" => !client.many_wait && !client.in_transaction,
        // 7.0 writes what it counted into the sketch, which is a change of the key.
        "pfcount" => !client.tracks,
        // What is stored has to be in a certain order.
        "sort" => !stores_any_order(argv),
        // Of places that are equally far away any may be among the first.
        "geosearchstore" => !has_option(argv, "COUNT"),
        "georadius" | "georadiusbymember" => {
            let stores = has_option(argv, "STORE") || has_option(argv, "STOREDIST");
            !stores || !has_option(argv, "COUNT")
        }
        // There are no replicas: one would wait, and that by the clock.
        "wait" => number(argv, 1).is_none_or(|replicas| replicas <= 0),
        // Messages to oneself, which only RESP3 allows, come at another place between one's replies.
        "ssubscribe" => !client.is_resp3,
        // In a transaction an array would hold more messages than it says.
        "subscribe" | "psubscribe" => !client.is_resp3 && !client.in_transaction,
        "unsubscribe" | "punsubscribe" | "sunsubscribe" => !client.in_transaction,
        _ => client.may_block || !row.has(keylatch::internals::commands::flags::BLOCKING),
    }
}

/// Whether the number of keys is none: 7.0 remembers as many as its first digits say, though it answers an error.
fn counts_strangely(row: &Row, argv: &[Vec<u8>]) -> bool {
    let is_strange = |spec: &KeySpec| match (spec.begin, spec.find) {
        (Begin::Index(begin), Find::Counted { count_at, .. }) => number(argv, (begin + count_at) as usize).is_none(),
        _ => false,
    };
    row.keys.iter().any(is_strange)
}

/// Whether CLIENT TRACKING asks for broadcasts, or for another client to be told.
fn tells_otherwise(argv: &[Vec<u8>]) -> bool {
    let redirects = argv.windows(2).any(|option| {
        let number = std::str::from_utf8(&option[1]).ok().and_then(|number| number.parse::<i64>().ok());
        option[0].eq_ignore_ascii_case(b"redirect") && number != Some(0)
    });
    let broadcasts = has_option(argv, "BCAST") && !has_option(argv, "OPTIN") && !has_option(argv, "OPTOUT");
    redirects || broadcasts
}

/// Whether a key would die while the test runs.
fn is_short_lived(name: &str, argv: &[Vec<u8>]) -> bool {
    let is_short = |lifetime: Option<i64>| lifetime.is_some_and(|lifetime| (1..LIFETIME_MIN).contains(&lifetime));
    match name {
        "expire" | "pexpire" | "setex" | "psetex" | "restore" => is_short(number(argv, 2)),
        "set" | "getex" => (2..argv.len()).any(|index| {
            let option = argv[index].to_ascii_uppercase();
            matches!(option.as_slice(), b"EX" | b"PX") && is_short(number(argv, index + 1))
        }),
        _ => false,
    }
}

/// Whether an option of SET is a deadline that has passed.
fn is_past(option: &[u8], instant: &[u8]) -> bool {
    const YEAR_2100_S: i64 = 4_102_444_800;
    let instant = std::str::from_utf8(instant).ok().and_then(|instant| instant.parse::<i64>().ok());
    let is_before = |end| instant.is_some_and(|instant| (1..end).contains(&instant));
    match option.to_ascii_uppercase().as_slice() {
        b"EXAT" => is_before(YEAR_2100_S),
        b"PXAT" => is_before(YEAR_2100_S * 1_000),
        _ => false,
    }
}

fn number(argv: &[Vec<u8>], index: usize) -> Option<i64> {
    std::str::from_utf8(argv.get(index)?).ok()?.parse().ok()
}

/// The request with what has to come before or after it.
pub fn completed(argv: Argv) -> Vec<Argv> {
    match (row_of(&argv).map(|row| row.name), argv.get(1)) {
        // It means something to a client that tracks in the mode for it.
        (Some("client|caching"), Some(_)) => {
            let mode =
                if argv.get(2).is_some_and(|word| word.eq_ignore_ascii_case(b"no")) { "OPTOUT" } else { "OPTIN" };
            vec![words("CLIENT TRACKING OFF"), words(&format!("CLIENT TRACKING ON {mode}")), argv]
        }
        // What it takes is left to chance, so the key goes.
        (Some("spop"), Some(key)) => {
            let key = key.clone();
            vec![argv, vec![b"DEL".to_vec(), key]]
        }
        // The last digits of a distance depend on the machine's sines: what is stored goes again.
        (Some(name), _) if name.starts_with("geo") && has_option(&argv, "STOREDIST") => {
            let is_option = |word: &[u8]| matches!(word.to_ascii_uppercase().as_slice(), b"STORE" | b"STOREDIST");
            let mut stored: Vec<Vec<u8>> =
                argv.windows(2).filter(|option| is_option(&option[0])).map(|option| option[1].clone()).collect();
            stored.push(argv[1].clone());
            vec![argv, [words("DEL"), stored].concat()]
        }
        // The bytes of a sketch depend on how it came about, and 7.0 writes what it counted into it: nobody may see it.
        (Some("pfadd" | "pfcount" | "pfmerge"), Some(_)) => {
            let keys = argv[1..].to_vec();
            vec![argv, [words("DEL"), keys].concat()]
        }
        // It takes an overflow in somebody's number before for one of its own; SCAN forgets about that.
        (Some("sort" | "sort_ro"), _) => vec![words("SCAN 0"), argv],
        // A field that fails to overflow leaves a string that grew for it: Redis tells neither those who watch it nor
        // its log, here no change is kept quiet. A string that is long enough does not grow.
        (Some("bitfield"), Some(key)) if has_option(&argv, "FAIL") => {
            vec![[words("SETBIT"), vec![key.clone()], words(BIT_BEYOND_ALL), words("0")].concat(), argv]
        }
        // It does something where the value is equal, which it seldom is by chance.
        (Some("delifeq"), Some(key)) if argv.len() == 3 => {
            vec![vec![b"SET".to_vec(), key.clone(), argv[2].clone()], argv]
        }
        // So that there is something to move.
        (Some("smove"), Some(key)) if argv.len() == 4 => {
            vec![vec![b"SADD".to_vec(), key.clone(), argv[3].clone()], argv]
        }
        // Ranges of members mean something where all scores are equal.
        (Some(name), Some(_)) if is_range_of_members(name, &argv) => {
            let key = argv[if name == "zrangestore" { 2.min(argv.len() - 1) } else { 1 }].clone();
            let equal = [words("ZUNIONSTORE"), vec![key.clone()], words("1"), vec![key], words("WEIGHTS 0")].concat();
            vec![equal, argv]
        }
        _ => vec![argv],
    }
}

fn is_range_of_members(name: &str, argv: &[Vec<u8>]) -> bool {
    match name {
        "zrange" | "zrangestore" => argv.iter().any(|word| word.eq_ignore_ascii_case(b"BYLEX")),
        _ => name.ends_with("bylex") || name == "zlexcount",
    }
}
