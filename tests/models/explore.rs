//! Exploration of a scenario: every order of its actions, breadth first, by the model checker stateright.
//!
//! A state is a path of actions with the key of the state to which it leads: a fork of the engine for each state would
//! take a hundred times the memory. The engine is built again by running the path. Equal keys are explored once.

use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use stateright::{Checker, HasDiscoveries, Model, Property};

/// Time after which an exploration is cut off, and fails.
const TIME_MAX: Duration = Duration::from_secs(900);

/// Violation of a rule, with an explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub rule: &'static str,
    pub text: String,
}

/// Fails with a fault unless a condition holds.
pub fn ensure(holds: bool, rule: &'static str, text: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault { rule, text: text() }) }
}

/// Clients and resources around real engines, with the rules that must hold.
pub trait Scenario: Send + Sync + 'static {
    type World: Clone + Send;
    type Action: Copy + Debug + PartialEq + Send + Sync;
    /// Rules that a step can violate.
    const RULES: &'static [&'static str];

    fn start(&self) -> Self::World;
    fn actions(&self, world: &Self::World) -> Vec<Self::Action>;
    fn act(&self, world: &mut Self::World, action: Self::Action) -> Result<(), Fault>;
    /// Everything on which the future depends, without absolute instants and tokens.
    fn key(&self, world: &Self::World) -> Vec<u8>;
    /// Begins to write steps down as a session.
    fn write_down(&self, world: &mut Self::World);
    fn script(&self, world: &Self::World) -> String;
}

/// Path of actions, shared between the states that it leads to.
#[derive(Debug)]
struct Node<A> {
    action: A,
    before: Option<Arc<Node<A>>>,
}

#[derive(Clone, Debug)]
pub struct State<A> {
    path: Option<Arc<Node<A>>>,
    key: u128,
    fault: Option<Fault>,
}

impl<A> State<A> {
    fn actions(&self) -> Vec<A>
    where
        A: Copy,
    {
        let steps = std::iter::successors(self.path.as_ref(), |node| node.before.as_ref());
        let mut actions: Vec<A> = steps.map(|node| node.action).collect();
        actions.reverse();
        actions
    }

    fn address(&self) -> usize {
        self.path.as_ref().map_or(0, |node| Arc::as_ptr(node) as usize)
    }
}

impl<A> PartialEq for State<A> {
    fn eq(&self, other: &State<A>) -> bool {
        self.key == other.key
    }
}

impl<A> Hash for State<A> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key.hash(hasher);
    }
}

/// World of a state that was built before. The state keeps the address of its path from being used again.
struct Built<S: Scenario> {
    state: State<S::Action>,
    world: S::World,
}

struct Exploration<S: Scenario> {
    scenario: S,
    /// Worlds of the state in work and of the one before it.
    built: Mutex<[Option<Built<S>>; 2]>,
    fault: Arc<Mutex<Option<State<S::Action>>>>,
}

impl<S: Scenario> Exploration<S> {
    /// World of a state: a fork of one that was built lately, or the end of its path.
    fn world(&self, state: &State<S::Action>) -> S::World {
        let mut built = self.built.lock().expect("one thread");
        let at = |address: usize| built.iter().flatten().find(|built| built.state.address() == address);
        if let Some(found) = at(state.address()) {
            return found.world.clone();
        }
        let before = state.path.as_ref().and_then(|node| node.before.as_ref());
        let base = before.and_then(|node| at(Arc::as_ptr(node) as usize)).map(|built| built.world.clone());
        let (world, base) = match (base, &state.path) {
            (Some(base), Some(node)) => (self.step(base.clone(), node.action), Some(base)),
            (_, None) => (self.scenario.start(), None),
            (None, Some(node)) => {
                let mut actions = state.actions();
                actions.pop();
                let base = actions.into_iter().fold(self.scenario.start(), |world, action| self.step(world, action));
                (self.step(base.clone(), node.action), Some(base))
            }
        };
        let parent = State { path: before.cloned(), key: 0, fault: None };
        let base = base.map(|world| Built { state: parent, world });
        *built = [Some(Built { state: state.clone(), world: world.clone() }), base];
        world
    }

