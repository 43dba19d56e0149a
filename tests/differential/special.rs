//! Knowledge beyond the grammar of a row: arguments that are seldom valid when drawn one by one, requests that would
//! exhaust memory or make the two sides diverge without a bug in either, and requests that must follow others.

use keylatch::internals::commands::{Begin, Find, KeySpec, Row};

use super::compare::{has_option, stores_any_order};
use super::generator::{Generator, words};
use super::pools::Pools;
use super::scope::row_of;
use super::stream_arguments;

type Argv = Vec<Vec<u8>>;
type Make = fn(&mut Generator<'_>) -> Argv;

/// Generator of a command's arguments, used most of the time where the grammar alone rarely gives a valid request.
const ARGUMENTS: &[(&str, Make)] = &[
    ("bitop", bitop),
    ("command|getkeys", getkeys),
    ("client|setname", client_name),
    ("client|tracking", tracking),
    ("swapdb", databases),
    ("xack", stream_arguments::acknowledge),
    ("xadd", stream_arguments::add),
    ("xautoclaim", stream_arguments::claim_idle),
    ("xclaim", stream_arguments::claim),
    ("xdel", stream_arguments::delete),
    ("xgroup|create", stream_arguments::create_group),
    ("xgroup|createconsumer", stream_arguments::edit_consumer),
    ("xgroup|delconsumer", stream_arguments::edit_consumer),
    ("xgroup|destroy", stream_arguments::destroy_group),
    ("xgroup|setid", stream_arguments::set_group),
    ("xrange", stream_arguments::range),
    ("xpending", stream_arguments::pending),
    ("xread", stream_arguments::read),
    ("xreadgroup", stream_arguments::read_group),
    ("xrevrange", stream_arguments::range),
    ("xsetid", stream_arguments::set_id),
    ("xtrim", stream_arguments::trim),
    ("zrange", range),
    ("zrangestore", range_to),
];

/// Numbers that determine the length of a reply or a string.
const LENGTH_MAX: i64 = 1_000;
/// Minimum lifetime, in seconds or milliseconds; only malformed requests have shorter ones.
const LIFETIME_MIN: i64 = 100_000;
/// Largest bit offset of drawn fields, unless they are refused.
const BIT_BEYOND_ALL: &str = "1023";
/// Number of elements that make a HyperLogLog dense.
const ELEMENTS_MAX: u64 = 1_500;
/// Offsets between these would create a string of many megabytes.
const OFFSET_MAX: i64 = 4_000;
const OFFSET_REFUSED: i64 = 1 << 32;

pub fn arguments(name: &str) -> Option<Make> {
    ARGUMENTS.iter().find(|(command, _)| *command == name).map(|(_, make)| *make)
}

/// Operations of 7.0, which its documentation does not list.
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

/// A range of ranks, scores or members, with its ends in the order of its direction, and matching options.
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

/// With BCAST the server sends the invalidations of all requests of a batch at once.
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

/// Restrictions of a client's next request.
pub struct Situation {
    pub is_resp3: bool,
    pub in_transaction: bool,
    /// One client at least is always free, so that it can unblock the others.
    pub may_block: bool,
    /// More than one of the others is blocked.
    pub many_wait: bool,
    pub tracks: bool,
}

/// The life of some HyperLogLogs, from the first element to the deletion.
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

/// True when a request may block. 7.0 serves a blocked client from the key that was filled, 7.2 runs the command again
/// from its first key on: with one key that is equal.
pub fn may_wait(argv: &[Vec<u8>]) -> bool {
    let name = row_of(argv).map_or("", |row| row.name);
    match name {
        "blmpop" | "bzmpop" => number(argv, 2) == Some(1),
        "blmove" | "brpoplpush" => true,
        _ => argv.len() == 3,
    }
}

/// True when a request may be sent: it does not waste memory, does not block the last free client, and means the same
/// in both versions.
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
        // 7.0 keeps keys that are expired on creation until they are accessed, or removed by the active expire cycle.
        "set" => !argv.windows(2).any(|option| is_past(&option[0], &option[1])),
        // A wrong number of arguments aborts a transaction, and 7.0 counts these differently.
        "zrank" | "zrevrank" => argv.len() <= 3,
        "command|getkeys" => argv.len() != 3,
        // Numbers of clients differ, and invalidations by prefix come once for all requests of a batch.
        "client|tracking" => client.tracks && !tells_otherwise(argv),
        "client|caching" => client.tracks,
        // The order in which clients of several keys are unblocked is random for each start of the server.
        "swapdb" => !client.many_wait && !client.in_transaction,
        // 7.0 stores the count in the HyperLogLog, which is a change of the key.
        "pfcount" => !client.tracks,
        // The stored elements need a defined order.
        "sort" => !stores_any_order(argv),
        // Among members at equal distances any may be the first.
        "geosearchstore" => !has_option(argv, "COUNT"),
        "georadius" | "georadiusbymember" => {
            let stores = has_option(argv, "STORE") || has_option(argv, "STOREDIST");
            !stores || !has_option(argv, "COUNT")
        }
        // Each side has its own clock.
        "xadd" => argv.iter().all(|word| word != b"*"),
        // 7.0 has no id `+`, and waits for times beyond all numbers.
        "xread" | "xreadgroup" => {
            let is_new = argv.iter().any(|word| word == b"+");
            client.may_block && !is_new && option_number(argv, "BLOCK").is_none_or(|ms| ms < i64::MAX / 2)
        }
        "xpending" => !has_option(argv, "IDLE"),
        // 7.0 counts entries read otherwise if the numbers are not those of the entries, and takes smaller ids than deleted ones.
        "xgroup|create" | "xgroup|setid" => option_number(argv, "ENTRIESREAD").is_none_or(|read| read <= 0),
        "xsetid" => !has_option(argv, "MAXDELETEDID") && !has_option(argv, "ENTRIESADDED"),
        // There are no replicas: one side would wait, and that by the clock.
        "wait" => number(argv, 1).is_none_or(|replicas| replicas <= 0),
        // A client's messages to itself, which only RESP3 allows, have another position among its replies.
        "ssubscribe" => !client.is_resp3,
        // In a transaction an array would contain more messages than its length.
        "subscribe" | "psubscribe" => !client.is_resp3 && !client.in_transaction,
        "unsubscribe" | "punsubscribe" | "sunsubscribe" => !client.in_transaction,
        _ => client.may_block || !row.has(keylatch::internals::commands::flags::BLOCKING),
    }
}

