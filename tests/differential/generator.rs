//! Draws the requests of the clients from the grammar of the rows, some of them malformed, in transactions and outside
//! of them, by several clients in turns.

use keylatch::Protocol;
use keylatch::internals::Client;
use keylatch::internals::commands::{Argument, ArgumentKind};

use super::harness::{Harness, Request, Stored};
use super::pools::Pools;
use super::scope::{Choice, Scope, row_of};
use super::special::{self, Situation};

/// The clients that take turns.
pub const CLIENTS: [Protocol; 4] = [Protocol::Resp2, Protocol::Resp2, Protocol::Resp2, Protocol::Resp3];

/// Maximum number of units of a client before another has its turn.
const TURN_MAX: u64 = 24;
/// Number of elements of a repeated argument for large collections.
const MANY_MAX: u64 = 600;

/// Requests of one client that belong together.
pub type Unit = Vec<Request>;

pub struct Generator<'s> {
    scope: &'s Scope,
    pools: Pools,
    client: usize,
    turn_left: u64,
    /// Maximum repetitions of the argument behind a number of keys or fields.
    counted: Option<u64>,
    /// Number of keys of the current request, for arguments that are repeated for each key.
    numkeys: u64,
    /// True in rounds in which clients track keys and use no HyperLogLog.
    tracks: bool,
}

