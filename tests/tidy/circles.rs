//! Imports between files of src/: no file imports itself through others, and parts of a floor have an order.

use std::collections::BTreeMap;

use crate::import_graph::{self, Imports};
use crate::rust_text::{code_only, tokens};
use crate::tree::File;

/// Parts of a floor in order of dependence: a part may use those listed before it.
const ORDERS: &[(&str, &[&[&str]])] = &[
    (
        "keyspace",
        &[
            &["error", "uses", "observers", "limits"],
            &["db"],
            &["databases"],
            &["txn"],
            &["ops", "evict", "active_expire"],
        ],
    ),
    ("commands", &[&["outcome"], &["context"], &["call", "request"]]),
    (
        "commands::table",
        &[
            &["flags", "role"],
            &["row", "args", "grammar"],
            &["command_table"],
            &["introspection"],
            &["catalog"],
            &["export"],
        ],
    ),
    (
        "engine",
        &[
            &["status", "blocked_clients", "script_slices"],
            &["gates", "handler"],
            &["admission"],
            &["dispatch"],
            &["blocked", "after_command"],
        ],
    ),
];

/// The files of src/ by the path of their module, each with its code and its re-exports.
struct Modules {
    code: BTreeMap<String, String>,
    exports: BTreeMap<String, BTreeMap<String, String>>,
}

pub fn circles(files: &[File]) -> Vec<String> {
    import_graph::circles(&Modules::of(files).imports())
}

/// Imports of a part of a floor that comes after the importing one in [`ORDERS`].
pub fn parts_out_of_order(files: &[File]) -> Vec<String> {
    let imports = Modules::of(files).imports();
    let mut violations = Vec::new();
    for (floor, order) in ORDERS {
        let rank = |module: &str| {
            let part = module.strip_prefix(floor)?.strip_prefix("::")?.split("::").next()?;
            order.iter().position(|parts| parts.contains(&part))
        };
        for (module, others) in &imports {
            let higher =
                others.iter().filter(|other| rank(module).zip(rank(other)).is_some_and(|(own, its)| its > own));
            violations.extend(higher.map(|other| format!("`{module}` imports `{other}`, which is above it")));
        }
    }
    violations
}

impl Modules {
    fn of(files: &[File]) -> Modules {
        let mut modules = Modules { code: BTreeMap::new(), exports: BTreeMap::new() };
        for file in files {
            let Some(module) = module_of(&file.path) else { continue };
            let code = without_tests(&code_only(&file.text));
            let exports = uses(&code).into_iter().filter(|(_, is_public)| *is_public);
            let named = exports.filter_map(|(path, _)| Some((path.rsplit("::").next()?.to_owned(), path)));
            modules.exports.insert(module.clone(), named.collect());
            modules.code.insert(module, code);
        }
        modules
    }

    fn imports(&self) -> Imports {
        let of_module = |(module, code): (&String, &String)| {
            let used = uses(code).into_iter().filter(|(_, is_public)| !is_public).map(|(path, _)| path);
            let used = used.chain(self.qualified_paths(module, code));
            let others = used.filter_map(|path| self.resolve(&absolute(module, &path)?, 0));
            (module.clone(), others.filter(|other| other != module && !other.is_empty()).collect())
        };
        self.code.iter().map(of_module).collect()
    }

    /// Paths in code, such as `crate::a::b::f()`, that begin at the crate, at a module nearby, or with a child of the module.
    fn qualified_paths(&self, module: &str, code: &str) -> Vec<String> {
        let is_start = |name: &str| {
            matches!(name, "crate" | "self" | "super") || self.code.contains_key(&format!("{module}::{name}"))
        };
        let code = without_uses(code);
        let tokens: Vec<&str> = tokens(&code).into_iter().map(|(_, token)| token).collect();
        let mut found = Vec::new();
        for (index, name) in tokens.iter().enumerate() {
            // `pub(in crate::a)` is no use of a name.
            let is_inner = index > 0 && matches!(tokens[index - 1], "::" | "in");
            if is_start(name) && !is_inner && tokens.get(index + 1) == Some(&"::") {
                found.push(path_at(&tokens[index..]));
            }
        }
        found
    }

    /// The module that defines a name, followed through re-exports.
    fn resolve(&self, path: &[String], depth: usize) -> Option<String> {
        let is_module = |length: &usize| self.code.contains_key(&path[..*length].join("::"));
        let length = (0..=path.len()).rev().find(is_module)?;
        let module = path[..length].join("::");
        let exported = path.get(length).and_then(|name| self.exports[&module].get(name)).filter(|_| depth < 8);
        match exported.and_then(|target| absolute(&module, target)) {
            Some(target) => self.resolve(&target, depth + 1),
            None => Some(module),
        }
    }
}

/// `src/values/hash/mod.rs` is the module `values::hash`; tests are none.
fn module_of(path: &str) -> Option<String> {
    let path = path.strip_prefix("src/")?.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    let is_test = path.rsplit('/').next().is_some_and(|name| name.ends_with("tests"));
    (!is_test && path != "lib").then(|| path.replace('/', "::"))
}

