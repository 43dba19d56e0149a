//! Random commands go both ways, the short one and the ordinary one: everything anybody can see must be the same.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::argv::Argv;
use crate::client::ClientId;
use crate::clock::{Clock, ManualClock, MovableClock, Timestamp};
use crate::connection::{Connection, Meter};
use crate::engine::PlainRow;
use crate::keylatch::{Keylatch, Options};
use crate::keyspace::{DeadlineCondition, Expiry, Presence, SetOptions};
use crate::random::Random;
use crate::reply::writer::Protocol;
use crate::request::Limits;

const CLIENTS: u64 = 4;
const ROUNDS: u64 = 60;
const CHUNKS: u64 = 50;

/// What is said most often; `K` stands for a key, `V` for a value, `N` for a number of milliseconds.
const FREQUENT: &[&str] = &[
    "GET K",
    "GET K",
    "get K",
    "GeT K",
    "SET K V",
    "SET K V",
    "set K V",
    "SET K V PX N",
    "SET K V NX PX N",
    "SET K V XX",
    "SETNX K V",
    "DEL K",
    "EXISTS K",
    "INCR K",
    "EXPIRE K 1",
    "PEXPIRE K N",
    "TTL K",
    "MGET K K K",
    "MSET K V K V",
    "SET K",
    "GET",
    "GET K K",
    "PERSIST K",
    "APPEND K V",
];
/// What changes the situation, or shows what was counted.
const SELDOM: &[&str] = &[
    "MULTI",
    "EXEC",
    "EXEC",
    "DISCARD",
    "WATCH K",
    "UNWATCH",
    "SELECT 0",
    "SELECT 1",
    "LPUSH K V",
    "HSET K f V",
    "BLPOP K 0",
    "BLPOP K 0.05",
    "CLIENT REPLY OFF",
    "CLIENT REPLY ON",
    "CLIENT REPLY SKIP",
    "MONITOR",
    "RESET",
    "SUBSCRIBE c",
    "PSUBSCRIBE __key*",
    "UNSUBSCRIBE",
    "PUNSUBSCRIBE",
    "PUBLISH c V",
    "CONFIG SET notify-keyspace-events KEA",
    "CONFIG SET notify-keyspace-events ''",
    "CONFIG SET requirepass pw",
    "CONFIG SET requirepass ''",
    "AUTH pw",
    "CLIENT PAUSE N WRITE",
    "CLIENT PAUSE N ALL",
    "CLIENT UNPAUSE",
    "HELLO 2",
    "HELLO 3",
    "CLIENT LIST",
    "CONFIG RESETSTAT",
    "INFO",
    "FLUSHALL",
    "DEBUG SET-ACTIVE-EXPIRE 0",
    "DEBUG SET-ACTIVE-EXPIRE 1",
    "CLIENT KILL ID 2",
    "RENAME K K",
    "QUIT",
];

/// Twice the same, but the short way stays closed in one.
struct Pair {
    short: Keylatch<ManualClock>,
    ordinary: Keylatch<ManualClock>,
    clients: Vec<ClientId>,
    streams: [Vec<Connection>; 2],
    meters: [Meter; 2],
}

impl Pair {
    fn new(seed: u64) -> Pair {
        let mut short = Keylatch::new(Options { seed }, ManualClock::new(Timestamp::from_ms(1_000_000)));
        let clients: Vec<ClientId> = (0..CLIENTS).map(|_| short.connect()).collect();
        short.set_protocol(ClientId(1), Protocol::Resp3);
        let mut ordinary = short.clone();
        ordinary.keep_short_way_closed();
        let streams = || clients.iter().map(|&client| Connection::new(client, Limits::default())).collect();
        let (streams, meters) = ([streams(), streams()], [Meter::new(|| 0), Meter::new(|| 0)]);
        Pair { short, ordinary, clients, streams, meters }
    }

    fn both(&mut self, mut act: impl FnMut(&mut Keylatch<ManualClock>)) {
        act(&mut self.short);
        act(&mut self.ordinary);
    }

    /// Sends commands of one client as one turn, each way, and compares the replies.
    fn send(&mut self, client: ClientId, lines: &[String]) {
        let (mut short, mut ordinary) = (Vec::new(), Vec::new());
        let (mut turn, mut other) = (self.short.turn(), self.ordinary.turn());
        for line in lines {
            let argv = arguments(line);
            turn.execute(client, argv.as_ref(), &mut short);
            other.execute(client, argv.as_ref(), &mut ordinary);
            assert_eq!(turn.ran(), other.ran(), "{line}");
            assert_eq!(text(&short), text(&ordinary), "{line}");
        }
    }

    /// Sends them as a stream that is cut somewhere.
    fn stream(&mut self, index: usize, lines: &[String], random: &mut Random) {
        let mut bytes = Vec::new();
        for line in lines {
            let argv = arguments(line);
            bytes.extend(format!("*{}\r\n", argv.len()).into_bytes());
            for argument in argv.as_ref().iter() {
                bytes.extend(format!("${}\r\n{}\r\n", argument.len(), text(argument)).into_bytes());
            }
        }
        let (first, second) = bytes.split_at(random.below(bytes.len() as u64 + 1) as usize);
        for chunk in [first, second] {
            let mut outputs = [Vec::new(), Vec::new()];
            let mut ends = Vec::new();
            for (side, keylatch) in [&mut self.short, &mut self.ordinary].into_iter().enumerate() {
                let (stream, meter) = (&mut self.streams[side][index], &mut self.meters[side]);
                ends.push(stream.feed_measured(keylatch, chunk, meter, &mut outputs[side]));
            }
            assert_eq!((text(&outputs[0]), ends[0]), (text(&outputs[1]), ends[1]), "{lines:?}");
        }
    }

