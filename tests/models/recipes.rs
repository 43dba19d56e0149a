//! Locks that people build from plain commands: recipes known to be unsafe, each beside a safe one. The checker must
//! find the fault of the former and none in the latter.

use crate::explore::{Fault, Scenario, ensure};
use crate::world::{NAMES, Reply, World};

const CLIENTS: usize = 2;
/// Duration of a lock in milliseconds.
const TTL: i64 = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recipe {
    /// SET NX PX, then DEL.
    DeleteWithoutComparison,
    /// SET NX PX, then DELEX IFEQ.
    DeleteIfEqual,
    /// SETNX, then PEXPIRE.
    ExpireAfterSetnx,
    /// SET NX PX in one command.
    SetWithExpiry,
    /// SET NX PX, then a write to a resource that checks nothing.
    WriteWithoutToken,
    /// LATCH.ACQUIRE, then a write that checks the token.
    WriteWithToken,
    /// GET, then SET if there was no lock.
    CheckThenSet,
    /// SETNX with the end of the lock as its value, and GETSET of one that has ended by the client's clock.
    GetSet {
        /// Milliseconds by which the clock of the second client is ahead.
        ahead: i64,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// The client sends its next command.
    Step(usize),
    /// The process of the client ends.
    Die(usize),
    /// The clock passes the next deadline.
    Jump,
}

/// Progress of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    Start,
    /// The lock was looked at; the end of one that another owner set, if there is one.
    Looked(Option<i64>),
    /// The lock was taken, and is to be given a deadline.
    Taken,
    Holds {
        /// Number of this grant among all.
        grant: u8,
        /// Last instant at which the client may believe that it holds the lock.
        until: i64,
        token: i64,
        has_written: bool,
    },
    Done,
    Dead,
}

#[derive(Clone)]
pub struct Plain {
    world: World,
    clients: Vec<Progress>,
    grants: u8,
    /// Number of the grant that wrote to the resource last.
    written: u8,
}

impl Scenario for Recipe {
    type World = Plain;
    type Action = Action;
    const RULES: &'static [&'static str] = &["S1", "S3", "S4", "L1"];

    fn start(&self) -> Plain {
        Plain { world: World::new(CLIENTS), clients: vec![Progress::Start; CLIENTS], grants: 0, written: 0 }
    }

    fn actions(&self, world: &Plain) -> Vec<Action> {
        let is_alive = |client: &usize| !matches!(world.clients[*client], Progress::Done | Progress::Dead);
        let alive: Vec<usize> = (0..CLIENTS).filter(is_alive).collect();
        let mut actions: Vec<Action> = alive.iter().map(|client| Action::Step(*client)).collect();
        actions.extend(alive.into_iter().map(Action::Die));
        if next_instant(world).is_some() {
            actions.push(Action::Jump);
        }
        actions
    }

    fn act(&self, world: &mut Plain, action: Action) -> Result<(), Fault> {
        match action {
            Action::Step(client) => self.step(world, client)?,
            Action::Die(client) => {
                world.clients[client] = Progress::Dead;
                world.world.note(&format!("# {} ends here", NAMES[client]));
            }
            Action::Jump => {
                let now = world.world.now_ms();
                world.world.advance(next_instant(world).map_or(0, |instant| instant - now));
            }
        }
        self.ends_some_day(world)
    }

    fn key(&self, world: &Plain) -> Vec<u8> {
        let now = world.world.now_ms();
        let relative = |instant: i64| (instant - now).clamp(-99, 99);
        let progress = |client: &Progress| match *client {
            Progress::Looked(end) => Progress::Looked(end.map(relative)),
            Progress::Holds { grant, until, has_written, .. } => {
                Progress::Holds { grant, until: relative(until), token: 0, has_written }
            }
            other => other,
        };
        let clients: Vec<Progress> = world.clients.iter().map(progress).collect();
        let lock = world.world.string("lock").map(|(value, deadline)| {
            let value = value.parse().map_or(value, |end: i64| relative(end).to_string());
            (value, deadline.map(relative))
        });
        let holders: Vec<_> =
            world.world.holders("lock").into_iter().map(|held| (held.owner, relative(held.end_ms))).collect();
        format!("{lock:?} {holders:?} {clients:?} {} {}", world.grants, world.written).into_bytes()
    }

    fn write_down(&self, world: &mut Plain) {
        world.world.write_down();
    }

    fn script(&self, world: &Plain) -> String {
        world.world.script()
    }
}

