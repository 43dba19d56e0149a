//! The scenes: who is there and listens, watches, waits or keeps copies, and what is done then.

mod removal;

use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options};

use super::requests::Request;

pub type Engine = Keylatch<ManualClock>;

/// Many clients: what one command makes for each of them is more than any reserve has, and more than one small piece.
const MANY: usize = 1_100;
const FEW: usize = 3;

#[derive(Clone)]
pub struct Stage {
    pub engine: Engine,
    /// The first one is on stage before the others.
    pub clients: Vec<ClientId>,
    pub is_recorded: bool,
}

pub enum Act {
    Say(usize, Request),
    Tick,
}

/// What may come of a shortage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// All of it, or an error and nothing.
    Whole,
    /// A part of it, and the rest when there is memory.
    Converges,
    /// A part of it: whoever was refused has to ask again.
    Parts,
}

pub struct Scene {
    pub name: String,
    pub stage: Stage,
    pub act: Act,
    pub rule: Rule,
}

/// Who takes note of what happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Listeners {
    Nobody,
    /// The host: events and the log.
    Host,
    /// Subscribers of notifications, a client with copies, one with all prefixes, and a monitor.
    Clients,
}

impl Stage {
    fn new(listeners: Listeners, others: usize) -> Stage {
        let mut engine = Keylatch::new(Options { seed: 3 }, ManualClock::new(SESSION_START));
        let clients = (0..=others).map(|_| engine.connect()).collect();
        let mut stage = Stage { engine, clients, is_recorded: listeners == Listeners::Host };
        stage.engine.record(stage.is_recorded);
        stage.engine.listen(stage.is_recorded);
        if listeners == Listeners::Clients {
            for lines in [
                &["HELLO 3", "PSUBSCRIBE __key*"][..],
                &["HELLO 3", "CLIENT TRACKING ON BCAST"],
                &["SUBSCRIBE __keyevent@0__:set __keyevent@0__:expired __keyevent@0__:del"],
                &["MONITOR"],
            ] {
                let client = stage.comes();
                lines.iter().for_each(|line| stage.says(client, line));
            }
            stage.says(0, "CONFIG SET notify-keyspace-events KEA");
        }
        stage
    }

    /// Another client; answers its number.
    fn comes(&mut self) -> usize {
        self.clients.push(self.engine.connect());
        self.clients.len() - 1
    }

    fn says(&mut self, client: usize, line: &str) {
        self.sends(client, &words(line));
    }

    fn sends(&mut self, client: usize, request: &Request) {
        self.engine.execute(self.clients[client], Argv::from_slices(request).as_ref(), &mut Vec::new());
    }

    fn others_say(&mut self, others: usize, line: impl Fn(usize) -> String) {
        (1..=others).for_each(|client| self.says(client, &line(client)));
    }

    /// Nothing waits to be taken.
    fn quiet(mut self) -> Stage {
        self.engine.take_effects();
        self.engine.take_events();
        for client in self.clients.clone() {
            self.engine.take_outbox(client);
        }
        self.engine.take_affected();
        self
    }
}

/// `~` stands for a long word, `{n}` for so many numbered ones.
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

struct Author {
    scenes: Vec<Scene>,
}

impl Author {
    fn scene(&mut self, name: String, stage: Stage, act: Act, rule: Rule) {
        let stage = stage.quiet();
        self.scenes.push(Scene { name: format!("{name}: {act}"), stage, act, rule });
    }

    /// With few and many clients, and others who listen.
    fn scenes(&mut self, rule: Rule, line: &str, set: impl Fn(&mut Stage, usize)) {
        self.played(rule, &|| Act::Say(0, words(line)), set);
    }

    fn played(&mut self, rule: Rule, act: &dyn Fn() -> Act, set: impl Fn(&mut Stage, usize)) {
        for (others, listeners) in [(FEW, Listeners::Host), (FEW, Listeners::Clients), (MANY, Listeners::Nobody)] {
            let mut stage = Stage::new(listeners, others);
            set(&mut stage, others);
            self.scene(format!("{others} and {listeners:?}"), stage, act(), rule);
        }
    }

    /// The same without clients that wait for anything.
    fn alone(&mut self, rule: Rule, act: &dyn Fn() -> Act, set: impl Fn(&mut Stage)) {
        for listeners in [Listeners::Nobody, Listeners::Host, Listeners::Clients] {
            let mut stage = Stage::new(listeners, 1);
            set(&mut stage);
            self.scene(format!("{listeners:?}"), stage, act(), rule);
        }
    }
}

pub fn scenes() -> impl Iterator<Item = Scene> {
    let mut author = Author { scenes: Vec::new() };
    waiting(&mut author);
    timing_out(&mut author);
    publishing(&mut author);
    tracking(&mut author);
    transactions(&mut author);
    removal::expiring(&mut author);
    removal::evicting(&mut author);
    author.scenes.into_iter()
}

