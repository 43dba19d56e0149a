//! `digests.txt`: a line of digests and a line of memory figures for each stream.

use std::fs;

use super::BLOCK_REQUESTS;
use super::recorder::Block;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded/digests.txt");
const HEADER: &str = "# Written by KEYLATCH_RECORDED_WRITE=1 cargo test --test recorded: recordings change only on purpose, and the commit says why.\n\
     # A stream, and the digest of each of its blocks; then used_memory at the end of each, which is compared on request only.\n";

/// One stream.
pub struct Track {
    name: String,
    digests: Vec<String>,
    used_memory: Vec<String>,
}

impl Track {
    pub fn new(name: &str, blocks: &[Block]) -> Track {
        Track {
            name: name.to_owned(),
            digests: blocks.iter().map(|block| format!("{:08x}", block.digest)).collect(),
            used_memory: blocks.iter().map(|block| block.used_memory.to_string()).collect(),
        }
    }
}

pub struct Recording {
    pub tracks: Vec<Track>,
}

impl Recording {
    pub fn read() -> Recording {
        let text = fs::read_to_string(PATH).expect("tests/recorded/digests.txt can be read");
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let figures = |line: &str| -> Vec<String> { line.split(' ').skip(2).map(str::to_owned).collect() };
        let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
        let track =
            |pair: &[&str; 2]| Track { name: name(pair[0]), digests: figures(pair[0]), used_memory: figures(pair[1]) };
        Recording { tracks: lines.as_chunks().0.iter().map(track).collect() }
    }

    pub fn write(&self) {
        let line = |name: &str, what: &str, figures: &[String]| format!("{name} {what} {}\n", figures.join(" "));
        let track = |track: &Track| {
            line(&track.name, "digests", &track.digests) + &line(&track.name, "used_memory", &track.used_memory)
        };
        let text: String = self.tracks.iter().map(track).collect();
        fs::write(PATH, HEADER.to_owned() + &text).expect("tests/recorded/digests.txt can be written");
    }

    /// The first block of a stream that differs from the recording.
    pub fn difference(&self, track: &Track, with_memory: bool) -> Option<String> {
        let Some(recorded) = self.tracks.iter().find(|recorded| recorded.name == track.name) else {
            return Some(format!("{} is not in tests/recorded/digests.txt", track.name));
        };
        let digests = first_difference(&recorded.digests, &track.digests).map(|block| ("digest", block));
        let memory = || first_difference(&recorded.used_memory, &track.used_memory).map(|block| ("used_memory", block));
        let (what, block) = digests.or_else(|| memory().filter(|_| with_memory))?;
        let (configuration, protocol) = track.name.split_once('/').unwrap_or_default();
        Some(format!(
            "the {what} of configuration {configuration}, protocol {protocol}, block {block} (requests {} to {}) is not as \
             recorded; KEYLATCH_RECORDED_SHOW={}/{block} cargo test --test recorded -- --nocapture shows the block",
            block * BLOCK_REQUESTS,
            (block + 1) * BLOCK_REQUESTS - 1,
            track.name,
        ))
    }
}

fn first_difference(recorded: &[String], found: &[String]) -> Option<usize> {
    let count = recorded.len().max(found.len());
    (0..count).find(|block| recorded.get(*block) != found.get(*block))
}
