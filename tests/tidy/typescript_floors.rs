//! The floors of TypeScript: a file imports its own floor and those below, and no file needs itself through others.

use crate::import_graph;
use crate::tree::File;
use crate::typescript::{graph, imports};

/// Sources with floors of their own.
pub struct Tree {
    /// Path from the root of the repository.
    pub folder: &'static str,
    /// The floors, the lowest first: `base/...` is on the floor `base`, `page.ts` on the floor `page`.
    floors: &'static [&'static str],
}

pub const TREES: [Tree; 2] = [
    Tree {
        folder: "pkg-templates/npm/src",
        floors: &[
            "base", "resp", "host", "client", "session", "db", "persist", "locks", "tabs", "remote", "server", "race",
            "testing", "hints", "element", "adapters", "cli", "entries",
        ],
    },
    Tree {
        folder: "www/src",
        floors: &[
            "types",
            "base",
            "text",
            "search",
            "share",
            "style",
            "parts",
            "engine",
            "kept",
            "lessons",
            "commands",
            "keys",
            "clock",
            "why",
            "resp",
            "picture",
            "race",
            "timeline",
            "session",
            "files",
            "recording",
            "prompt",
            "line",
            "page",
            "embed",
            "pages",
            "offline",
            "main",
        ],
    },
];

fn tree_of(path: &str) -> Option<&'static Tree> {
    TREES.iter().find(|tree| name_in(tree, path).is_some())
}

/// The first folder of a path within a tree, or its file.
fn name_in<'p>(tree: &Tree, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(tree.folder)?.strip_prefix('/')?.split('/').next()
}

/// A file's floor in its tree.
fn floor(tree: &Tree, path: &str) -> Option<usize> {
    let name = name_in(tree, path)?;
    let name = name.strip_suffix(".d.ts").or_else(|| name.strip_suffix(".ts")).unwrap_or(name);
    tree.floors.iter().position(|floor| *floor == name)
}

/// Imports of a higher floor or of another tree, and files that are on no floor.
pub fn imports_upwards(files: &[File]) -> Vec<String> {
    files.iter().flat_map(of_file).collect()
}

fn of_file(file: &File) -> Vec<String> {
    let Some(tree) = tree_of(&file.path) else { return vec![format!("{}: in no tree", file.path)] };
    let mut violations = Vec::new();
    if floor(tree, &file.path).is_none() {
        violations.push(format!("{}: on no floor (tests/tidy/typescript_floors.rs)", file.path));
    }
    for import in imports(file) {
        if let Some(reason) = reason_against(tree, &file.path, &import.path) {
            violations.push(format!("{}:{}: imports `{}`, {reason}", file.path, import.line, import.path));
        }
    }
    violations
}

/// The reason for which an import is refused.
fn reason_against(tree: &Tree, importer: &str, imported: &str) -> Option<&'static str> {
    if imported.ends_with(".ts") && name_in(tree, imported).is_none() {
        return Some("which is no source of the same tree");
    }
    let (own, other) = floor(tree, importer).zip(floor(tree, imported))?;
    (other > own).then_some("a higher floor")
}

/// Files that need themselves through others.
pub fn circles(files: &[File]) -> Vec<String> {
    import_graph::circles(&graph(files))
}

#[test]
fn an_import_upwards_is_found_in_every_tree() {
    let found = |path: &str, text: &str| imports_upwards(&[File::new(path, text)]).len();
    assert_eq!(found("pkg-templates/npm/src/base/a.ts", "import { b } from '../host/b.js';\n"), 1);
    assert_eq!(found("pkg-templates/npm/src/cli/a.ts", "import type { B } from '../entries/index.js';\n"), 1);
    assert_eq!(found("www/src/text/a.ts", "const a = await import('../line/b.ts');\n"), 1);
    assert_eq!(found("www/src/text/a.ts", "import { a } from '../../../pkg-templates/npm/src/base/a.ts';\n"), 1);
    assert_eq!(found("www/src/attic/a.ts", ""), 1);
    assert_eq!(found("pkg-templates/npm/src/host/a.ts", "import { b } from '../base/b.js';\nimport './c.js';\n"), 0);
}

#[test]
fn a_circle_of_types_is_found() {
    let files = [
        File::new("www/src/text/a.ts", "import type { B } from './b.ts';\n"),
        File::new("www/src/text/b.ts", "import type { A } from './a.ts';\n"),
    ];
    assert_eq!(circles(&files).len(), 2);
    assert_eq!(circles(&files[..1]), Vec::<String>::new());
}
