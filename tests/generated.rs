//! Files printed from the command table. A stale one is rewritten and the test fails once: commit what it wrote.

#[path = "support/block.rs"]
mod block;
#[path = "generated/examples.rs"]
mod examples;
#[path = "generated/pages.rs"]
mod pages;
// The test of tidiness uses more of it.
#[allow(dead_code)]
#[path = "support/tree.rs"]
mod tree;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use keylatch::internals::commands::{all_rows, rows};

const GROUPS: &[(&str, &str)] = &[
    ("string", "Strings"),
    ("bitmap", "Bitmaps"),
    ("generic", "Keys and expiration"),
    ("list", "Lists"),
    ("set", "Sets"),
    ("sorted-set", "Sorted sets"),
    ("geo", "Geospatial indexes"),
    ("hyperloglog", "HyperLogLog"),
    ("hash", "Hashes"),
    ("pubsub", "Publish and subscribe"),
    ("transactions", "Transactions"),
    ("connection", "Connection"),
    ("server", "Server"),
    ("cluster", "Cluster"),
];

/// Writes the file when it differs, and tells whether it did.
fn refresh(path: &str, expected: &str) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let stale = fs::read_to_string(&path).ok().as_deref() != Some(expected);
    if stale {
        fs::write(&path, expected).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    stale
}

fn command_list() -> String {
    let mut list = String::new();
    for (group, title) in GROUPS {
        let names: Vec<String> = rows()
            .filter(|row| row.group.name() == *group)
            .map(|row| format!("`{}`", row.name.to_ascii_uppercase()))
            .collect();
        list += &format!("- {title}: {}\n", names.join(" "));
    }
    list
}

/// Prints the types of `call` from the table beside them, when they differ, and tells whether they did. Without Node they stay as
/// they are: `cargo xtask test` has it.
fn refresh_types() -> bool {
    let generator = Path::new(env!("CARGO_MANIFEST_DIR")).join("pkg-templates/npm/generate.mjs");
    let generate = |flags: &[&str]| Command::new("node").arg(&generator).args(flags).output();
    let stale = |check: Output| !check.status.success();
    if !generate(&["--check"]).is_ok_and(stale) {
        return false;
    }
    let written = generate(&[]).expect("it has just run");
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    true
}

#[test]
fn the_command_table_of_the_package_is_fresh() {
    let table = refresh("pkg-templates/npm/commands.json", &keylatch::internals::commands::json());
    let types = refresh_types();
    let convention =
        refresh("pkg-templates/npm/src/generated/convention.ts", &keylatch::internals::calling_convention());
    assert!(!table, "commands.json was rewritten");
    assert!(!types, "src/generated/commands.ts was rewritten");
    assert!(!convention, "src/generated/convention.ts was rewritten");
}

#[test]
fn the_command_list_of_the_readme_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(path).expect("README.md");
    let expected =
        block::with_block(&readme, "commands", &command_list()).expect("README.md has the marks of the list");
    assert!(!refresh("README.md", &expected), "README.md was rewritten");
}

#[test]
fn the_pages_of_the_commands_are_fresh() {
    let stale = pages::refresh_all();
    assert!(stale.is_empty(), "rewritten: {}", stale.join(", "));
}

#[test]
fn every_group_has_a_title() {
    for row in rows() {
        assert!(GROUPS.iter().any(|(group, _)| *group == row.group.name()), "{} has no title", row.group.name());
    }
}

#[test]
fn every_row_says_what_it_does() {
    for row in all_rows() {
        assert!(row.summary.ends_with('.'), "{}: a summary is a sentence", row.name);
        assert!(!row.reply.is_empty() && !row.complexity.is_empty(), "{}", row.name);
        assert!(is_version(row.since), "{}: `{}` is neither `7.4.0` nor `keylatch 0.2`", row.name, row.since);
        let needed = row.arity.unsigned_abs() as usize > row.words();
        assert!(!needed || !row.arguments.is_empty() || !row.subcommands.is_empty(), "{}: arguments", row.name);
    }
}

/// True for a version of Redis (`7.4.0`), and of keylatch (`keylatch 0.2`) where Redis lacks the command.
fn is_version(since: &str) -> bool {
    let (parts, version) = match since.strip_prefix("keylatch ") {
        Some(version) => (2, version),
        None => (3, since),
    };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    version.split('.').count() == parts && version.split('.').all(is_number)
}

#[test]
fn since_names_a_version_of_redis_or_of_keylatch() {
    for version in ["1.0.0", "8.4.0", "keylatch 0.2", "keylatch 1.10"] {
        assert!(is_version(version), "{version}");
    }
    for other in ["", "7.4", "keylatch", "keylatch 0", "keylatch 0.2.1", "Keylatch 0.2", "valkey 9.0.0", "0.2 "] {
        assert!(!is_version(other), "{other}");
    }
}
