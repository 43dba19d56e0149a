//! Maximum lengths of functions and files, and files of a folder.

use std::collections::BTreeMap;

use crate::rust_text::{code_only, tokens};
use crate::tree::File;

const FUNCTION_LINES_MAX: usize = 70;
const FILE_LINES_MAX: usize = 400;
const FOLDER_FILES_MAX: usize = 25;

pub fn long_file(file: &File) -> Option<String> {
    let lines = file.text.lines().count();
    (lines > FILE_LINES_MAX).then(|| format!("{}: {lines} lines, at most {FILE_LINES_MAX}", file.path))
}

/// Folders with too many files; those of folders in them do not count.
pub fn crowded_folders(files: &[File]) -> Vec<String> {
    let mut counts = BTreeMap::new();
    for file in files {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        *counts.entry(folder).or_insert(0) += 1;
    }
    let crowded = counts.into_iter().filter(|(_, count)| *count > FOLDER_FILES_MAX);
    crowded.map(|(folder, count)| format!("{folder}: {count} files, at most {FOLDER_FILES_MAX}")).collect()
}

pub fn long_functions(file: &File) -> Vec<String> {
    let code = code_only(&file.text);
    let mut violations = Vec::new();
    for (name, first, last) in functions(&tokens(&code)) {
        let lines = last - first + 1;
        if lines > FUNCTION_LINES_MAX {
            violations.push(format!("{}:{first}: `{name}` has {lines} lines, at most {FUNCTION_LINES_MAX}", file.path));
        }
    }
    violations
}

/// Name, first and last line of each function with a body, inner ones too.
fn functions<'a>(tokens: &[(usize, &'a str)]) -> Vec<(&'a str, usize, usize)> {
    let mut found = Vec::new();
    for (index, window) in tokens.windows(2).enumerate() {
        let [(line, "fn"), (_, name)] = window else { continue };
        // `fn(u8) -> u8` is a type.
        if name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && let Some(last) = body_end(&tokens[index..])
        {
            found.push((*name, *line, last));
        }
    }
    found
}

/// The line of the brace that closes the body; None for a declaration without one.
fn body_end(tokens: &[(usize, &str)]) -> Option<usize> {
    let mut braces = 0;
    let mut others = 0;
    for (line, token) in tokens {
        match *token {
            "(" | "[" => others += 1,
            ")" | "]" => others -= 1,
            ";" if braces == 0 && others == 0 => return None,
            "{" => braces += 1,
            "}" => {
                braces -= 1;
                if braces == 0 && others == 0 {
                    return Some(*line);
                }
            }
            _ => {}
        }
    }
    None
}

#[test]
fn a_long_file_is_found() {
    assert!(long_file(&File::new("a.ts", &"x\n".repeat(FILE_LINES_MAX))).is_none());
    assert!(long_file(&File::new("a.ts", &"x\n".repeat(FILE_LINES_MAX + 1))).is_some());
}

#[test]
fn a_crowded_folder_is_found() {
    let files = |count: usize| -> Vec<File> {
        let inside = (0..count).map(|number| File::new(&format!("a/{number}.ts"), ""));
        inside.chain([File::new("a/b/c.ts", "")]).collect()
    };
    assert_eq!(crowded_folders(&files(FOLDER_FILES_MAX)), Vec::<String>::new());
    assert_eq!(crowded_folders(&files(FOLDER_FILES_MAX + 1)), ["a: 26 files, at most 25"]);
}

#[test]
fn a_long_function_is_found() {
    let function = |inner: usize| {
        let body = "    f(\"}\", '}', [1; 2]); // }\n".repeat(inner);
        File::new(
            "a.rs",
            &format!("trait T {{ fn declared(); }}\npub fn long(g: fn(u8) -> u8) -> [u8; 2] {{\n{body}}}\n"),
        )
    };
    assert_eq!(long_functions(&function(FUNCTION_LINES_MAX - 2)), Vec::<String>::new());
    let found = long_functions(&function(FUNCTION_LINES_MAX - 1));
    assert_eq!(found, ["a.rs:2: `long` has 71 lines, at most 70"]);
}
