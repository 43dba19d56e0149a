//! Random commands of all rows: facts say how each key and field changed. A model that hears nothing but facts has the same
//! keys, deadlines and fields as the engine.

use std::collections::{BTreeMap, BTreeSet};

use keylatch::internals::commands::flags;
use keylatch::internals::keyspace::ValueRef;
use keylatch::session::SESSION_START;
use keylatch::{Argv, Fact, FactKind, FieldFact, Keylatch, ManualClock, Mode, Options, Timestamp};

use crate::dice::Dice;
use crate::engine_harness::EngineHarness;
use crate::generator::Generator;
use crate::scope::{Scope, row_of};

const SEEDS: u64 = 8;
/// Limit of seeds: some rows need rare conditions, for which the search continues.
const SEEDS_MAX: u64 = 160;
const UNITS: usize = 600;
const MS_MAX: u64 = 40 * 24 * 60 * 60 * 1_000;
/// Rows that write but change no key here: there are functions in the log alone.
const WITHOUT_KEYS: &[&str] = &["function|delete", "function|flush", "function|load", "function|restore"];

/// Commands under conditions that random ones seldom make. The token is that of the first grant at the beginning.
const RARE: &[&str] = &[
    "HSET h a 1 b 2",
    "HGETEX h PX 5000 FIELDS 1 a",
    "HGETEX h PERSIST FIELDS 2 a b",
    "HPEXPIRE h 5000 FIELDS 1 a",
    "HPERSIST h FIELDS 1 a",
    "XGROUP CREATE x g 0 MKSTREAM",
    "XADD x 1 f v",
    "XREADGROUP GROUP g c STREAMS x >",
    "XCLAIM x g d 0 1",
    "XAUTOCLAIM x g c 0 0",
    "XACK x g 1",
    "XGROUP DESTROY x g",
    "ZADD z 1 a",
    "ZREM z a",
    "LATCH.ONCE o me TTL 9000",
    "LATCH.DONE o me result TTL 500 TOKEN 1767225600000000",
    "LATCH.ACQUIRE l me TTL 9000 ALSO 2 m n",
    "LATCH.RENEW l me TTL 10000 ALSO 1 m",
    "LATCH.RELEASE l me ALSO 1 n",
    "RENAME m n",
    "COPY o p DB 2",
    "SWAPDB 0 1",
    "FLUSHALL",
];

type Name = (u8, Vec<u8>);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Key {
    deadline: Option<Timestamp>,
    fields: BTreeMap<Vec<u8>, Option<Timestamp>>,
}

type Keys = BTreeMap<Name, Key>;

/// Keys of an engine, and a text of each value.
fn keys_of(engine: &Keylatch<ManualClock>) -> (Keys, BTreeMap<Name, Vec<u8>>) {
    let (mut keys, mut values) = (Keys::new(), BTreeMap::new());
    for (database, db) in engine.keyspace_ref().databases() {
        for entry in db.entries() {
            let name = (database, entry.key.to_vec());
            let fields = match entry.value {
                ValueRef::Hash(hash) => hash.iter().map(|field| (field.name.to_vec(), field.deadline)).collect(),
                _ => BTreeMap::new(),
            };
            let value = values.entry(name.clone()).or_insert_with(|| entry.value.kind().name().as_bytes().to_vec());
            entry.value.canonical(&mut |bytes| value.extend_from_slice(bytes));
            keys.insert(name, Key { deadline: entry.deadline, fields });
        }
    }
    (keys, values)
}

/// Applies a fact to a model, which must be in the state that the fact supposes.
fn apply(keys: &mut Keys, fact: &Fact) -> Result<(), String> {
    let Some(key) = &fact.key else { return apply_to_database(keys, fact) };
    let name = (fact.database, key.to_vec());
    let known = keys.contains_key(&name);
    if known != (fact.kind != FactKind::Created) {
        return Err(format!("the key was {}there", if known { "" } else { "not " }));
    }
    let mut state = keys.remove(&name).unwrap_or_default();
    if fact.replaces {
        state.fields.clear();
    }
    let is_gone = matches!(fact.kind, FactKind::Removed | FactKind::Expired | FactKind::Evicted);
    fact.fields.iter().try_for_each(|field| apply_field(&mut state, field))?;
    state.deadline = fact.deadline;
    match (&fact.to, is_gone) {
        (Some((database, Some(to))), _) => drop(keys.insert((*database, to.to_vec()), state)),
        (_, false) => drop(keys.insert(name, state)),
        _ => {}
    }
    Ok(())
}

