//! Replies of COMMAND INFO, COMMAND DOCS and HELP, and the ACL categories of rows.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::grammar::{Argument, ArgumentKind, parse};
use super::row::{Begin, FamilyCategory, Find, Group, KeySpec, flags};
use crate::commands::Row;
use crate::resp::encode::Writer;

/// Writes an element of COMMAND and COMMAND INFO, with the ten fields of Redis 7.0 and newer.
pub fn write_info(row: &Row, reply: &mut Writer) {
    reply.array(10);
    reply.bulk(row.name.as_bytes());
    reply.integer(row.arity.into());
    write_names(flag_names(row), reply);
    let (first, last, step) = legacy_keys(row);
    [first, last, step].into_iter().for_each(|position| reply.integer(position.into()));
    write_names(categories(row), reply);
    reply.array(row.tips.len());
    row.tips.iter().for_each(|tip| reply.bulk(tip.as_bytes()));
    reply.array(row.keys.len());
    row.keys.iter().for_each(|spec| write_key_spec(spec, reply));
    reply.array(row.subcommands.len());
    row.subcommands.iter().for_each(|sub| write_info(sub, reply));
}

/// Writes the name and the value of one pair of COMMAND DOCS.
pub fn write_docs(row: &Row, reply: &mut Writer) {
    reply.bulk(row.name.as_bytes());
    let arguments = parse(row.arguments);
    let fields = reply.open();
    let mut len = 4;
    for (name, text) in
        [("summary", row.summary), ("since", row.since), ("group", row.group.name()), ("complexity", row.complexity)]
    {
        reply.bulk(name.as_bytes());
        reply.bulk(text.as_bytes());
    }
    if !arguments.is_empty() {
        len += 1;
        reply.bulk(b"arguments");
        reply.array(arguments.len());
        arguments.iter().for_each(|argument| write_argument(argument, row, reply));
    }
    if !row.subcommands.is_empty() {
        len += 1;
        reply.bulk(b"subcommands");
        reply.map(row.subcommands.len());
        row.subcommands.iter().for_each(|sub| write_docs(sub, reply));
    }
    reply.close_map(fields, len);
}

fn write_argument(argument: &Argument, row: &Row, reply: &mut Writer) {
    let fields = reply.open();
    let mut len = 2;
    let field = |name: &str, value: &str, reply: &mut Writer| {
        reply.bulk(name.as_bytes());
        reply.bulk(value.as_bytes());
    };
    field("name", &argument.name, reply);
    field("type", argument.kind.name(), reply);
    if !matches!(argument.kind, ArgumentKind::OneOf | ArgumentKind::Block) {
        field("display_text", &argument.name, reply);
        len += 1;
    }
    if argument.kind == ArgumentKind::Key {
        reply.bulk(b"key_spec_index");
        reply.integer(key_spec_index(argument, row));
        len += 1;
    }
    if let Some(token) = argument.token {
        field("token", token, reply);
        len += 1;
    }
    if argument.optional || argument.multiple {
        reply.bulk(b"flags");
        let names = [
            (argument.optional, "optional"),
            (argument.multiple, "multiple"),
            (argument.multiple_token, "multiple_token"),
        ];
        write_names(names.into_iter().filter(|(set, _)| *set).map(|(_, name)| name).collect(), reply);
        len += 1;
    }
    if !argument.arguments.is_empty() {
        reply.bulk(b"arguments");
        reply.array(argument.arguments.len());
        argument.arguments.iter().for_each(|inner| write_argument(inner, row, reply));
        len += 1;
    }
    reply.close_map(fields, len);
}

/// Returns the index of the key spec of a key argument: the nth key argument belongs to the nth spec.
fn key_spec_index(argument: &Argument, row: &Row) -> i64 {
    let arguments = parse(row.arguments);
    let mut keys = arguments.iter().filter(|candidate| candidate.kind == ArgumentKind::Key);
    keys.position(|key| key.name == argument.name).unwrap_or(0) as i64
}

fn write_names(names: Vec<&str>, reply: &mut Writer) {
    reply.set(names.len());
    names.iter().for_each(|name| reply.simple(name));
}

/// Returns the names of the flags of a row that Redis has too.
pub fn flag_names(row: &Row) -> Vec<&'static str> {
    // A container has no flags, unless it is a command without a subcommand, too.
    let is_command = row.subcommands.is_empty() || row.accepts(1);
    flags::NAMES.iter().filter(|(flag, _)| is_command && row.has(*flag)).map(|(_, name)| *name).collect()
}

/// Returns the name of a category in ACL CAT and COMMAND LIST.
pub fn without_sign(category: &str) -> &str {
    category.trim_start_matches('@')
}

/// ACL categories in the order of Redis.
pub const CATEGORY_ORDER: &[&str] = &[
    "@keyspace",
    "@read",
    "@write",
    "@set",
    "@sortedset",
    "@list",
    "@hash",
    "@string",
    "@bitmap",
    "@hyperloglog",
    "@geo",
    "@stream",
    "@pubsub",
    "@admin",
    "@fast",
    "@slow",
    "@blocking",
    "@dangerous",
    "@connection",
    "@transaction",
    "@scripting",
    "@latch",
];

