//! Section of a command on its group's page: printed from its row and from the sessions and lessons that show it.

use std::fmt::Write;

use serde_json::Value;

use super::lessons::{Lessons, Recipe};
use super::shown::{Example, Shown};

/// Root of the repository, seen from a page in `target/docs/commands`.
const ROOT: &str = "../../..";
/// Versions of Redis from here on are newer than most servers, which a section says.
const NEWEST_MAJOR: u32 = 8;

/// All that sections are printed from, beside the rows.
pub struct Sources {
    shown: Shown,
    lessons: Lessons,
}

impl Sources {
    pub fn read() -> Sources {
        Sources { shown: Shown::read(), lessons: Lessons::read() }
    }
}

/// Section of a row: summary, syntax, facts, an example, replies, errors, and lessons that use the command.
pub fn section(row: &Value, sources: &Sources) -> String {
    let Sources { shown, lessons } = sources;
    let name = field(row, "name");
    let written = name.replace('|', " ");
    let mut text = format!("\n## {written}\n\n{}\n\n", field(row, "summary"));
    writeln!(text, "```text\n{}\n```\n", [&written, field(row, "syntax")].join(" ").trim_end()).unwrap();
    text += &notes(row, &lessons.recipes_for(name));
    writeln!(text, "| | |\n|---|---|").unwrap();
    for (title, fact) in facts(row).iter().filter(|(_, fact)| !fact.is_empty()) {
        writeln!(text, "| {title} | {fact} |").unwrap();
    }
    text += "\n### Example\n\n";
    text += &example(shown.example(name));
    text += &pairs("### Replies", "Reply | To", &shown.replies(name));
    text += &pairs("### Errors", "Error | To", &shown.errors(name));
    text + &used_in(lessons, name)
}

fn facts(row: &Value) -> [(&'static str, String); 6] {
    let list = |name: &str| {
        let words = row[name].as_array().expect("a list").iter().map(|word| word.as_str().expect("a text"));
        words.collect::<Vec<_>>().join(" ")
    };
    let order = if row["unordered"] == true { ", in no particular order" } else { "" };
    [
        ("Reply", format!("`{}`{order}", cell(field(row, "reply")))),
        ("Since", since(field(row, "since"))),
        ("Complexity", cell(field(row, "complexity"))),
        ("Arity", arity(&row["arity"])),
        ("Flags", list("flags")),
        ("Categories", list("categories")),
    ]
}

/// Paragraphs about servers: a deprecated command, one of a new version, and one that other servers lack.
fn notes(row: &Value, recipes: &[&Recipe]) -> String {
    let version = field(row, "since");
    let mut text = String::new();
    if let (Some(deprecated), Some(instead)) = (row["deprecatedSince"].as_str(), row["replacedBy"].as_str()) {
        writeln!(text, "**Deprecated** since Redis {deprecated}: the replacement is {instead}.\n").unwrap();
    }
    if version.starts_with("keylatch ") {
        writeln!(text, "**Only in keylatch.** On Redis, use `keylatch/locks`{}.\n", alternatives(recipes)).unwrap();
    } else if version.starts_with("Valkey ") {
        writeln!(text, "**Only in {version} or newer** and in keylatch: Redis lacks it.\n").unwrap();
    } else if version.split('.').next().and_then(|major| major.parse().ok()) >= Some(NEWEST_MAJOR) {
        writeln!(text, "**Needs Redis {version}** or newer.\n").unwrap();
    }
    text
}

/// Remark behind a summary in a list, on a command that not every Redis has.
pub fn server_note(version: &str) -> &'static str {
    match version.split([' ', '.']).next() {
        Some("keylatch") => " Only in keylatch.",
        Some("Valkey") => " Only in Valkey and keylatch.",
        _ => "",
    }
}

/// Recipes on plain commands that do the work of a command.
fn alternatives(recipes: &[&Recipe]) -> String {
    if recipes.is_empty() {
        return String::new();
    }
    let links = recipes.iter().map(|recipe| format!("[{}]({ROOT}/{})", recipe.title, recipe.path));
    let plural = if recipes.len() == 1 { "" } else { "s" };
    format!(" or the recipe{plural} {}", links.collect::<Vec<_>>().join(", "))
}

/// `Redis 7.4.0`; a row that Redis lacks names its server itself.
fn since(version: &str) -> String {
    if version.starts_with(|first: char| first.is_ascii_digit()) {
        format!("Redis {version}")
    } else {
        version.to_owned()
    }
}

#[test]
fn a_command_that_redis_lacks_is_since_another_server() {
    assert_eq!(since("7.4.0"), "Redis 7.4.0");
    assert_eq!(since("keylatch 0.2"), "keylatch 0.2");
    assert_eq!(since("Valkey 9.0"), "Valkey 9.0");
}

fn arity(arity: &Value) -> String {
    let words = arity.as_i64().expect("a number");
    let least = if words < 0 { "at least " } else { "" };
    let plural = if words.abs() == 1 { "" } else { "s" };
    format!("{words} ({least}{} word{plural}, the name included)", words.abs())
}

fn example(example: Option<Example>) -> String {
    let Some(Example { path, caption, lines }) = example else { return String::new() };
    let caption = if caption.is_empty() { String::new() } else { format!("{caption}:\n\n") };
    let name = path.rsplit('/').next().unwrap_or(&path);
    format!("{caption}```text\n{}\n```\n\nMore in [{name}]({ROOT}/{path}).\n", lines.join("\n"))
}

/// A table of two columns in code, below a heading; nothing without rows.
fn pairs(heading: &str, titles: &str, pairs: &[(String, String)]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let lines: String = pairs.iter().map(|(one, other)| format!("| {} | {} |\n", code(one), code(other))).collect();
    format!("\n{heading}\n\n| {titles} |\n|---|---|\n{lines}")
}

fn used_in(lessons: &Lessons, name: &str) -> String {
    let links: Vec<String> = lessons.using(name).map(|(title, path)| format!("- [{title}]({ROOT}/{path})\n")).collect();
    if links.is_empty() { String::new() } else { format!("\n### Lessons\n\n{}", links.concat()) }
}

pub fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().expect("a text")
}

/// A text that stays within its cell.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A cell of code, which may contain backticks.
fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {} ``", cell(text)) } else { format!("`{}`", cell(text)) }
}
