//! Rate limits, work that runs once, and barriers: each with clients in every order, and a crash at any time.

use crate::explore::{Fault, Scenario, ensure};
use crate::observation::compare_log;
use crate::world::{NAMES, Reply, World};

const PERIOD: i64 = 4;
const LIMIT: i64 = 2;
const INTERVAL: i64 = PERIOD / LIMIT;

/// Algorithm of a limit, as an option of the command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    Even,
    Fixed,
    Sliding,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Take(i64),
    Pass,
    Crash,
}

#[derive(Clone)]
pub struct Limited {
    world: World,
    /// Instants of the admitted units of the last period.
    admitted: Vec<i64>,
    /// Last instant of the running fixed window.
    window_end: i64,
    in_window: i64,
    /// Instant at which the bucket is full again.
    full_at: i64,
}

impl Scenario for Limit {
    type World = Limited;
    type Action = Use;
    const RULES: &'static [&'static str] = &["S6", "S13"];

    fn start(&self) -> Limited {
        Limited { world: World::new(1), admitted: Vec::new(), window_end: i64::MIN, in_window: 0, full_at: 0 }
    }

    fn actions(&self, _: &Limited) -> Vec<Use> {
        vec![Use::Take(1), Use::Take(2), Use::Pass, Use::Crash]
    }

    fn act(&self, world: &mut Limited, action: Use) -> Result<(), Fault> {
        let before = world.world.engine.clone();
        match action {
            Use::Pass => world.world.advance(1),
            Use::Crash => world.world.crash(),
            Use::Take(cost) => self.take(world, cost)?,
        }
        let now = world.world.now_ms();
        world.admitted.retain(|instant| now - instant <= PERIOD);
        compare_log(before, &mut world.world)
    }

    fn key(&self, world: &Limited) -> Vec<u8> {
        let now = world.world.now_ms();
        let ages: Vec<i64> = world.admitted.iter().map(|instant| now - instant).collect();
        let (window, full) = (world.window_end.saturating_sub(now).max(-1), (world.full_at - now).max(0));
        format!("{ages:?} {window} {full} {}", if window < 0 { 0 } else { world.in_window }).into_bytes()
    }

    fn write_down(&self, world: &mut Limited) {
        world.world.write_down();
    }

    fn script(&self, world: &Limited) -> String {
        world.world.script()
    }
}

impl Limit {
    fn take(self, world: &mut Limited, cost: i64) -> Result<(), Fault> {
        let now = world.world.now_ms();
        let option = match self {
            Limit::Even => "",
            Limit::Fixed => " FIXED",
            Limit::Sliding => " SLIDING",
        };
        let reply = world.world.run(0, &format!("LATCH.LIMIT uses {LIMIT} PERIOD {PERIOD} COST {cost}{option}"));
        let Reply::Array(numbers) = &reply else { return Err(Fault { rule: "S13", text: format!("{reply:?}") }) };
        let is_admitted = numbers[0] == Reply::Integer(1);
        let expected = self.admits(world, now, cost);
        ensure(is_admitted == expected, "S13", || format!("{reply:?}, admitted at {:?}", world.admitted))?;
        if is_admitted {
            world.admitted.extend((0..cost).map(|_| now));
            if now > world.window_end {
                (world.window_end, world.in_window) = (now + PERIOD, 0);
            }
            world.in_window += cost;
            world.full_at = world.full_at.max(now) + cost * INTERVAL;
            let burst = world.admitted.iter().filter(|instant| now - *instant < INTERVAL).count() as i64;
            ensure(burst <= LIMIT + 1, "S13", || format!("{burst} units at once: {:?}", world.admitted))?;
        }
        Ok(())
    }

    /// Whether the limit admits more, by its definition.
    fn admits(self, world: &Limited, now: i64, cost: i64) -> bool {
        match self {
            Limit::Sliding => {
                let used = world.admitted.iter().filter(|instant| now - *instant <= PERIOD).count() as i64;
                used + cost <= LIMIT
            }
            Limit::Fixed => {
                let used = if now > world.window_end { 0 } else { world.in_window };
                used + cost <= LIMIT
            }
            // A bucket of LIMIT units that regains one in each INTERVAL.
            Limit::Even => world.full_at.max(now) + cost * INTERVAL - now <= LIMIT * INTERVAL,
        }
    }
}

/// Work that runs once: two clients want it, and each may vanish or be paused at any point.
#[derive(Clone, Copy, Debug)]
pub struct Once;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    Ask(usize),
    AskAndWait(usize),
    /// Effect and mark in one transaction.
    Finish(usize),
    Vanish(usize),
    /// The clock passes the next deadline.
    Jump,
    Crash,
}

#[derive(Clone)]
pub struct Working {
    world: World,
    /// Tokens of clients that are to do the work.
    tokens: [Option<u64>; 2],
    waits: [bool; 2],
    last_token: u64,
}

