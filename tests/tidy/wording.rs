//! The wording of code and comments: words of the field, no persons for code, and comments that stand alone.

use crate::bans::FOREIGN_WORDS;
use crate::comments::comments;
use crate::tree::File;

/// Folders whose files are checked.
pub const FOLDERS: &[&str] = &["src", "examples", "pkg-templates", "www", "tests", "xtask", "benches", "fuzz"];

/// Extensions of the checked files. Of session files, only headings and comments are read.
pub const KINDS: [&str; 9] = ["rs", "ts", "mts", "cts", "js", "mjs", "css", "py", "session"];

/// Foreign words with another meaning, by file.
const OTHER_MEANING: [(&str, &str); 5] = [
    // The lists of the words.
    ("tests/tidy/bans.rs", ""),
    ("tests/tidy/wording.rs", ""),
    // A public type of the package.
    ("pkg-templates/npm/src/entries/core.ts", "Carrier"),
    // A heading about geo points.
    ("pkg-templates/npm/src/client/sugar/geo.ts", "Places"),
    // A lesson about reserved seats.
    ("www/lessons/13-msetnx.session", "Seat"),
];

/// Words for persons.
const PERSONS: [&str; 8] = ["who", "whoever", "whom", "whose", "somebody", "nobody", "anybody", "everybody"];

/// Beginnings of comments that depend on the code around them, or are riddles.
const BEGINNINGS: [&str; 7] = ["The same", "As ", "It ", "What ", "How servers call theirs", "So many ", "So much "];

/// Files and folders whose comments are about people.
const ABOUT_PEOPLE: [&str; 2] = [
    // The lists of the words.
    "tests/tidy/wording.rs",
    // Lessons for visitors.
    "www/lessons/",
];

/// Foreign words in code, comments and texts of a file.
pub fn foreign_words(file: &File) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let has_other_meaning = |word: &str| {
        OTHER_MEANING.iter().any(|(path, allowed)| *path == file.path && (allowed.is_empty() || *allowed == word))
    };
    let mut violations = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let words = line.split(|c| !is_word(c)).filter(|word| FOREIGN_WORDS.contains(word));
        for word in words.filter(|word| !has_other_meaning(word)) {
            violations.push(format!("{}:{}: `{word}` has another word in the field", file.path, index + 1));
        }
    }
    violations
}

/// Comments of a file that describe code as a person, or begin with a reference to something else.
pub fn comments_to_reword(file: &File) -> Vec<String> {
    let is_exempt = |path: &&str| file.path.starts_with(*path);
    if ABOUT_PEOPLE.iter().any(is_exempt) {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for comment in comments(file) {
        let words = comment.text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        if let Some(person) = words.into_iter().find(|word| PERSONS.contains(&word.as_str())) {
            violations.push(format!("{}:{}: `{person}`: code has no persons", file.path, comment.line));
        }
        if let Some(beginning) = BEGINNINGS.iter().find(|beginning| comment.text.starts_with(**beginning)) {
            let beginning = beginning.trim_end();
            violations.push(format!("{}:{}: a comment begins with `{beginning}`", file.path, comment.line));
        }
    }
    violations
}

#[test]
fn a_foreign_word_is_found_in_code_and_comments() {
    for text in ["const settle = 1;", "// The attendants.", "/** Places. */", "# shed"] {
        assert_eq!(foreign_words(&File::new("www/src/a.ts", text)).len(), 1, "{text}");
    }
    for text in ["const settled = 1;", "Promise.allSettled()", "unsettle"] {
        assert_eq!(foreign_words(&File::new("www/src/a.ts", text)), Vec::<String>::new(), "{text}");
    }
    assert_eq!(foreign_words(&File::new("pkg-templates/npm/src/entries/core.ts", "Carrier")), Vec::<String>::new());
}

#[test]
fn a_comment_to_reword_is_found() {
    for (path, text) in [
        ("www/src/a.ts", "/** Tells whoever listens. */"),
        ("www/src/a.ts", "f(); // The same as above."),
        ("tests/a.rs", "/// A list,\n/// and nobody reads it."),
        ("xtask/src/a.rs", "//! What it does."),
        ("tests/sessions/a.session", "## Who waits longer"),
    ] {
        assert_eq!(comments_to_reword(&File::new(path, text)).len(), 1, "{text}");
    }
    for (path, text) in [
        ("www/src/a.ts", "const nobody = 'somebody'; // A name."),
        ("www/src/a.ts", "/** Asynchronous. */"),
        ("www/lessons/a.session", "# Who holds the lock?"),
        ("tests/sessions/a.session", "> SET whose lock"),
    ] {
        assert_eq!(comments_to_reword(&File::new(path, text)), Vec::<String>::new(), "{text}");
    }
}
