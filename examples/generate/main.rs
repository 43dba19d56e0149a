//! Prints the files that are generated from the rows into a folder, for `cargo xtask build`:
//!
//! - `generated/commands.json`: the command table;
//! - `generated/convention.json`: the numbers by which JavaScript calls commands;
//! - `docs/commands/*.md`: a page for each group of commands.

mod groups;
mod pages;
mod shown;
// The test of tidiness uses more of it.
#[allow(dead_code)]
#[path = "../../tests/support/tree.rs"]
mod tree;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::other("usage: generate FOLDER"));
    };
    let tables = [
        ("commands.json".to_owned(), keylatch::internals::commands::json()),
        ("convention.json".to_owned(), keylatch::internals::calling_convention()),
    ];
    write_all(&folder.join("generated"), &tables)?;
    write_all(&folder.join("docs/commands"), &pages::all())
}

/// Replaces a folder: files of groups or tables that are gone go, too.
fn write_all(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    files.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
}