/// Instant after the first deadline of the lock, or after the first end that a client believes in.
fn next_instant(world: &Plain) -> Option<i64> {
    let now = world.world.now_ms();
    let lock = world.world.string("lock").and_then(|(_, deadline)| deadline);
    let holders = world.world.holders("lock").into_iter().map(|held| held.end_ms);
    let beliefs = world.clients.iter().filter_map(|client| match client {
        Progress::Holds { until, .. } => Some(*until),
        _ => None,
    });
    lock.into_iter().chain(holders).chain(beliefs).map(|end| end + 1).filter(|instant| *instant > now).min()
}

impl Recipe {
    fn step(self, world: &mut Plain, client: usize) -> Result<(), Fault> {
        match world.clients[client] {
            Progress::Start => self.begin(world, client),
            Progress::Looked(end) => self.go_on(world, client, end),
            Progress::Taken => {
                world.world.run(client, &format!("PEXPIRE lock {TTL}"));
                hold(world, client, 0);
                Ok(())
            }
            Progress::Holds { grant, token, has_written: false, .. } if self.writes() => {
                write(world, client, grant, token, self == Recipe::WriteWithToken)
            }
            Progress::Holds { .. } => self.unlock(world, client),
            Progress::Done | Progress::Dead => Ok(()),
        }
    }

    fn writes(self) -> bool {
        matches!(self, Recipe::WriteWithoutToken | Recipe::WriteWithToken)
    }

    /// First command of a client without the lock.
    fn begin(self, world: &mut Plain, client: usize) -> Result<(), Fault> {
        let (name, now) = (NAMES[client], world.world.now_ms());
        match self {
            Recipe::CheckThenSet => {
                if world.world.run(client, "GET lock") == Reply::Null {
                    world.clients[client] = Progress::Looked(None);
                }
            }
            Recipe::ExpireAfterSetnx => {
                if world.world.run(client, &format!("SETNX lock {name}")) == Reply::Integer(1) {
                    world.clients[client] = Progress::Taken;
                }
            }
            Recipe::GetSet { .. } => {
                let (clock, end) = (self.clock(now, client), self.clock(now, client) + TTL);
                if world.world.run(client, &format!("SETNX lock {end}")) == Reply::Integer(1) {
                    return take(world, client, 0);
                }
                if let Reply::Text(value) = world.world.run(client, "GET lock") {
                    let end = value.parse().expect("an instant");
                    if end < clock {
                        world.clients[client] = Progress::Looked(Some(end));
                    }
                }
            }
            Recipe::WriteWithToken => {
                let reply = world.world.run(client, &format!("LATCH.ACQUIRE lock {name} TTL {TTL}"));
                if let Reply::Integer(token) = reply {
                    return take(world, client, token);
                }
            }
            _ => {
                let reply = world.world.run(client, &format!("SET lock {name} NX PX {TTL}"));
                if reply == Reply::Text("OK".into()) {
                    return take(world, client, 0);
                }
            }
        }
        Ok(())
    }

    /// Instant by the clock of a client.
    fn clock(self, now: i64, client: usize) -> i64 {
        match self {
            Recipe::GetSet { ahead } => now + if client == 1 { ahead } else { 0 },
            _ => now,
        }
    }

    /// Second command of a client that looked first.
    fn go_on(self, world: &mut Plain, client: usize, end: Option<i64>) -> Result<(), Fault> {
        let (name, now) = (NAMES[client], world.world.now_ms());
        let Some(_) = end else {
            world.world.run(client, &format!("SET lock {name} PX {TTL}"));
            return take(world, client, 0);
        };
        let clock = self.clock(now, client);
        let reply = world.world.run(client, &format!("GETSET lock {}", clock + TTL));
        let Reply::Text(value) = reply else { return take(world, client, 0) };
        if value.parse::<i64>().expect("an instant") < clock {
            return take(world, client, 0);
        }
        world.clients[client] = Progress::Start;
        Ok(())
    }

