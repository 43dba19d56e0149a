//! One latch and clients that do everything with it, in every order, without end: acquire in several modes, wait, renew,
//! upgrade, release, cancel, vanish, come again, check the token at a resource. The engine may crash at any time.

use crate::explore::{Fault, Scenario, ensure};
use crate::observation::{self, compare, compare_log};
use crate::specification::{Latch, Mode, Outcome};
use crate::world::{NAMES, Reply, World};

pub const KEY: &str = "door";
/// Key that guarded transactions write.
pub const DATA: &str = "data";

/// Bounds of a scenario.
#[derive(Clone, Copy)]
pub struct Latches {
    pub clients: usize,
    pub modes: &'static [Mode],
    /// Limit of permits.
    pub limit: i64,
    pub ttl: i64,
    pub wait: i64,
    /// Time after a lease in which nothing is granted.
    pub delay: i64,
    /// Moves beside acquisition and release.
    pub moves: &'static [Move],
    pub crashes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    Acquire(Mode),
    AcquireAndWait(Mode),
    Steal,
    Release,
    Renew,
    /// RENEW with SHARED: a writer becomes a reader.
    Downgrade,
    /// Acquires again with a second depth.
    Deepen,
    /// Releases one of two depths.
    Rise,
    /// A transaction that writes only with a live token.
    Guard,
    Cancel,
    CancelWithError,
    /// The connection ends, and the client forgets everything but its name.
    Vanish,
    /// A waiting request is sent again over another connection.
    Resend,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Client(usize, Move),
    /// The clock reaches the next instant at which anything can change.
    Jump,
    Crash,
}

/// A client's own view.
#[derive(Clone, Default)]
pub struct Peer {
    /// Mode of the request that waits.
    pub waits: Option<Mode>,
    /// Token of the last grant, until the client releases it or learns of its loss.
    pub token: Option<u64>,
}

#[derive(Clone)]
pub struct Latched {
    pub world: World,
    pub peers: Vec<Peer>,
    pub latch: Latch,
    /// Largest token that a guarded transaction has written.
    pub written: u64,
}

impl Scenario for Latches {
    type World = Latched;
    type Action = Action;
    const RULES: &'static [&'static str] =
        &["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S12", "L1", "L2", "L3", "L4"];

    fn start(&self) -> Latched {
        let peers = vec![Peer::default(); self.clients];
        let world = World::new(self.clients);
        let latch = Latch { limit: self.limit, delay: self.delay, now: world.now_ms(), ..Latch::default() };
        Latched { world, peers, latch, written: 0 }
    }

    fn actions(&self, world: &Latched) -> Vec<Action> {
        let mut actions = Vec::new();
        for (client, peer) in world.peers.iter().enumerate() {
            actions.extend(self.moves_of(peer).into_iter().map(|step| Action::Client(client, step)));
        }
        if next_instant(world).is_some() {
            actions.push(Action::Jump);
        }
        if self.crashes {
            actions.push(Action::Crash);
        }
        actions
    }

    fn act(&self, world: &mut Latched, action: Action) -> Result<(), Fault> {
        let before = world.world.engine.clone();
        let late = match action {
            Action::Client(client, step) => self.client_moves(world, client, step)?,
            Action::Jump => {
                let now = next_instant(world).unwrap_or(world.world.now_ms());
                world.world.advance(now - world.world.now_ms());
                let (granted, refused) = world.latch.tick(now);
                Late { granted, refused, rule: "L3", ..Late::default() }
            }
            Action::Crash => {
                world.world.crash();
                world.latch.line.clear();
                world.peers.iter_mut().for_each(|peer| peer.waits = None);
                Late::default()
            }
        };
        receive(world, late)?;
        compare_log(before, &mut world.world)?;
        compare(world)
    }

    fn key(&self, world: &Latched) -> Vec<u8> {
        observation::key(world)
    }

    fn write_down(&self, world: &mut Latched) {
        world.world.write_down();
    }

    fn script(&self, world: &Latched) -> String {
        world.world.script()
    }
}

