//! Pages of the commands: one for each group of commands, printed from the rows and from the session files that show them.

use std::fmt::Write;

use serde_json::Value;

use super::groups::GROUPS;
use super::shown::{Example, Shown};

/// Root of the repository, seen from a page in `target/docs/commands`.
const ROOT: &str = "../../..";
const NOTICE: &str =
    "<!-- Printed from the command table and the session files by `cargo xtask build`; edits are lost. -->";

const LEGEND: &str = "\
Every command is described by one row of the command table, which `COMMAND DOCS`, the hints of the page and the types of the
package are printed from, too. Each is shown by a session file; its beginning stands here as an example.

Examples are sessions: paste one into the playground, or save it and run it with `keylatch run FILE.session`. Lines with `>` are
commands, those below are what redis-cli prints, `@` moves the clock and `!` is an event that a listener hears.

Replies are written in these words:

| Word | Reply |
|---|---|
| `OK`, `status` | a short text that is always the same, or one of a few |
| `integer` | a whole number |
| `double` | a number with digits behind the point; over RESP2 its text |
| `bulk` | a text of any bytes |
| `null` | nothing: there is no such key, member or field, or a condition was not met |
| `array(x)` | a list of x; `array(x,y)` first an x, then a y |
| `map(x,y)` | pairs of x and y; over RESP2 a flat list of them |
| `set(x)` | different x in no order; over RESP2 a list |
| `error` | an error whatever the arguments are |
| `any` | depends on the subcommand, or on what was queued |
| `x\\|y` | an x or a y |
";

/// All pages, each with its file name; `README.md` is the overview.
pub fn all() -> Vec<(String, String)> {
    let table: Vec<Value> = serde_json::from_str(&keylatch::internals::commands::json()).expect("the table is JSON");
    let shown = Shown::read();
    let mut pages = vec![("README.md".to_owned(), overview(&table))];
    for (group, title) in GROUPS.iter().filter(|(group, _)| members(&table, group).next().is_some()) {
        pages.push((format!("{group}.md"), page(group, title, &table, &shown)));
    }
    pages
}

fn overview(table: &[Value]) -> String {
    let mut text = format!("{NOTICE}\n\n# Commands\n\n");
    for (group, title) in GROUPS.iter().filter(|(group, _)| members(table, group).next().is_some()) {
        let names = members(table, group).map(|row| format!("`{}`", field(row, "name"))).collect::<Vec<_>>();
        writeln!(text, "- [{title}]({group}.md): {}", names.join(" ")).unwrap();
    }
    text + "\n" + LEGEND
}

/// The commands of a group without subcommands.
fn members<'a>(table: &'a [Value], group: &'a str) -> impl Iterator<Item = &'a Value> {
    table.iter().filter(move |row| field(row, "group") == group && !field(row, "name").contains('|'))
}

fn page(group: &str, title: &str, table: &[Value], shown: &Shown) -> String {
    let mut text = format!("{NOTICE}\n\n# {title}\n\n| Command | |\n|---|---|\n");
    let all = || table.iter().filter(|row| field(row, "group") == group);
    for row in all() {
        writeln!(text, "| {} | {} |", link(field(row, "name")), cell(field(row, "summary"))).unwrap();
    }
    text += "\nWhat the words of the replies mean, and how examples are run, is said [in front](README.md).\n";
    all().for_each(|row| text += &section(row, shown));
    text
}

fn section(row: &Value, shown: &Shown) -> String {
    let name = field(row, "name");
    let written = name.replace('|', " ");
    let mut text = format!("\n## {written}\n\n{}\n\n", field(row, "summary"));
    let syntax = field(row, "syntax");
    writeln!(text, "```text\n{}\n```\n", [&written, syntax].join(" ").trim_end()).unwrap();
    writeln!(text, "| | |\n|---|---|").unwrap();
    let list = |name: &str| {
        let words = row[name].as_array().expect("a list").iter().map(|word| word.as_str().expect("a text"));
        words.collect::<Vec<_>>().join(" ")
    };
    let order = if row["unordered"] == true { ", in no particular order" } else { "" };
    let facts = [
        ("Reply", format!("`{}`{order}", cell(field(row, "reply")))),
        ("Since", since(field(row, "since"))),
        ("Complexity", cell(field(row, "complexity"))),
        ("Arity", arity(&row["arity"])),
        ("Flags", list("flags")),
        ("Categories", list("categories")),
    ];
    for (title, fact) in facts.iter().filter(|(_, fact)| !fact.is_empty()) {
        writeln!(text, "| {title} | {fact} |").unwrap();
    }
    text += "\n";
    text + &example(shown.example(name)) + &errors(&shown.errors(name))
}

/// `Redis 7.4.0`; a row that Redis lacks names keylatch itself.
fn since(version: &str) -> String {
    if version.starts_with("keylatch ") { version.to_owned() } else { format!("Redis {version}") }
}

#[test]
fn a_command_that_redis_lacks_is_since_keylatch() {
    assert_eq!(since("7.4.0"), "Redis 7.4.0");
    assert_eq!(since("keylatch 0.2"), "keylatch 0.2");
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

fn errors(errors: &[(String, String)]) -> String {
    if errors.is_empty() {
        return String::new();
    }
    let lines: String =
        errors.iter().map(|(error, request)| format!("| `{}` | `{}` |\n", cell(error), cell(request))).collect();
    format!("\n| Error | Said to |\n|---|---|\n{lines}")
}

fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().expect("a text")
}

/// A text that stays within its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A link to a section of the same page.
fn link(name: &str) -> String {
    let written = name.replace('|', " ");
    let anchor = written.to_lowercase().replace(' ', "-").replace('.', "");
    format!("[{written}](#{anchor})")
}
