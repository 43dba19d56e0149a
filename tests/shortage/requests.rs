//! Draws requests of every row, mostly with keys of the type that the command needs, and words of every length.

use keylatch::internals::commands::{Argument, ArgumentKind, Group, Row, all_rows, flags, parse_grammar};

use super::dice::Dice;
use super::pools::Pools;

/// Rows that are left out: they end the client, or their replies differ from run to run.
const LEFT_OUT: &[&str] =
    &["quit", "monitor", "shutdown", "debug|reload", "client|kill", "client|pause", "client|reply"];
const GROUPS: [&str; 8] = ["string", "bitmap", "list", "set", "sorted-set", "geo", "hyperloglog", "hash"];
/// Bytes of the longest words, and maximum number of elements of a repeated argument.
const LONG_BYTES: u64 = 12_000;
const MANY_MAX: u64 = 600;

pub type Request = Vec<Vec<u8>>;

pub struct Requests {
    pools: Pools,
    choices: Vec<(&'static Row, Vec<Argument>)>,
    counted: Option<u64>,
}

impl Requests {
    pub fn new(seed: u64) -> Requests {
        let all = all_rows();
        let drawn =
            all.filter(|row| row.subcommands.is_empty() && !LEFT_OUT.contains(&row.name) && row.own_name() != "help");
        let weighed = drawn.flat_map(|row| {
            let weight = if row.has(flags::WRITE) { 6 } else { 1 + 2 * row.keys.len() };
            std::iter::repeat_n(row, weight)
        });
        let choices = weighed.map(|row| (row, parse_grammar(row.arguments))).collect();
        Requests { pools: Pools::new(seed), choices, counted: None }
    }

    pub fn dice(&mut self) -> &mut Dice {
        &mut self.pools.dice
    }

    pub fn next(&mut self) -> Request {
        let at = self.pools.dice.roll(self.choices.len() as u64) as usize;
        let (row, arguments) = self.choices[at].clone();
        self.counted = None;
        let mut request: Request = row.name.split('|').map(|word| word.as_bytes().to_vec()).collect();
        arguments.iter().for_each(|argument| self.argument(argument, row, &mut request));
        request
    }

    fn argument(&mut self, argument: &Argument, row: &Row, out: &mut Request) {
        if argument.optional && !self.pools.one_in(4) {
            return;
        }
        for repetition in 0..self.repetitions(argument) {
            if let Some(token) = argument.token.filter(|_| repetition == 0 || argument.multiple_token) {
                out.push(token.into());
            }
            match argument.kind {
                ArgumentKind::PureToken => {}
                ArgumentKind::Block => argument.arguments.iter().for_each(|inner| self.argument(inner, row, out)),
                ArgumentKind::OneOf => {
                    let index = self.pools.dice.roll(argument.arguments.len() as u64) as usize;
                    self.argument(&argument.arguments[index], row, out);
                }
                _ => out.push(self.word(argument, row)),
            }
        }
    }

    fn repetitions(&mut self, argument: &Argument) -> u64 {
        match (argument.kind, argument.multiple) {
            (_, false) => 1,
            (ArgumentKind::Key, true) => self.counted.take().unwrap_or_else(|| 1 + self.pools.dice.roll(3)),
            (..) if self.pools.one_in(4) => 1 + self.pools.dice.roll(MANY_MAX),
            _ => 1 + self.pools.dice.roll(4),
        }
    }

    fn word(&mut self, argument: &Argument, row: &Row) -> Vec<u8> {
        match (argument.name.as_str(), argument.kind) {
            ("numkeys", _) => {
                let count = 1 + self.pools.dice.roll(3);
                self.counted = Some(count);
                count.to_string().into_bytes()
            }
            ("index", _) if row.name == "select" => self.pools.database(),
            ("min" | "max", _) => self.pools.bound(row.name.contains("lex")),
            ("start" | "offset", ArgumentKind::Integer) => b"0".to_vec(),
            ("stop" | "end", ArgumentKind::Integer) => b"-1".to_vec(),
            ("count", _) => [&b"1"[..], b"3", b"200", b"200", b"-200"][self.pools.dice.roll(5) as usize].to_vec(),
            (_, ArgumentKind::Pattern) => b"*".to_vec(),
            (_, ArgumentKind::Key) if row.group == Group::Generic => {
                let group = *self.pools.dice.pick(&GROUPS);
                self.pools.key(group, &GROUPS)
            }
            (_, ArgumentKind::Key) => self.pools.key(row.group.name(), &GROUPS),
            (_, ArgumentKind::Integer | ArgumentKind::UnixTime) => {
                self.pools.named(&argument.name).unwrap_or_else(|| self.pools.dice.roll(20).to_string().into_bytes())
            }
            (_, ArgumentKind::Double) => {
                self.pools.named(&argument.name).unwrap_or_else(|| self.pools.dice.roll(50).to_string().into_bytes())
            }
            (name, _) => self.pools.named(name).unwrap_or_else(|| self.text(argument.multiple)),
        }
    }

    /// Elements are mostly those that may exist already.
    fn text(&mut self, is_element: bool) -> Vec<u8> {
        match self.pools.dice.roll(8) {
            0 => vec![b'L'; self.pools.dice.roll(LONG_BYTES) as usize],
            1 => self.pools.value(),
            _ if is_element => element(self.pools.dice.roll(400)),
            _ => element(self.pools.dice.roll(40)),
        }
    }

    /// Requests that fill the keys before the test.
    pub fn beginning() -> Vec<Request> {
        let mut requests = Vec::new();
        let many = |words: &str, pairs: &dyn Fn(u64) -> Vec<Vec<u8>>, count: u64| {
            let mut request: Request = words.split(' ').map(|word| word.as_bytes().to_vec()).collect();
            (0..count).for_each(|number| request.extend(pairs(number)));
            request
        };
        let decimal = |number: u64| number.to_string().into_bytes();
        for (key, count) in [(1, 600), (2, 9)] {
            requests.push(many(&format!("SET string{key}"), &|_| vec![vec![b's'; 30 * count as usize]], 1));
            requests.push(many(&format!("SET bitmap{key}"), &|_| vec![vec![b'b'; 20 * count as usize]], 1));
            requests.push(many(&format!("RPUSH list{key}"), &|number| vec![element(number)], count));
            requests.push(many(&format!("SADD set{key}"), &|number| vec![element(number)], count));
            requests.push(many(&format!("HSET hash{key}"), &|number| vec![element(number), element(number)], count));
            requests.push(many(
                &format!("ZADD sorted-set{key}"),
                &|number| vec![decimal(number % 50), element(number)],
                count,
            ));
            requests.push(many(&format!("PFADD hyperloglog{key}"), &|number| vec![element(number)], count));
            let place = |number: u64| vec![decimal(number % 90), decimal(number % 60), element(number)];
            requests.push(many(&format!("GEOADD geo{key}"), &place, count));
        }
        requests.push(many("HPEXPIRE hash1 9999999 FIELDS 20", &|number| vec![element(number)], 20));
        requests.push(many("RPUSH list1", &|_| vec![vec![b'l'; 5_000]], 3));
        requests
    }
}

fn element(number: u64) -> Vec<u8> {
    format!("element:{number}").into_bytes()
}
