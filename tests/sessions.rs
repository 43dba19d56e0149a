//! Runs every session file of the repository, each on a fresh engine, and checks that what a run prints reads back
//! as a session that matches, and that its effects and a snapshot give the same keyspace. Knows the public face only.

#[path = "support/copies.rs"]
mod copies;

use std::fs;
use std::path::{Path, PathBuf};

use keylatch::{Keylatch, ManualClock, Options, Report, SESSION_START, parse_session, run_session};

const FOLDERS: [&str; 2] = ["tests/sessions", "www/lessons"];

#[test]
fn every_session_file_does_what_it_says() {
    let mut failures = Vec::new();
    for (name, text) in session_files() {
        match run(&text) {
            Ok(report) => failures.extend(report.failures().iter().map(|failure| format!("{name}:{failure}"))),
            Err(error) => failures.push(format!("{name}:{error}")),
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_effects_of_every_session_file_give_the_same_keyspace() {
    let mut failures = Vec::new();
    for (name, text) in session_files() {
        let Ok(session) = parse_session(&text) else { continue };
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
        engine.record(true);
        let ran = run_session(&mut engine, &session, None).is_ok();
        failures.extend(copies::check(&mut engine).err().filter(|_| ran).map(|failure| format!("{name}: {failure}")));
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn what_a_run_prints_reads_back_and_matches() {
    for (name, text) in session_files() {
        let Ok(report) = run(&text) else { continue };
        let printed = report.print();
        let again = run(&printed).unwrap_or_else(|error| panic!("{name}: {error}\n{printed}"));
        let failures: Vec<String> = again.failures().iter().map(|failure| format!("{name}:{failure}")).collect();
        assert!(failures.is_empty(), "{}\n{printed}", failures.join("\n"));
        assert_eq!(again.print(), printed, "{name}");
    }
}

fn run(text: &str) -> Result<Report, keylatch::SessionError> {
    let session = parse_session(text)?;
    let mut engine = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
    run_session(&mut engine, &session, None)
}

/// Every session file with its path from the root of the repository.
fn session_files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in FOLDERS {
        let before = paths.len();
        collect(&root.join(folder), &mut paths);
        assert!(paths.len() > before, "{folder} holds no session file");
    }
    paths.sort();
    let read = |path: &PathBuf| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    paths.iter().map(|path| (path.strip_prefix(root).unwrap().display().to_string(), read(path))).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "session") {
            paths.push(path);
        }
    }
}