/// ACL categories, each with the flags of which any implies it.
const IMPLIED_CATEGORIES: &[(&str, u32)] = &[
    ("@write", flags::WRITE),
    ("@read", flags::READONLY),
    ("@admin", flags::ADMIN),
    ("@dangerous", flags::ADMIN | flags::DANGEROUS),
    ("@blocking", flags::BLOCKING),
    ("@fast", flags::FAST),
];

/// Returns the ACL categories of a row: those implied by its flags, and that of its family.
pub fn categories(row: &Row) -> Vec<&'static str> {
    CATEGORY_ORDER.iter().copied().filter(|category| is_in_category(row, category)).collect()
}

fn is_in_category(row: &Row, category: &str) -> bool {
    match IMPLIED_CATEGORIES.iter().find(|(name, _)| *name == category) {
        Some((_, flags)) => row.has(*flags),
        None if category == "@slow" => !row.has(flags::FAST),
        None => family_categories(row).contains(&Some(category)),
    }
}

/// Returns the categories of a row's family. Containers have none, unless their rows name one.
fn family_categories(row: &Row) -> [Option<&'static str>; 3] {
    let only = |category| [category, None, None];
    match (row.category, row.group) {
        (FamilyCategory::Connection, _) => only(Some("@connection")),
        (FamilyCategory::SortedTypes, _) => ["@list", "@set", "@sortedset"].map(Some),
        (FamilyCategory::Absent, _) => only(None),
        (FamilyCategory::OfGroup, _) if !row.subcommands.is_empty() => only(None),
        (FamilyCategory::OfGroup, Group::Server) if row.has(flags::READONLY | flags::WRITE) => only(Some("@keyspace")),
        (FamilyCategory::OfGroup, group) => only(group.category()),
    }
}

/// Returns first key, last key and step in the format before key specs; zeros if no key has a fixed position.
fn legacy_keys(row: &Row) -> (i32, i32, i32) {
    let positions = row.keys.iter().filter_map(|spec| match (spec.begin, spec.find) {
        (Begin::Index(first), Find::Range { last, step }) => {
            Some((first, if last < 0 { last } else { first + last }, step))
        }
        (Begin::Index(_), Find::Counted { .. } | Find::FirstHalf) | (Begin::Keyword { .. }, _) => None,
    });
    positions
        .reduce(|(first, last, step), (_, next, _)| (first, if next < 0 { next } else { last.max(next) }, step))
        .unwrap_or((0, 0, 0))
}

fn write_key_spec(spec: &KeySpec, reply: &mut Writer) {
    reply.map(3);
    reply.bulk(b"flags");
    write_names(spec.access.flags().to_vec(), reply);
    match spec.begin {
        Begin::Index(index) => write_spec_part(reply, "begin_search", "index", &[("index", index)]),
        Begin::Keyword { word, from } => write_keyword_search(reply, word, from),
    }
    match spec.find {
        Find::Range { last, step } => {
            let fields = [("lastkey", last), ("keystep", step), ("limit", 0)];
            write_spec_part(reply, "find_keys", "range", &fields);
        }
        Find::FirstHalf => {
            let fields = [("lastkey", -1), ("keystep", 1), ("limit", 2)];
            write_spec_part(reply, "find_keys", "range", &fields);
        }
        Find::Counted { count_at, first, step } => {
            let fields = [("keynumidx", count_at), ("firstkey", first), ("keystep", step)];
            write_spec_part(reply, "find_keys", "keynum", &fields);
        }
    }
}

fn write_spec_part(reply: &mut Writer, part: &str, kind: &str, fields: &[(&str, i32)]) {
    reply.bulk(part.as_bytes());
    reply.map(2);
    reply.bulk(b"type");
    reply.bulk(kind.as_bytes());
    reply.bulk(b"spec");
    reply.map(fields.len());
    for (name, value) in fields {
        reply.bulk(name.as_bytes());
        reply.integer((*value).into());
    }
}

fn write_keyword_search(reply: &mut Writer, word: &str, from: i32) {
    reply.bulk(b"begin_search");
    reply.map(2);
    reply.bulk(b"type");
    reply.bulk(b"keyword");
    reply.bulk(b"spec");
    reply.map(2);
    reply.bulk(b"keyword");
    reply.bulk(word.as_bytes());
    reply.bulk(b"startfrom");
    reply.integer(from.into());
}

/// Returns the lines of a container's HELP: its subcommands with their arguments and summaries.
pub fn help_lines(container: &Row) -> Vec<String> {
    let mut lines = alloc::vec![format!(
        "{} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        container.name.to_ascii_uppercase()
    )];
    for row in container.subcommands {
        let syntax = super::grammar::syntax(&parse(row.arguments));
        let blank = if syntax.is_empty() { "" } else { " " };
        lines.push(format!("{}{blank}{syntax}", row.own_name().to_ascii_uppercase()));
        lines.push(format!("    {}", row.summary));
    }
    lines
}