fn apply_field(state: &mut Key, fact: &FieldFact) -> Result<(), String> {
    let before = state.fields.remove(&*fact.name);
    if before.is_some() != (fact.kind != FactKind::Created) {
        return Err("a field was, or was not, there".to_owned());
    }
    if matches!(fact.kind, FactKind::Created | FactKind::Changed) {
        state.fields.insert(fact.name.to_vec(), fact.deadline);
    }
    Ok(())
}

fn apply_to_database(keys: &mut Keys, fact: &Fact) -> Result<(), String> {
    let moved = |name: Name, to: u8| ((to, name.1), ());
    match (&fact.to, fact.kind) {
        (None, FactKind::Removed) => keys.retain(|(database, _), _| *database != fact.database),
        // Both directions of an exchange are stated; the first one makes it.
        (Some((to, None)), FactKind::Renamed) if fact.database < *to => {
            let all = std::mem::take(keys);
            keys.extend(all.into_iter().map(|(name, key)| match name.0 {
                from if from == fact.database => (moved(name, *to).0, key),
                from if from == *to => (moved(name, fact.database).0, key),
                _ => (name, key),
            }));
        }
        (Some((_, None)), FactKind::Renamed) => {}
        _ => return Err("a fact about no key".to_owned()),
    }
    Ok(())
}

/// Checks the facts of one command against the keys before and after.
fn check(engine: &mut Keylatch<ManualClock>, before: &(Keys, BTreeMap<Name, Vec<u8>>)) -> Result<bool, String> {
    let facts = engine.facts().take();
    let (after, values) = keys_of(engine);
    let mut model = before.0.clone();
    for fact in &facts {
        apply(&mut model, fact).map_err(|problem| format!("{problem}: {fact:?}"))?;
        let is_by_itself = |kind: FactKind| matches!(kind, FactKind::Expired | FactKind::Evicted);
        let has_author = !is_by_itself(fact.kind) && !fact.fields.iter().any(|field| is_by_itself(field.kind));
        if has_author != fact.client.is_some() {
            return Err(format!("the client of {fact:?}"));
        }
    }
    let differs = |name: &&Name| model.get(*name) != after.get(*name);
    if let Some(name) = model.keys().chain(after.keys()).find(differs) {
        return Err(format!("{name:?}: {:?}, not {:?}\n{facts:?}", after.get(name), model.get(name)));
    }
    let is_about = |fact: &Fact, (database, key): &Name| {
        let is_key = |other: &Option<Box<[u8]>>| other.as_ref().is_none_or(|other| **other == **key);
        fact.database == *database && is_key(&fact.key)
            || fact.to.as_ref().is_some_and(|(to, other)| to == database && is_key(other))
    };
    let is_stale = |fact: &&Fact| {
        let value = fact.key.as_ref().and_then(|key| values.get(&(fact.database, key.to_vec())));
        fact.text.as_ref().is_some_and(|text| value.is_none_or(|value| !value.ends_with(text)))
    };
    let is_last = |(index, fact): &(usize, &Fact)| {
        let name = (fact.database, fact.key.as_deref().unwrap_or_default().to_vec());
        facts[index + 1..].iter().all(|later| !is_about(later, &name))
    };
    if let Some(fact) = facts.iter().enumerate().filter(is_last).map(|(_, fact)| fact).find(is_stale) {
        return Err(format!("another text than in {fact:?}"));
    }
    let silent = values
        .iter()
        .find(|(name, value)| before.1.get(*name) != Some(*value) && !facts.iter().any(|fact| is_about(fact, name)));
    match silent {
        Some((name, _)) => Err(format!("{name:?} changed without a fact")),
        None => Ok(!facts.is_empty()),
    }
}