impl Scenario for Once {
    type World = Working;
    type Action = Work;
    const RULES: &'static [&'static str] = &["S2", "S6", "S14", "L1", "L3"];

    fn start(&self) -> Working {
        Working { world: World::new(2), tokens: [None; 2], waits: [false; 2], last_token: 0 }
    }

    fn actions(&self, world: &Working) -> Vec<Work> {
        let mut actions = vec![Work::Crash];
        for client in 0..2 {
            actions.push(Work::Vanish(client));
            if !world.waits[client] {
                actions.extend([Work::Ask(client), Work::AskAndWait(client)]);
                actions.extend(world.tokens[client].map(|_| Work::Finish(client)));
            }
        }
        // The result outlasts every lease, so it is kept: one retention is enough.
        let due = world.world.engine.next_deadline();
        actions.extend(due.filter(|_| world.world.string("id").is_none()).map(|_| Work::Jump));
        actions
    }

    fn act(&self, world: &mut Working, action: Work) -> Result<(), Fault> {
        let before = world.world.engine.clone();
        match action {
            Work::Ask(client) => ask(world, client, "")?,
            Work::AskAndWait(client) => ask(world, client, " WAIT 3")?,
            Work::Finish(client) => finish(world, client)?,
            Work::Vanish(client) => {
                world.world.reconnect(client);
                (world.tokens[client], world.waits[client]) = (None, false);
            }
            Work::Jump => {
                let due = world.world.engine.next_deadline().map_or(0, |due| due.as_ms() - world.world.now_ms());
                world.world.advance(due);
            }
            Work::Crash => {
                world.world.crash();
                world.waits = [false; 2];
            }
        }
        for (client, name) in NAMES.iter().enumerate().take(2) {
            let reply = world.world.late(client);
            if reply != Reply::Nothing {
                ensure(world.waits[client], "L1", || format!("{name} receives {reply:?}"))?;
                world.waits[client] = false;
                learn(world, client, &reply)?;
            }
        }
        let is_free = world.world.holders("id").is_empty();
        ensure(!(is_free && world.waits.contains(&true)), "L3", || String::from("a client waits for nothing"))?;
        let effects = world.world.string("effect").map(|(text, _)| text);
        ensure(effects.as_deref().is_none_or(|text| text == "1"), "S14", || format!("applied {effects:?} times"))?;
        let is_done = world.world.string("id").is_some();
        ensure(is_done == effects.is_some(), "S14", || format!("done: {is_done}, applied: {effects:?}"))?;
        compare_log(before, &mut world.world)
    }

    fn key(&self, world: &Working) -> Vec<u8> {
        let now = world.world.now_ms();
        let holders: Vec<_> =
            world.world.holders("id").into_iter().map(|held| (held.owner, held.token, held.end_ms - now)).collect();
        let is_live = |token: u64| holders.iter().any(|(_, held, _)| *held == token);
        let beliefs = world.tokens.map(|token| token.map(is_live));
        let line: Vec<_> =
            world.world.line("id").into_iter().map(|waiter| (waiter.owner, waiter.until_ms - now)).collect();
        let fields: Vec<_> = holders.iter().map(|(owner, _, end)| (owner, end)).collect();
        format!("{fields:?} {beliefs:?} {line:?} {:?} {:?}", world.waits, world.world.string("id").is_some())
            .into_bytes()
    }

    fn write_down(&self, world: &mut Working) {
        world.world.write_down();
    }

    fn script(&self, world: &Working) -> String {
        world.world.script()
    }
}

fn ask(world: &mut Working, client: usize, wait: &str) -> Result<(), Fault> {
    let reply = world.world.run(client, &format!("LATCH.ONCE id {} TTL 2{wait}", NAMES[client]));
    world.waits[client] = reply == Reply::Nothing;
    learn(world, client, &reply)
}

/// Reads a reply of LATCH.ONCE.
fn learn(world: &mut Working, client: usize, reply: &Reply) -> Result<(), Fault> {
    if let Reply::Array(parts) = reply
        && let [Reply::Text(word), Reply::Integer(token)] = &parts[..]
        && word == "run"
    {
        let token = *token as u64;
        let is_known = world.tokens[client] == Some(token);
        let is_own = world.world.holders("id").iter().any(|held| held.owner == NAMES[client] && held.token == token);
        ensure(is_own, "S2", || format!("{} has token {token} without a hold", NAMES[client]))?;
        ensure(is_known || token >= world.last_token, "S2", || format!("{token} after {}", world.last_token))?;
        world.last_token = world.last_token.max(token);
        world.tokens[client] = Some(token);
    }
    Ok(())
}

