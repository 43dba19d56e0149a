//! Scenarios: clients that listen, watch, block or track, and the action that follows.

mod removal;

use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options};

use super::requests::Request;

pub type Engine = Keylatch<ManualClock>;

/// Number of clients in large scenarios: the output of one command for all of them exceeds any reserve, and any small
/// piece.
const MANY: usize = 1_100;
const FEW: usize = 3;

#[derive(Clone)]
pub struct Fixture {
    pub engine: Engine,
    /// The first one acts; the others come next.
    pub clients: Vec<ClientId>,
    pub is_recorded: bool,
}

pub enum Action {
    Run(usize, Request),
    Tick,
}

/// Allowed outcome of a shortage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Complete, or an error without changes.
    Whole,
    /// Partly done, and completed when there is memory.
    Converges,
    /// Partly done: a refused client must send its request again.
    Parts,
}

pub struct Scenario {
    pub name: String,
    pub fixture: Fixture,
    pub action: Action,
    pub rule: Rule,
}

/// Receivers of events and messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Listeners {
    None,
    /// The host: events and the log.
    Host,
    /// Subscribers of notifications, a tracking client, one that tracks all prefixes, and a monitor.
    Clients,
}

impl Fixture {
    fn new(listeners: Listeners, others: usize) -> Fixture {
        let mut engine = Keylatch::new(Options { seed: 3 }, ManualClock::new(SESSION_START));
        let clients = (0..=others).map(|_| engine.connect()).collect();
        let mut fixture = Fixture { engine, clients, is_recorded: listeners == Listeners::Host };
        fixture.engine.record(fixture.is_recorded);
        fixture.engine.listen(fixture.is_recorded);
        if listeners == Listeners::Clients {
            for lines in [
                &["HELLO 3", "PSUBSCRIBE __key*"][..],
                &["HELLO 3", "CLIENT TRACKING ON BCAST"],
                &["SUBSCRIBE __keyevent@0__:set __keyevent@0__:expired __keyevent@0__:del"],
                &["MONITOR"],
            ] {
                let client = fixture.connect();
                lines.iter().for_each(|line| fixture.run_line(client, line));
            }
            fixture.run_line(0, "CONFIG SET notify-keyspace-events KEA");
        }
        fixture
    }

    /// Connects another client; returns its index.
    fn connect(&mut self) -> usize {
        self.clients.push(self.engine.connect());
        self.clients.len() - 1
    }

    fn run_line(&mut self, client: usize, line: &str) {
        self.run(client, &words(line));
    }

    fn run(&mut self, client: usize, request: &Request) {
        self.engine.execute(self.clients[client], Argv::from_slices(request).as_ref(), &mut Vec::new());
    }

    fn others_run(&mut self, others: usize, line: impl Fn(usize) -> String) {
        (1..=others).for_each(|client| self.run_line(client, &line(client)));
    }

    /// Takes all pending outputs.
    fn drained(mut self) -> Fixture {
        self.engine.take_effects();
        self.engine.take_events();
        for client in self.clients.clone() {
            self.engine.take_outbox(client);
        }
        self.engine.take_affected();
        self
    }
}

/// Splits a line; `~` stands for a long word, `{n}` for that many numbered ones.
fn words(line: &str) -> Request {
    let word = |word: &str| word.replace('~', &"L".repeat(6_000)).into_bytes();
    let numbered = |of: &str| -> Vec<Vec<u8>> {
        match of.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?))) {
            Some((head, (count, tail))) => {
                (0..count.parse().unwrap_or(0)).map(|number| word(&format!("{head}{number}{tail}"))).collect()
            }
            None => vec![word(of)],
        }
    };
    line.split(' ').flat_map(numbered).collect()
}

fn pairs(command: &str, count: usize, value: &str) -> Request {
    let pair = |number: usize| [format!("key:{number}").into_bytes(), value.as_bytes().to_vec()];
    words(command).into_iter().chain((0..count).flat_map(pair)).collect()
}

struct Scenarios {
    all: Vec<Scenario>,
}