/// Replies that clients must receive late.
#[derive(Default)]
struct Late {
    granted: Vec<usize>,
    refused: Vec<usize>,
    /// Client that receives an error.
    unblocked: Option<usize>,
    /// Rule that a missing grant violates.
    rule: &'static str,
}

/// First instant after now that is the last of a lease or wait, or the one after it.
fn next_instant(world: &Latched) -> Option<i64> {
    let now = world.world.now_ms();
    let ends = world.latch.holders.iter().flat_map(|holder| [holder.end, holder.end + world.latch.delay]);
    let untils = world.latch.line.iter().map(|waiter| waiter.until);
    ends.chain(untils).flat_map(|instant| [instant, instant + 1]).filter(|instant| *instant > now).min()
}

impl Latches {
    /// Moves that a client can make.
    fn moves_of(&self, peer: &Peer) -> Vec<Move> {
        let mut moves = Vec::new();
        if peer.waits.is_none() {
            moves.extend(self.modes.iter().flat_map(|mode| [Move::Acquire(*mode), Move::AcquireAndWait(*mode)]));
            moves.push(Move::Release);
        }
        moves.extend(self.moves.iter().filter(|step| match step {
            Move::Cancel | Move::CancelWithError | Move::Resend => peer.waits.is_some(),
            Move::Vanish => true,
            Move::Guard => peer.waits.is_none() && peer.token.is_some(),
            _ => peer.waits.is_none(),
        }));
        moves
    }

    fn client_moves(&self, world: &mut Latched, client: usize, step: Move) -> Result<Late, Fault> {
        match step {
            Move::Acquire(mode) => self.acquire(world, client, mode, 0),
            Move::AcquireAndWait(mode) => self.acquire(world, client, mode, self.wait),
            Move::Steal => self.steal(world, client),
            Move::Release => release(world, client),
            Move::Renew => self.renew(world, client, false),
            Move::Downgrade => self.renew(world, client, true),
            Move::Deepen => self.deepen(world, client),
            Move::Rise => rise(world, client),
            Move::Guard => guard(world, client),
            Move::Cancel | Move::CancelWithError => Ok(cancel(world, client, step == Move::CancelWithError)),
            Move::Vanish => Ok(vanish(world, client)),
            Move::Resend => self.resend(world, client),
        }
    }

    fn request(&self, client: usize, mode: Mode, wait: i64) -> String {
        let mut line = format!("LATCH.ACQUIRE {KEY} {} TTL {}", NAMES[client], self.ttl);
        match mode {
            Mode::Exclusive => {}
            Mode::Shared => line += " SHARED",
            Mode::Permits(permits) => line += &format!(" PERMITS {permits} LIMIT {}", self.limit),
        }
        if wait > 0 {
            line += &format!(" WAIT {wait}");
        }
        if self.delay > 0 {
            line += &format!(" DELAY {}", self.delay);
        }
        line
    }

    fn acquire(&self, world: &mut Latched, client: usize, mode: Mode, wait: i64) -> Result<Late, Fault> {
        let is_line = !world.latch.line.is_empty();
        let outcome = world.latch.acquire(client, mode, (self.ttl, wait));
        let reply = world.world.run(client, &self.request(client, mode, wait));
        check_reply(world, client, outcome, &reply, is_line)?;
        world.peers[client].waits = (outcome == Outcome::Waits).then_some(mode);
        // Fewer permits may let the next one in.
        let granted = world.latch.serve();
        Ok(Late { granted, rule: "L4", ..Late::default() })
    }

    fn steal(&self, world: &mut Latched, client: usize) -> Result<Late, Fault> {
        let (line, others) = (std::mem::take(&mut world.latch.line), world.latch.holders.len());
        let is_alone = others == 1 && world.latch.live(client).is_some();
        if !is_alone {
            world.latch.holders.clear();
        }
        let outcome = world.latch.acquire(client, Mode::Exclusive, (self.ttl, 0));
        world.latch.line = line;
        let reply = world.world.run(client, &(self.request(client, Mode::Exclusive, 0) + " STEAL"));
        check_reply(world, client, outcome, &reply, false)?;
        Ok(Late { granted: world.latch.serve(), rule: "L4", ..Late::default() })
    }

