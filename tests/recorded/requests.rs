//! Draws requests of every captured row, mostly with keys of the type that the command needs. No draw depends on a
//! reply.

use keylatch::internals::commands::{Argument, ArgumentKind};

use super::pools::Pools;
use super::rows::{Choice, choices};
use super::special::Special;

const GROUPS: [&str; 8] = ["string", "bitmap", "list", "set", "sorted-set", "geo", "hyperloglog", "hash"];
/// Maximum number of elements of a repeated argument, and of bytes in the longest words.
const MANY_MAX: u64 = 150;
const LONG_BYTES: u64 = 3_000;
/// Lifetimes, some of which end while the stream runs.
const LIFETIME_MAX_MS: u64 = 4_000;

pub type Request = Vec<Vec<u8>>;

pub struct Requests {
    pub pools: Pools,
    special: Special,
    choices: Vec<Choice>,
    total_weight: u64,
    /// Maximum repetitions of the argument behind a number of keys or fields.
    counted: Option<u64>,
}

impl Requests {
    pub fn new(seed: u64) -> Requests {
        let choices = choices();
        let total_weight = choices.iter().map(|choice| choice.weight).sum();
        Requests { pools: Pools::new(seed), special: Special::new(), choices, total_weight, counted: None }
    }

    /// A request, and the name of its row.
    pub fn any(&mut self) -> (&'static str, Request) {
        let at = self.index();
        let choice = &self.choices[at];
        let (name, group, arguments) = (choice.name, choice.group, choice.arguments.clone());
        self.counted = None;
        let mut request: Request = name.split('|').map(|word| word.to_uppercase().into_bytes()).collect();
        match self.special.arguments(name, &mut self.pools) {
            Some(words) => request.extend(words),
            None => arguments.iter().for_each(|argument| self.argument(argument, (name, group), &mut request)),
        }
        if self.pools.one_in(25) {
            self.spoil(&mut request);
        }
        (name, request)
    }

    fn index(&mut self) -> usize {
        let mut number = self.pools.dice.roll(self.total_weight);
        let is_here = |choice: &Choice| match number.checked_sub(choice.weight) {
            Some(rest) => {
                number = rest;
                false
            }
            None => true,
        };
        self.choices.iter().position(is_here).expect("the number is below the sum of the weights")
    }

    fn argument(&mut self, argument: &Argument, row: (&str, &str), out: &mut Request) {
        if argument.optional && !self.pools.one_in(3) {
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
        if !argument.multiple {
            return 1;
        }
        if let Some(counted) = self.counted.take() {
            return counted;
        }
        let is_element = !matches!(argument.kind, ArgumentKind::Key | ArgumentKind::Pattern);
        if is_element && self.pools.one_in(40) { self.pools.dice.roll(MANY_MAX) } else { 1 + self.pools.dice.roll(3) }
    }

    fn word(&mut self, argument: &Argument, (row, group): (&str, &str)) -> Vec<u8> {
        let name = argument.name.as_str();
        match (name, argument.kind) {
            ("numkeys" | "numfields", _) => self.count(),
            ("min" | "max", _) => self.pools.bound(row.contains("lex")),
            ("offset", _) if group == "bitmap" => self.pools.bit_offset(),
            ("offset", _) if row == "setrange" => self.number(40),
            ("index", _) if row == "select" => self.pools.database(),
            ("value", _) if row == "setbit" => self.number(2),
            ("count", _) => self.pools.dice.pick(&[&b"1"[..], b"2", b"3", b"100", b"-3"]).to_vec(),
            ("timeout", _) => self.pools.dice.pick(&[&b"0.05"[..], b"0.5", b"1", b"3", b"0", b"x"]).to_vec(),
            ("seconds", _) if self.pools.one_in(2) => self.number(LIFETIME_MAX_MS / 1_000),
            ("milliseconds" | "ttl", _) if self.pools.one_in(2) => self.number(LIFETIME_MAX_MS),
            (_, ArgumentKind::Key) => self.key(group),
            _ => self.pools.named(name).unwrap_or_else(|| self.text(argument)),
        }
    }

    fn text(&mut self, argument: &Argument) -> Vec<u8> {
        match argument.kind {
            ArgumentKind::Integer | ArgumentKind::UnixTime => self.pools.integer(),
            ArgumentKind::Double => self.pools.double(),
            ArgumentKind::Pattern => self.pools.pattern(),
            _ if self.pools.one_in(50) => vec![b'L'; self.pools.dice.roll(LONG_BYTES) as usize],
            _ if argument.multiple => format!("element:{}", self.pools.dice.roll(60)).into_bytes(),
            _ => self.pools.value(),
        }
    }

    /// Keys of the frequent commands too.
    fn key(&mut self, group: &str) -> Vec<u8> {
        if self.pools.one_in(8) {
            return format!("{}{}", self.pools.dice.pick(&["k", "k", "h", "s", "l", "z"]), self.pools.dice.roll(4))
                .into();
        }
        let group = if GROUPS.contains(&group) { group } else { *self.pools.dice.pick(&GROUPS) };
        self.pools.key(group, &GROUPS)
    }

    fn number(&mut self, sides: u64) -> Vec<u8> {
        self.pools.dice.roll(sides).to_string().into_bytes()
    }

    /// Number of the following keys or fields, seldom a wrong one.
    fn count(&mut self) -> Vec<u8> {
        let count = 1 + self.pools.dice.roll(3);
        self.counted = Some(count);
        if self.pools.one_in(12) { self.pools.integer() } else { count.to_string().into_bytes() }
    }

    /// Makes a request malformed in one of the ways people do. Numbers are kept: one may be a length.
    fn spoil(&mut self, request: &mut Request) {
        let at = self.pools.dice.roll(request.len() as u64) as usize;
        match self.pools.dice.roll(6) {
            0 if request.len() > 1 => drop(request.pop()),
            1 if at > 0 => drop(request.remove(at)),
            2 => request.push(self.pools.token()),
            3 => request[0].push(b'_'),
            4 => request[at].make_ascii_lowercase(),
            _ => request.push(b"1".to_vec()),
        }
    }
}
