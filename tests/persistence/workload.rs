//! Random commands over a few keys of a few databases, so that they interact: deadlines, transactions, every kind of
//! write and requests that fail.

use super::harness::{Db, Dice};

const DATABASES: [&str; 4] = ["0", "1", "7", "15"];
const KEYS: [&[u8]; 7] = [b"a", b"b", b"c", b"", b"k\r\n*1\r\n", b"\x00\xff", b"#KL:1 v9\r\n"];
const VALUES: [&[u8]; 10] =
    [b"", b"v", b"12", b"-128", b"70000", b"-9223372036854775808", b"1.5", b"$5\r\n", b"\xff\xfe\x00", &[b'x'; 1500]];

const SCORES: [&str; 9] = ["0", "-0", "1.5", "-2", "inf", "-inf", "0.1", "0.2", "3e20"];

/// Range of deadlines in milliseconds; a step of time is a tenth of it.
pub const HORIZON_MS: u64 = 2_000;

/// Timeout of blocking commands for a list or a sorted set.
const WAIT_MS: i64 = 50;

pub struct Workload {
    pub dice: Dice,
    now_ms: i64,
    in_transaction: bool,
    /// True to draw hash fields with deadlines, which servers support since Redis 7.4.
    dates_fields: bool,
}

impl Workload {
    pub fn new(seed: u64, now_ms: i64) -> Workload {
        Workload { dice: Dice::new(seed), now_ms, in_transaction: false, dates_fields: true }
    }

    /// Only commands of Redis 7.0.
    pub fn without_field_deadlines(seed: u64, now_ms: i64) -> Workload {
        Workload { dates_fields: false, ..Workload::new(seed, now_ms) }
    }

    /// Runs a command in a database, or advances the clock.
    pub fn step(&mut self, db: &mut Db) {
        if self.dice.roll(4) == 0 && !self.in_transaction {
            let ms = self.dice.roll(HORIZON_MS / 10) as i64;
            self.pass(db, ms);
        }
        let command = self.command();
        db.run(&command);
    }

    fn pass(&mut self, db: &mut Db, ms: i64) {
        self.now_ms += ms;
        db.advance(ms);
        db.engine.tick();
    }

    /// Ends all states that keep effects back: blocked clients, transactions.
    pub fn finish(&mut self, db: &mut Db) {
        self.pass(db, WAIT_MS + 1);
        if std::mem::take(&mut self.in_transaction) {
            db.run_line("EXEC");
        }
    }

    fn command(&mut self) -> Vec<Vec<u8>> {
        if self.in_transaction && self.dice.roll(4) == 0 {
            self.in_transaction = false;
            return words(if self.dice.roll(8) == 0 { "DISCARD" } else { "EXEC" });
        }
        match self.dice.roll(56) {
            40..=45 => self.hash(),
            46..=53 => self.sorted_set(),
            54 | 55 => self.sketch(),
            0 if !self.in_transaction => {
                self.in_transaction = true;
                words("MULTI")
            }
            1..=3 => words(&format!("SELECT {}", self.dice.pick(&DATABASES))),
            4 => words(["FLUSHDB", "FLUSHDB", "FLUSHDB", "FLUSHALL"][self.dice.roll(4) as usize]),
            5..=14 => self.string(),
            15..=18 => self.counter(),
            19..=24 => self.deadline(),
            25..=29 => self.generic(),
            30..=32 => self.bits(),
            33..=35 => self.collection(),
            _ => self.list(),
        }
    }

    fn key(&mut self) -> Vec<u8> {
        self.dice.pick(&KEYS).to_vec()
    }

    fn value(&mut self) -> Vec<u8> {
        self.dice.pick(&VALUES).to_vec()
    }

    /// A deadline of a unit that SET and its kin know.
    fn lifetime(&mut self) -> Vec<Vec<u8>> {
        let ahead = self.dice.roll(HORIZON_MS) as i64 - 50;
        match self.dice.roll(4) {
            0 => words("KEEPTTL"),
            1 => words(&format!("PX {ahead}")),
            2 => words(&format!("PXAT {}", self.now_ms + ahead)),
            _ => words("EX 1"),
        }
    }

    fn string(&mut self) -> Vec<Vec<u8>> {
        let (key, value) = (self.key(), self.value());
        match self.dice.roll(12) {
            0 | 1 => [words("SET"), vec![key, value], self.lifetime()].concat(),
            2 => [words("SET"), vec![key, value], self.lifetime(), words("NX GET")].concat(),
            3 => vec![b"SET".to_vec(), key, value],
            4 => vec![b"SETNX".to_vec(), key, value],
            5 => vec![b"APPEND".to_vec(), key, value],
            6 => vec![b"SETRANGE".to_vec(), key, self.dice.roll(1100).to_string().into(), value],
            7 => vec![b"MSET".to_vec(), key, value, self.key(), self.value()],
            8 => vec![b"MSETNX".to_vec(), key, value, self.key(), self.value()],
            9 => {
                let pairs = vec![key, value, self.key(), self.value()];
                [words("MSETEX 2"), pairs, self.lifetime()].concat()
            }
            10 => vec![b"GETDEL".to_vec(), key],
            _ => vec![b"DELEX".to_vec(), key, b"IFEQ".to_vec(), value],
        }
    }

