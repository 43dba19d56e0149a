//! The requests of the clients, and the steps of time between them. Independent of engines: a changed reply changes no
//! later request.

use super::frequent;
use super::requests::{Request, Requests};
use super::special::words;

/// Clients that take turns.
pub const WORKERS: usize = 4;
/// Maximum number of steps of a client before another has its turn.
const TURN_MAX: u64 = 4;
/// Maximum number of requests of a run of frequent ones, of others, and of a transaction.
const RUN_MAX: u64 = 12;
const OTHERS_MAX: u64 = 4;
const OPEN_MAX: u64 = 8;

/// Names of commands that set a deadline, whole or as prefixes; options of others; commands that reach another
/// database.
const DEADLINES: [&str; 11] =
    ["EXPIRE", "PEXPIRE", "SETEX", "PSETEX", "GETEX", "MSETEX", "RESTORE", "HEXPIRE", "HPEXPIRE", "HSETEX", "HGETEX"];
const DEADLINE_OPTIONS: [&str; 4] = ["EX", "PX", "EXAT", "PXAT"];
const DATABASES: [&str; 4] = ["SELECT", "SWAPDB", "MOVE", "COPY"];

/// True when a worker may send a request although only the last one sets deadlines.
pub fn keeps_parted(worker: usize, request: &Request) -> bool {
    let is = |word: &[u8], text: &&str| word.eq_ignore_ascii_case(text.as_bytes());
    let name = &request[0];
    let begins = |text: &&str| name.len() >= text.len() && name[..text.len()].eq_ignore_ascii_case(text.as_bytes());
    let has_option = || request.iter().any(|word| DEADLINE_OPTIONS.iter().any(|option| is(word, option)));
    let sets_deadline = || DEADLINES.iter().any(begins) || has_option();
    !DATABASES.iter().any(|text| is(name, text)) && (worker + 1 == WORKERS || !sets_deadline())
}

pub enum Step {
    /// A step of time in milliseconds, seldom negative.
    Advance(i64),
    Tick,
    /// Resumes blocked and paused clients; the text is the option of CLIENT UNBLOCK.
    Free(&'static str),
    Send {
        worker: usize,
        requests: Vec<Request>,
    },
}

pub struct Stream {
    requests: Requests,
    transacts: bool,
    worker: usize,
    turn_left: u64,
    /// Pending requests of each worker, with the number of requests before them.
    pending: [Vec<(u64, &'static str)>; WORKERS],
}

impl Stream {
    pub fn new(seed: u64, transacts: bool) -> Stream {
        Stream { requests: Requests::new(seed), transacts, worker: 0, turn_left: 0, pending: Default::default() }
    }

    pub fn next_step(&mut self) -> Step {
        match self.roll(100) {
            0..16 => Step::Advance(self.milliseconds()),
            16..24 => Step::Tick,
            24..36 => Step::Free(self.requests.pools.dice.pick::<&str>(&["", " TIMEOUT", " ERROR"])),
            _ => self.send(),
        }
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.requests.pools.dice.roll(sides)
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.roll(times) == 0
    }

    fn milliseconds(&mut self) -> i64 {
        match self.roll(40) {
            0 => -20,
            1 => self.roll(100_000_000) as i64,
            2..6 => self.roll(10_000) as i64,
            6..20 => self.roll(500) as i64,
            _ => self.roll(4) as i64,
        }
    }

    fn send(&mut self) -> Step {
        if self.turn_left == 0 {
            self.worker = self.roll(WORKERS as u64) as usize;
            self.turn_left = 1 + self.roll(TURN_MAX);
        }
        self.turn_left -= 1;
        let mut requests = Vec::new();
        for _ in 0..1 + self.roll(3) {
            self.unit(&mut requests);
        }
        Step::Send { worker: self.worker, requests }
    }

    fn unit(&mut self, out: &mut Vec<Request>) {
        let opens = if self.transacts { 2 } else { 40 };
        if self.one_in(opens) && !self.is_open() {
            if self.one_in(4) {
                self.push(words("WATCH k1 string1"), out);
            }
            self.open(words("MULTI"), &["EXEC"], out);
        }
        match self.roll(10) {
            0..2 => (0..1 + self.roll(RUN_MAX)).for_each(|_| self.frequent(true, out)),
            2..4 => (0..1 + self.roll(RUN_MAX)).for_each(|_| self.frequent(false, out)),
            _ => (0..1 + self.roll(OTHERS_MAX)).for_each(|_| self.other(out)),
        }
    }

    fn frequent(&mut self, is_plain: bool, out: &mut Vec<Request>) {
        let dice = &mut self.requests.pools.dice;
        let request = if is_plain { frequent::plain(dice) } else { frequent::any(dice) };
        self.push(request, out);
    }

    fn other(&mut self, out: &mut Vec<Request>) {
        let (row, request) = self.requests.any();
        match row {
            "multi" => {
                let end = if self.one_in(5) { "DISCARD" } else { "EXEC" };
                self.open(request, &[end], out);
            }
            "subscribe" | "psubscribe" | "ssubscribe" => {
                self.open(request, &["UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"], out);
            }
            _ => self.push(request, out),
        }
    }

    fn is_open(&self) -> bool {
        !self.pending[self.worker].is_empty()
    }

    /// True for a request with a state that another request must end soon.
    fn open(&mut self, request: Request, ends: &[&'static str], out: &mut Vec<Request>) {
        self.push(request, out);
        let left = 1 + self.roll(OPEN_MAX);
        self.pending[self.worker].extend(ends.iter().map(|end| (left, *end)));
    }

    fn push(&mut self, request: Request, out: &mut Vec<Request>) {
        out.push(request);
        let pending = &mut self.pending[self.worker];
        pending.iter_mut().for_each(|(left, _)| *left -= 1);
        out.extend(pending.extract_if(.., |(left, _)| *left == 0).map(|(_, end)| words(end)));
    }
}
