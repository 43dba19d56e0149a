//! Names of commands are compared where a request is resolved, and nowhere else: facts about a command are in its row.

use std::collections::BTreeSet;

use keylatch::internals::commands;

use crate::rust_text::code_only;
use crate::tree::File;

/// Floors that see rows, or words of requests.
const FLOORS: [&str; 6] = ["server", "commands", "engine", "connection", "session", "wasm"];
/// In rows and handlers, words in capitals are options of a command.
const OPTIONS_IN_CAPITALS: &str = "src/commands/";

/// Comparisons with a name, each with its reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("src/engine/string_run.rs", "get", "the decoder reads the two names itself; their rows count the calls"),
    ("src/engine/string_run.rs", "set", "the decoder reads the two names itself; their rows count the calls"),
    ("src/server/config/mod.rs", "ttl", "the end of a policy's name"),
    ("src/server/config/reading.rs", "pubsub", "a class of clients"),
    ("src/commands/client/types.rs", "pubsub", "a class of clients"),
    ("src/server/secrets.rs", "auth", "an option of HELLO"),
];

const COMPARING_CALLS: [&str; 7] =
    ["is(", "eq_ignore_ascii_case(", "starts_with(", "strip_prefix(", "contains(&", ".number(", "find("];

/// Names of all rows, and the beginnings of those of subcommands: `object|`.
fn names() -> BTreeSet<String> {
    let beginning = |name: &str| name.split_once('|').map(|(container, _)| format!("{container}|"));
    let names = commands::all_rows().map(|row| row.name);
    names.flat_map(|name| std::iter::once(name.to_owned()).chain(beginning(name))).collect()
}

/// Comparisons with names of commands, and exceptions that are none.
pub fn comparisons(files: &[File]) -> Vec<String> {
    let names = names();
    let found: Vec<Comparison> = files.iter().flat_map(|file| comparisons_in(file, &names)).collect();
    let is_listed = |comparison: &Comparison| {
        EXCEPTIONS.iter().any(|(path, name, _)| *path == comparison.path && *name == comparison.name)
    };
    let unlisted = found.iter().filter(|comparison| !is_listed(comparison)).map(|comparison| {
        let Comparison { path, line, name } = comparison;
        format!("{path}:{line}: compares with the name `{name}`; the row says what is special (table/role.rs)")
    });
    let is_gone = |path: &str, name: &str| !found.iter().any(|other| other.path == path && other.name == name);
    let gone = EXCEPTIONS.iter().filter(|(path, name, _)| is_gone(path, name));
    unlisted.chain(gone.map(|(path, name, _)| format!("{path}: `{name}` is listed, and not compared"))).collect()
}

struct Comparison {
    path: String,
    line: usize,
    name: String,
}

fn comparisons_in(file: &File, names: &BTreeSet<String>) -> Vec<Comparison> {
    let floor = file.path.strip_prefix("src/").and_then(|path| path.split('/').next()).unwrap_or_default();
    if !FLOORS.contains(&floor) || file.path.ends_with("tests.rs") {
        return Vec::new();
    }
    let source = file.text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code = code_only(source);
    let mut found = Vec::new();
    for (index, (line, code)) in source.lines().zip(code.lines()).enumerate() {
        for literal in literals(line, code) {
            let name = literal.text.to_lowercase();
            let is_option = literal.text != name && file.path.starts_with(OPTIONS_IN_CAPITALS);
            if names.contains(&name) && !is_option && literal.is_compared() {
                found.push(Comparison { path: file.path.clone(), line: index + 1, name });
            }
        }
    }
    found
}

/// A text in quotes, with the line around it.
struct Literal {
    before: String,
    text: String,
    after: String,
}

impl Literal {
    /// Whether the text is compared, is an alternative of a pattern or a further element of a list, or has a constant's name.
    fn is_compared(&self) -> bool {
        let before = self.before.trim_end();
        let before = before.strip_suffix('b').unwrap_or(before).trim_end();
        let after = self.after.trim_start();
        let is_operand = ["==", "!=", "|"].iter().any(|sign| before.ends_with(sign))
            || ["==", "!=", "=>", "|"].iter().any(|sign| after.starts_with(sign));
        let is_argument = COMPARING_CALLS.iter().any(|call| before.ends_with(call))
            || before.rsplit_once('(').is_some_and(|(call, arguments)| {
                let is_simple = arguments.chars().all(|c| c.is_alphanumeric() || "_, &".contains(c));
                call.ends_with("is") && is_simple && arguments.ends_with(',')
            });
        let list = before.rsplit_once('[').map_or("", |(_, list)| list);
        let is_element = list.ends_with(',') && list.contains('"');
        let is_constant = before.trim_start_matches("pub ").starts_with("const ") && before.ends_with('=');
        is_operand || is_argument || is_element || is_constant
    }
}

/// The texts of a line. In its code, texts are blanks.
fn literals(line: &str, code: &str) -> Vec<Literal> {
    let (line, code): (Vec<char>, Vec<char>) = (line.chars().collect(), code.chars().collect());
    let text = |range: std::ops::Range<usize>| line[range].iter().collect::<String>();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = (at..line.len()).find(|&index| line[index] == '"' && code.get(index) == Some(&' ')) {
        let is_end = |&index: &usize| line[index] == '"' && line[index - 1] != '\\';
        let Some(end) = (start + 1..line.len()).find(is_end) else { break };
        // A quote within a comment begins no text.
        if text(0..start).contains("//") {
            break;
        }
        found.push(Literal { before: text(0..start), text: text(start + 1..end), after: text(end + 1..line.len()) });
        at = end + 1;
    }
    found
}

#[test]
fn comparisons_with_names_are_found() {
    let found = |path: &str, text: &str| comparisons_in(&File::new(path, text), &names()).len();
    for text in [
        "if row.name == \"ping\" {",
        "if b\"exec\" != name {",
        "matches!(row.name, \"rename\" | \"renamenx\")",
        "    \"select\" => Some(Kind::Select),",
        "row.name.starts_with(\"client|\")",
        "name.eq_ignore_ascii_case(b\"EXEC\")",
        "if is(0, \"auth\") {",
        "blocked_in(engine, [\"x\", \"waitaof\"])",
        "const DEBUG: &str = \"debug\";",
    ] {
        assert!(found("src/engine/a.rs", text) > 0, "{text}");
        assert_eq!(found("src/keyspace/a.rs", text), 0, "{text}");
    }
    assert_eq!(found("src/commands/a.rs", "if row.name == \"sort\" {"), 1);
}

#[test]
fn names_that_are_not_compared_are_allowed() {
    for text in [
        "..row(\"select\", 2, FAST, select)",
        "let removal = Argv::from_slices(&[b\"DEL\", target]);",
        "// a \"get\" == \"set\"",
        "if is(word, \"GET\") {",
        "#[cfg(test)]\nmod tests {\n    x == \"get\"\n}",
    ] {
        assert_eq!(comparisons_in(&File::new("src/commands/a.rs", text), &names()).len(), 0, "{text}");
    }
}