fn without_tests(code: &str) -> String {
    let inline = code.match_indices("#[cfg(test)]\nmod ").find(|(at, _)| {
        let rest = &code[*at + "#[cfg(test)]\nmod ".len()..];
        rest.find('{').is_some_and(|brace| rest.find(';').is_none_or(|end| brace < end))
    });
    code[..inline.map_or(code.len(), |(at, _)| at)].to_owned()
}

/// The paths of all `use` lines, and whether they are re-exports.
fn uses(code: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for statement in code.split(';') {
        let Some((before, tree)) = statement.rsplit_once("use ") else { continue };
        let before = before.rsplit('\n').next().unwrap_or_default();
        if !is_visibility(before) {
            continue;
        }
        let is_public = !before.trim().is_empty();
        found.extend(expand(tree.trim()).into_iter().map(|path| (path, is_public)));
    }
    found
}

/// The code with `use` statements replaced by blanks.
fn without_uses(code: &str) -> String {
    let statements = code.split_inclusive(';').map(|statement| match statement.rsplit_once("use ") {
        Some((before, _)) if is_visibility(before.rsplit('\n').next().unwrap_or_default()) => before,
        _ => statement,
    });
    statements.collect::<Vec<_>>().join("\n")
}

/// The names of the path at the beginning of some tokens, with `::` between them.
fn path_at(tokens: &[&str]) -> String {
    let mut path = tokens[0].to_owned();
    for pair in tokens[1..].chunks_exact(2) {
        let is_name = pair[1].starts_with(|c: char| c.is_alphabetic() || c == '_');
        if pair[0] != "::" || !is_name {
            break;
        }
        path += &format!("::{}", pair[1]);
    }
    path
}

fn is_visibility(before: &str) -> bool {
    let before = before.trim();
    before.is_empty() || before == "pub" || before.starts_with("pub(") && before.ends_with(')')
}

/// The single paths of a use tree.
fn expand(tree: &str) -> Vec<String> {
    let Some((prefix, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().trim().to_owned()];
    };
    let inner = rest.trim_end().strip_suffix('}').unwrap_or(rest);
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, character) in inner.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| expand(part.trim())).map(|part| format!("{}{part}", prefix.trim())).collect()
}

/// A path as written in its module, from the root of the crate; `None` for another crate's.
fn absolute(module: &str, path: &str) -> Option<Vec<String>> {
    let mut base: Vec<String> = module.split("::").map(str::to_owned).collect();
    let mut names = path.split("::").map(|name| name.trim().to_owned()).peekable();
    match names.peek()?.as_str() {
        "crate" => base.clear(),
        "self" | "super" => {}
        "alloc" | "core" | "std" => return None,
        // A child of the module, or another crate, and not a file of this one.
        _ => return Some(base.into_iter().chain(names).collect()),
    }
    while let Some(name) = names.next_if(|name| matches!(name.as_str(), "crate" | "self" | "super")) {
        if name == "super" {
            base.pop();
        }
    }
    Some(base.into_iter().chain(names.filter(|name| name != "self")).collect())
}

#[test]
fn a_circle_is_found_through_re_exports() {
    let straight = [
        File::new("src/a.rs", "use crate::b::Second;\npub struct First;"),
        File::new("src/b/mod.rs", "mod c;\npub use self::c::Second;"),
        File::new("src/b/c.rs", "pub struct Second;"),
    ];
    assert_eq!(circles(&straight), Vec::<String>::new());
    let mut round = straight;
    round[2] = File::new("src/b/c.rs", "use crate::{x::Y, a::{First, self}};\npub struct Second;");
    assert_eq!(circles(&round), ["`a` needs itself through b::c", "`b::c` needs itself through a"]);
}

#[test]
fn a_circle_is_found_through_paths_without_use() {
    let first = |text: &str| {
        let second = File::new("src/b/c.rs", "use crate::a::First;\npub struct Second;");
        let parent = File::new("src/b/mod.rs", "mod c;\npub use self::c::Second;");
        circles(&[File::new("src/a.rs", text), parent, second])
    };
    for text in ["fn f() { crate::b::c::g() }", "fn f() -> super::b::Second { Default::default() }"] {
        assert_eq!(first(text), ["`a` needs itself through b::c", "`b::c` needs itself through a"], "{text}");
    }
    for text in
        ["pub(in crate::b::c) struct First;", "pub use crate::b::c::Second;", "// crate::b::c::g()", "x::b::c::g()"]
    {
        assert_eq!(first(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_child_module_is_used_by_its_own_name() {
    let files = [
        File::new("src/a/mod.rs", "mod b;\npub fn f() { b::g() }"),
        File::new("src/a/b.rs", "pub fn g() { super::f() }"),
    ];
    assert_eq!(circles(&files), ["`a` needs itself through a::b", "`a::b` needs itself through a"]);
}

#[test]
fn tests_are_no_imports() {
    let files = [
        File::new("src/a.rs", "use crate::b::B;"),
        File::new("src/b.rs", "pub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
    ];
    assert_eq!(circles(&files), Vec::<String>::new());
}

#[test]
fn a_part_above_is_found() {
    let files = [
        File::new("src/keyspace/db/mod.rs", "use crate::keyspace::txn::Txn;\npub struct Db;"),
        File::new("src/keyspace/txn.rs", "pub struct Txn;"),
    ];
    assert_eq!(parts_out_of_order(&files), ["`keyspace::db` imports `keyspace::txn`, which is above it"]);
}
