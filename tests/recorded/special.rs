//! Arguments beyond the grammar of a row. Drawn one by one they would seldom be valid, or the reply would list things
//! that may be added later.

use keylatch::internals::resp::read::{Value, read};
use keylatch::session::SESSION_START;
use keylatch::{Argv, Keylatch, ManualClock, Options};

use super::pools::Pools;

type Words = Vec<Vec<u8>>;

/// Rows with an argument list in text form.
const TEXTS: &[(&str, &[&str])] = &[
    ("bitop", &["AND d a b", "OR bitmap1 bitmap2 string1", "XOR bitmap2 bitmap1 a", "NOT bitmap1 bitmap2", "FOO a b"]),
    ("client|caching", &["YES", "NO", "maybe"]),
    ("client|setname", &["worker", "a-b", "x\ny"]),
    (
        "client|tracking",
        &[
            "ON",
            "ON NOLOOP",
            "ON OPTIN",
            "ON OPTOUT",
            "OFF",
            "OFF",
            "ON BCAST",
            "ON BCAST PREFIX k",
            "ON PREFIX k",
            "x",
        ],
    ),
    ("client|unblock", &["1", "2 TIMEOUT", "3 ERROR", "4", "99", "x"]),
    ("client|unpause", &[""]),
    ("command|getkeys", &["GET k", "MSET a 1 b 2", "LMPOP 2 a b LEFT", "SINTERCARD 0 a", "PING", "NOPE a", "SET k"]),
    ("command|getkeysandflags", &["GET k", "SET k v", "LMOVE a b LEFT RIGHT", "PING", "COPY a b"]),
    ("config|get", &["maxmemory", "maxmemory-policy", "hz slowlog-max-len", "nothing", "notify-keyspace-event[s]"]),
    ("config|set", &["nothing 1", "hz 20", "hz abc", "lfu-decay-time 1", "port 1", "slowlog-max-len 64 hz 10"]),
    ("debug|set-active-expire", &["1", "1", "0", "x"]),
    ("hello", &["2", "3", "4", "", "x", "3 SETNAME me", "2 NOPE"]),
    ("info", &["clients", "stats", "keyspace", "errorstats", "replication persistence", "cpu", "nothing"]),
    ("swapdb", &["0 1", "0 1", "1 9", "0 0", "0 99", "x 1"]),
];

/// Values that are dumped for RESTORE.
const DUMPED: [&str; 6] =
    ["SET a 12", "SET a hello-hello-hello", "RPUSH a 1 2 3", "SADD a x y z", "HSET a f v g w", "ZADD a 1 m 2 n"];

pub struct Special {
    payloads: Vec<Vec<u8>>,
}

impl Special {
    pub fn new() -> Special {
        Special { payloads: DUMPED.iter().map(|make| payload(make)).collect() }
    }

    pub fn arguments(&self, row: &str, pools: &mut Pools) -> Option<Words> {
        if row == "restore" {
            return Some(self.restore(pools));
        }
        let (_, texts) = TEXTS.iter().find(|(name, _)| *name == row)?;
        Some(words(pools.dice.pick::<&str>(texts)))
    }

    fn restore(&self, pools: &mut Pools) -> Words {
        let mut payload = pools.dice.pick(&self.payloads).clone();
        if pools.one_in(8) {
            let at = pools.dice.roll(payload.len() as u64) as usize;
            payload[at] ^= 1;
        }
        let ttl = *pools.dice.pick(&["0", "0", "700", "5000", "-1"]);
        let options = *pools.dice.pick(&["REPLACE", "REPLACE", "REPLACE IDLETIME 100", "", "REPLACE FREQ 3", "ABSTTL"]);
        let key = format!("{}{}", pools.dice.pick(&["string", "list", "hash", "k"]), 1 + pools.dice.roll(2));
        [vec![key.into_bytes(), ttl.into(), payload], words(options)].concat()
    }
}

fn payload(make: &str) -> Vec<u8> {
    let mut engine = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
    let client = engine.connect();
    let mut run = |text: &str| {
        let mut reply = Vec::new();
        engine.execute(client, Argv::from_slices(&words(text)).as_ref(), &mut reply);
        reply
    };
    run(make);
    match read(&run("DUMP a")) {
        Ok(Some((Value::Bulk(payload), _))) => payload.to_vec(),
        _ => panic!("DUMP answers a payload"),
    }
}

pub fn words(text: &str) -> Words {
    text.split(' ').filter(|word| !word.is_empty()).map(|word| word.as_bytes().to_vec()).collect()
}
