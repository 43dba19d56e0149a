//! The machine of a run: figures are only meaningful together with it.

use std::fs;

use serde_json::{Map, Value};

use crate::debian::{self, CHROMIUM, REDIS_SERVER, Wanted};
use crate::process::Program;

/// Known facts about the machine, by name.
pub(crate) fn describe() -> Map<String, Value> {
    let known = [
        ("date", first_line(Program::new("date").args(&["-u", "+%Y-%m-%d"]))),
        ("processor", processor()),
        ("load average", load()),
        ("node", version_in(Program::node())),
        ("rustc", version_in(Program::new("rustc"))),
        ("chromium", installed(CHROMIUM)),
        ("redis-server", installed(REDIS_SERVER)),
    ];
    known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::String(value?)))).collect()
}

fn first_line(program: Program) -> Option<String> {
    let output = program.output().ok()?;
    output.lines().next().map(|line| line.trim().to_owned())
}

fn installed(wanted: Wanted) -> Option<String> {
    version_in(Program::new(debian::find(wanted)?))
}

/// The first word that is a version, as `1.2`, `v1.2` or `v=1.2`.
fn version_in(program: Program) -> Option<String> {
    let line = first_line(program.arg("--version"))?;
    let bare = |word: &str| word.trim_start_matches('v').trim_start_matches('=').to_owned();
    line.split_whitespace().map(bare).find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
}

/// Load average at the end of the run, where the system reports it: more than the number of cores means contention.
fn load() -> Option<String> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next().map(str::to_owned)
}

/// Processor model, where the system reports it, and number of cores.
fn processor() -> Option<String> {
    let cores = std::thread::available_parallelism().ok()?;
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = known.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model.trim());
    Some(format!("{model} ({cores} cores)"))
}

/// The facts as one sentence without its full stop.
pub(crate) fn sentence(machine: &Map<String, Value>) -> String {
    let part = |(name, value): (&String, &Value)| format!("{name} {}", value.as_str().unwrap_or_default());
    machine.iter().map(part).collect::<Vec<_>>().join(", ")
}