impl Scenarios {
    fn push(&mut self, name: String, fixture: Fixture, action: Action, rule: Rule) {
        let fixture = fixture.drained();
        self.all.push(Scenario { name: format!("{name}: {action}"), fixture, action, rule });
    }

    /// Adds the scenario with few and many clients, and with listeners.
    fn add(&mut self, rule: Rule, line: &str, set: impl Fn(&mut Fixture, usize)) {
        self.add_action(rule, &|| Action::Run(0, words(line)), set);
    }

    fn add_action(&mut self, rule: Rule, action: &dyn Fn() -> Action, set: impl Fn(&mut Fixture, usize)) {
        for (others, listeners) in [(FEW, Listeners::Host), (FEW, Listeners::Clients), (MANY, Listeners::None)] {
            let mut fixture = Fixture::new(listeners, others);
            set(&mut fixture, others);
            self.push(format!("{others} and {listeners:?}"), fixture, action(), rule);
        }
    }

    /// Adds the scenario with the acting client and one other only.
    fn add_alone(&mut self, rule: Rule, action: &dyn Fn() -> Action, set: impl Fn(&mut Fixture)) {
        for listeners in [Listeners::None, Listeners::Host, Listeners::Clients] {
            let mut fixture = Fixture::new(listeners, 1);
            set(&mut fixture);
            self.push(format!("{listeners:?}"), fixture, action(), rule);
        }
    }
}

pub fn scenarios() -> impl Iterator<Item = Scenario> {
    let mut scenarios = Scenarios { all: Vec::new() };
    waiting(&mut scenarios);
    timing_out(&mut scenarios);
    publishing(&mut scenarios);
    tracking(&mut scenarios);
    transactions(&mut scenarios);
    removal::expiring(&mut scenarios);
    removal::evicting(&mut scenarios);
    scenarios.all.into_iter()
}

fn waiting(scenarios: &mut Scenarios) {
    scenarios.add(Rule::Parts, "RPUSH list a b ~ {900}", |fixture, others| {
        fixture.others_run(others, |_| "BLPOP list 0".into());
    });
    scenarios.add(Rule::Parts, "RPUSH list a b ~ {900}", |fixture, others| {
        fixture.others_run(others, |number| format!("BLMOVE list to:{} LEFT RIGHT 0", number % 7));
    });
    scenarios.add(Rule::Parts, "RPUSH list ~ a b", |fixture, others| {
        // Each serves the next blocked client.
        fixture.others_run(others, |number| match number {
            1 => "BLMOVE list list:2 LEFT LEFT 0".into(),
            _ => format!("BLMOVE list:{number} list:{} RIGHT LEFT 0", number + 1),
        });
    });
    scenarios.add(Rule::Parts, "RPUSH list a b ~", |fixture, others| {
        fixture.run_line(0, "SET text v");
        fixture.others_run(others, |_| "BLMOVE list text LEFT LEFT 0".into());
    });
    scenarios.add(Rule::Parts, "ZADD zset 1 a 2 ~ 3 c 4 d", |fixture, others| {
        fixture.others_run(others, |_| "BZPOPMIN zset other 0".into());
    });
    scenarios.add(Rule::Parts, "ZADD zset 1 a 2 ~ 3 c 4 d", |fixture, others| {
        fixture.others_run(others, |_| "BZMPOP 0 2 other zset MAX COUNT 2".into());
    });
    scenarios.add(Rule::Parts, "RPUSH list a b ~ c d e", |fixture, others| {
        fixture.others_run(others, |_| "BLMPOP 0 1 list LEFT COUNT 2".into());
    });
    scenarios.add(Rule::Parts, "RPUSH list {900}", |fixture, others| {
        fixture.others_run(others, |_| "BLPOP list 0".into());
        // Pipelined requests are answered after the blocking one.
        fixture.others_run(others, |number| format!("SET behind:{number} {}", if number < 9 { "~" } else { "v" }));
        fixture.others_run(others, |_| "GET behind:1".into());
        fixture.others_run(others, |_| "BLPOP list 0".into());
    });
    scenarios.add(Rule::Parts, "EXEC", |fixture, others| {
        fixture.others_run(others, |number| format!("BLPOP list:{number} 0"));
        fixture.run_line(0, "MULTI");
        (1..=others).for_each(|number| {
            fixture.run_line(0, &format!("RPUSH list:{number} {} a", if number < 9 { "~" } else { "v" }))
        });
    });
    scenarios.add(Rule::Whole, "SWAPDB 0 1", |fixture, others| {
        fixture.others_run(others, |number| format!("BLPOP list:{number} 0"));
        fixture.run_line(0, "SELECT 1");
        (1..=others.min(400)).for_each(|number| fixture.run_line(0, &format!("RPUSH list:{number} a")));
    });
}