    fn renew(&self, world: &mut Latched, client: usize, shared: bool) -> Result<Late, Fault> {
        let now = world.world.now_ms();
        let expected = world.latch.live_mut(client).map_or(0, |holder| {
            holder.end = holder.end.max(now + self.ttl);
            if shared && holder.mode == Mode::Exclusive {
                holder.mode = Mode::Shared;
            }
            holder.end - now
        });
        let shared = if shared { " SHARED" } else { "" };
        let reply = world.world.run(client, &format!("LATCH.RENEW {KEY} {} TTL {}{shared}", NAMES[client], self.ttl));
        ensure(reply == Reply::Integer(expected), "S7", || format!("RENEW: {reply:?} instead of {expected}"))?;
        if expected == 0 {
            world.peers[client].token = None;
        }
        Ok(Late { granted: world.latch.serve(), rule: "L4", ..Late::default() })
    }

    fn deepen(&self, world: &mut Latched, client: usize) -> Result<Late, Fault> {
        let Some(mode) = world.latch.live(client).map(|holder| holder.mode) else { return Ok(Late::default()) };
        let outcome = world.latch.acquire(client, mode, (self.ttl, 0));
        if let Some(holder) = world.latch.live_mut(client) {
            holder.depth = 2;
        }
        let reply = world.world.run(client, &(self.request(client, mode, 0) + " DEPTH 2"));
        check_reply(world, client, outcome, &reply, false)?;
        Ok(Late::default())
    }

    fn resend(&self, world: &mut Latched, client: usize) -> Result<Late, Fault> {
        let Some(mode) = world.peers[client].waits else { return Ok(Late::default()) };
        let old = world.world.open_another(client);
        let late = self.acquire(world, client, mode, self.wait)?;
        let replies = Reply::all(&world.world.engine.take_outbox(old));
        ensure(replies == [Reply::Null], "L1", || format!("the request before has the replies {replies:?}"))?;
        world.world.close(old);
        Ok(late)
    }
}

/// Compares the reply to an acquisition, and records its token.
fn check_reply(
    world: &mut Latched,
    client: usize,
    outcome: Outcome,
    reply: &Reply,
    is_line: bool,
) -> Result<(), Fault> {
    let text = || format!("{} has the reply {reply:?} instead of {outcome:?}", NAMES[client]);
    match (outcome, reply) {
        (Outcome::Held(token), Reply::Integer(number)) => {
            ensure(*number as u64 == token, "S5", text)?;
            world.peers[client].token = Some(token);
            Ok(())
        }
        (Outcome::Granted, Reply::Integer(number)) => new_token(world, client, *number as u64),
        (Outcome::Refused, Reply::Null) | (Outcome::Waits, Reply::Nothing) => Ok(()),
        (Outcome::Deadlock, reply) => ensure(reply.is_error("DEADLOCK"), "S9", text),
        (Outcome::Refused | Outcome::Waits, Reply::Integer(_)) => {
            ensure(false, if is_line { "L2" } else { "S1" }, text)
        }
        (Outcome::Held(_) | Outcome::Granted, _) => ensure(false, "L3", text),
        _ => ensure(false, "S9", text),
    }
}

/// Records the token of a new grant.
fn new_token(world: &mut Latched, client: usize, token: u64) -> Result<(), Fault> {
    let last = world.latch.last_token;
    ensure(token > last, "S2", || format!("token {token} after {last}"))?;
    world.latch.last_token = token;
    world.peers[client].token = Some(token);
    if let Some(holder) = world.latch.live_mut(client) {
        holder.token = token;
    }
    Ok(())
}