    /// World after a step of a path, which violates nothing.
    fn step(&self, mut world: S::World, action: S::Action) -> S::World {
        self.scenario.act(&mut world, action).expect("explored before");
        world
    }

    /// Session of a path.
    fn session(&self, state: &State<S::Action>) -> String {
        let mut world = self.scenario.start();
        self.scenario.write_down(&mut world);
        let outcome = state.actions().into_iter().try_for_each(|action| self.scenario.act(&mut world, action));
        let fault = outcome.expect_err("the path ends in a fault");
        format!("{}# {}: {}\n", self.scenario.script(&world), fault.rule, fault.text)
    }
}

impl<S: Scenario> Model for Exploration<S> {
    type State = State<S::Action>;
    type Action = S::Action;

    fn init_states(&self) -> Vec<Self::State> {
        vec![State { path: None, key: hashed(&self.scenario.key(&self.scenario.start())), fault: None }]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>) {
        if self.fault.lock().expect("one thread").is_none() {
            actions.extend(self.scenario.actions(&self.world(state)));
        }
    }

    fn next_state(&self, state: &Self::State, action: Self::Action) -> Option<Self::State> {
        let mut world = self.world(state);
        let fault = self.scenario.act(&mut world, action).err();
        let key = hashed(&self.scenario.key(&world)) ^ u128::from(fault.is_some());
        let next = State { path: Some(Arc::new(Node { action, before: state.path.clone() })), key, fault };
        if next.fault.is_some() {
            // Breadth first, the first fault has a shortest path.
            self.fault.lock().expect("one thread").get_or_insert_with(|| next.clone());
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let holds = |_: &Self, state: &State<S::Action>| state.fault.is_none();
        vec![Property::always("no rule is violated", holds)]
    }
}

/// Two mixes of the same bytes.
fn hashed(bytes: &[u8]) -> u128 {
    let mix = |seed: u64| {
        bytes.iter().fold(seed, |hash, byte| {
            let hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
            hash ^ (hash >> 29)
        })
    };
    u128::from(mix(0xCBF2_9CE4_8422_2325)) << 64 | u128::from(mix(0x9E37_79B9_7F4A_7C15)) & !1
}

/// Shortest counterexample.
#[derive(Debug)]
pub struct Counterexample {
    pub rule: &'static str,
    /// Steps as a session, with the violation as a comment at the end.
    pub session: String,
    pub steps: usize,
}

/// Explores a scenario completely, or until a rule is violated. Prints the number of states.
pub fn explore<S: Scenario>(name: &str, scenario: S) -> Option<Counterexample> {
    let started = Instant::now();
    let fault = Arc::new(Mutex::new(None));
    let model = Exploration { scenario, built: Mutex::new([None, None]), fault: Arc::clone(&fault) };
    // One thread, so that paths are shortest. Several scenarios run at once.
    let builder = model.checker().threads(1).timeout(TIME_MAX).finish_when(HasDiscoveries::Any);
    let checker = builder.spawn_bfs().join();
    let (unique, total, depth) = (checker.unique_state_count(), checker.state_count(), checker.max_depth());
    let seconds = started.elapsed().as_secs_f64();
    let fault = fault.lock().expect("one thread").take();
    println!("{name}: {unique} states, {total} steps, depth {depth}, {seconds:.1} s, rules {}", S::RULES.join(" "));
    let Some(state) = fault else {
        assert!(started.elapsed() < TIME_MAX, "{name}: cut off after {unique} states");
        assert!(checker.is_done() && checker.discoveries().is_empty(), "{name}: not explored completely");
        return None;
    };
    let rule = state.fault.as_ref().map_or("", |fault| fault.rule);
    assert!(S::RULES.contains(&rule), "{name}: {rule} is not in the list of rules");
    let session = checker.model().session(&state);
    Some(Counterexample { rule, session, steps: state.actions().len() })
}

/// Explores a scenario that must violate nothing.
pub fn expect_safe<S: Scenario>(name: &str, scenario: S) {
    if let Some(found) = explore(name, scenario) {
        panic!("{name}: {} is violated after {} steps\n{}", found.rule, found.steps, found.session);
    }
}