    fn counter(&mut self) -> Vec<Vec<u8>> {
        let (name, by) = *self.dice.pick(&[
            ("INCR", ""),
            ("INCRBY", "41"),
            ("DECRBY", "9"),
            ("INCRBYFLOAT", "0.1"),
            ("INCRBYFLOAT", "-2.5e3"),
        ]);
        [words(name), vec![self.key()], words(by)].concat()
    }

    fn deadline(&mut self) -> Vec<Vec<u8>> {
        let ahead = self.dice.roll(HORIZON_MS) as i64 - 100;
        let (name, argument) = match self.dice.roll(6) {
            0 => ("PEXPIRE", ahead.to_string()),
            1 => ("PEXPIREAT", (self.now_ms + ahead).to_string()),
            2 => ("EXPIRE", "1".into()),
            3 => ("GETEX", format!("PX {}", ahead.max(1))),
            4 => ("GETEX", "PERSIST".into()),
            _ => ("PERSIST", String::new()),
        };
        [words(name), vec![self.key()], words(&argument)].concat()
    }

    fn generic(&mut self) -> Vec<Vec<u8>> {
        let (one, two) = (self.key(), self.key());
        match self.dice.roll(9) {
            0 => vec![b"DEL".to_vec(), one, two],
            1 => vec![b"RENAME".to_vec(), one, two],
            2 => vec![b"RENAMENX".to_vec(), one, two],
            3 => vec![b"COPY".to_vec(), one, two],
            4 => [words("COPY"), vec![one, two], words("REPLACE")].concat(),
            5 => {
                let database = *self.dice.pick(&DATABASES);
                [words("COPY"), vec![one, two], words(&format!("DB {database} REPLACE"))].concat()
            }
            6 => vec![b"MOVE".to_vec(), one, self.dice.pick(&DATABASES).as_bytes().to_vec()],
            7 => words(&format!("SWAPDB {} {}", self.dice.pick(&DATABASES), self.dice.pick(&DATABASES))),
            // Reads remove expired keys.
            _ => vec![b"GET".to_vec(), one],
        }
    }

    fn bits(&mut self) -> Vec<Vec<u8>> {
        let (key, offset) = (self.key(), self.dice.roll(20_000));
        match self.dice.roll(4) {
            0 => [words("SETBIT"), vec![key], words(&format!("{offset} {}", self.dice.roll(2)))].concat(),
            1 => [words("BITFIELD"), vec![key], words(&format!("INCRBY u7 {offset} 90 SET i5 #3 -7"))].concat(),
            2 => [words("BITOP NOT"), vec![key, self.key()]].concat(),
            _ => [words("BITOP XOR"), vec![key, self.key(), self.key()]].concat(),
        }
    }

    fn list(&mut self) -> Vec<Vec<u8>> {
        let (one, two) = (self.key(), self.key());
        let index = (self.dice.roll(8) as i64 - 4).to_string().into_bytes();
        let ends = *self.dice.pick(&["LEFT LEFT", "LEFT RIGHT", "RIGHT LEFT", "RIGHT RIGHT"]);
        match self.dice.roll(14) {
            0 | 1 => [words("RPUSH"), vec![one], (0..5).map(|_| self.value()).collect()].concat(),
            2 => vec![b"LPUSH".to_vec(), one, self.value()],
            3 => vec![b"RPUSHX".to_vec(), one, self.value()],
            4 => vec![b"LPOP".to_vec(), one],
            5 => [words("RPOP"), vec![one], words("2")].concat(),
            6 => vec![b"LSET".to_vec(), one, index, self.value()],
            7 => vec![b"LREM".to_vec(), one, index, self.value()],
            8 => vec![b"LTRIM".to_vec(), one, index, b"-2".to_vec()],
            9 => vec![b"LINSERT".to_vec(), one, b"BEFORE".to_vec(), self.value(), self.value()],
            10 => [words("LMPOP 2"), vec![one, two], words("RIGHT COUNT 2")].concat(),
            11 => [words("BLPOP"), vec![one, two], words("0.05")].concat(),
            12 => [words("BLMOVE"), vec![one, two], words(ends), words("0.05")].concat(),
            _ => [words("LMOVE"), vec![one, two], words(ends)].concat(),
        }
    }