fn timing_out(scenarios: &mut Scenarios) {
    scenarios.add_action(Rule::Parts, &|| Action::Tick, |fixture, others| {
        fixture.others_run(others, |_| "BLPOP list 1".into());
        fixture.others_run(others, |number| format!("SET behind {}", if number < 9 { "~" } else { "v" }));
        fixture.engine.clock_mut().advance(1_001);
    });
    scenarios.add_action(Rule::Parts, &|| Action::Tick, |fixture, others| {
        fixture.run_line(0, "CLIENT PAUSE 1000 WRITE");
        fixture.others_run(others, |number| format!("SET paused:{number} {}", if number < 9 { "~" } else { "v" }));
        fixture.engine.clock_mut().advance(1_001);
    });
    scenarios.add(Rule::Parts, "CLIENT UNPAUSE", |fixture, others| {
        fixture.run_line(0, "CLIENT PAUSE 1000 WRITE");
        fixture.others_run(others, |number| format!("RPUSH paused {} {number}", if number < 9 { "~" } else { "v" }));
    });
    for how in ["ERROR", "TIMEOUT"] {
        scenarios.add(Rule::Parts, "EXEC", |fixture, others| {
            fixture.others_run(others, |_| "BLPOP list 0".into());
            fixture.run_line(0, "MULTI");
            (1..=others).for_each(|other| {
                let id = fixture.clients[other].0;
                fixture.run_line(0, &format!("CLIENT UNBLOCK {id} {how}"));
            });
        });
    }
}

fn publishing(scenarios: &mut Scenarios) {
    for line in ["PUBLISH news ~", "PUBLISH news hello", "EXEC"] {
        scenarios.add(if line == "EXEC" { Rule::Parts } else { Rule::Whole }, line, |fixture, others| {
            fixture.others_run(others, |_| "SUBSCRIBE news".into());
            fixture.others_run(others / 2, |_| "PSUBSCRIBE n*".into());
            fixture.run_line(0, "MULTI");
            (0..if line == "EXEC" { 40 / others + 1 } else { 0 }).for_each(|_| fixture.run_line(0, "PUBLISH news ~"));
            fixture.run_line(0, if line == "EXEC" { "PING" } else { "DISCARD" });
        });
    }
    scenarios.add(Rule::Whole, "SET k ~", |fixture, others| {
        fixture.others_run(others, |_| "MONITOR".into());
    });
    scenarios.add(Rule::Whole, "SPUBLISH news ~", |fixture, others| {
        fixture.others_run(others, |_| "HELLO 3".into());
        fixture.others_run(others, |_| "SSUBSCRIBE news".into());
    });
}