    /// Runs single operations as the face to JavaScript does.
    fn operate(&mut self, client: ClientId, random: &mut Random) {
        let (name, value) = (format!("key:{}", random.below(6)), random.below(100).to_string());
        let (key, ttl_ms, choice) = (name.as_bytes(), 1 + random.below(40) as i64, random.below(6));
        let (row, with_time, line) = match choice {
            0 => (PlainRow::Get, false, format!("GET {name}")),
            1 => (PlainRow::Set, true, format!("SET {name} {value} PX {ttl_ms}")),
            2 => (PlainRow::SetNx, false, format!("SETNX {name} {value}")),
            3 => (PlainRow::Del, false, format!("DEL {name}")),
            4 => (PlainRow::Incr, false, format!("INCR {name}")),
            _ => (PlainRow::Expire, true, format!("EXPIRE {name} 1")),
        };
        let needs_time = with_time || self.short.is_timed();
        let done = self.short.operate(client, row, (name.len() + value.len(), needs_time), |space| {
            let expiry = if choice == 1 { Expiry::At(space.now().saturating_add_ms(ttl_ms)) } else { Expiry::Never };
            let presence = (choice == 2).then_some(Presence::Missing);
            match choice {
                0 => space.get(key).map(|_| ()),
                1 | 2 => {
                    let options = SetOptions { presence, expiry, ..SetOptions::default() };
                    space.set(key, value.as_bytes(), &options).map(|_| ())
                }
                3 => {
                    space.delete_all(core::iter::once(key));
                    Ok(())
                }
                4 => space.increment(key, 1).map(|_| ()),
                _ => {
                    let deadline = space.now().saturating_add_ms(1000);
                    space.expire_at(key, deadline, DeadlineCondition::default()).map(|_| ())
                }
            }
        });
        let argv = arguments(&line);
        if done.is_none() {
            self.short.execute(client, argv.as_ref(), &mut Vec::new());
        }
        self.ordinary.execute(client, argv.as_ref(), &mut Vec::new());
    }

    fn compare(&mut self) {
        assert_eq!(self.short.take_events(), self.ordinary.take_events());
        assert_eq!(text(&self.short.take_effects()), text(&self.ordinary.take_effects()));
        assert_eq!(self.short.take_affected(), self.ordinary.take_affected());
        assert_eq!(self.short.digest(), self.ordinary.digest());
        assert_eq!(
            (self.short.next_deadline(), self.short.now()),
            (self.ordinary.next_deadline(), self.ordinary.now())
        );
        // A look at the original would close its short way, which stays open from one chunk to the next.
        let (mut short, mut ordinary) = (self.short.clone(), self.ordinary.clone());
        assert_eq!(short.statistics(), ordinary.statistics());
        for &client in &self.clients {
            let seen = |keylatch: &Keylatch<ManualClock>| {
                keylatch
                    .client(client)
                    .map(|client| (text(&client.outbox), client.last_command, client.last_command_at, client.database))
            };
            assert_eq!(seen(&short), seen(&ordinary));
        }
    }
}

impl Keylatch<ManualClock> {
    /// What INFO shows, asked by somebody whom nothing keeps from it.
    fn statistics(&mut self) -> String {
        let _ = self.configure("requirepass", "");
        let client = self.connect();
        let mut info = Vec::new();
        let argv = Argv::from_slices(&["INFO", "all"]);
        let mut turn = self.turn();
        let request = turn.request(argv.as_ref());
        turn.perform(client, request, &mut info);
        text(&info)
    }
}

fn arguments(line: &str) -> Argv {
    let words: Vec<&str> = line.split(' ').map(|word| if word == "''" { "" } else { word }).collect();
    Argv::from_slices(&words)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn line(random: &mut Random) -> String {
    let lines = if random.below(12) == 0 { SELDOM } else { FREQUENT };
    let pattern = lines[random.below(lines.len() as u64) as usize];
    let words = pattern.split(' ').map(|word| match word {
        "K" => format!("key:{}", random.below(6)),
        "V" if random.below(4) == 0 => random.below(100).to_string(),
        "V" if random.below(12) == 0 => "v".repeat(980 + random.below(70) as usize),
        "V" => "v".repeat(1 + random.below(70) as usize),
        "N" => (1 + random.below(40)).to_string(),
        word => word.into(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn nobody_sees_which_way_a_command_went() {
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed);
        let mut pair = Pair::new(seed);
        let (listens, records) = (random.below(2) == 0, random.below(2) == 0);
        pair.both(|keylatch| {
            keylatch.listen(listens);
            keylatch.record(records);
        });
        for _ in 0..CHUNKS {
            let index = random.below(CLIENTS) as usize;
            let client = pair.clients[index];
            let lines: Vec<String> = (0..random.below(10)).map(|_| line(&mut random)).collect();
            match random.below(3) {
                0 => pair.send(client, &lines),
                1 => pair.stream(index, &lines, &mut random),
                _ => lines.iter().for_each(|_| pair.operate(client, &mut random)),
            }
            if random.below(3) == 0 {
                let now = pair.short.clock_mut().now().as_ms() + random.below(30) as i64 - 3;
                pair.both(|keylatch| keylatch.clock_mut().set(Timestamp::from_ms(now)));
            }
            if random.below(10) == 0 {
                pair.both(Keylatch::tick);
            }
            if random.below(10) == 0 {
                let client = pair.clients[random.below(CLIENTS) as usize];
                assert_eq!(text(&pair.short.take_outbox(client)), text(&pair.ordinary.take_outbox(client)));
            }
            pair.compare();
        }
    }
}
