//! Sends the same requests to the engine and to a real redis-server 7.0.15, and compares every reply.
//!
//! `cargo test --test differential` draws [`COMMANDS`] commands; `KEYLATCH_DIFFERENTIAL_COMMANDS` sets another number
//! and `KEYLATCH_DIFFERENTIAL_SEED` the seed, which is printed. Known differences of the older version are in
//! `allowed`.

mod allowed;
mod compare;
#[path = "../support/dice.rs"]
mod dice;
mod generator;
mod loads;
mod pair;
mod parameters;
mod pools;
#[path = "../support/redis.rs"]
mod redis;
mod replies;
// The test of effects uses more of it.
mod engine_harness;
mod harness;
#[allow(dead_code)]
mod scope;
mod sessions;
mod shrink;
mod special;
mod stream_arguments;
// The test of tidiness uses more of it.
#[allow(dead_code)]
#[path = "../support/tree.rs"]
mod tree;

use std::time::{SystemTime, UNIX_EPOCH};

use allowed::Tally;
use generator::{CLIENTS, Generator, Unit, inventory};
use pair::{Difference, Pair};
use redis::{Folder, Server};
use scope::Scope;

/// Default number of drawn commands.
const COMMANDS: u64 = 200_000;
/// Number of requests after which both sides are reset: differences show within few.
const ROUND: usize = 1_500;
/// One in this many requests of a row must succeed.
const LEGAL_SHARE: u64 = 10;
/// Minimum number of parameters to compare.
const PARAMETERS_MIN: usize = 60;
/// Maximum number of different sequences that are printed before the test stops.
const DIFFERENCES_MAX: usize = 5;

fn start(name: &str) -> Server {
    start_in(Folder::new(name), false)
}

/// With `append_only` the server loads the log in its folder, else the snapshot, if there is one.
fn start_in(folder: Folder, append_only: bool) -> Server {
    let program = redis::program().expect(
        "no redis-server on the path nor in REDIS_SERVER: install the package redis-server (Debian's name), \
         or leave this suite out with `cargo xtask test --without redis`",
    );
    Server::start(&program, folder, &["--appendonly", if append_only { "yes" } else { "no" }])
}

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text}")))
}

/// Seed of automatic runs. Their output is hidden unless they fail.
const CI_SEED: u64 = 102;

#[test]
fn random_commands_are_answered_alike() {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970").as_nanos() as u64;
    // Consecutive changes are tested with the same commands; manual runs draw others each time.
    let drawn = if std::env::var_os("CI").is_some() { CI_SEED } else { clock % 1_000_000_000 };
    let seed = setting("KEYLATCH_DIFFERENTIAL_SEED").unwrap_or(drawn);
    let commands = setting("KEYLATCH_DIFFERENTIAL_COMMANDS").unwrap_or(COMMANDS);
    println!("KEYLATCH_DIFFERENTIAL_SEED={seed} KEYLATCH_DIFFERENTIAL_COMMANDS={commands}");
    let mut server = start("differential");
    let scope = Scope::ask(&mut server);
    let allowed = Tally::new();
    let (mut stories, mut kinds) = (Vec::new(), Vec::new());
    let (mut done, mut round) = (0, 0);
    while done < commands && stories.len() < DIFFERENCES_MAX {
        let (units, difference) = play(&scope, seed.wrapping_add(round << 32), &mut server, &allowed);
        done += units.iter().map(Vec::len).sum::<usize>() as u64;
        round += 1;
        if let Some(found) = difference {
            let kind = found.kind();
            if kinds.contains(&kind) {
                continue;
            }
            kinds.push(kind);
            let story = match shrink::shortest(units, &mut server, &allowed) {
                Some((units, difference)) => shrink::story(&units, &difference),
                None => format!("not found again:\n{}", shrink::story(&[], &found)),
            };
            stories.push(story);
        }
    }
    println!("{done} commands of {} rows in {round} rounds: {}", scope.choices.len(), allowed.report());
    assert!(stories.is_empty(), "seed {seed}, {done} commands\n\n{}", stories.join("\n\n"));
    let share = |choice: &scope::Choice| commands * choice.weight / scope.total_weight() / LEGAL_SHARE;
    let seldom = allowed.seldom_legal(scope.choices.iter().map(|choice| (choice.row.name, share(choice))));
    assert!(seldom.is_empty(), "seldom legal: say in `special` how their requests are made\n{}", seldom.join("\n"));
}

#[test]
fn session_files_are_answered_alike() {
    let mut server = start("sessions");
    let scope = Scope::ask(&mut server);
    let allowed = Tally::new();
    let outcome = sessions::replay_all(&scope, &mut server, &allowed);
    println!("{} of {} commands in session files: {}", outcome.replayed, outcome.commands, allowed.report());
    let differences = outcome.differences;
    assert!(differences.is_empty(), "{} files differ\n\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn parameters_take_the_same_values() {
    let mut server = start("parameters");
    let (differences, compared) = parameters::compare(&mut server);
    assert!(compared >= PARAMETERS_MIN, "only {compared} parameters are known to both");
    assert!(differences.is_empty(), "{} requests differ\n\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn logs_and_snapshots_load_in_a_server() {
    let scope = Scope::ask(&mut start("loads"));
    for seed in 0..loads::SEEDS {
        loads::compare(&scope, seed);
    }
}

/// Runs one round from a seed; returns its requests and the differences.
fn play(scope: &Scope, seed: u64, server: &mut Server, allowed: &Tally) -> (Vec<Unit>, Option<Difference>) {
    let mut pair = Pair::new(&CLIENTS, server, allowed);
    let mut generator = Generator::new(scope, seed);
    let (mut units, mut requests) = (Vec::new(), 0);
    let difference = loop {
        let unit = generator.unit(&pair);
        requests += unit.len();
        units.push(unit.clone());
        if let Err(difference) = unit.iter().try_for_each(|request| pair.perform(request)) {
            break Some(difference);
        }
        if requests >= ROUND {
            break None;
        }
    };
    let difference = difference.or_else(|| {
        let rest = inventory(&pair);
        units.extend(rest.clone());
        let performed = rest.iter().flatten().try_for_each(|request| pair.perform(request));
        performed.and_then(|()| pair.flush()).err()
    });
    (units, difference)
}
