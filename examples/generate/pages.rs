//! Pages of the commands: one for each group of commands, with a section for each row.

use std::fmt::Write;

use serde_json::Value;

use super::groups::GROUPS;
use super::section::{Sources, cell, field, section, server_note};

const NOTICE: &str =
    "<!-- Printed from the command table and the session files by `cargo xtask build`; edits are lost. -->";

const LEGEND: &str = "\
Every command is described by one row of the command table, which `COMMAND DOCS`, the hints of the page and the types of the
package are printed from, too. Each is shown by a session file; its beginning stands here as an example.

Examples are [sessions](../../../docs/sessions.md): paste one into the playground, or save it and run it with `keylatch run FILE.session`. Lines with `>` are
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
    let sources = Sources::read();
    let mut pages = vec![("README.md".to_owned(), overview(&table))];
    for (group, title) in GROUPS.iter().filter(|(group, _)| members(&table, group).next().is_some()) {
        pages.push((format!("{group}.md"), page(group, title, &table, &sources)));
    }
    pages
}

fn overview(table: &[Value]) -> String {
    let mut text = format!("{NOTICE}\n\n# Commands\n\n");
    for (group, title) in GROUPS.iter().filter(|(group, _)| members(table, group).next().is_some()) {
        let page = format!("{group}.md");
        let names = members(table, group).map(|row| link(field(row, "name"), &page)).collect::<Vec<_>>();
        writeln!(text, "- [{title}]({group}.md): {}", names.join(" ")).unwrap();
    }
    text + "\n" + LEGEND
}

/// The commands of a group without subcommands.
fn members<'a>(table: &'a [Value], group: &'a str) -> impl Iterator<Item = &'a Value> {
    table.iter().filter(move |row| field(row, "group") == group && !field(row, "name").contains('|'))
}

fn page(group: &str, title: &str, table: &[Value], sources: &Sources) -> String {
    let mut text = format!("{NOTICE}\n\n# {title}\n\n| Command | |\n|---|---|\n");
    let all = || table.iter().filter(|row| field(row, "group") == group);
    for row in all() {
        let note = server_note(field(row, "since"));
        writeln!(text, "| {} | {}{note} |", link(field(row, "name"), ""), cell(field(row, "summary"))).unwrap();
    }
    text += "\nWhat the words of the replies mean, and how examples are run, is said [in front](README.md).\n";
    all().for_each(|row| text += &section(row, sources));
    text
}

/// A link to a section of a page, of the same one without a name.
fn link(name: &str, page: &str) -> String {
    let written = name.replace('|', " ");
    let anchor = written.to_lowercase().replace(' ', "-").replace('.', "");
    format!("[`{written}`]({page}#{anchor})")
}
