//! Imports of TypeScript, read from formatted source: statements begin at the beginning of a line and end with a semicolon.

use std::collections::BTreeSet;

use crate::import_graph::Imports;
use crate::tree::File;

/// How statements with a specifier begin.
const STATEMENTS: [&str; 6] = ["import ", "import{", "export {", "export *", "export type {", "export type *"];

/// An import of a file of the repository.
#[derive(PartialEq, Debug)]
pub struct Import {
    pub line: usize,
    /// Path from the root of the repository.
    pub path: String,
}

/// Imports of a file by relative paths: of values, of types, for their effects alone, and at run time.
pub fn imports(file: &File) -> Vec<Import> {
    let mut found = Vec::new();
    let mut in_statement = false;
    for (index, line) in file.text.lines().enumerate() {
        in_statement |= STATEMENTS.iter().any(|beginning| line.starts_with(beginning));
        let specifiers = if in_statement { statement_specifier(line).into_iter().collect() } else { calls(line) };
        let relative = specifiers.into_iter().filter(|specifier| specifier.starts_with('.'));
        found.extend(relative.map(|specifier| Import { line: index + 1, path: resolve(&file.path, specifier) }));
        in_statement &= !line.trim_end().ends_with(';');
    }
    found
}

/// The imports of all files.
pub fn graph(files: &[File]) -> Imports {
    let of_file = |file: &File| {
        let paths: BTreeSet<String> = imports(file).into_iter().map(|import| import.path).collect();
        (file.path.clone(), paths)
    };
    files.iter().map(of_file).collect()
}

/// The specifier on a line of an import or export statement.
fn statement_specifier(line: &str) -> Option<&str> {
    let behind = line.rsplit_once("from ").map(|(_, behind)| behind).or_else(|| line.strip_prefix("import "))?;
    quoted(behind)
}

/// Specifiers of `import('...')`, of values and of types, in a line that is no comment.
fn calls(line: &str) -> Vec<&str> {
    if ["//", "*", "/*"].iter().any(|comment| line.trim_start().starts_with(comment)) {
        return Vec::new();
    }
    line.split("import(").skip(1).filter_map(quoted).collect()
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('\'')?.split('\'').next()
}

/// The file that a relative specifier names: `./a.js` of TypeScript is `a.ts`, a query is the bundler's.
fn resolve(importer: &str, specifier: &str) -> String {
    let specifier = specifier.split('?').next().unwrap_or_default();
    let mut parts: Vec<&str> = importer.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let path = parts.join("/");
    path.strip_suffix(".js").map_or(path.clone(), |stem| format!("{stem}.ts"))
}

#[test]
fn imports_are_found_in_every_spelling() {
    let text = "import { a } from './a.js';\n\
        import type { B } from '../b.js';\n\
        import {\n  c,\n  d,\n} from \"x\";\n\
        export {\n  c,\n} from './c/d.ts';\n\
        export * from './e.js';\n\
        import './f.ts?inline';\n\
        export type { G } from './g.js';\n\
        const h = await import('./h.ts').then(() => import('./i.ts'));\n\
        type J = typeof import('../j.ts');\n";
    let found: Vec<String> = imports(&File::new("x/y/z.ts", text)).into_iter().map(|import| import.path).collect();
    let expected = ["y/a.ts", "b.ts", "y/c/d.ts", "y/e.ts", "y/f.ts", "y/g.ts", "y/h.ts", "y/i.ts", "j.ts"];
    assert_eq!(found, expected.map(|path| format!("x/{path}")));
}

#[test]
fn packages_texts_and_comments_are_no_imports() {
    let text =
        "import { a } from 'a';\n// import('./b.js')\n * import('./b.js')\nexport const c = \"from './d.js'\";\n";
    assert_eq!(imports(&File::new("x/z.ts", text)), []);
    let late = File::new("x/z.ts", "export { a };\nconst b = 'from';\nimport './c.js';\n");
    assert_eq!(imports(&late), [Import { line: 3, path: "x/c.ts".into() }]);
}
