//! Command table as JSON. Parts of the npm package, the playground and the documentation are printed from it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::catalog::all_rows;
use super::deprecated::deprecation;
use super::docs::{categories, flag_names};
use super::grammar::{Argument, parse, syntax};
use super::row::{Begin, Find, KeySpec, flags};
use crate::commands::Row;

/// Returns all rows as a JSON array, one object per line, subcommands after their container. A name is in upper case,
/// such as `OBJECT|ENCODING`; arguments have the field names of COMMAND DOCS.
pub fn json() -> String {
    let objects = all_rows().map(row_json);
    format!("[\n{}\n]\n", objects.collect::<Vec<_>>().join(",\n"))
}

fn row_json(row: &Row) -> String {
    let arguments = parse(row.arguments);
    let mut object = Object::default();
    object.text("name", &row.name.to_ascii_uppercase());
    object.text("summary", row.summary);
    object.text("since", row.since);
    if let Some((since, instead)) = deprecation(row.name) {
        object.text("deprecatedSince", since);
        object.text("replacedBy", instead);
    }
    object.text("group", row.group.name());
    object.text("complexity", row.complexity);
    object.raw("arity", &row.arity.to_string());
    if !row.keys.is_empty() {
        object.raw("keys", &list(row.keys.iter().map(|spec| quoted(&key_positions(spec)))));
    }
    if !row.key_patterns.is_empty() {
        object.raw("keyPatterns", &list(row.key_patterns.iter().map(|word| quoted(word))));
    }
    object.raw("flags", &list(flag_names(row).iter().map(|name| quoted(name))));
    let depends_on = flags::DEPENDS_ON.iter().filter(|(flag, _)| row.has(*flag));
    object.raw("dependsOn", &list(depends_on.map(|(_, name)| quoted(name))));
    object.raw("categories", &list(categories(row).iter().map(|name| quoted(name))));
    object.raw("unordered", &row.is_unordered().to_string());
    object.text("reply", row.reply);
    object.text("syntax", &syntax(&arguments));
    object.raw("arguments", &list(arguments.iter().map(argument_json)));
    object.close()
}

/// Positions of a spec's keys in a request, which begins with the name at 0: `1`, `1..-1` (negative from the end), `1..-1/2`
/// (every second argument), `#1` (after their number, which stands at 1), `STORE@2` (after the word, sought from 2 on), `STREAMS@1..half` (the first half of
/// the words after that).
fn key_positions(spec: &KeySpec) -> String {
    let begin = match spec.begin {
        Begin::Index(index) => index.to_string(),
        Begin::Keyword { word, from } => format!("{word}@{from}"),
    };
    let step = |step: i32| if step == 1 { String::new() } else { format!("/{step}") };
    match (spec.begin, spec.find) {
        (_, Find::Range { last: 0, .. }) => begin,
        (Begin::Index(first), Find::Range { last, step: by }) if last > 0 => {
            format!("{begin}..{}{}", first + last, step(by))
        }
        (_, Find::Range { last, step: by }) => format!("{begin}..{last}{}", step(by)),
        (_, Find::FirstHalf) => format!("{begin}..half"),
        (_, Find::Counted { step: by, .. }) => format!("#{begin}{}", step(by)),
    }
}

fn argument_json(argument: &Argument) -> String {
    let mut object = Object::default();
    object.text("name", &argument.name);
    object.text("type", argument.kind.name());
    if let Some(token) = argument.token {
        object.text("token", token);
    }
    if argument.optional {
        object.raw("optional", "true");
    }
    if argument.multiple {
        object.raw("multiple", "true");
    }
    if argument.multiple_token {
        object.raw("multipleToken", "true");
    }
    if !argument.arguments.is_empty() {
        object.raw("arguments", &list(argument.arguments.iter().map(argument_json)));
    }
    object.close()
}

#[derive(Default)]
struct Object {
    fields: Vec<String>,
}

impl Object {
    fn text(&mut self, name: &str, value: &str) {
        self.raw(name, &quoted(value));
    }

    fn raw(&mut self, name: &str, value: &str) {
        self.fields.push(format!("{}:{value}", quoted(name)));
    }

    fn close(self) -> String {
        format!("{{{}}}", self.fields.join(","))
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// Quotes a text for JSON. Rows contain printable text only, so only quotes and backslashes are escaped.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