fn waiting(author: &mut Author) {
    author.scenes(Rule::Parts, "RPUSH list a b ~ {900}", |stage, others| {
        stage.others_say(others, |_| "BLPOP list 0".into());
    });
    author.scenes(Rule::Parts, "RPUSH list a b ~ {900}", |stage, others| {
        stage.others_say(others, |number| format!("BLMOVE list to:{} LEFT RIGHT 0", number % 7));
    });
    author.scenes(Rule::Parts, "RPUSH list ~ a b", |stage, others| {
        // Each wakes the next.
        stage.others_say(others, |number| match number {
            1 => "BLMOVE list list:2 LEFT LEFT 0".into(),
            _ => format!("BLMOVE list:{number} list:{} RIGHT LEFT 0", number + 1),
        });
    });
    author.scenes(Rule::Parts, "RPUSH list a b ~", |stage, others| {
        stage.says(0, "SET text v");
        stage.others_say(others, |_| "BLMOVE list text LEFT LEFT 0".into());
    });
    author.scenes(Rule::Parts, "ZADD zset 1 a 2 ~ 3 c 4 d", |stage, others| {
        stage.others_say(others, |_| "BZPOPMIN zset other 0".into());
    });
    author.scenes(Rule::Parts, "ZADD zset 1 a 2 ~ 3 c 4 d", |stage, others| {
        stage.others_say(others, |_| "BZMPOP 0 2 other zset MAX COUNT 2".into());
    });
    author.scenes(Rule::Parts, "RPUSH list a b ~ c d e", |stage, others| {
        stage.others_say(others, |_| "BLMPOP 0 1 list LEFT COUNT 2".into());
    });
    author.scenes(Rule::Parts, "RPUSH list {900}", |stage, others| {
        stage.others_say(others, |_| "BLPOP list 0".into());
        // What is sent behind is answered behind.
        stage.others_say(others, |number| format!("SET behind:{number} {}", if number < 9 { "~" } else { "v" }));
        stage.others_say(others, |_| "GET behind:1".into());
        stage.others_say(others, |_| "BLPOP list 0".into());
    });
    author.scenes(Rule::Parts, "EXEC", |stage, others| {
        stage.others_say(others, |number| format!("BLPOP list:{number} 0"));
        stage.says(0, "MULTI");
        (1..=others)
            .for_each(|number| stage.says(0, &format!("RPUSH list:{number} {} a", if number < 9 { "~" } else { "v" })));
    });
    author.scenes(Rule::Whole, "SWAPDB 0 1", |stage, others| {
        stage.others_say(others, |number| format!("BLPOP list:{number} 0"));
        stage.says(0, "SELECT 1");
        (1..=others.min(400)).for_each(|number| stage.says(0, &format!("RPUSH list:{number} a")));
    });
}

fn timing_out(author: &mut Author) {
    author.played(Rule::Parts, &|| Act::Tick, |stage, others| {
        stage.others_say(others, |_| "BLPOP list 1".into());
        stage.others_say(others, |number| format!("SET behind {}", if number < 9 { "~" } else { "v" }));
        stage.engine.clock_mut().advance(1_001);
    });
    author.played(Rule::Parts, &|| Act::Tick, |stage, others| {
        stage.says(0, "CLIENT PAUSE 1000 WRITE");
        stage.others_say(others, |number| format!("SET paused:{number} {}", if number < 9 { "~" } else { "v" }));
        stage.engine.clock_mut().advance(1_001);
    });
    author.scenes(Rule::Parts, "CLIENT UNPAUSE", |stage, others| {
        stage.says(0, "CLIENT PAUSE 1000 WRITE");
        stage.others_say(others, |number| format!("RPUSH paused {} {number}", if number < 9 { "~" } else { "v" }));
    });
    for how in ["ERROR", "TIMEOUT"] {
        author.scenes(Rule::Parts, "EXEC", |stage, others| {
            stage.others_say(others, |_| "BLPOP list 0".into());
            stage.says(0, "MULTI");
            (1..=others).for_each(|other| {
                let id = stage.clients[other].0;
                stage.says(0, &format!("CLIENT UNBLOCK {id} {how}"));
            });
        });
    }
}

fn publishing(author: &mut Author) {
    for line in ["PUBLISH news ~", "PUBLISH news hello", "EXEC"] {
        author.scenes(if line == "EXEC" { Rule::Parts } else { Rule::Whole }, line, |stage, others| {
            stage.others_say(others, |_| "SUBSCRIBE news".into());
            stage.others_say(others / 2, |_| "PSUBSCRIBE n*".into());
            stage.says(0, "MULTI");
            (0..if line == "EXEC" { 40 / others + 1 } else { 0 }).for_each(|_| stage.says(0, "PUBLISH news ~"));
            stage.says(0, if line == "EXEC" { "PING" } else { "DISCARD" });
        });
    }
    author.scenes(Rule::Whole, "SET k ~", |stage, others| {
        stage.others_say(others, |_| "MONITOR".into());
    });
    author.scenes(Rule::Whole, "SPUBLISH news ~", |stage, others| {
        stage.others_say(others, |_| "HELLO 3".into());
        stage.others_say(others, |_| "SSUBSCRIBE news".into());
    });
}