    fn hash(&mut self) -> Vec<Vec<u8>> {
        let (key, field) = (self.key(), self.dice.pick(&VALUES[..6]).to_vec());
        let ahead = (self.now_ms + self.dice.roll(HORIZON_MS) as i64 - 100).max(0);
        let dated = if self.dates_fields { 15 } else { 7 };
        match self.dice.roll(dated) {
            0 => vec![b"HSET".to_vec(), key, field, self.value(), self.value(), self.value()],
            1 => vec![b"HSETNX".to_vec(), key, field, self.value()],
            2 => vec![b"HDEL".to_vec(), key, field],
            3 => vec![b"HINCRBY".to_vec(), key, field, b"7".to_vec()],
            4 => vec![b"HINCRBYFLOAT".to_vec(), key, field, b"0.1".to_vec()],
            5 => vec![b"HMSET".to_vec(), key, field, self.value()],
            6 => vec![b"HGETALL".to_vec(), key],
            7 | 8 => [words("HPEXPIREAT"), vec![key], words(&format!("{ahead} FIELDS 2")), vec![field, self.value()]]
                .concat(),
            9 => [words("HEXPIRE"), vec![key], words("1 NX FIELDS 1"), vec![field]].concat(),
            10 => [words("HPERSIST"), vec![key], words("FIELDS 1"), vec![field]].concat(),
            11 => [words("HGETEX"), vec![key], words(&format!("PXAT {ahead} FIELDS 1")), vec![field]].concat(),
            12 => [words("HGETDEL"), vec![key], words("FIELDS 1"), vec![field]].concat(),
            13 => {
                let pair = vec![field, self.value()];
                [words("HSETEX"), vec![key], words(&format!("PXAT {ahead} FIELDS 1")), pair].concat()
            }
            _ => [words("HSETEX"), vec![key], words("KEEPTTL FIELDS 1"), vec![field, self.value()]].concat(),
        }
    }

    fn sorted_set(&mut self) -> Vec<Vec<u8>> {
        let (one, two, three) = (self.key(), self.key(), self.key());
        let score = self.dice.pick(&SCORES).as_bytes().to_vec();
        let pair = vec![score.clone(), self.value()];
        match self.dice.roll(20) {
            0..=2 => {
                let pairs = (0..4).flat_map(|_| [self.dice.pick(&SCORES).as_bytes().to_vec(), self.value()]).collect();
                [words("ZADD"), vec![one], pairs].concat()
            }
            3 => [words("ZADD"), vec![one], words("GT CH"), pair].concat(),
            4 => [words("ZADD"), vec![one], words("XX INCR"), pair].concat(),
            5 => [words("ZINCRBY"), vec![one], pair].concat(),
            6 => vec![b"ZREM".to_vec(), one, self.value(), self.value()],
            7 => [words("ZPOPMIN"), vec![one]].concat(),
            8 => [words("ZPOPMAX"), vec![one], words("2")].concat(),
            9 => [words("ZMPOP 2"), vec![one, two], words("MIN COUNT 2")].concat(),
            10 => [words("BZPOPMAX"), vec![one, two], words("0.05")].concat(),
            11 => [words("ZRANGESTORE"), vec![one, two], words("inf (0 BYSCORE REV LIMIT 1 3")].concat(),
            12 => [words("ZREMRANGEBYSCORE"), vec![one], vec![score], words("1.5")].concat(),
            13 => [words("ZREMRANGEBYRANK"), vec![one], words("-1 -1")].concat(),
            14 => [words("ZUNIONSTORE"), vec![one], words("2"), vec![two, three], words("WEIGHTS 0.3 -7")].concat(),
            15 => [words("ZINTERSTORE"), vec![one], words("2"), vec![two, three], words("AGGREGATE MAX")].concat(),
            18 => [words("GEOADD"), vec![one], words("13.36 38.11"), vec![self.value()]].concat(),
            19 => {
                let area = words("FROMLONLAT 13 38 BYRADIUS 90 km COUNT 2 STOREDIST");
                [words("GEOSEARCHSTORE"), vec![one, two], area].concat()
            }
            16 => [words("SADD"), vec![one], vec![self.value(), self.value(), self.value()]].concat(),
            _ => [words("SORT"), vec![one], words("ALPHA DESC LIMIT 1 3 STORE"), vec![two]].concat(),
        }
    }

    fn sketch(&mut self) -> Vec<Vec<u8>> {
        match self.dice.roll(3) {
            0 => [words("PFMERGE"), vec![self.key(), self.key()]].concat(),
            _ => [words("PFADD"), vec![self.key(), self.value(), self.value()]].concat(),
        }
    }

    fn collection(&mut self) -> Vec<Vec<u8>> {
        let name = *self.dice.pick(&["RPUSH", "HSET"]);
        let elements = (0..2 * (1 + self.dice.roll(3))).map(|_| self.value()).collect();
        [words(name), vec![self.key()], elements].concat()
    }
}

fn words(text: &str) -> Vec<Vec<u8>> {
    text.split(' ').filter(|word| !word.is_empty()).map(|word| word.as_bytes().to_vec()).collect()
}
