//! The floors of src/: a file imports its own floor and those below, by the module's own name.

use crate::rust_text::{code_only, tokens};
use crate::tree::File;

/// The floors, the lowest first: `src/base/...` or `src/base.rs` is on the floor `base`.
const FLOORS: [&str; 12] = [
    "base",
    "store",
    "values",
    "resp",
    "lua",
    "keyspace",
    "server",
    "commands",
    "engine",
    "connection",
    "session",
    "wasm",
];

fn floor(name: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| *floor == name)
}

/// The name of a file's floor; lib.rs is on none.
fn floor_name(path: &str) -> Option<&str> {
    let name = path.strip_prefix("src/")?.split('/').next()?;
    let name = name.strip_suffix(".rs").unwrap_or(name);
    (name != "lib").then_some(name)
}

/// The floors a file imports from, with the lines.
fn imports(file: &File) -> Vec<(usize, String)> {
    let code = code_only(&file.text);
    let tokens = tokens(&code);
    let mut found = Vec::new();
    // In a file directly under src/ the parent module is the crate; deeper, two steps up may leave the floor.
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

/// The names directly behind `crate`: one, or those of a `{...}` group.
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

/// Imports of a higher floor, of names that are no floor, and files that are on no floor.
pub fn imports_upwards(file: &File) -> Vec<String> {
    let Some(own_name) = floor_name(&file.path) else { return Vec::new() };
    let Some(own) = floor(own_name) else {
        return vec![format!("{}: `{own_name}` is no floor (tests/tidy/floors.rs)", file.path)];
    };
    let mut violations = Vec::new();
    for (line, name) in imports(file) {
        match floor(&name) {
            Some(other) if other <= own => {}
            Some(_) => violations.push(format!("{}:{line}: `{own_name}` imports `{name}`, a higher floor", file.path)),
            // The highest floor may use the flat list of public names, which is made of all floors.
            None if own == FLOORS.len() - 1 => {}
            None => violations
                .push(format!("{}:{line}: `crate::{name}` is no floor; import from the module itself", file.path)),
        }
    }
    if file.text.contains("super::super") {
        violations.push(format!("{}: `super::super` hides the module; write the path from `crate`", file.path));
    }
    violations
}

#[test]
fn an_import_upwards_is_found_in_every_spelling() {
    let bad = [
        "use crate::keyspace::Db;",
        "use crate::{base::glob, keyspace::{Db, Entry}};",
        "fn f() { crate::keyspace::open() }",
        "pub use crate::keyspace;",
        "use crate::Keylatch;",
    ];
    for text in bad {
        assert_eq!(imports_upwards(&File::new("src/values/hash.rs", text)).len(), 1, "{text}");
    }
    assert_eq!(imports_upwards(&File::new("src/base.rs", "use super::resp::Writer;")).len(), 1);
    assert_eq!(imports_upwards(&File::new("src/values/hash.rs", "use super::super::keyspace;")).len(), 1);
    assert_eq!(imports_upwards(&File::new("src/attic.rs", "")).len(), 1);
}

#[test]
fn own_floor_lower_floors_and_comments_are_allowed() {
    let good = "use crate::{base::clock, store::slab};\nuse super::list;\npub(crate) fn f() {} // crate::keyspace\n";
    assert_eq!(imports_upwards(&File::new("src/values/hash.rs", good)), Vec::<String>::new());
    assert_eq!(imports_upwards(&File::new("src/wasm/engine.rs", "use crate::Keylatch;")), Vec::<String>::new());
    assert_eq!(imports_upwards(&File::new("src/lib.rs", "pub use crate::engine::Keylatch;")), Vec::<String>::new());
}