fn tracking(author: &mut Author) {
    for line in ["SET k ~", "DEL k", "FLUSHALL", "FLUSHDB", "RENAME k other", "EXPIRE k 100"] {
        author.scenes(Rule::Whole, line, |stage, others| {
            stage.says(0, "SET k v");
            stage.others_say(others, |_| "HELLO 3".into());
            stage.others_say(others, |_| "CLIENT TRACKING ON".into());
            stage.others_say(others, |_| "GET k".into());
        });
    }
    for options in ["", " NOLOOP", " PREFIX key: PREFIX other:"] {
        let act = || Act::Say(0, pairs("MSET", 300, "value"));
        author.played(Rule::Whole, &act, |stage, others| {
            stage.says(0, "HELLO 3");
            stage.says(0, &format!("CLIENT TRACKING ON BCAST{options}"));
            stage.others_say(others, |_| "HELLO 3".into());
            stage.others_say(others.min(40), |_| format!("CLIENT TRACKING ON BCAST{options}"));
        });
    }
    let act = || Act::Say(0, pairs("MSET", 300, "value"));
    author.played(Rule::Whole, &act, |stage, others| {
        stage.sends(0, &pairs("MSET", 300, "v"));
        stage.others_say(others.min(40), |_| "HELLO 3".into());
        stage.others_say(others.min(40), |_| "CLIENT TRACKING ON".into());
        stage.others_say(others.min(40), |_| "MGET key:{300}".into());
    });
    // Readers, and a table that is full of what they read.
    author.scenes(Rule::Whole, "MGET key:{300} ~", |stage, _| {
        stage.says(0, "CONFIG SET tracking-table-max-keys 100");
        stage.says(0, "HELLO 3");
        stage.says(0, "CLIENT TRACKING ON");
    });
    author.played(Rule::Converges, &|| Act::Tick, |stage, _| {
        stage.says(0, "HELLO 3");
        stage.says(0, "CLIENT TRACKING ON");
        stage.says(0, "MGET ~{300}");
        // Some are forgotten at once, and the rest later.
        stage.says(0, "CONFIG SET tracking-table-max-keys 10");
    });
    author.scenes(Rule::Whole, "SET k ~", |stage, others| {
        let told = stage.comes();
        stage.says(told, "SUBSCRIBE __redis__:invalidate");
        let id = stage.clients[told].0;
        stage.others_say(others, |_| format!("CLIENT TRACKING ON REDIRECT {id}"));
        stage.others_say(others, |_| "GET k".into());
    });
}

fn transactions(author: &mut Author) {
    author.alone(Rule::Parts, &|| Act::Say(0, words("EXEC")), |stage| {
        stage.says(0, "WATCH {600}");
        stage.says(0, "MULTI");
        (0..300).for_each(|number| stage.says(0, &format!("SET key:{number} ~")));
        (0..30).for_each(|number| stage.says(0, &format!("MGET key:{number} key:{number} key:{number}")));
    });
    for line in ["SET k ~", "MSET {300} ~", "GET ~", "LPUSH l {600}", "INCR counter"] {
        author.alone(Rule::Whole, &|| Act::Say(0, words(line)), |stage| stage.says(0, "MULTI"));
    }
    author.alone(Rule::Whole, &|| Act::Say(0, words("EXEC")), |stage| {
        stage.says(0, "SET key:1 v PX 5");
        stage.says(0, "WATCH key:{600} ~");
        stage.says(0, "MULTI");
        stage.says(0, "SET other ~");
        stage.engine.clock_mut().advance(10);
    });
    for line in ["WATCH {600}", "UNWATCH", "DISCARD", "SUBSCRIBE {600} ~", "UNSUBSCRIBE", "PSUBSCRIBE {600} ~", "RESET"]
    {
        author.alone(Rule::Parts, &|| Act::Say(0, words(line)), |stage| {
            stage.says(0, "WATCH {300} ~");
            if line.contains("UB") {
                stage.says(0, "SUBSCRIBE a{300} ~");
            }
            if line == "DISCARD" {
                stage.says(0, "MULTI");
                stage.says(0, "SET k ~");
            }
        });
    }
    for line in ["MSET {300} ~", "FLUSHALL", "SWAPDB 0 1", "DEL key:1"] {
        author.scenes(Rule::Whole, line, |stage, others| {
            stage.sends(0, &pairs("MSET", 300, "v"));
            stage.others_say(others, |_| "WATCH key:{3} {3}".into());
            stage.says(1, "WATCH key:{300} {300}");
        });
    }
}
