//! `cargo xtask mutate`: shows that the model checks can fail. Each patch of tests/models/mutations is applied to a copy of
//! the sources, and the model check that it names has to find the fault that it names.
//!
//! The copy is compiled without optimization, and only what a patch changes is compiled anew.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::failure::{Failure, Result};
use crate::paths;
use crate::process::Program;
use crate::progress;

const PATCHES: &str = "tests/models/mutations";
/// Files and folders of the workspace that the model checks are compiled from.
const SOURCES: [&str; 7] =
    ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "src", "tests/models", "xtask/Cargo.toml", "xtask/src/main.rs"];
/// Targets that the manifest names: their files must exist.
const TARGETS: [&str; 2] = ["benches/core", "tests/differential/main.rs"];

/// Patch with the model check that has to notice it.
#[derive(Debug, PartialEq, Eq)]
struct Mutation {
    name: String,
    about: String,
    test: String,
    /// Rules of which one has to be found violated.
    rules: Vec<String>,
    patch: String,
}

impl Mutation {
    /// Parses a file: a sentence, `test: NAME`, `rules: RULE...`, then the patch.
    fn parse(name: &str, text: &str) -> Result<Mutation> {
        let bad = || Failure::new(format!("{PATCHES}/{name}.patch needs a sentence, `test:`, `rules:` and a patch"));
        let (head, patch) = text.split_once("\n\n").ok_or_else(bad)?;
        let mut lines = head.lines();
        let about = lines.next().ok_or_else(bad)?.to_owned();
        let mut value = |key: &str| lines.next().and_then(|line| line.strip_prefix(key)).map(str::trim).ok_or_else(bad);
        let (test, rules) = (value("test:")?.to_owned(), value("rules:")?.split(' ').map(str::to_owned).collect());
        Ok(Mutation { name: name.to_owned(), about, test, rules, patch: patch.to_owned() })
    }

    /// Files that the patch changes.
    fn files(&self) -> impl Iterator<Item = &str> {
        self.patch.lines().filter_map(|line| line.strip_prefix("+++ b/"))
    }
}

pub(crate) fn run() -> Result {
    let mutations = read_all()?;
    let copy = paths::target().join("mutations/copy");
    refresh(&copy)?;
    for mutation in &mutations {
        let started = Instant::now();
        check(&copy, mutation)?;
        println!("caught   {}: {} ({})", mutation.name, mutation.about, progress::seconds(started.elapsed()));
    }
    println!("{} mutations, all caught", mutations.len());
    Ok(())
}

fn read_all() -> Result<Vec<Mutation>> {
    let files = paths::files_below(&paths::root().join(PATCHES))?;
    let mutations = files.iter().filter_map(|file| {
        let name = file.file_name()?.to_str()?.strip_suffix(".patch")?;
        Some(paths::read_text(file).and_then(|text| Mutation::parse(name, &text)))
    });
    mutations.collect()
}

/// Brings the copy up to date. Unchanged files keep their times, so that they are not compiled again.
fn refresh(copy: &Path) -> Result {
    let root = paths::root();
    for source in SOURCES.iter().map(|source| root.join(source)) {
        let is_folder = source.is_dir();
        let files = if is_folder { paths::files_below(&source)? } else { vec![source.clone()] };
        for file in files {
            let text = paths::read(&file)?;
            write_changed(&place_in(copy, &root, &file), &text)?;
        }
        if is_folder {
            remove_moved(&place_in(copy, &root, &source), copy, &root)?;
        }
    }
    for target in TARGETS {
        let file = copy.join(target).with_extension("rs");
        write_changed(&file, b"fn main() {}\n")?;
    }
    Ok(())
}

/// Path in the copy of a file of the project.
fn place_in(copy: &Path, root: &Path, file: &Path) -> PathBuf {
    copy.join(file.strip_prefix(root).unwrap_or(file))
}

/// Removes files from a folder of the copy that the project has no more: a moved module would be there twice.
fn remove_moved(folder: &Path, copy: &Path, root: &Path) -> Result {
    for file in paths::files_below(folder)? {
        if !root.join(file.strip_prefix(copy).unwrap_or(&file)).exists() {
            std::fs::remove_file(&file).map_err(|error| Failure::file("remove", &file, &error))?;
        }
    }
    Ok(())
}

fn write_changed(file: &PathBuf, bytes: &[u8]) -> Result {
    if std::fs::read(file).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    if let Some(folder) = file.parent() {
        paths::create_folder(folder)?;
    }
    paths::write(file, bytes)
}

/// Applies a patch, runs the model check, and takes the patch back.
fn check(copy: &Path, mutation: &Mutation) -> Result {
    let patch = copy.join("mutation.patch");
    paths::write(&patch, &mutation.patch)?;
    // The copy lies inside the repository; Git must not take it for a part of it.
    let applied = Program::new("git")
        .args(&["apply", "--whitespace=nowarn"])
        .arg(&patch)
        .folder(copy)
        .env("GIT_CEILING_DIRECTORIES", copy.parent().unwrap_or(copy))
        .output();
    let outcome = applied.and_then(|_| caught(copy, mutation));
    refresh(copy)?;
    outcome.map_err(|failure| Failure::new(format!("mutation {}: {failure}", mutation.name)))
}

fn caught(copy: &Path, mutation: &Mutation) -> Result {
    let root = paths::root();
    let is_changed = |file: &str| std::fs::read(copy.join(file)).ok() != std::fs::read(root.join(file)).ok();
    if !mutation.files().all(is_changed) {
        return Err(Failure::new("the patch changes nothing"));
    }
    let cargo = |words: &[&str]| {
        let program = Program::cargo().args(&["test", "--quiet", "--package", "keylatch-models"]).args(words);
        program
            .folder(copy)
            .env("CARGO_TARGET_DIR", paths::target().join("mutations/target"))
            .env("RUSTFLAGS", "-Awarnings")
    };
    cargo(&["--no-run"]).output()?;
    let outcome = cargo(&["--", "--nocapture", &mutation.test]).output();
    let Err(failure) = outcome else { return Err(Failure::new(format!("`{}` passes", mutation.test))) };
    let text = failure.to_string();
    let is_found = |rule: &String| text.contains(&format!(": {rule} is violated after"));
    match mutation.rules.iter().any(is_found) {
        true => Ok(()),
        false => Err(Failure::new(format!("`{}` fails for another reason:\n{text}", mutation.test))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_mutations_name_their_test_and_their_files() {
        let mutations = read_all().unwrap();
        assert_eq!(mutations.len(), 7);
        let tests = paths::read_text(&paths::root().join("tests/models/lib.rs")).unwrap();
        for mutation in mutations {
            assert!(tests.contains(&format!("fn {}()", mutation.test)), "{}", mutation.name);
            assert_eq!(mutation.files().count(), 1, "{}", mutation.name);
        }
    }

    #[test]
    fn a_file_without_test_is_refused() {
        assert!(Mutation::parse("a", "About.\nrules: S1\n\n--- a/x").is_err());
        let whole = Mutation::parse("a", "About.\ntest: t\nrules: S1 S2\n\n--- a/x\n+++ b/x\n").unwrap();
        assert_eq!((whole.rules.len(), whole.files().next()), (2, Some("x")));
    }
}