#[test]
fn the_facts_of_every_row_agree_with_the_keys_before_and_after() {
    let scope = Scope::all();
    let words = |line: &str| line.split(' ').map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>();
    let rare: BTreeSet<&str> = RARE.iter().filter_map(|line| row_of(&words(line))).map(|row| row.name).collect();
    let mut stated = BTreeSet::new();
    let silent = |stated: &BTreeSet<&str>| -> Vec<&str> {
        let writes = scope.choices.iter().map(|choice| choice.row).filter(|row| row.has(flags::WRITE));
        let names = writes
            .map(|row| row.name)
            .filter(|name| !stated.contains(name) && !WITHOUT_KEYS.contains(name) && !rare.contains(*name));
        names.collect()
    };
    for seed in 0..SEEDS_MAX {
        if seed >= SEEDS && silent(&stated).is_empty() {
            break;
        }
        let mut harness = EngineHarness::new(seed, SESSION_START);
        harness.engine.facts().collect(true);
        let (mut generator, mut dice) = (Generator::new(&scope, seed), Dice::new(!seed));
        let mut before = keys_of(&harness.engine);
        for _ in 0..UNITS {
            for request in generator.unit(&harness) {
                harness.perform(&request);
                let row = row_of(&request.argv).map(|row| row.name);
                if row.is_some_and(|name| name.starts_with("debug")) {
                    // A load states no facts.
                    harness.engine.facts().take();
                } else {
                    let has_facts = check(&mut harness.engine, &before)
                        .unwrap_or_else(|problem| panic!("seed {seed}: {}: {problem}", request.line()));
                    stated.extend(row.filter(|_| has_facts));
                }
                before = keys_of(&harness.engine);
            }
            if dice.roll(40) == 0 {
                harness.engine.clock_mut().advance(dice.roll(MS_MAX) as i64);
                harness.engine.tick();
                check(&mut harness.engine, &before).unwrap_or_else(|problem| panic!("seed {seed}: time: {problem}"));
                before = keys_of(&harness.engine);
            }
        }
    }
    assert_eq!(silent(&stated), Vec::<&str>::new(), "rows that write were never seen to");
}

#[test]
fn the_facts_of_rare_changes_agree_too() {
    let mut stage = Stage::new();
    for line in RARE {
        let before = keys_of(&stage.engine);
        let words: Vec<&str> = line.split(' ').collect();
        stage.engine.execute(stage.clients[0], Argv::from_slices(&words).as_ref(), &mut Vec::new());
        assert_eq!(check(&mut stage.engine, &before), Ok(true), "{line}");
    }
}

/// An engine that collects facts, with two clients.
struct Stage {
    engine: Keylatch<ManualClock>,
    clients: [keylatch::ClientId; 2],
}

impl Stage {
    fn new() -> Stage {
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
        engine.facts().collect(true);
        let clients = [engine.connect(), engine.connect()];
        Stage { engine, clients }
    }

    /// Facts of a command, written as words, of a client.
    fn run(&mut self, client: usize, line: &str) -> Vec<Fact> {
        let words: Vec<&str> = line.split(' ').collect();
        self.engine.execute(self.clients[client], Argv::from_slices(&words).as_ref(), &mut Vec::new());
        self.engine.facts().take()
    }
}

fn in_ms(ms: i64) -> Option<Timestamp> {
    Some(Timestamp::from_ms(SESSION_START.as_ms() + ms))
}

#[test]
fn a_deadline_counts_as_set_where_a_command_sets_it() {
    let mut stage = Stage::new();
    for (line, deadline, is_set) in [
        ("SET k v PX 5000", in_ms(5_000), true),
        ("APPEND k x", in_ms(5_000), false),
        ("SET k v KEEPTTL", in_ms(5_000), false),
        ("PEXPIRE k 5000", in_ms(5_000), true),
        ("PERSIST k", None, false),
        ("SETEX k 7 v", in_ms(7_000), true),
        ("GETEX k EX 8", in_ms(8_000), true),
        ("MSETEX 1 k v EX 9", in_ms(9_000), true),
        ("SET k v", None, false),
        ("HSET h EX 1", None, false),
        ("HINCRBY h PX 5000", None, false),
        ("LATCH.ARRIVE b me PARTIES 2 TTL 6000", in_ms(6_000), true),
        ("LATCH.LIMIT even 5 PERIOD 1000", in_ms(200), false),
        ("LATCH.LIMIT sliding 5 PERIOD 1000 SLIDING", in_ms(1_000), false),
    ] {
        let facts = stage.run(0, line);
        let found: Vec<_> = facts.iter().map(|fact| (fact.deadline, fact.sets_deadline)).collect();
        assert_eq!(found, [(deadline, is_set)], "{line}: {facts:?}");
    }
}

