//! Words of requests: few of each kind, so that they collide, and those at the limits of validity.

use super::dice::Dice;

type Words = &'static [&'static [u8]];

/// Values: numbers in many spellings, and short, long, empty or binary texts.
const VALUES: Words = &[
    b"a",
    b"b",
    b"c",
    b"d",
    b"0",
    b"1",
    b"2",
    b"3",
    b"7",
    b"-1",
    b"10",
    b"12345",
    b"",
    b"abc",
    b"ab",
    b"Hello",
    b"3.5",
    b"-0.25",
    b"1e3",
    b" 1",
    b"01",
    b"+1",
    b"-0",
    b"1.0",
    b"inf",
    b"nan",
    b"0x10",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"9223372036854775806",
    b"-32769",
    b"4294967296",
    // SORT ALPHA compares up to the zero byte only: no other value begins like this.
    b"nul\0b",
    b"\xff\xfe",
    b"k\r\n",
    b"\"q\"",
    b"foobar",
    b"ohmytext",
    b"mynewtext",
    &[b'x'; 45],
    &[b'y'; 64],
    &[b'z'; 70],
    &[b'w'; 300],
];

/// Words for numeric arguments.
const NO_NUMBERS: Words =
    &[b"abc", b"", b"1.5", b"+1", b"01", b" 1", b"1 ", b"-0", b"1e2", b"9223372036854775808", b"99999999999999999999"];
const EXTREMES: Words = &[b"9223372036854775807", b"-9223372036854775808", b"-9223372036854775807"];
const DOUBLES: Words = &[
    b"0",
    b"1",
    b"2",
    b"3",
    b"-1",
    b"1.5",
    b"-2.5",
    b"0.1",
    b"3.0e3",
    b"1e20",
    b"inf",
    b"-inf",
    b"+5",
    b"5.",
    b".5",
    b"0x10",
    b"10",
    b"100",
    b"nan",
    b"abc",
    b"",
    b" 1",
    b"1 ",
    b"1e400",
    b"1,5",
    b"123456789.125",
];
const PATTERNS: Words = &[
    b"*",
    b"*",
    b"*1",
    b"string?",
    b"s*",
    b"[a-c]*",
    b"[^a]*",
    b"?",
    b"",
    b"nothing",
    b"\\*",
    b"[a",
    b"*[12]",
    b"a*",
    b"h[a-e]llo",
];
const CHANNELS: Words = &[b"news", b"news", b"sport", b"n*", b"", b"s?ort"];
const ENCODINGS: Words = &[
    b"u8", b"i8", b"u1", b"i1", b"u4", b"i5", b"u16", b"i32", b"i64", b"u63", b"u64", b"i65", b"u0", b"x8", b"8",
    b"U8", b"i",
];
const BIT_OFFSETS: Words = &[
    b"0",
    b"1",
    b"7",
    b"8",
    b"13",
    b"100",
    b"#0",
    b"#1",
    b"#3",
    b"#-1",
    b"-1",
    b"4294967296",
    b"#4294967296",
    b"abc",
    b"#",
];
const STREAM_IDS: Words =
    &[b"0", b"0-1", b"", b"-", b"+", b"abc", b"1-x", b"-5", b"007", b"18446744073709551616", b"5-"];
const TIMEOUTS: Words = &[b"1000", b"999.5", b"-1", b"abc", b"", b"1e300", b"inf"];
const DATABASES: Words = &[b"0", b"0", b"0", b"0", b"1", b"1", b"9", b"16", b"-1", b"abc"];
const TYPES: Words = &[b"string", b"list", b"set", b"zset", b"hash", b"LIST", b"foo"];
/// Lifetimes in seconds; a thousand times as much in milliseconds. None ends while the test runs.
const INSTANTS_S: &[i64] = &[4_102_444_800, 4_102_444_800, 4_102_448_400, 7_258_118_400, 1, 0, -1, 1_000_000_000];
/// A lifetime far too long, and words that are no numbers.
const LIFETIME_EDGES: Words = &[
    b"0",
    b"-1",
    b"-100000",
    b"9223372036854775807",
    b"9223372036854775",
    b"-9223372036854775808",
    b"abc",
    b"1.5",
    b"",
];
/// Options of other commands, and words that are no options.
pub const TOKENS: Words = &[
    b"NX",
    b"XX",
    b"GT",
    b"LT",
    b"GET",
    b"EX",
    b"PX",
    b"KEEPTTL",
    b"LIMIT",
    b"COUNT",
    b"FOO",
    b"WITHSCORES",
    b"LEFT",
    b"MATCH",
    b"REPLACE",
    b"DB",
    b"BYTE",
    b"ASC",
    b"STORE",
];
/// Minimum difference between lifetimes, so that milliseconds between the two sides never matter.
const LIFETIME_STEP_S: u64 = 1_000;
const LIFETIME_STEPS: u64 = 100_000;

