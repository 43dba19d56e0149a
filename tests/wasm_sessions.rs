//! Runs every session file inside WebAssembly: under Node, and in a browser when WASM_BINDGEN_USE_BROWSER is set.
//!
//! `cargo xtask test wasm wasm-browser` runs it. The files are compiled in, because there is no file system.
#![cfg(target_arch = "wasm32")]

use include_dir::{Dir, include_dir};
use keylatch::session::{self, Report, SESSION_START, SessionError};
use keylatch::{Keylatch, ManualClock, Options};
use wasm_bindgen_test::wasm_bindgen_test;

static SESSIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/sessions");
static LESSONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/www/lessons");

/// The compiler detects a changed compiled-in file, but not an added one: xtask sets this variable to a fingerprint of
/// their names.
const _: Option<&str> = option_env!("KEYLATCH_SESSION_FILES");

#[wasm_bindgen_test]
fn every_session_file_does_what_it_says() {
    run_all(&SESSIONS);
}

#[wasm_bindgen_test]
fn every_lesson_does_what_it_says() {
    run_all(&LESSONS);
}

#[wasm_bindgen_test]
fn what_a_lesson_prints_reads_back_and_matches() {
    for (name, text) in files(&LESSONS) {
        let printed = run(text).unwrap_or_else(|error| panic!("{name}:{error}")).print();
        let again = run(&printed).unwrap_or_else(|error| panic!("{name}:{error}\n{printed}"));
        assert!(again.failures().is_empty(), "{name}\n{printed}");
    }
}

fn run_all(folder: &Dir<'_>) {
    let files = files(folder);
    assert!(!files.is_empty(), "no session file was compiled in");
    let mut failures = Vec::new();
    for (name, text) in files {
        match run(text) {
            Ok(report) => failures.extend(report.failures().iter().map(|failure| format!("{name}:{failure}"))),
            Err(error) => failures.push(format!("{name}:{error}")),
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

fn run(text: &str) -> Result<Report, SessionError> {
    let session = session::parse(text)?;
    let mut engine = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
    session::run(&mut engine, &session, None)
}

/// Name and text of every session file of a folder and those below it.
fn files<'a>(folder: &'a Dir<'a>) -> Vec<(String, &'a str)> {
    let mut found = Vec::new();
    for file in folder.files().filter(|file| file.path().extension().is_some_and(|kind| kind == "session")) {
        let name = file.path().display().to_string();
        // Some files are about the build with Lua, or without.
        if name.contains(if cfg!(feature = "scripting") { "without-lua" } else { "scripting" }) {
            continue;
        }
        let text = file.contents_utf8().unwrap_or_else(|| panic!("{name} is no UTF-8"));
        found.push((name, text));
    }
    found.extend(folder.dirs().flat_map(files));
    found
}