#[test]
fn a_condition_that_something_is_missing_is_stated_and_so_is_a_text() {
    let mut stage = Stage::new();
    for (line, texts, if_missing) in [
        ("SET a EX NX PX 5000", &[Some("EX")][..], true),
        ("SET a NX", &[Some("NX")], false),
        ("SET a NX XX", &[Some("NX")], false),
        ("SETNX b NX", &[Some("NX")], true),
        ("GETSET b 1", &[Some("1")], false),
        ("INCR b", &[None], false),
        ("APPEND b NX", &[None], false),
        ("SETBIT b 7 1", &[None], false),
        ("MSETNX c 1 d 2", &[Some("1"), Some("2")], true),
        ("MSET c 1 NX 2", &[Some("1"), Some("2")], false),
        ("MSETEX 2 e NX f NX EX 5 NX", &[Some("NX"), Some("NX")], true),
        ("MSETEX 1 g NX EX 5", &[Some("NX")], false),
        ("HSETNX h f v", &[None], true),
        ("HSETNX h g v", &[None], true),
        ("HSET h FNX v", &[None], false),
        ("RENAMENX a aa", &[None], false),
    ] {
        let facts = stage.run(0, line);
        let texts: Vec<_> = texts.iter().map(|text| (text.map(str::as_bytes), if_missing)).collect();
        let found: Vec<_> = facts.iter().map(|fact| (fact.text.as_deref(), fact.if_missing)).collect();
        assert_eq!(found, texts, "{line}: {facts:?}");
    }
    let facts = stage.run(0, "HSETEX i FNX PX 5000 FIELDS 1 f v");
    assert!(facts.iter().any(|fact| fact.if_missing && fact.fields[0].kind == FactKind::Created), "{facts:?}");
    assert_eq!(stage.run(0, "SET past v NX PXAT 1"), [], "a deadline in the past");
}

#[test]
fn refusals_have_no_facts() {
    let mut stage = Stage::new();
    stage.run(0, "SET k v PX 5000");
    stage.run(0, "LATCH.ACQUIRE l me TTL 5000");
    for line in [
        "SET k v NX PX 9000",
        "PEXPIRE k 1 NX",
        "GET k",
        "LATCH.ACQUIRE l you TTL 9000",
        "LATCH.RENEW l you TTL 9000",
        "LATCH.RELEASE l you",
        "LPUSH k x",
        "PEXPIRE missing 10",
    ] {
        assert_eq!(stage.run(1, line), [], "{line}");
    }
}

#[test]
fn holds_of_latches_are_stated_from_the_grant_to_their_end() {
    let mut stage = Stage::new();
    let hold = |facts: &[Fact]| {
        let [Fact { fields, .. }] = facts else { panic!("{facts:?}") };
        let [field] = fields.as_slice() else { panic!("{facts:?}") };
        assert_eq!(&*field.name, b"me");
        let hold = field.hold.map(|hold| (hold.mode, hold.permits, hold.limit, hold.end));
        (field.kind, field.sets_deadline, hold)
    };
    let held = |ms| Some((Mode::Permits, 2, Some(3), in_ms(ms)));
    let acquire = "LATCH.ACQUIRE s me TTL 5000 PERMITS 2 LIMIT 3 DELAY 100";
    assert_eq!(hold(&stage.run(0, acquire)), (FactKind::Created, true, held(5_000)));
    assert_eq!(hold(&stage.run(1, acquire)), (FactKind::Changed, true, held(5_000)), "granted again");
    let renewed = Some((Mode::Permits, 2, None, in_ms(9_000)));
    assert_eq!(hold(&stage.run(0, "LATCH.RENEW s me TTL 9000")), (FactKind::Changed, true, renewed));
    assert_eq!(hold(&stage.run(0, "LATCH.RELEASE s me")), (FactKind::Removed, false, None));
    stage.run(0, "LATCH.ACQUIRE l me TTL 5000");
    stage.engine.clock_mut().advance(5_001);
    stage.engine.tick();
    assert_eq!(hold(&stage.engine.facts().take()), (FactKind::Expired, false, None));
    stage.run(0, "LATCH.ACQUIRE l me TTL 5000 SHARED");
    let stolen = stage.run(1, "LATCH.ACQUIRE l you TTL 5000 STEAL");
    assert!(stolen[0].replaces && *stolen[0].fields[0].name == *b"you", "{stolen:?}");
}

#[test]
fn a_change_is_of_the_client_that_sent_the_command_also_if_it_came_late() {
    let mut stage = Stage::new();
    stage.run(0, "BLPOP jobs 0");
    let facts = stage.run(1, "RPUSH jobs a");
    let clients: Vec<_> = facts.iter().map(|fact| (fact.kind, fact.client)).collect();
    let [waiting, pushing] = stage.clients;
    assert_eq!(clients, [(FactKind::Created, Some(pushing)), (FactKind::Removed, Some(waiting))]);
    stage.run(0, "MULTI");
    assert_eq!(stage.run(0, "SET k v EX 10"), []);
    let facts = stage.run(0, "EXEC");
    assert_eq!((facts.len(), facts[0].client, facts[0].deadline), (1, Some(waiting), in_ms(10_000)));
}