/// Draws words.
#[derive(Clone)]
pub struct Pools {
    pub dice: Dice,
    /// Number of lifetimes drawn: all are different.
    lifetimes: u64,
    /// Number of ids drawn for entries of streams.
    stream_ids: u64,
}

impl Pools {
    pub fn new(seed: u64) -> Pools {
        Pools { dice: Dice::new(seed), lifetimes: 0, stream_ids: 0 }
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.dice.roll(times) == 0
    }

    fn of(&mut self, words: Words) -> Vec<u8> {
        self.dice.pick(words).to_vec()
    }

    /// Keys are named after the groups of commands, two for each: most of the time a key has the type that its command
    /// needs.
    pub fn key(&mut self, group: &str, groups: &[&str]) -> Vec<u8> {
        let group = if self.one_in(6) { *self.dice.pick(groups) } else { group };
        match self.dice.roll(24) {
            0 => Vec::new(),
            1 => b"missing".to_vec(),
            2 => b"k\xff\r\n".to_vec(),
            number => format!("{group}{}", 1 + number % 2).into_bytes(),
        }
    }

    pub fn value(&mut self) -> Vec<u8> {
        match self.dice.roll(3) {
            0 => self.of(VALUES),
            1 => self.of(&VALUES[..12]),
            _ => self.dice.roll(20).to_string().into_bytes(),
        }
    }

    /// Elements of a repeated argument for large collections: many different ones.
    pub fn element(&mut self) -> Vec<u8> {
        let number = self.dice.roll(2_000);
        if self.one_in(3) { format!("element:{number}").into_bytes() } else { number.to_string().into_bytes() }
    }

    fn small(&mut self) -> Vec<u8> {
        (self.dice.roll(16) as i64 - 5).to_string().into_bytes()
    }

    /// An integer around zero, seldom an extreme one or none.
    pub fn integer(&mut self) -> Vec<u8> {
        match self.dice.roll(24) {
            0 => self.of(NO_NUMBERS),
            1 => self.of(EXTREMES),
            _ => self.small(),
        }
    }

    pub fn double(&mut self) -> Vec<u8> {
        if self.one_in(2) { self.small() } else { self.of(DOUBLES) }
    }

    /// A lifetime that ends long after the test, or is invalid.
    pub fn lifetime(&mut self, unit_ms: i64) -> Vec<u8> {
        if self.one_in(8) {
            return self.of(LIFETIME_EDGES);
        }
        // Steps in a seemingly random order: the factor is odd and no multiple of 5.
        self.lifetimes += 1;
        let step = self.lifetimes * 38_117 % LIFETIME_STEPS + 100;
        (step as i64 * LIFETIME_STEP_S as i64 * 1_000 / unit_ms).to_string().into_bytes()
    }

    /// An instant after the year 2100, or long past.
    pub fn instant(&mut self, unit_ms: i64) -> Vec<u8> {
        if self.one_in(8) {
            return self.of(LIFETIME_EDGES);
        }
        (self.dice.pick(INSTANTS_S) * 1_000 / unit_ms).to_string().into_bytes()
    }

