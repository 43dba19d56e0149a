//! The floors of src/: a file imports its own floor and those below, by the module's own name.

use std::collections::{BTreeMap, BTreeSet};

use crate::rust_text::{code_only, tokens};
use crate::tree::File;

/// The rooms of each floor, the ground first. `a/b` is a file or folder inside the room `a` that lies on another floor than it.
const FLOORS: [&[&str]; 7] = [
    &[
        "argv",
        "bytes",
        "clock",
        "deadlines",
        "geo",
        "glob",
        "hash",
        "memory",
        "number",
        "random",
        "registry",
        "slab",
        "slots",
        "sorted",
        "table",
    ],
    &["value", "reply", "request"],
    &["keyspace"],
    &["client", "config", "invalidations", "pubsub", "server", "stats"],
    &["command", "script"],
    &["engine", "keylatch", "persistence"],
    &["connection", "transcript", "wasm"],
];

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// `src/value/hash.rs` is in the room `value`, `src/clock.rs` in `clock`. lib.rs stands above the house.
fn room(path: &str) -> Option<&str> {
    let name = path.strip_prefix("src/")?.split('/').next()?;
    let name = name.strip_suffix(".rs").unwrap_or(name);
    (name != "lib").then_some(name)
}

/// What a file imports from another room, with the lines.
fn imports(file: &File) -> Vec<(usize, String)> {
    let code = code_only(&file.text);
    let tokens = tokens(&code);
    let mut found = Vec::new();
    // In a file directly under src/ the parent module is the crate; deeper, two steps up may lead out of the room.
    let is_top_level = file.path.matches('/').count() == 1;
    for (index, (line, token)) in tokens.iter().enumerate() {
        let follows_path = index > 0 && tokens[index - 1].1 == "::";
        let rest = &tokens[index + 1..];
        match *token {
            "crate" if !follows_path => found.extend(first_names(rest).into_iter().map(|name| (*line, name))),
            "super" if is_top_level => {
                let names = first_names(rest).into_iter().filter(|name| floor(name).is_some());
                found.extend(names.map(|name| (*line, name)));
            }
            _ => {}
        }
    }
    found
}

/// The names right behind `crate`: one, or those of a `{...}` group.
fn first_names(rest: &[(usize, &str)]) -> Vec<String> {
    match rest {
        [(_, "::"), (_, "{"), group @ ..] => group_names(group),
        [(_, "::"), (_, name), ..] => vec![(*name).to_owned()],
        // `pub(crate)`
        _ => Vec::new(),
    }
}

fn group_names(group: &[(usize, &str)]) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0;
    let mut expects_name = true;
    for (_, token) in group {
        match *token {
            "{" => depth += 1,
            "}" if depth == 0 => break,
            "}" => depth -= 1,
            "," if depth == 0 => expects_name = true,
            _ if expects_name => {
                names.push((*token).to_owned());
                expects_name = false;
            }
            _ => {}
        }
    }
    names
}

/// Imports of a higher floor, of names that are no room, and rooms that are on no floor.
pub fn imports_upwards(file: &File) -> Vec<String> {
    let Some(own_room) = room(&file.path) else { return Vec::new() };
    let Some(own_floor) = floor(own_room) else {
        return vec![format!("{}: `{own_room}` is on no floor (tests/tidy/floors.rs)", file.path)];
    };
    let mut violations = Vec::new();
    for (line, name) in imports(file) {
        match floor(&name) {
            Some(other) if other <= own_floor => {}
            Some(other) => {
                violations.push(format!("{}:{line}: floor {own_floor} imports `{name}` of floor {other}", file.path))
            }
            // The faces may use the flat list of public names: it stands for rooms of all floors.
            None if own_floor == FLOORS.len() - 1 => {}
            None => violations
                .push(format!("{}:{line}: `crate::{name}` is no room; import from the room itself", file.path)),
        }
    }
    if file.text.contains("super::super") {
        violations
            .push(format!("{}: `super::super` hides which room is meant; write the path from `crate`", file.path));
    }
    violations
}

/// Rooms that need each other: then they are one room, or one of them is on the wrong floor.
pub fn circles(files: &[File]) -> Vec<String> {
    let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let Some(own_room) = room(&file.path) else { continue };
        let others = imports(file).into_iter().map(|(_, name)| name).filter(|name| name != own_room);
        needs.entry(own_room.to_owned()).or_default().extend(others);
    }
    let reaches_itself = |start: &String| {
        let mut seen: BTreeSet<&String> = BTreeSet::new();
        let mut next: Vec<&String> = needs[start].iter().collect();
        while let Some(name) = next.pop() {
            if seen.insert(name) {
                next.extend(needs.get(name).into_iter().flatten());
            }
        }
        seen.contains(start)
    };
    let rooms = needs.keys().filter(|name| reaches_itself(name));
    rooms.map(|name| format!("`{name}` imports itself through other rooms")).collect()
}

#[test]
fn an_import_upwards_is_found_in_every_spelling() {
    let bad = [
        "use crate::keyspace::Db;",
        "use crate::{glob, keyspace::{Db, Entry}};",
        "fn f() { crate::keyspace::open() }",
        "pub use crate::keyspace;",
        "use crate::Keylatch;",
    ];
    for text in bad {
        assert_eq!(imports_upwards(&File::new("src/value/hash.rs", text)).len(), 1, "{text}");
    }
    assert_eq!(imports_upwards(&File::new("src/clock.rs", "use super::reply::Writer;")).len(), 1);
    assert_eq!(imports_upwards(&File::new("src/value/hash.rs", "use super::super::keyspace;")).len(), 1);
    assert_eq!(imports_upwards(&File::new("src/attic.rs", "")).len(), 1);
}

#[test]
fn own_floor_lower_floors_and_comments_are_allowed() {
    let good =
        "use crate::{clock::Timestamp, reply::Writer};\nuse super::list;\npub(crate) fn f() {} // crate::keyspace\n";
    assert_eq!(imports_upwards(&File::new("src/value/hash.rs", good)), Vec::<String>::new());
    assert_eq!(imports_upwards(&File::new("src/wasm/engine.rs", "use crate::Keylatch;")), Vec::<String>::new());
    assert_eq!(imports_upwards(&File::new("src/lib.rs", "pub use crate::keylatch::Keylatch;")), Vec::<String>::new());
}

#[test]
fn a_circle_is_found() {
    let straight = [File::new("src/value/a.rs", "use crate::reply;"), File::new("src/reply/b.rs", "use crate::clock;")];
    assert_eq!(circles(&straight), Vec::<String>::new());
    let round = [
        File::new("src/value.rs", "use crate::reply;"),
        File::new("src/reply.rs", "use crate::request;"),
        File::new("src/request.rs", "use crate::value;"),
    ];
    assert_eq!(circles(&round).len(), 3);
}
