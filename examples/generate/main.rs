//! Prints the files that are generated from the rows into a folder, for `cargo xtask build`:
//!
//! - `generated/commands.json`: the command table;
//! - `generated/convention.json`: the numbers by which JavaScript calls commands;
//! - `generated/events.json`: the names of events;
//! - `generated/modes.json`: by mode of a latch, the modes that it admits beside itself;
//! - `generated/examples.json`: by command, uses with their replies and errors, from session files and lessons;
//! - `docs/commands/*.md`: a page for each group of commands.

mod groups;
mod lessons;
mod pages;
mod section;
mod shown;
// The test of tidiness uses more of it.
#[allow(dead_code)]
#[path = "../../tests/support/tree.rs"]
mod tree;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use keylatch::Mode;
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::other("usage: generate FOLDER"));
    };
    let tables = [
        ("commands.json".to_owned(), keylatch::internals::commands::json()),
        ("convention.json".to_owned(), keylatch::internals::calling_convention()),
        ("events.json".to_owned(), events().to_string()),
        ("modes.json".to_owned(), modes().to_string()),
        ("examples.json".to_owned(), examples().to_string()),
    ];
    write_all(&folder.join("generated"), &tables)?;
    write_all(&folder.join("docs/commands"), &pages::all())
}

/// Names of all kinds of events.
fn events() -> Value {
    keylatch::EventKind::ALL.iter().map(|kind| kind.name()).collect()
}

/// By mode of a latch, the modes that others may have at once.
fn modes() -> Value {
    let admitted =
        |mode: Mode| -> Value { Mode::ALL.into_iter().filter(|other| mode.admits(*other)).map(Mode::name).collect() };
    Value::Object(Mode::ALL.into_iter().map(|mode| (mode.name().to_owned(), admitted(mode))).collect())
}

/// Each use as its request, the lines of its reply, its file and its line there.
fn used(uses: Vec<shown::Use>) -> Value {
    uses.into_iter().map(|one| json!([one.request, one.reply, one.path, one.line])).collect()
}

/// By command: uses in its session file and in lessons, and texts of errors.
fn examples() -> Value {
    let (shown, lessons) = (shown::Shown::read(), lessons::Lessons::read());
    let entry = |row: &Value| {
        let name = row["name"].as_str().expect("a text");
        let errors: Vec<String> = shown.errors(name).into_iter().map(|(error, _)| error).collect();
        let entry = json!({
            "uses": used(shown.uses(name)),
            "lessons": used(lessons.uses(name)),
            "replies": shown.replies(name),
            "errors": errors,
        });
        (name.to_owned(), entry)
    };
    let table: Vec<Value> = serde_json::from_str(&keylatch::internals::commands::json()).expect("the table is JSON");
    Value::Object(table.iter().map(entry).collect())
}

/// Replaces a folder: files of groups or tables that are gone go, too.
fn write_all(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    files.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
}
