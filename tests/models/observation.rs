//! Checks after every step: the engine agrees with the specification, and its log with the engine.

use keylatch::{Keylatch, ManualClock};

use crate::explore::{Fault, ensure};
use crate::latch::{DATA, KEY, Latched};
use crate::specification::Mode;
use crate::world::{Field, NAMES, World};

/// Compares holders and line of the engine with the specification.
pub fn compare(world: &Latched) -> Result<(), Fault> {
    let holders = world.world.holders(KEY);
    exclude_each_other(&holders, world)?;
    let mut expected: Vec<Field> = world.latch.holders.iter().map(field).collect();
    expected.sort();
    let without_depth =
        |fields: &[Field]| fields.iter().map(|field| Field { depth: 0, ..field.clone() }).collect::<Vec<_>>();
    let text = || format!("holders are {holders:?} instead of {expected:?}");
    ensure(without_depth(&holders) == without_depth(&expected), "S4", text)?;
    ensure(holders == expected, "S8", text)?;
    compare_line(world)
}

fn field(holder: &crate::specification::Holder) -> Field {
    let (mode, permits) = holder.mode.field();
    let (owner, mode) = (NAMES[holder.owner].to_owned(), mode.to_owned());
    Field { owner, mode, permits, depth: holder.depth, token: holder.token, end_ms: holder.end }
}

fn exclude_each_other(holders: &[Field], world: &Latched) -> Result<(), Fault> {
    let modes: Vec<&str> = holders.iter().map(|holder| &*holder.mode).collect();
    let admitted = modes.len() < 2 || modes.iter().all(|mode| *mode == "s") || modes.iter().all(|mode| *mode == "p");
    ensure(admitted, "S1", || format!("holders at once: {holders:?}"))?;
    let permits: i64 = holders.iter().filter(|holder| holder.mode == "p").map(|holder| holder.permits).sum();
    ensure(permits <= world.latch.limit, "S12", || format!("{permits} permits: {holders:?}"))
}

fn compare_line(world: &Latched) -> Result<(), Fault> {
    let (line, now) = (world.world.line(KEY), world.world.now_ms());
    ensure(line.iter().all(|waiter| waiter.until_ms > now), "L1", || format!("a wait is over: {line:?}"))?;
    let order: Vec<_> = world.latch.order().into_iter().map(|waiter| (NAMES[waiter.owner], waiter.until)).collect();
    let found: Vec<_> = line.iter().map(|waiter| (&*waiter.owner, waiter.until_ms)).collect();
    ensure(found == order, "L2", || format!("the line is {found:?} instead of {order:?}"))?;
    let pairs = line.iter().zip(world.latch.order());
    let upgrades = pairs.filter(|(waiter, _)| waiter.is_upgrade).map(|(_, waiter)| waiter.mode);
    let exclusive = upgrades.filter(|mode| *mode == Mode::Exclusive).count();
    ensure(exclusive < 2, "S9", || format!("upgrades wait for each other: {line:?}"))
}

/// Checks that the effects of a step turn the former keyspace into the present one: then the whole log does.
pub fn compare_log(mut before: Keylatch<ManualClock>, world: &mut World) -> Result<(), Fault> {
    let piece = world.take_effects();
    if !piece.is_empty() {
        before.record(false);
        let replayed = before.replay(&piece);
        ensure(replayed.is_ok(), "S6", || format!("{replayed:?} for {}", piece.escape_ascii()))?;
    }
    let found = (before.digest(), before.keyspace_ref().last_token());
    let expected = (world.engine.digest(), world.engine.keyspace_ref().last_token());
    ensure(found == expected, "S6", || format!("effects miss something: {}", piece.escape_ascii()))
}

/// Key of a state: holders, line and beliefs, with deadlines relative to now and tokens by rank. Clients are
/// interchangeable: the least key of all permutations stands for them.
pub fn key(world: &Latched) -> Vec<u8> {
    permutations(world.peers.len()).iter().map(|labels| labelled(world, labels)).min().unwrap_or_default()
}

fn permutations(count: usize) -> &'static [&'static [u8]] {
    match count {
        1 => &[&[0]],
        2 => &[&[0, 1], &[1, 0]],
        _ => &[&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]],
    }
}

fn labelled(world: &Latched, labels: &[u8]) -> Vec<u8> {
    let inner = &world.world;
    let (holders, line) = (inner.holders(KEY), inner.line(KEY));
    let data: u64 = inner.string(DATA).map_or(0, |(text, _)| text.parse().expect("a token"));
    let beliefs = world.peers.iter().filter_map(|peer| peer.token);
    let mut ranks: Vec<u64> = beliefs.chain(holders.iter().map(|holder| holder.token)).chain([0, data]).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let rank = |token: u64| ranks.partition_point(|other| *other < token) as u8;
    let label = |owner: &str| labels[NAMES.iter().position(|name| *name == owner).expect("an owner")];
    let (now, in_ms) = (inner.now_ms(), |instant: i64| (instant - inner.now_ms()).to_le_bytes()[0]);
    debug_assert!(now > 0);
    let letter = |text: &str| text.as_bytes()[0];
    let mut fields: Vec<[u8; 6]> = holders
        .iter()
        .map(|held| {
            [
                label(&held.owner),
                letter(&held.mode),
                held.permits as u8,
                held.depth as u8,
                rank(held.token),
                in_ms(held.end_ms),
            ]
        })
        .collect();
    fields.sort_unstable();
    let mut peers: Vec<[u8; 4]> = world
        .peers
        .iter()
        .enumerate()
        .map(|(client, peer)| {
            let (mode, permits) = peer.waits.map_or(("-", 0), Mode::field);
            [labels[client], letter(mode), permits as u8, peer.token.map_or(0, rank)]
        })
        .collect();
    peers.sort_unstable();
    let mut key = vec![rank(data), fields.len() as u8];
    key.extend(fields.concat());
    for waiter in &line {
        key.extend([label(&waiter.owner), letter(&waiter.mode), waiter.is_upgrade.into(), in_ms(waiter.until_ms)]);
    }
    key.push(0xff);
    key.extend(peers.concat());
    key
}