    fn unlock(self, world: &mut Plain, client: usize) -> Result<(), Fault> {
        let (name, now) = (NAMES[client], world.world.now_ms());
        let progress = std::mem::replace(&mut world.clients[client], Progress::Done);
        match self {
            Recipe::DeleteWithoutComparison => {
                let owner = world.world.string("lock").map(|(owner, _)| owner);
                world.world.run(client, "DEL lock");
                let is_own = owner.is_none_or(|owner| owner == name);
                ensure(is_own, "S4", || format!("{name} deleted the lock of another owner"))
            }
            Recipe::GetSet { .. } => {
                // The client deletes the lock only while its own time lasts.
                if matches!(progress, Progress::Holds { until, .. } if now <= until) {
                    world.world.run(client, "DEL lock");
                }
                Ok(())
            }
            Recipe::WriteWithToken => {
                world.world.run(client, &format!("LATCH.RELEASE lock {name}"));
                Ok(())
            }
            _ => {
                let before = world.world.string("lock").map(|(owner, _)| owner);
                world.world.run(client, &format!("DELEX lock IFEQ {name}"));
                let is_gone = world.world.string("lock").is_none();
                let is_own = before.is_none_or(|owner| owner == name) || !is_gone;
                ensure(is_own, "S4", || format!("{name} deleted the lock of another owner"))
            }
        }
    }

    /// Checks that a lock without deadline has an owner that can still delete it. A value that is an instant ends by itself.
    fn ends_some_day(self, world: &Plain) -> Result<(), Fault> {
        let Some((owner, None)) = world.world.string("lock") else { return Ok(()) };
        let is_dead = NAMES
            .iter()
            .position(|name| *name == owner)
            .is_some_and(|client| matches!(world.clients[client], Progress::Dead | Progress::Done));
        ensure(!is_dead, "L1", || format!("the lock of {owner} is never deleted: all others wait for ever"))
    }
}

fn hold(world: &mut Plain, client: usize, token: i64) {
    world.grants += 1;
    let until = world.world.now_ms() + TTL;
    world.clients[client] = Progress::Holds { grant: world.grants, until, token, has_written: false };
}

/// Records a grant, which must not be made while another client holds the lock.
fn take(world: &mut Plain, client: usize, token: i64) -> Result<(), Fault> {
    let now = world.world.now_ms();
    let others = world.clients.iter().enumerate().filter(|(other, _)| *other != client);
    let holds = |progress: &Progress| matches!(progress, Progress::Holds { until, .. } if now <= *until);
    let other = others.filter(|(_, progress)| holds(progress)).map(|(other, _)| NAMES[other]).next();
    hold(world, client, token);
    ensure(other.is_none(), "S1", || format!("{} and {} hold the lock at once", NAMES[client], other.unwrap_or("")))
}

/// Write to the resource. A client that was paused does so long after its time.
fn write(world: &mut Plain, client: usize, grant: u8, token: i64, is_guarded: bool) -> Result<(), Fault> {
    let name = NAMES[client];
    let mut is_written = true;
    if is_guarded {
        world.world.run(client, "MULTI");
        world.world.run(client, &format!("LATCH.CHECK lock {name} {token}"));
        world.world.run(client, &format!("SET data {name}"));
        is_written = matches!(world.world.run(client, "EXEC"), Reply::Array(_));
    } else {
        world.world.run(client, &format!("SET data {name}"));
    }
    if let Progress::Holds { has_written, .. } = &mut world.clients[client] {
        *has_written = true;
    }
    if !is_written {
        return Ok(());
    }
    let written = std::mem::replace(&mut world.written, grant);
    ensure(written <= grant, "S3", || format!("the late write of {name} replaced that of a later owner"))
}