fn tracking(scenarios: &mut Scenarios) {
    for line in ["SET k ~", "DEL k", "FLUSHALL", "FLUSHDB", "RENAME k other", "EXPIRE k 100"] {
        scenarios.add(Rule::Whole, line, |fixture, others| {
            fixture.run_line(0, "SET k v");
            fixture.others_run(others, |_| "HELLO 3".into());
            fixture.others_run(others, |_| "CLIENT TRACKING ON".into());
            fixture.others_run(others, |_| "GET k".into());
        });
    }
    for options in ["", " NOLOOP", " PREFIX key: PREFIX other:"] {
        let action = || Action::Run(0, pairs("MSET", 300, "value"));
        scenarios.add_action(Rule::Whole, &action, |fixture, others| {
            fixture.run_line(0, "HELLO 3");
            fixture.run_line(0, &format!("CLIENT TRACKING ON BCAST{options}"));
            fixture.others_run(others, |_| "HELLO 3".into());
            fixture.others_run(others.min(40), |_| format!("CLIENT TRACKING ON BCAST{options}"));
        });
    }
    let action = || Action::Run(0, pairs("MSET", 300, "value"));
    scenarios.add_action(Rule::Whole, &action, |fixture, others| {
        fixture.run(0, &pairs("MSET", 300, "v"));
        fixture.others_run(others.min(40), |_| "HELLO 3".into());
        fixture.others_run(others.min(40), |_| "CLIENT TRACKING ON".into());
        fixture.others_run(others.min(40), |_| "MGET key:{300}".into());
    });
    // Readers, and a tracking table full of the keys they read.
    scenarios.add(Rule::Whole, "MGET key:{300} ~", |fixture, _| {
        fixture.run_line(0, "CONFIG SET tracking-table-max-keys 100");
        fixture.run_line(0, "HELLO 3");
        fixture.run_line(0, "CLIENT TRACKING ON");
    });
    scenarios.add_action(Rule::Converges, &|| Action::Tick, |fixture, _| {
        fixture.run_line(0, "HELLO 3");
        fixture.run_line(0, "CLIENT TRACKING ON");
        fixture.run_line(0, "MGET ~{300}");
        // Some keys are removed from the table immediately, and the rest later.
        fixture.run_line(0, "CONFIG SET tracking-table-max-keys 10");
    });
    scenarios.add(Rule::Whole, "SET k ~", |fixture, others| {
        let recipient = fixture.connect();
        fixture.run_line(recipient, "SUBSCRIBE __redis__:invalidate");
        let id = fixture.clients[recipient].0;
        fixture.others_run(others, |_| format!("CLIENT TRACKING ON REDIRECT {id}"));
        fixture.others_run(others, |_| "GET k".into());
    });
}

fn transactions(scenarios: &mut Scenarios) {
    scenarios.add_alone(Rule::Parts, &|| Action::Run(0, words("EXEC")), |fixture| {
        fixture.run_line(0, "WATCH {600}");
        fixture.run_line(0, "MULTI");
        (0..300).for_each(|number| fixture.run_line(0, &format!("SET key:{number} ~")));
        (0..30).for_each(|number| fixture.run_line(0, &format!("MGET key:{number} key:{number} key:{number}")));
    });
    for line in ["SET k ~", "MSET {300} ~", "GET ~", "LPUSH l {600}", "INCR counter"] {
        scenarios.add_alone(Rule::Whole, &|| Action::Run(0, words(line)), |fixture| fixture.run_line(0, "MULTI"));
    }
    scenarios.add_alone(Rule::Whole, &|| Action::Run(0, words("EXEC")), |fixture| {
        fixture.run_line(0, "SET key:1 v PX 5");
        fixture.run_line(0, "WATCH key:{600} ~");
        fixture.run_line(0, "MULTI");
        fixture.run_line(0, "SET other ~");
        fixture.engine.clock_mut().advance(10);
    });
    for line in ["WATCH {600}", "UNWATCH", "DISCARD", "SUBSCRIBE {600} ~", "UNSUBSCRIBE", "PSUBSCRIBE {600} ~", "RESET"]
    {
        scenarios.add_alone(Rule::Parts, &|| Action::Run(0, words(line)), |fixture| {
            fixture.run_line(0, "WATCH {300} ~");
            if line.contains("UB") {
                fixture.run_line(0, "SUBSCRIBE a{300} ~");
            }
            if line == "DISCARD" {
                fixture.run_line(0, "MULTI");
                fixture.run_line(0, "SET k ~");
            }
        });
    }
    for line in ["MSET {300} ~", "FLUSHALL", "SWAPDB 0 1", "DEL key:1"] {
        scenarios.add(Rule::Whole, line, |fixture, others| {
            fixture.run(0, &pairs("MSET", 300, "v"));
            fixture.others_run(others, |_| "WATCH key:{3} {3}".into());
            fixture.run_line(1, "WATCH key:{300} {300}");
        });
    }
}
