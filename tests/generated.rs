//! Files printed from the command table: what `cargo xtask build` prints is whole and well-formed, and the list in docs/commands.md is
//! fresh. A stale list is rewritten and the test fails once: commit what it wrote.

#[path = "support/block.rs"]
mod block;
#[path = "../examples/generate/groups.rs"]
mod groups;
// The program uses more of it.
#[allow(dead_code)]
#[path = "../examples/generate/lessons.rs"]
mod lessons;
#[path = "../examples/generate/pages.rs"]
mod pages;
#[path = "../examples/generate/section.rs"]
mod section;
// The program uses more of it.
#[allow(dead_code)]
#[path = "../examples/generate/shown.rs"]
mod shown;
// The test of tidiness uses more of it.
#[allow(dead_code)]
#[path = "support/tree.rs"]
mod tree;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use groups::GROUPS;
use keylatch::internals::commands::{Row, all_rows, rows};
use serde_json::Value;

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

#[test]
fn the_command_table_holds_every_row() {
    let table: Vec<Value> = serde_json::from_str(&keylatch::internals::commands::json()).expect("the table is JSON");
    let names: Vec<&str> = table.iter().map(|row| row["name"].as_str().expect("a name")).collect();
    let expected: Vec<String> = all_rows().map(|row| row.name.to_ascii_uppercase()).collect();
    assert_eq!(names, expected);
    for row in &table {
        for column in ["summary", "since", "group", "complexity", "reply", "syntax"] {
            assert!(row[column].is_string(), "{}: {column}", row["name"]);
        }
        assert!(row["arity"].is_i64() && row["arguments"].is_array(), "{}", row["name"]);
    }
}

#[test]
fn the_convention_numbers_every_command_without_subcommands() {
    let convention: Value =
        serde_json::from_str(&keylatch::internals::calling_convention()).expect("the convention is JSON");
    assert!(convention["hash"].is_u64());
    let mut bits = convention["status"].as_object().expect("status").values().map(|bits| bits.as_u64().expect("bits"));
    let all_bits = bits.try_fold(0, |all, bit| (bit.is_power_of_two() && all & bit == 0).then_some(all | bit));
    assert!(all_bits.is_some(), "a bit of the status stands twice: {}", convention["status"]);
    let all: Vec<&Row> = all_rows().collect();
    let printed = convention["rows"].as_array().expect("rows");
    for row in printed {
        let number = usize::try_from(row["number"].as_u64().expect("a number")).expect("a small number");
        assert_eq!(row["name"], all[number].name.to_ascii_uppercase(), "row {number}");
        assert!(row["timed"].is_boolean(), "row {number}");
    }
    assert_eq!(printed.len(), rows().filter(|row| row.subcommands.is_empty()).count());
}

#[test]
fn the_pages_show_every_row_once_and_link_what_exists() {
    let pages = pages::all();
    let names: HashSet<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    let mut missing: HashSet<String> = all_rows().map(|row| row.name.replace('|', " ").to_ascii_uppercase()).collect();
    for (name, text) in &pages {
        for heading in text.lines().filter_map(|line| line.strip_prefix("## ")).filter(|heading| is_name(heading)) {
            assert!(missing.remove(heading), "{name}: {heading} is no row, or stands twice");
        }
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let page = link.split('#').next().unwrap_or(link);
            assert!(link.starts_with('#') || names.contains(page) || is_file(link), "{name}: {link} leads nowhere");
        }
    }
    assert!(missing.is_empty(), "without a section: {missing:?}");
}

/// True for a heading that names a command. Headings of examples are sentences.
fn is_name(heading: &str) -> bool {
    !heading.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// True for a link to a file of the repository, as a page in `target/docs/commands` sees it.
fn is_file(link: &str) -> bool {
    link.strip_prefix("../../../").is_some_and(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join(path).is_file())
}

#[test]
fn the_command_list_of_the_documentation_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
    let page = fs::read_to_string(&path).expect("docs/commands.md");
    let expected = block::with_block(&page, "commands", &command_list()).expect("docs/commands.md has the marks");
    if page != expected {
        fs::write(&path, expected).expect("docs/commands.md");
        panic!("docs/commands.md was rewritten");
    }
}

#[test]
fn every_row_has_an_example_that_runs() {
    let shown = shown::Shown::read();
    for row in all_rows() {
        assert!(shown.example(&row.name.to_uppercase()).is_some(), "{}: no session file shows it", row.name);
    }
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
        assert!(
            is_version(row.since),
            "{}: `{}` is none of `7.4.0`, `keylatch 0.2`, `Valkey 9.0`",
            row.name,
            row.since
        );
        let needed = row.arity.unsigned_abs() as usize > row.words();
        assert!(!needed || !row.arguments.is_empty() || !row.subcommands.is_empty(), "{}: arguments", row.name);
    }
}

/// True for a version of Redis (`7.4.0`), and of keylatch (`keylatch 0.2`) or Valkey where Redis lacks the command.
fn is_version(since: &str) -> bool {
    let (parts, version) = match since.strip_prefix("keylatch ").or_else(|| since.strip_prefix("Valkey ")) {
        Some(version) => (2, version),
        None => (3, since),
    };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    version.split('.').count() == parts && version.split('.').all(is_number)
}

#[test]
fn since_names_a_version_of_a_server() {
    for version in ["1.0.0", "8.4.0", "keylatch 0.2", "keylatch 1.10", "Valkey 9.0"] {
        assert!(is_version(version), "{version}");
    }
    for other in ["", "7.4", "keylatch", "keylatch 0", "keylatch 0.2.1", "Keylatch 0.2", "valkey 9.0.0", "0.2 "] {
        assert!(!is_version(other), "{other}");
    }
}
