//! Imports between files or modules, and the circles among them.

use std::collections::{BTreeMap, BTreeSet};

/// Files or modules, each with those it imports from.
pub type Imports = BTreeMap<String, BTreeSet<String>>;

/// Each file that needs itself, with the next one on the way.
pub fn circles(imports: &Imports) -> Vec<String> {
    let in_circle = imports.keys().filter(|name| reachable(imports, name).contains(name.as_str()));
    in_circle.map(|name| format!("`{name}` needs itself through {}", next_in_circle(imports, name))).collect()
}

/// Everything that a file needs, directly or through others.
fn reachable<'m>(imports: &'m Imports, start: &str) -> BTreeSet<&'m str> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&str> = imports.get(start).into_iter().flatten().map(String::as_str).collect();
    while let Some(name) = next.pop() {
        if seen.insert(name) {
            next.extend(imports.get(name).into_iter().flatten().map(String::as_str));
        }
    }
    seen
}

fn next_in_circle<'m>(imports: &'m Imports, name: &str) -> &'m str {
    let others = imports[name].iter().map(String::as_str);
    others.into_iter().find(|other| *other != name && reachable(imports, other).contains(name)).unwrap_or_default()
}
