//! Maximum lengths of functions and files.

use std::collections::BTreeMap;

use crate::rust_text::{code_only, tokens};
use crate::tree::File;

const FUNCTION_LINES_MAX: usize = 70;
const FILE_LINES_MAX: usize = 400;
const METHODS_MAX: usize = 60;

pub fn long_file(file: &File) -> Option<String> {
    let lines = file.text.lines().count();
    (lines > FILE_LINES_MAX).then(|| format!("{}: {lines} lines, at most {FILE_LINES_MAX}", file.path))
}

/// Types of a floor with too many methods in their own impl blocks, wherever in the floor these lie.
pub fn types_with_many_methods(files: &[File]) -> Vec<String> {
    let mut counts = BTreeMap::new();
    for file in files {
        let Some(floor) = file.path.strip_prefix("src/").and_then(|path| path.split(['/', '.']).next()) else {
            continue;
        };
        for (name, methods) in methods_by_type(&code_only(&file.text)) {
            *counts.entry((floor.to_owned(), name)).or_insert(0) += methods;
        }
    }
    let long = counts.into_iter().filter(|(_, methods)| *methods > METHODS_MAX);
    long.map(|((floor, name), methods)| format!("{floor}: `{name}` has {methods} methods, at most {METHODS_MAX}"))
        .collect()
}

/// Number of functions in each impl block of a type's own; formatted code has methods at one level of indentation.
fn methods_by_type(code: &str) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut is_open = false;
    for line in code.lines() {
        if line.starts_with("impl") {
            is_open = !line.contains(" for ");
            let name = without_generics(line.trim_start_matches("impl"));
            found.extend(is_open.then_some((name, 0)));
        } else if line.starts_with('}') {
            is_open = false;
        } else if is_open
            && line.starts_with("    ")
            && !line.starts_with("     ")
            && line.contains(" fn ")
            && let Some((_, methods)) = found.last_mut()
        {
            *methods += 1;
        }
    }
    found
}

/// `<'a, C: Clock> Turn<'a, C> {` is about `Turn`.
fn without_generics(header: &str) -> String {
    let mut depth = 0;
    let kept = header.chars().filter(|character| {
        depth += i32::from(*character == '<') - i32::from(*character == '>');
        depth == 0 && *character != '>'
    });
    let kept: String = kept.collect();
    kept.split_whitespace().next().unwrap_or_default().to_owned()
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

#[test]
fn methods_are_counted_over_files_of_a_floor() {
    let block = |name: &str, methods: usize| {
        format!("impl<'a> {name}<'a> {{\n{}}}\n", "    pub(crate) fn f<T>(&self) {}\n\n".repeat(methods))
    };
    let file = |path: &str, methods| File::new(path, &(block("Txn", methods) + &block("Other", 1)));
    let trait_impl = File::new("src/a/z.rs", "impl Clone for Txn {\n    fn clone(&self) {}\n}\n");
    assert!(types_with_many_methods(&[file("src/a/x.rs", 30), file("src/a/y.rs", 30), trait_impl]).is_empty());
    assert_eq!(types_with_many_methods(&[file("src/a/x.rs", 30), file("src/a/y.rs", 31)]).len(), 1);
    assert!(types_with_many_methods(&[file("src/a/x.rs", 40), file("src/b/y.rs", 40)]).is_empty());
}
