//! Recorded behaviour: seeded streams of commands of every row, and their results, as digests in `digests.txt`. A
//! change that preserves behaviour changes no digest.
//!
//! - `KEYLATCH_RECORDED_SHOW=configuration/protocol/block` prints one block with all observed outputs (with `--
//! --nocapture`): the outputs of two builds can be compared line by line.
//!
//! - `KEYLATCH_RECORDED_MEMORY=1` compares `used_memory` at the end of each block too.
//!
//! - `KEYLATCH_RECORDED_WRITE=1` writes `digests.txt` anew, `KEYLATCH_RECORDED_WRITE=rows` captures the rows first.
//!
//! Under a memory limit the accounting decides which keys are evicted: a change of it changes those digests, and only
//! those.

#[path = "../support/dice.rs"]
mod dice;
#[allow(dead_code)] // The differential test draws more kinds of words.
#[path = "../differential/pools.rs"]
mod pools;

mod configurations;
mod frequent;
mod guests;
mod harness;
mod observer;
mod recorder;
mod recording;
mod requests;
mod rows;
mod special;
mod stream;

use std::collections::BTreeSet;
use std::env;

use configurations::{CONFIGURATIONS, Configuration, PROTOCOLS};
use harness::Harness;
use keylatch::Protocol;
use recorder::Block;
use recording::{Recording, Track};
use stream::{Step, Stream};

/// Blocks of a stream, and requests of a block, without those at its start and end.
const BLOCKS: usize = 40;
const BLOCK_REQUESTS: usize = 250;

#[test]
fn what_was_recorded_is_what_happens() {
    if let Ok(place) = env::var("KEYLATCH_RECORDED_SHOW") {
        return show(&place);
    }
    match env::var("KEYLATCH_RECORDED_WRITE") {
        Ok(what) if what == "rows" => rows::capture(),
        Ok(_) => Recording { tracks: every_stream().collect() }.write(),
        Err(_) => compare(),
    }
}

/// Minimum use of each row, so that rarely drawn rows are not missing without notice.
#[test]
fn streams_have_requests_of_every_captured_row() {
    let mut missing: BTreeSet<&str> = rows::choices().iter().map(|choice| choice.name).collect();
    for configuration in CONFIGURATIONS {
        let mut stream = stream_of(configuration);
        let mut sent = 0;
        while sent < BLOCKS * BLOCK_REQUESTS {
            let Step::Send { requests, .. } = stream.next_step() else { continue };
            sent += requests.len();
            for request in &requests {
                let words = request.iter().take(2).map(|word| String::from_utf8_lossy(word).to_lowercase());
                let words: Vec<String> = words.collect();
                missing.remove(words[0].as_str());
                missing.remove(words.join("|").as_str());
            }
        }
    }
    assert!(missing.is_empty(), "no stream has requests of {missing:?}");
}

fn every_stream() -> impl Iterator<Item = Track> {
    CONFIGURATIONS.iter().flat_map(|configuration| {
        PROTOCOLS.iter().map(|(name, protocol)| {
            let blocks = play(configuration, *protocol, BLOCKS, None);
            Track::new(&format!("{}/{name}", configuration.name), &blocks)
        })
    })
}

fn seed_of(configuration: &Configuration) -> u64 {
    recorder::digest_of(configuration.name.as_bytes())
}

fn stream_of(configuration: &Configuration) -> Stream {
    Stream::new(seed_of(configuration), configuration.transacts)
}

/// Runs a stream up to a number of blocks, one of them with a transcript.
fn play(configuration: &'static Configuration, protocol: Protocol, blocks: usize, shown: Option<usize>) -> Vec<Block> {
    let mut stream = stream_of(configuration);
    let mut harness = Harness::new(configuration, protocol, seed_of(configuration));
    let block = |number| {
        harness.begin(shown == Some(number));
        let mut sent = 0;
        while sent < BLOCK_REQUESTS {
            sent += harness.take(stream.next_step());
        }
        harness.end()
    };
    (0..blocks).map(block).collect()
}

fn compare() {
    let recorded = Recording::read();
    let with_memory = env::var("KEYLATCH_RECORDED_MEMORY").is_ok();
    let differences: Vec<String> =
        every_stream().filter_map(|track| recorded.difference(&track, with_memory)).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn show(place: &str) {
    let usage = "KEYLATCH_RECORDED_SHOW is configuration/protocol/block, for example bare/resp2/0";
    let [configuration, protocol, block] = place.split('/').collect::<Vec<_>>()[..] else { panic!("{usage}") };
    let configuration = CONFIGURATIONS.iter().find(|known| known.name == configuration).expect(usage);
    let (_, protocol) = PROTOCOLS.iter().find(|(name, _)| *name == protocol).expect(usage);
    let block: usize = block.parse().expect(usage);
    let blocks = play(configuration, *protocol, block + 1, Some(block));
    println!("{}", blocks[block].transcript);
}