fn finish(world: &mut Working, client: usize) -> Result<(), Fault> {
    let Some(token) = world.tokens[client].take() else { return Ok(()) };
    let name = NAMES[client];
    let lines = [
        String::from("MULTI"),
        format!("LATCH.CHECK id {name} {token}"),
        String::from("INCR effect"),
        format!("LATCH.DONE id {name} result TTL 1000 TOKEN {token}"),
    ];
    lines.iter().for_each(|line| drop(world.world.run(client, line)));
    let reply = world.world.run(client, "EXEC");
    let ran = matches!(&reply, Reply::Array(parts) if parts.last() == Some(&Reply::Integer(1)));
    // A key with a result is no latch any more.
    ensure(ran || reply.is_error("FENCED") || reply.is_error("WRONGTYPE"), "S14", || format!("{reply:?}"))
}

/// Barrier for two parties, at which three clients arrive.
#[derive(Clone, Copy, Debug)]
pub struct Barrier;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    Arrive(usize),
    Vanish(usize),
    Jump,
    Crash,
}

#[derive(Clone)]
pub struct Arriving {
    world: World,
    waits: [bool; 3],
    arrived: [bool; 3],
    /// Generations that have opened.
    opened: bool,
}

impl Scenario for Barrier {
    type World = Arriving;
    type Action = Arrival;
    const RULES: &'static [&'static str] = &["S6", "S12", "L1", "L3"];

    fn start(&self) -> Arriving {
        Arriving { world: World::new(3), waits: [false; 3], arrived: [false; 3], opened: false }
    }

    fn actions(&self, world: &Arriving) -> Vec<Arrival> {
        let mut actions = vec![Arrival::Crash];
        for client in 0..3 {
            actions.push(if world.waits[client] { Arrival::Vanish(client) } else { Arrival::Arrive(client) });
        }
        actions.extend(world.world.engine.next_deadline().map(|_| Arrival::Jump));
        actions
    }

    fn act(&self, world: &mut Arriving, action: Arrival) -> Result<(), Fault> {
        let before = world.world.engine.clone();
        match action {
            Arrival::Arrive(client) => {
                let reply =
                    world.world.run(client, &format!("LATCH.ARRIVE gate {} PARTIES 2 TTL 4 WAIT 2", NAMES[client]));
                if world.arrived.iter().filter(|arrived| **arrived).count() < 2 {
                    world.arrived[client] = true;
                }
                world.waits[client] = reply == Reply::Nothing;
                let is_open = world.arrived.iter().filter(|arrived| **arrived).count() == 2;
                world.opened = is_open;
                let expected = if is_open { numbers([1, 2, 2]) } else { Reply::Nothing };
                ensure(reply == expected, "S12", || format!("{reply:?} instead of {expected:?}"))?;
            }
            Arrival::Vanish(client) => {
                world.world.reconnect(client);
                world.waits[client] = false;
            }
            Arrival::Jump => {
                let due = world.world.engine.next_deadline().map_or(0, |due| due.as_ms() - world.world.now_ms());
                world.world.advance(due);
            }
            Arrival::Crash => {
                world.world.crash();
                world.waits = [false; 3];
            }
        }
        wake(world)?;
        if world.world.engine.keyspace_ref().database(0).is_empty() {
            (world.arrived, world.opened) = ([false; 3], false);
        }
        compare_log(before, &mut world.world)
    }

    fn key(&self, world: &Arriving) -> Vec<u8> {
        let now = world.world.now_ms();
        let entries = world.world.engine.keyspace_ref().database(0).entries();
        let ends: Vec<_> = entries.map(|entry| entry.deadline.map(|deadline| deadline.as_ms() - now)).collect();
        let untils = world.world.barrier_untils("gate").into_iter().map(|(owner, until)| (owner, until - now));
        format!("{ends:?} {:?} {:?} {:?}", untils.collect::<Vec<_>>(), world.arrived, world.waits).into_bytes()
    }

    fn write_down(&self, world: &mut Arriving) {
        world.world.write_down();
    }

    fn script(&self, world: &Arriving) -> String {
        world.world.script()
    }
}

fn numbers(numbers: [i64; 3]) -> Reply {
    Reply::Array(numbers.map(Reply::Integer).to_vec())
}

/// Waiting clients wake together when the barrier opens, and not before, except at the end of their time.
fn wake(world: &mut Arriving) -> Result<(), Fault> {
    for (client, name) in NAMES.iter().enumerate() {
        let reply = world.world.late(client);
        if reply == Reply::Nothing {
            let is_forgotten = world.waits[client] && world.opened;
            ensure(!is_forgotten, "L3", || format!("{name} waits at an open barrier"))?;
            continue;
        }
        ensure(world.waits[client], "L1", || format!("{name} receives {reply:?}"))?;
        world.waits[client] = false;
        let is_open = reply == numbers([1, 2, 2]);
        ensure(is_open == world.opened, "S12", || format!("{name} receives {reply:?}"))?;
    }
    Ok(())
}