/// True when the number of keys is malformed: 7.0 uses its leading digits, though it returns an error.
fn counts_strangely(row: &Row, argv: &[Vec<u8>]) -> bool {
    let is_strange = |spec: &KeySpec| match (spec.begin, spec.find) {
        (Begin::Index(begin), Find::Counted { count_at, .. }) => number(argv, (begin + count_at) as usize).is_none(),
        _ => false,
    };
    row.keys.iter().any(is_strange)
}

/// True when CLIENT TRACKING requests broadcasts, or a redirection.
fn tells_otherwise(argv: &[Vec<u8>]) -> bool {
    let redirects = argv.windows(2).any(|option| {
        let number = std::str::from_utf8(&option[1]).ok().and_then(|number| number.parse::<i64>().ok());
        option[0].eq_ignore_ascii_case(b"redirect") && number != Some(0)
    });
    let broadcasts = has_option(argv, "BCAST") && !has_option(argv, "OPTIN") && !has_option(argv, "OPTOUT");
    redirects || broadcasts
}

/// True when a key would expire while the test runs.
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

/// True when an option of SET is a deadline in the past.
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

/// Number behind an option.
fn option_number(argv: &[Vec<u8>], word: &str) -> Option<i64> {
    let index = argv.iter().position(|option| option.eq_ignore_ascii_case(word.as_bytes()))?;
    number(argv, index + 1)
}

fn number(argv: &[Vec<u8>], index: usize) -> Option<i64> {
    std::str::from_utf8(argv.get(index)?).ok()?.parse().ok()
}

/// The request with those that must precede or follow it.
pub fn completed(argv: Argv) -> Vec<Argv> {
    match (row_of(&argv).map(|row| row.name), argv.get(1)) {
        // Only effective for a client that tracks in the matching mode.
        (Some("client|caching"), Some(_)) => {
            let mode =
                if argv.get(2).is_some_and(|word| word.eq_ignore_ascii_case(b"no")) { "OPTOUT" } else { "OPTIN" };
            vec![words("CLIENT TRACKING OFF"), words(&format!("CLIENT TRACKING ON {mode}")), argv]
        }
        // The removed element is random, so the key is deleted.
        (Some("spop"), Some(key)) => {
            let key = key.clone();
            vec![argv, vec![b"DEL".to_vec(), key]]
        }
        // The last digits of a distance depend on the machine's sine function: the stored result is deleted.
        (Some(name), _) if name.starts_with("geo") && has_option(&argv, "STOREDIST") => {
            let is_option = |word: &[u8]| matches!(word.to_ascii_uppercase().as_slice(), b"STORE" | b"STOREDIST");
            let mut stored: Vec<Vec<u8>> =
                argv.windows(2).filter(|option| is_option(&option[0])).map(|option| option[1].clone()).collect();
            stored.push(argv[1].clone());
            vec![argv, [words("DEL"), stored].concat()]
        }
        // The bytes of a HyperLogLog depend on its history, and 7.0 stores the count in it, so they are never read.
        (Some("pfadd" | "pfcount" | "pfmerge"), Some(_)) => {
            let keys = argv[1..].to_vec();
            vec![argv, [words("DEL"), keys].concat()]
        }
        // An earlier overflow elsewhere would affect its own result; SCAN resets that.
        (Some("sort" | "sort_ro"), _) => vec![words("SCAN 0"), argv],
        // A field that fails on overflow leaves a string that grew for it: Redis neither notifies WATCH of that nor
        // logs it, and the engine logs every change. A string that is long enough does not grow.
        (Some("bitfield"), Some(key)) if has_option(&argv, "FAIL") => {
            vec![[words("SETBIT"), vec![key.clone()], words(BIT_BEYOND_ALL), words("0")].concat(), argv]
        }
        // Only effective where the values are equal, which is rare by chance.
        (Some("delifeq"), Some(key)) if argv.len() == 3 => {
            vec![vec![b"SET".to_vec(), key.clone(), argv[2].clone()], argv]
        }
        (Some(name), Some(_)) if name.starts_with('x') => stream_arguments::behind_group(name, argv),
        // Creates an element to move.
        (Some("smove"), Some(key)) if argv.len() == 4 => {
            vec![vec![b"SADD".to_vec(), key.clone(), argv[3].clone()], argv]
        }
        // Ranges of members are defined where all scores are equal.
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
