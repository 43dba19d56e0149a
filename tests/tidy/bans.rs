//! Banned words: clocks and random numbers in the engine, the browser's names outside src/wasm, foreign vocabulary,
//! unfinished work.

use crate::rust_text::{code_only, tokens};
use crate::tree::File;

/// Names that may be used only below the given paths of src/.
const ONLY_IN: [(&str, &[&str]); 15] = [
    // Time enters through the clock, randomness through one seed (design: contracts 1 and 2).
    ("SystemTime", &["src/base/clock.rs"]),
    ("Instant", &[]),
    ("thread_rng", &[]),
    ("getrandom", &[]),
    ("rand", &[]),
    ("RandomState", &[]),
    ("DefaultHasher", &[]),
    ("foldhash", &[]),
    ("ahash", &[]),
    ("Date", &[]),
    // Only src/wasm has the JavaScript bindings, and only it may be unsafe.
    ("unsafe", &["src/wasm/"]),
    ("wasm_bindgen", &["src/wasm/"]),
    ("js_sys", &["src/wasm/"]),
    ("serde_wasm_bindgen", &["src/wasm/"]),
    ("web_sys", &[]),
];

/// Macros that print; the engine's outputs are values.
const PRINTING: [&str; 4] = ["println", "eprintln", "print", "eprint"];

/// Banned names of the engine.
pub fn engine(file: &File) -> Vec<String> {
    let code = code_only(&file.text);
    let tokens = tokens(&code);
    let mut violations = Vec::new();
    for (index, (line, token)) in tokens.iter().enumerate() {
        let next = |steps: usize| tokens.get(index + steps).map_or("", |(_, token)| *token);
        let banned = ONLY_IN.iter().find(|(name, _)| name == token);
        if let Some((name, places)) = banned.filter(|(_, places)| !is_in(&file.path, places)) {
            let allowed = if places.is_empty() {
                "the engine".to_owned()
            } else {
                format!("any place but {}", places.join(", "))
            };
            violations.push(format!("{}:{line}: `{name}` is banned in {allowed}", file.path));
        }
        if *token == "std" && next(1) == "::" && next(2) == "time" && file.path != "src/base/clock.rs" {
            violations.push(format!("{}:{line}: `std::time` is banned outside src/base/clock.rs", file.path));
        }
        if *token == "size_of" && [1, 2, 3].map(next) == ["::", "<", "usize"] {
            violations
                .push(format!("{}:{line}: `size_of::<usize>` differs by target; count in bytes of our own", file.path));
        }
        if PRINTING.contains(token) && next(1) == "!" {
            violations.push(format!("{}:{line}: `{token}!`: the engine prints nothing", file.path));
        }
    }
    violations
}

fn is_in(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| if place.ends_with('/') { path.starts_with(place) } else { path == *place })
}

/// Identifiers for which the field has other words: see the glossary in CONTRIBUTING.md.
pub const FOREIGN_WORDS: [&str; 21] = [
    "Seat",
    "Seats",
    "Places",
    "Repeatable",
    "Guarded",
    "Remains",
    "Told",
    "Hearer",
    "Carrier",
    "Speaker",
    "attendants",
    "belongings",
    "settle",
    "settle_in",
    "bury",
    "bury_dead",
    "shed",
    "outlives",
    "stays_closed",
    "spoken",
    "theatre",
];

/// Foreign words in the code of a file of the engine.
pub fn foreign_words(file: &File) -> Vec<String> {
    let code = code_only(&file.text);
    let found = tokens(&code).into_iter().filter(|(_, token)| FOREIGN_WORDS.contains(token));
    found.map(|(line, token)| format!("{}:{line}: `{token}` has another word in the field", file.path)).collect()
}

#[test]
fn a_foreign_word_is_found_in_code_only() {
    let text = "// shed\nfn shed() { \"shed\" }";
    assert_eq!(foreign_words(&File::new("src/a.rs", text)).len(), 1);
}

/// Unfinished work, and debugging aids.
pub fn unfinished(file: &File) -> Vec<String> {
    let mut violations = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let words = ["todo!(", "unimplemented!(", "dbg!(", "FIXME", "XXX", "console.debug(", "debugger;"];
        for word in words.iter().filter(|word| line.contains(**word)) {
            violations.push(format!("{}:{}: `{word}`", file.path, index + 1));
        }
    }
    violations
}

/// Files of the engine must begin with their purpose.
pub fn without_purpose(file: &File) -> Option<String> {
    let is_said = file.text.starts_with("//! ");
    (!is_said).then(|| format!("{}: opens without `//!` and its purpose", file.path))
}

#[test]
fn banned_names_are_found_outside_their_place() {
    for text in [
        "use std::time::Duration;",
        "let now = std::time::SystemTime::now();",
        "Instant::now()",
        "rand::thread_rng()",
        "unsafe { f() }",
        "use wasm_bindgen::prelude::*;",
        "js_sys::Date::now()",
        "println!(\"x\")",
        "HashMap::<u8, u8, RandomState>::new()",
        "core::mem::size_of::<usize>()",
    ] {
        assert!(!engine(&File::new("src/keyspace/db.rs", text)).is_empty(), "{text}");
    }
}

#[test]
fn banned_names_are_allowed_in_their_place_and_in_words() {
    for (path, text) in [
        ("src/base/clock.rs", "use std::time::SystemTime;"),
        ("src/wasm/mod.rs", "unsafe { js_sys::f() }"),
        ("src/lib.rs", "#![deny(unsafe_code)]\n// unsafe SystemTime\nconst A: &str = \"getrandom\";"),
        ("src/keyspace/db.rs", "fn random(date: u8) { write!(f, \"print\"); size_of::<Span>() }"),
    ] {
        assert_eq!(engine(&File::new(path, text)), Vec::<String>::new(), "{path}");
    }
    assert_eq!(engine(&File::new("src/wasm.rs", "unsafe {}")).len(), 1);
}

#[test]
fn unfinished_work_is_found() {
    for text in ["todo!()", "    dbg!(x);", "// FIXME later", "unimplemented!(\"x\")", "debugger;"] {
        assert_eq!(unfinished(&File::new("src/a.rs", text)).len(), 1, "{text}");
    }
    assert_eq!(unfinished(&File::new("src/a.rs", "fn todo() {}")), Vec::<String>::new());
}

#[test]
fn a_file_without_purpose_is_found() {
    assert!(without_purpose(&File::new("src/a.rs", "use x;\n//! late")).is_some());
    assert!(without_purpose(&File::new("src/a.rs", "//! What it is for.\n")).is_none());
}
