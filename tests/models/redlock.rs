//! Redlock: a lock over three engines, held by the owner of two of them. Safe while clocks drift little and no engine
//! forgets a grant; the checker must find the fault when one does, or when a clock jumps.

use std::sync::Arc;

use crate::explore::{Fault, Scenario, ensure};
use crate::world::{NAMES, Reply, World};

const CLIENTS: usize = 2;
const NODES: usize = 3;
const QUORUM: usize = 2;
const TTL: i64 = 4;
/// Milliseconds by which the clocks of nodes may drift during a lease.
const DRIFT: i64 = 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// Clocks drift as allowed, and a node crashes and replays its log.
    Assumed,
    /// A node forgets its keys, and answers again only after the longest lease.
    ForgetsAndWaits,
    /// A node forgets its keys, and answers at once.
    Forgets,
    /// The clock of a node jumps beyond the lease.
    Jumps,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// The client asks the next node; after the last one it decides.
    Step(usize),
    Release(usize),
    /// All clocks advance by one millisecond.
    Pass,
    /// The clock of a node gains a millisecond.
    Gain(usize),
    Trouble(usize),
}

/// Progress of a client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Progress {
    Idle,
    Asks {
        next: usize,
        granted: usize,
        since: i64,
    },
    /// Validity of the lock, by the client's clock.
    Holds {
        until: i64,
    },
}

#[derive(Clone)]
pub struct Nodes {
    /// Shared between states, since most actions concern one node.
    nodes: Vec<Arc<World>>,
    clients: Vec<Progress>,
    now: i64,
    /// Instant from which on a node answers again.
    answers_at: [i64; NODES],
    is_drift_left: bool,
    is_trouble_left: bool,
    script: Option<Vec<String>>,
}

impl Scenario for Trouble {
    type World = Nodes;
    type Action = Action;
    const RULES: &'static [&'static str] = &["S11"];

    fn start(&self) -> Nodes {
        let nodes = (0..NODES).map(|_| Arc::new(World::new(CLIENTS))).collect();
        let clients = vec![Progress::Idle; CLIENTS];
        Nodes {
            nodes,
            clients,
            now: 0,
            answers_at: [0; NODES],
            is_drift_left: *self == Trouble::Assumed,
            is_trouble_left: true,
            script: None,
        }
    }

    fn actions(&self, world: &Nodes) -> Vec<Action> {
        let mut actions = vec![Action::Pass];
        actions.extend((0..CLIENTS).map(Action::Step));
        let holds = |client: &usize| world.clients[*client] != Progress::Idle;
        actions.extend((0..CLIENTS).filter(holds).map(Action::Release));
        if world.is_drift_left {
            actions.extend((0..NODES).map(Action::Gain));
        }
        if world.is_trouble_left {
            actions.extend((0..NODES).map(Action::Trouble));
        }
        actions
    }

    fn act(&self, world: &mut Nodes, action: Action) -> Result<(), Fault> {
        match action {
            Action::Step(client) => step(world, client),
            Action::Release(client) => {
                release(world, client);
                Ok(())
            }
            Action::Pass => {
                world.note(String::from("@ +1ms"));
                world.now += 1;
                world.nodes.iter_mut().for_each(|node| advance(Arc::make_mut(node), 1));
                Ok(())
            }
            Action::Gain(node) => {
                world.note(format!("# the clock of node {node} gains 1 ms"));
                world.is_drift_left = false;
                advance(Arc::make_mut(&mut world.nodes[node]), DRIFT);
                Ok(())
            }
            Action::Trouble(node) => {
                world.is_trouble_left = false;
                self.happen(world, node);
                Ok(())
            }
        }
    }

    fn key(&self, world: &Nodes) -> Vec<u8> {
        [[0, 1], [1, 0]].iter().map(|labels| labelled(world, labels)).min().unwrap_or_default()
    }

    fn write_down(&self, world: &mut Nodes) {
        world.script = Some(Vec::new());
    }

    fn script(&self, world: &Nodes) -> String {
        world.script.iter().flatten().map(|line| format!("{line}\n")).collect()
    }
}