    /// A word for an argument by its name, where the name is more specific than its type.
    pub fn named(&mut self, name: &str) -> Option<Vec<u8>> {
        Some(match name {
            "seconds" => self.lifetime(1_000),
            "milliseconds" | "ttl" => self.lifetime(1),
            "unix-time-seconds" => self.instant(1_000),
            "unix-time-milliseconds" => self.instant(1),
            "encoding" => self.of(ENCODINGS),
            "bit" if !self.one_in(8) => self.dice.roll(2).to_string().into_bytes(),
            "index" if !self.one_in(8) => (self.dice.roll(6) as i64 - 3).to_string().into_bytes(),
            "timeout" if self.one_in(6) => self.of(TIMEOUTS),
            "timeout" => b"0".to_vec(),
            "numreplicas" => b"0".to_vec(),
            "db" | "destination-db" | "index1" | "index2" => self.of(DATABASES),
            "cursor" if !self.one_in(8) => b"0".to_vec(),
            "longitude" => self.degrees(180),
            "latitude" => self.degrees(85),
            "radius" | "width" | "height" if !self.one_in(6) => self.dice.roll(20_000).to_string().into_bytes(),
            "m" | "km" | "ft" | "mi" if !self.one_in(20) => self.of(&[b"m", b"km", b"KM", b"ft", b"mi"]),
            "channel" | "shardchannel" => self.of(CHANNELS),
            "type" => self.of(TYPES),
            _ => return None,
        })
    }

    /// An end of a range of members or of scores.
    pub fn bound(&mut self, is_of_members: bool) -> Vec<u8> {
        let open = if is_of_members { *self.dice.pick(&["[", "("]) } else { *self.dice.pick(&["", "", "("]) };
        match self.dice.roll(12) {
            0 | 1 if is_of_members => self.of(&[b"-", b"+"]),
            0 | 1 => self.of(&[b"-inf", b"+inf", b"inf", b"(inf"]),
            2 => self.value(),
            _ if is_of_members => [open.as_bytes(), &self.value()].concat(),
            _ => [open.as_bytes(), &self.double()].concat(),
        }
    }

    /// Degrees up to this many on either side, seldom others or none.
    fn degrees(&mut self, most: i64) -> Vec<u8> {
        if self.one_in(16) {
            return self.double();
        }
        let degrees = self.dice.roll(2 * most as u64 + 1) as i64 - most;
        format!("{degrees}.{}", self.dice.roll(10_000)).into_bytes()
    }

    pub fn bit_offset(&mut self) -> Vec<u8> {
        if self.one_in(2) { self.dice.roll(70).to_string().into_bytes() } else { self.of(BIT_OFFSETS) }
    }

    /// An id that an entry may have, seldom none.
    pub fn stream_id(&mut self) -> Vec<u8> {
        let ms = self.stream_ids.saturating_sub(self.dice.roll(12)) / 3;
        match self.dice.roll(12) {
            0 => self.of(STREAM_IDS),
            1 | 2 => format!("{ms}-{}", self.dice.roll(3)).into_bytes(),
            _ => ms.to_string().into_bytes(),
        }
    }

    /// An id for a new entry, mostly larger than all before.
    pub fn new_stream_id(&mut self) -> Vec<u8> {
        if self.one_in(12) {
            return self.stream_id();
        }
        self.stream_ids += 1;
        format!("{}-*", self.stream_ids / 3).into_bytes()
    }

    /// An id that is mostly larger than all before.
    pub fn last_stream_id(&mut self) -> Vec<u8> {
        self.stream_ids += 1;
        format!("{}-{}", self.stream_ids / 3, self.dice.roll(9)).into_bytes()
    }

    /// An end of a range of ids.
    pub fn stream_bound(&mut self) -> Vec<u8> {
        match self.dice.roll(6) {
            0 | 1 => self.of(&[b"-", b"+"]),
            2 => [b"(", &self.stream_id()[..]].concat(),
            _ => self.stream_id(),
        }
    }

    pub fn database(&mut self) -> Vec<u8> {
        self.of(DATABASES)
    }

    pub fn pattern(&mut self) -> Vec<u8> {
        self.of(PATTERNS)
    }

    pub fn token(&mut self) -> Vec<u8> {
        self.of(TOKENS)
    }
}