fn release(world: &mut Latched, client: usize) -> Result<Late, Fault> {
    let expected = i64::from(world.latch.holder(client).is_some());
    world.latch.holders.retain(|holder| holder.owner != client);
    let reply = world.world.run(client, &format!("LATCH.RELEASE {KEY} {}", NAMES[client]));
    ensure(reply == Reply::Integer(expected), "S4", || format!("RELEASE: {reply:?} instead of {expected}"))?;
    world.peers[client].token = None;
    Ok(Late { granted: world.latch.serve(), rule: "L4", ..Late::default() })
}

fn rise(world: &mut Latched, client: usize) -> Result<Late, Fault> {
    let expected = world.latch.live_mut(client).map_or(0, |holder| {
        holder.depth = 1;
        1
    });
    let reply = world.world.run(client, &format!("LATCH.RELEASE {KEY} {} DEPTH 1", NAMES[client]));
    ensure(reply == Reply::Integer(expected), "S8", || format!("RELEASE DEPTH: {reply:?} instead of {expected}"))?;
    Ok(Late::default())
}

/// Runs a transaction with the token that the client believes in. A paused client does so long after its lease.
fn guard(world: &mut Latched, client: usize) -> Result<Late, Fault> {
    let Some(token) = world.peers[client].token else { return Ok(Late::default()) };
    let holder = world.latch.live(client).filter(|holder| holder.token == token);
    let (is_live, is_writer) = (holder.is_some(), holder.is_some_and(|holder| holder.mode == Mode::Exclusive));
    let inner = &mut world.world;
    inner.run(client, "MULTI");
    inner.run(client, &format!("LATCH.CHECK {KEY} {} {token}", NAMES[client]));
    inner.run(client, &format!("SET {DATA} {token}"));
    let reply = inner.run(client, "EXEC");
    let ran = matches!(&reply, Reply::Array(replies) if replies.len() == 2);
    ensure(ran || reply.is_error("FENCED"), "S3", || format!("a guarded transaction has the reply {reply:?}"))?;
    ensure(ran == is_live, "S3", || format!("guarded by {token}: {reply:?}"))?;
    // Readers share the resource; the writes of writers are in the order of their tokens.
    if is_writer {
        ensure(token >= world.written, "S3", || format!("{token} is written over {}", world.written))?;
        world.written = token;
    }
    Ok(Late::default())
}

fn cancel(world: &mut Latched, client: usize, with_error: bool) -> Late {
    let how = if with_error { "ERROR" } else { "TIMEOUT" };
    let id = world.world.id(client);
    world.world.manage(&format!("CLIENT UNBLOCK {id} {how}"));
    world.latch.leave(client);
    let granted = world.latch.serve();
    let (refused, unblocked) = if with_error { (vec![], Some(client)) } else { (vec![client], None) };
    Late { granted, refused, unblocked, rule: "L3" }
}

fn vanish(world: &mut Latched, client: usize) -> Late {
    world.world.reconnect(client);
    world.latch.leave(client);
    world.peers[client] = Peer::default();
    Late { granted: world.latch.serve(), rule: "L3", ..Late::default() }
}

/// Takes the replies of waiting clients and compares them. Tokens increase in the order of the grants.
fn receive(world: &mut Latched, late: Late) -> Result<(), Fault> {
    for &client in &late.granted {
        let reply = world.world.late(client);
        let text = || format!("{} waits although it is its turn: {reply:?}", NAMES[client]);
        let token = reply.integer().map(|token| token as u64);
        ensure(token.is_some(), late.rule, text)?;
        world.peers[client].waits = None;
        new_token(world, client, token.unwrap_or(0))?;
    }
    for (client, name) in NAMES.iter().enumerate().take(world.peers.len()) {
        let reply = world.world.late(client);
        let expected = match () {
            () if late.unblocked == Some(client) => {
                Reply::Error("UNBLOCKED client unblocked via CLIENT UNBLOCK".into())
            }
            () if late.refused.contains(&client) => Reply::Null,
            () => Reply::Nothing,
        };
        let rule = if reply.integer().is_some() { "L2" } else { "L1" };
        ensure(reply == expected, rule, || format!("{name} receives {reply:?}, not {expected:?}"))?;
        if reply != Reply::Nothing {
            world.peers[client].waits = None;
        }
    }
    Ok(())
}