/// Key of a state with other numbers of the clients, which are interchangeable.
fn labelled(world: &Nodes, labels: &[usize; CLIENTS]) -> Vec<u8> {
    let relative = |instant: i64| (instant - world.now).clamp(-9, 9);
    let clients: Vec<Progress> = labels
        .iter()
        .map(|client| match world.clients[*client] {
            Progress::Asks { next, granted, since } => Progress::Asks { next, granted, since: relative(since) },
            Progress::Holds { until } => Progress::Holds { until: relative(until) },
            Progress::Idle => Progress::Idle,
        })
        .collect();
    let holder = |node: &Arc<World>| {
        let is_first = |owner: &str| owner == NAMES[labels[0]];
        node.holders("lock").first().map(|held| (is_first(&held.owner), held.end_ms - node.now_ms()))
    };
    let nodes: Vec<_> = world.nodes.iter().map(holder).collect();
    let answers = world.answers_at.map(|instant| relative(instant).max(0));
    format!("{clients:?}{nodes:?}{answers:?}{}{}", world.is_drift_left, world.is_trouble_left).into_bytes()
}

impl Trouble {
    fn happen(self, world: &mut Nodes, node: usize) {
        world.note(format!("# trouble at node {node}: {self:?}"));
        match self {
            Trouble::Assumed => Arc::make_mut(&mut world.nodes[node]).crash(),
            Trouble::Jumps => advance(Arc::make_mut(&mut world.nodes[node]), TTL + 1),
            Trouble::Forgets | Trouble::ForgetsAndWaits => {
                let forgetful = Arc::make_mut(&mut world.nodes[node]);
                forgetful.log.clear();
                forgetful.crash();
                if self == Trouble::ForgetsAndWaits {
                    world.answers_at[node] = world.now + TTL + DRIFT + 1;
                }
            }
        }
    }
}

impl Nodes {
    fn note(&mut self, line: String) {
        if let Some(script) = &mut self.script {
            script.push(line);
        }
    }

    fn run(&mut self, node: usize, client: usize, line: &str) -> Reply {
        if self.now < self.answers_at[node] {
            return Reply::Nothing;
        }
        let world = Arc::make_mut(&mut self.nodes[node]);
        let reply = world.run(client, line);
        world.take_effects();
        // A node is a client of the session; its reply is a comment, since each node has keys of its own.
        self.note(format!("# {} to node {node}: {line} -> {reply:?}", NAMES[client]));
        reply
    }
}

fn advance(node: &mut World, ms: i64) {
    node.advance(ms);
    node.take_effects();
}

/// Asks the next node, and decides after the last one. A pause before the first request or after the last reply only
/// shortens the validity.
fn step(world: &mut Nodes, client: usize) -> Result<(), Fault> {
    let (next, granted, since) = match world.clients[client] {
        Progress::Idle => (0, 0, world.now),
        Progress::Asks { next, granted, since } => (next, granted, since),
        Progress::Holds { .. } => return Ok(()),
    };
    let reply = world.run(next, client, &format!("LATCH.ACQUIRE lock {} TTL {TTL}", NAMES[client]));
    let granted = granted + usize::from(reply.integer().is_some());
    if next + 1 < NODES {
        world.clients[client] = Progress::Asks { next: next + 1, granted, since };
        return Ok(());
    }
    let until = since + TTL - DRIFT;
    if granted < QUORUM || until < world.now {
        release(world, client);
        return Ok(());
    }
    world.clients[client] = Progress::Holds { until };
    let is_held = |progress: &&Progress| matches!(progress, Progress::Holds { until } if world.now <= *until);
    let holders = world.clients.iter().filter(is_held).count();
    ensure(holders < 2, "S11", || String::from("the lock is valid for two clients at once"))
}

fn release(world: &mut Nodes, client: usize) {
    for node in 0..NODES {
        world.run(node, client, &format!("LATCH.RELEASE lock {}", NAMES[client]));
    }
    world.clients[client] = Progress::Idle;
}