impl<'s> Generator<'s> {
    pub fn new(scope: &'s Scope, seed: u64) -> Generator<'s> {
        let mut pools = Pools::new(seed);
        let tracks = pools.one_in(3);
        Generator { scope, pools, client: 0, turn_left: 0, counted: None, numkeys: 1, tracks }
    }

    pub fn unit(&mut self, harness: &dyn Harness) -> Unit {
        self.take_turns(harness);
        let client = self.client;
        let requests = self.requests(harness.client(client), harness);
        requests.into_iter().map(|argv| Request { client, argv }).collect()
    }

    /// A blocked client cannot send requests; one at least is never blocked, because it can unblock the others.
    fn take_turns(&mut self, harness: &dyn Harness) {
        if self.turn_left == 0 || harness.client(self.client).is_blocked() {
            let free: Vec<usize> = (0..CLIENTS.len()).filter(|client| !harness.client(*client).is_blocked()).collect();
            self.client = *self.pools.dice.pick(&free);
            self.turn_left = 1 + self.pools.dice.roll(TURN_MAX);
        }
        self.turn_left -= 1;
    }

    fn requests(&mut self, client: &Client, harness: &dyn Harness) -> Vec<Vec<Vec<u8>>> {
        if client.in_transaction() && self.pools.one_in(6) {
            return vec![words(if self.pools.one_in(10) { "DISCARD" } else { "EXEC" })];
        }
        if client.is_subscribed() && !client.in_transaction() && self.pools.one_in(3) {
            return ["UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"].map(words).to_vec();
        }
        if !client.in_transaction() && self.pools.one_in(30) {
            return self.begin_transaction();
        }
        let waiting: Vec<usize> = (0..CLIENTS.len()).filter(|client| harness.client(*client).is_blocked()).collect();
        // 7.0 replies to a client unblocked within a transaction immediately, this engine after the transaction: the
        // position of messages in its output differs.
        let gets_messages =
            |waiting: &usize| harness.client(*waiting).is_subscribed() || CLIENTS[*waiting] == Protocol::Resp3;
        let ended: Vec<usize> =
            waiting.iter().copied().filter(|waiting| !client.in_transaction() || !gets_messages(waiting)).collect();
        let is_last = waiting.len() + 1 == CLIENTS.len();
        if is_last && ended.is_empty() {
            return vec![words("EXEC")];
        }
        if !ended.is_empty() && (is_last || self.pools.one_in(12)) {
            return vec![self.unblock(&ended)];
        }
        if let Some(payload) = harness.payload(self.pools.dice.roll(1 << 32))
            && self.pools.one_in(60)
        {
            return vec![self.restore(payload)];
        }
        if !self.tracks && self.pools.one_in(150) {
            return special::sketches(self);
        }
        let situation = Situation {
            is_resp3: CLIENTS[self.client] == Protocol::Resp3,
            in_transaction: client.in_transaction(),
            may_block: waiting.len() + 2 <= CLIENTS.len(),
            many_wait: waiting.len() > 1,
            tracks: self.tracks,
        };
        loop {
            let argv = self.command();
            if special::is_wanted(&argv, &situation) {
                return special::completed(argv);
            }
        }
    }

    fn begin_transaction(&mut self) -> Vec<Vec<Vec<u8>>> {
        let watch = [words("WATCH"), (0..=self.pools.dice.roll(2)).map(|_| self.any_key()).collect()].concat();
        match self.pools.dice.roll(4) {
            0 => vec![words("MULTI")],
            1 => vec![watch],
            _ => vec![watch, words("MULTI")],
        }
    }

    fn unblock(&mut self, waiting: &[usize]) -> Vec<Vec<u8>> {
        let target = *self.pools.dice.pick(waiting);
        let how = *self.pools.dice.pick(&["", "TIMEOUT", "ERROR", "error"]);
        words(&format!("CLIENT UNBLOCK {} {how}", Request::number_of(target)))
    }

    /// A payload that DUMP returned on either side, whole or damaged.
    fn restore(&mut self, payload: &[u8]) -> Vec<Vec<u8>> {
        let mut payload = payload.to_vec();
        if self.pools.one_in(8) {
            let at = self.pools.dice.roll(payload.len() as u64) as usize;
            payload[at] ^= 1 << self.pools.dice.roll(8);
        }
        let ttl = if self.pools.one_in(2) { b"0".to_vec() } else { self.pools.lifetime(1) };
        let mut argv = vec![b"RESTORE".to_vec(), self.any_key(), ttl, payload];
        let options = ["REPLACE", "REPLACE", "REPLACE", "ABSTTL", "IDLETIME 100", "FREQ 3", "FREQ 256", "IDLETIME -1"];
        for _ in 0..=self.pools.dice.roll(2) {
            argv.extend(words(self.pools.dice.pick::<&str>(&options)));
        }
        argv
    }

    fn any_key(&mut self) -> Vec<u8> {
        let group = *self.pools.dice.pick(&self.scope.groups);
        self.pools.key(group, &self.scope.groups)
    }

    fn command(&mut self) -> Vec<Vec<u8>> {
        let scope = self.scope;
        let choice = scope.at_weight(self.pools.dice.roll(scope.total_weight()));
        let mut argv: Vec<Vec<u8>> = choice.row.name.split('|').map(|word| word.to_uppercase().into_bytes()).collect();
        match special::arguments(choice.row.name) {
            Some(make) if !self.pools.one_in(4) => argv.extend(make(self)),
            _ => argv.extend(self.drawn(choice)),
        }
        if self.pools.one_in(20) {
            self.spoil(&mut argv);
        }
        argv
    }

    /// The arguments in the order of the grammar, with options at the end in any order.
    fn drawn(&mut self, choice: &Choice) -> Vec<Vec<u8>> {
        self.counted = None;
        self.numkeys = 1;
        let options = choice.arguments.iter().rev().take_while(|argument| argument.optional).count();
        let (fixed, options) = choice.arguments.split_at(choice.arguments.len() - options);
        let mut out = Vec::new();
        fixed.iter().for_each(|argument| self.argument(argument, choice, &mut out));
        let first = if options.len() > 1 { self.pools.dice.roll(options.len() as u64) as usize } else { 0 };
        let (after, before) = options.split_at(first);
        before.iter().chain(after).for_each(|argument| self.argument(argument, choice, &mut out));
        out
    }

    fn argument(&mut self, argument: &Argument, choice: &Choice, out: &mut Vec<Vec<u8>>) {
        if argument.optional && !self.pools.one_in(3) {
            return;
        }
        for repetition in 0..self.repetitions(argument) {
            let token = argument.token.filter(|_| repetition == 0 || argument.multiple_token);
            if let Some(token) = token {
                out.push(if self.pools.one_in(8) { token.to_lowercase() } else { token.to_owned() }.into_bytes());
            }
            match argument.kind {
                ArgumentKind::PureToken => {}
                ArgumentKind::Block => {
                    argument.arguments.iter().for_each(|inner| self.argument(inner, choice, out));
                }
                ArgumentKind::OneOf => {
                    let index = self.pools.dice.roll(argument.arguments.len() as u64) as usize;
                    self.argument(&argument.arguments[index], choice, out);
                }
                _ => out.push(self.word(argument, choice)),
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
        if argument.token == Some("WEIGHTS") && !self.pools.one_in(12) {
            return self.numkeys;
        }
        let is_element = !matches!(argument.kind, ArgumentKind::Key | ArgumentKind::Pattern);
        if is_element && self.pools.one_in(200) {
            return self.pools.dice.roll(MANY_MAX);
        }
        1 + self.pools.dice.roll(3)
    }

    fn word(&mut self, argument: &Argument, choice: &Choice) -> Vec<u8> {
        if matches!(argument.name.as_str(), "numkeys" | "numfields") {
            return self.count_what_follows();
        }
        if argument.name == "offset" && choice.row.group.name() == "bitmap" {
            return self.pools.bit_offset();
        }
        if argument.name == "index" && choice.row.name == "select" {
            return self.pools.database();
        }
        if matches!(argument.name.as_str(), "min" | "max") {
            return self.pools.bound(choice.row.name.contains("lex"));
        }
        let name = if choice.row.name == "setbit" && argument.name == "value" { "bit" } else { &argument.name };
        if let Some(word) = self.pools.named(name) {
            return word;
        }
        match argument.kind {
            ArgumentKind::Key => self.pools.key(choice.row.group.name(), &self.scope.groups),
            ArgumentKind::Integer | ArgumentKind::UnixTime => self.pools.integer(),
            ArgumentKind::Double => self.pools.double(),
            ArgumentKind::Pattern => self.pools.pattern(),
            _ if argument.multiple && self.pools.one_in(3) => self.pools.element(),
            _ => self.pools.value(),
        }
    }

    /// Number of the following keys or fields, seldom a wrong one.
    fn count_what_follows(&mut self) -> Vec<u8> {
        self.numkeys = 1 + self.pools.dice.roll(3);
        self.counted = Some(self.numkeys);
        if self.pools.one_in(12) { self.pools.integer() } else { self.numkeys.to_string().into_bytes() }
    }

    /// Makes a request malformed in one of the ways people do.
    fn spoil(&mut self, argv: &mut Vec<Vec<u8>>) {
        let at = self.pools.dice.roll(argv.len() as u64) as usize;
        match self.pools.dice.roll(9) {
            0 if argv.len() > 1 => drop(argv.pop()),
            1 if at > 0 => drop(argv.remove(at)),
            2 if at > 0 => argv.insert(at, argv[at].clone()),
            3 if at > 0 => argv[at] = self.pools.integer(),
            4 if at > 0 => argv[at] = self.pools.value(),
            5 if at > 0 => argv.insert(at, self.pools.token()),
            6 => argv[at] = argv[at].to_ascii_lowercase(),
            7 => argv[0].push(b'x'),
            _ => argv.push(self.pools.token()),
        }
    }

    pub fn pools(&mut self) -> &mut Pools {
        &mut self.pools
    }

    /// A key of the group, most of the time.
    pub fn key_of(&mut self, group: &str) -> Vec<u8> {
        self.pools.key(group, &self.scope.groups)
    }
}

pub fn words(text: &str) -> Vec<Vec<u8>> {
    text.split(' ').filter(|word| !word.is_empty()).map(|word| word.as_bytes().to_vec()).collect()
}

/// Reads all remaining keys, so that no difference stays hidden.
pub fn inventory(harness: &dyn Harness) -> Vec<Unit> {
    let request = |argv| Request { client: 0, argv };
    let mut unit = vec![request(words("RESET"))];
    for (database, keys) in harness.keys() {
        unit.push(request(words(&format!("SELECT {database}"))));
        unit.push(request(words("DBSIZE")));
        for Stored { key, type_name } in keys {
            unit.push(request(vec![b"PEXPIRETIME".to_vec(), key.clone()]));
            let reads = match type_name {
                "string" => "GET {}",
                "list" => "LRANGE {} 0 -1",
                "set" => "SMEMBERS {}",
                "hash" => "HGETALL {}",
                "zset" => "ZRANGE {} 0 -1 WITHSCORES",
                _ => "TYPE {}",
            };
            let mut argv = words(reads);
            argv[1] = key;
            if row_of(&argv).is_some() {
                unit.push(request(argv));
            }
        }
    }
    unit.into_iter().map(|request| vec![request]).collect()
}
