//! The most methods of a type: those of its impl blocks, and functions beside them that take it as their first argument.

use std::collections::BTreeMap;

use crate::rust_text::{code_only, tokens};
use crate::tree::File;

const METHODS_MAX: usize = 60;

/// Types above the limit, by floor, with their methods. The numbers only become smaller.
const EXCEPTIONS: &[(&str, &str, usize)] = &[];

/// Types that a floor's functions take by their contract: a handler's first argument is its context.
const ARGUMENTS: [(&str, &str); 1] = [("commands", "Context")];

/// Methods by floor and type.
type Counts = BTreeMap<(String, String), usize>;

/// Types of a floor with too many methods, wherever in the floor these lie, and exceptions that are not exact.
pub fn types_with_many_methods(files: &[File]) -> Vec<String> {
    judge(&counts(files), EXCEPTIONS)
}

fn judge(counts: &Counts, exceptions: &[(&str, &str, usize)]) -> Vec<String> {
    let mut violations = Vec::new();
    for ((floor, name), methods) in counts {
        let listed = exceptions.iter().find(|(of_floor, of_name, _)| of_floor == floor && of_name == name);
        match listed.map(|(_, _, listed)| *listed) {
            Some(listed) if listed == *methods => {}
            Some(listed) => violations.push(format!("{floor}: `{name}` has {methods} methods; {listed} are listed")),
            None if *methods > METHODS_MAX => {
                violations.push(format!("{floor}: `{name}` has {methods} methods, at most {METHODS_MAX}"));
            }
            None => {}
        }
    }
    let is_counted = |floor: &str, name: &str| counts.contains_key(&(floor.to_owned(), name.to_owned()));
    let absent = exceptions.iter().filter(|(floor, name, _)| !is_counted(floor, name));
    violations.extend(absent.map(|(floor, name, _)| format!("{floor}: `{name}` is listed, and has no methods")));
    violations
}

fn counts(files: &[File]) -> Counts {
    let sources: Vec<(&str, String)> = files.iter().filter_map(source).collect();
    let folders = folders_of_types(&sources);
    let mut counts = Counts::new();
    for (path, code) in &sources {
        let Some(floor) = floor_of(path) else { continue };
        let beside = first_arguments(code).into_iter().filter(|name| {
            let is_near =
                folders.get(name).is_some_and(|folders| folders.iter().any(|folder| path.starts_with(folder)));
            is_near && !ARGUMENTS.contains(&(floor, name))
        });
        for (name, methods) in methods_by_type(code).into_iter().chain(beside.map(|name| (name, 1))) {
            *counts.entry((floor.to_owned(), name)).or_insert(0) += methods;
        }
    }
    counts
}

/// Path and code of a file that is no test.
fn source(file: &File) -> Option<(&str, String)> {
    let is_test = file.path.ends_with("tests.rs");
    (!is_test).then(|| (file.path.as_str(), code_only(&file.text)))
}

fn floor_of(path: &str) -> Option<&str> {
    path.strip_prefix("src/")?.split(['/', '.']).next()
}

/// Folders with a module that defines a type of a name. Functions elsewhere use the type and are no part of it.
fn folders_of_types(sources: &[(&str, String)]) -> BTreeMap<String, Vec<String>> {
    let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, code) in sources {
        let folder = path.rsplit_once('/').map_or(*path, |(folder, _)| folder);
        for line in code.lines() {
            let Some((before, behind)) = line.split_once("struct ").or_else(|| line.split_once("enum ")) else {
                continue;
            };
            if before.is_empty() || before.starts_with("pub") {
                let name = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                folders.entry(name.to_owned()).or_default().push(folder.to_owned());
            }
        }
    }
    folders
}

/// The type of the first argument of each function outside of impl blocks, without references.
fn first_arguments(code: &str) -> Vec<String> {
    let is_function = |line: &str| {
        let words: Vec<&str> = line.split("fn ").next().unwrap_or_default().split_whitespace().collect();
        line.contains("fn ") && words.iter().all(|word| word.starts_with("pub") || *word == "const")
    };
    let mut found = Vec::new();
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        if !line.starts_with([' ', '}']) && is_function(line) {
            let end = code[at..].find('{').map_or(code.len(), |end| at + end);
            found.extend(first_argument(&code[at..end]));
        }
        at += line.len();
    }
    found
}

fn first_argument(header: &str) -> Option<String> {
    let tokens: Vec<&str> = tokens(header).into_iter().map(|(_, token)| token).collect();
    let colon = tokens.iter().position(|token| *token == "(")?;
    let mut rest = tokens[colon..].iter().skip_while(|token| **token != ":").skip(1).peekable();
    while let Some(token) = rest.next() {
        match *token {
            "&" | "mut" | "::" => {}
            // The name of a lifetime follows.
            "'" => drop(rest.next()),
            _ if rest.peek() == Some(&&"::") => {}
            name => return name.starts_with(char::is_uppercase).then(|| name.to_owned()),
        }
    }
    None
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

#[test]
fn methods_are_counted_over_files_of_a_floor() {
    let block = |name: &str, methods: usize| {
        format!("impl<'a> {name}<'a> {{\n{}}}\n", "    pub(crate) fn f<T>(&self) {}\n\n".repeat(methods))
    };
    let file = |path: &str, methods| File::new(path, &(block("Txn", methods) + &block("Other", 1)));
    let trait_impl = File::new("src/a/z.rs", "impl Clone for Txn {\n    fn clone(&self) {}\n}\n");
    assert!(judge(&counts(&[file("src/a/x.rs", 30), file("src/a/y.rs", 30), trait_impl]), &[]).is_empty());
    assert_eq!(judge(&counts(&[file("src/a/x.rs", 30), file("src/a/y.rs", 31)]), &[]).len(), 1);
    assert!(judge(&counts(&[file("src/a/x.rs", 40), file("src/b/y.rs", 40)]), &[]).is_empty());
}

#[test]
fn functions_beside_a_type_are_its_methods() {
    let code = "pub fn f(txn: &mut Txn<'_>) {}\nfn g<'a, T: A>(\n    txn: &'a super::Txn,\n    b: B,\n) {}\nfn h(a: u8, txn: &Txn) {}\n\
        impl B {\n    fn i(txn: &Txn) {}\n}\nfn j() {}\n";
    assert_eq!(first_arguments(code), ["Txn", "Txn"]);
    let type_ = File::new("src/a/txn/mod.rs", "pub(crate) struct Txn<'a>(&'a u8);\n");
    let methods = |path: &str| {
        let found = counts(&[File::new(path, code), File::new(&type_.path, &type_.text)]);
        found.get(&("a".to_owned(), "Txn".to_owned())).copied()
    };
    assert_eq!(methods("src/a/txn/b.rs"), Some(2));
    assert_eq!(methods("src/a/ops.rs"), None);
    assert_eq!(methods("src/a/txn/b/tests.rs"), None);
}

#[test]
fn an_exception_is_exact() {
    let counts = Counts::from([(("a".to_owned(), "Txn".to_owned()), METHODS_MAX + 1)]);
    assert_eq!(judge(&counts, &[]).len(), 1);
    assert_eq!(judge(&counts, &[("a", "Txn", METHODS_MAX + 1)]), Vec::<String>::new());
    assert_eq!(judge(&counts, &[("a", "Txn", METHODS_MAX + 2)]).len(), 1);
    assert_eq!(judge(&counts, &[("a", "Txn", METHODS_MAX + 1), ("b", "Db", 70)]).len(), 1);
}
