//! Libraries of scripts (cjson, cmsgpack, struct, bit) give the results and errors of a real redis-server 7.0.15, for
//! drawn values. `recorded` holds calls with the server's results, so that one check needs no server.
//!
//! `KEYLATCH_LIBRARIES_CALLS` sets the number of drawn calls and `KEYLATCH_LIBRARIES_SEED` the seed, which is printed.

// Other tests use more of it.
#[allow(dead_code)]
#[path = "../support/dice.rs"]
mod dice;
mod drawn;
mod recorded;
// The test of persistence uses more of it.
#[allow(dead_code)]
#[path = "../support/redis.rs"]
mod redis;

use dice::Dice;
use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options, Timestamp};
use redis::{Folder, Server};

/// Default number of drawn calls.
const CALLS: u64 = 20_000;
const SEED: u64 = 7;
/// Maximum number of differences that are printed.
const DIFFERENCES_MAX: usize = 10;

/// Runs a call in protected mode and describes its results: tables in the order of their keys, numbers in
/// all their bits.
const DESCRIBE: &str = "
local function describe(value)
  local kind = type(value)
  if kind == 'number' then
    if value ~= value then return 'nan' end
    if value == math.floor(value) and value > -1e15 and value < 1e15 then return string.format('%d', value) end
    return (string.gsub(struct.pack('>d', value), '.', function(byte) return string.format('%02x', string.byte(byte)) end))
  elseif kind == 'string' then
    return #value .. ':' .. value
  elseif kind ~= 'table' then
    return kind == 'userdata' and 'null' or tostring(value)
  end
  local parts = {}
  for key, element in pairs(value) do parts[#parts + 1] = describe(key) .. '=' .. describe(element) end
  table.sort(parts)
  return '{' .. table.concat(parts, ',') .. '}'
end
local function pack(...) return { n = select('#', ...), ... } end
";

/// Text of the script for a call, which may read ARGV.
fn script(call: &str) -> String {
    format!("{DESCRIBE}\nreturn describe(pack(pcall(function()\n{call}\nend)))")
}

struct Engine {
    engine: Keylatch<ManualClock>,
    client: ClientId,
}

impl Engine {
    fn new() -> Engine {
        let mut engine = Keylatch::new(Options { seed: 1 }, ManualClock::new(Timestamp::from_ms(0)));
        let client = engine.connect();
        Engine { engine, client }
    }

    fn run(&mut self, words: &[Vec<u8>]) -> Vec<u8> {
        let mut reply = Vec::new();
        self.engine.execute(self.client, Argv::from_slices(words).as_ref(), &mut reply);
        reply
    }
}

/// Request for a call: `EVAL`, and the call's data as an argument.
fn request(call: &str, data: &[u8]) -> Vec<Vec<u8>> {
    vec![b"EVAL".to_vec(), script(call).into_bytes(), b"0".to_vec(), data.to_vec()]
}

fn shown(reply: &[u8]) -> String {
    reply.escape_ascii().to_string()
}

#[test]
fn recorded_calls_have_their_results() {
    let mut engine = Engine::new();
    let mut differences = Vec::new();
    for (call, expected) in recorded::CALLS {
        let found = shown(&engine.run(&request(call, b"")));
        if found != *expected {
            differences.push(format!("{call}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
#[ignore = "needs a redis-server: run by the suite differential of cargo xtask test"]
fn drawn_calls_have_the_results_of_a_server() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed = setting("KEYLATCH_LIBRARIES_SEED").unwrap_or(SEED);
    let calls = setting("KEYLATCH_LIBRARIES_CALLS").unwrap_or(CALLS);
    println!("KEYLATCH_LIBRARIES_SEED={seed} KEYLATCH_LIBRARIES_CALLS={calls}");
    let program = redis::program().expect("no redis-server on the path nor in REDIS_SERVER");
    let mut server = Server::start(&program, Folder::new("libraries"), &[]);
    let mut engine = Engine::new();
    let mut dice = Dice::new(seed);
    let (mut differences, mut failed) = (Vec::new(), 0);
    for _ in 0..calls {
        let (call, data) = drawn::call(&mut dice);
        let words = request(&call, &data);
        let (expected, found) = (server.run(&words), engine.run(&words));
        failed += u64::from(String::from_utf8_lossy(&expected).contains("1=false"));
        if expected != found && differences.len() < DIFFERENCES_MAX {
            let (data, expected, found) = (shown(&data), shown(&expected), shown(&found));
            differences.push(format!("{call}\n  data     {data}\n  expected {expected}\n  found    {found}"));
        }
    }
    println!("{calls} calls, {failed} of them errors");
    assert!(differences.is_empty(), "seed {seed}\n{}", differences.join("\n"));
}

/// Prints the table of `recorded` anew, with the results of a server.
#[test]
#[ignore = "prints the recorded table; needs a redis-server"]
fn print_recorded_calls() {
    let program = redis::program().expect("no redis-server on the path nor in REDIS_SERVER");
    let mut server = Server::start(&program, Folder::new("libraries-recorded"), &[]);
    for (call, _) in recorded::CALLS {
        let reply = shown(&server.run(&request(call, b"")));
        println!("    (r#\"{call}\"#, r#\"{reply}\"#),");
    }
}
