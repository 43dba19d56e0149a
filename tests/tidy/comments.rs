//! A simple scanner for comments of Rust, TypeScript, JavaScript, CSS, Python and session files.

use crate::tree::File;

/// The text of a comment without its marks, with its first line. Consecutive line comments are one.
#[derive(PartialEq, Debug)]
pub struct Comment {
    pub line: usize,
    pub text: String,
}

pub fn comments(file: &File) -> Vec<Comment> {
    let hash = file.path.ends_with(".session") || file.path.ends_with(".py");
    let mut comments: Vec<Comment> = Vec::new();
    let mut open: Option<Kind> = None;
    for (index, line) in file.text.lines().enumerate() {
        let trimmed = line.trim();
        let (kind, text) = match open {
            Some(Kind::Block) => {
                (Some(Kind::Block), if trimmed == "*/" { "" } else { trimmed.trim_start_matches('*') })
            }
            _ if hash => match trimmed.strip_prefix('#') {
                // Each heading and comment of a session is a line of its own.
                Some(text) => (Some(Kind::Trailing), text.trim_start_matches('#')),
                None => (None, ""),
            },
            _ => start(trimmed),
        };
        let text = text.strip_suffix("*/").unwrap_or(text).trim();
        match (open, kind) {
            (Some(last), Some(kind)) if last == kind && kind != Kind::Trailing => {
                if let Some(comment) = comments.last_mut() {
                    let blank = if comment.text.is_empty() || text.is_empty() { "" } else { " " };
                    comment.text += &format!("{blank}{text}");
                }
            }
            (_, Some(_)) => comments.push(Comment { line: index + 1, text: text.to_owned() }),
            _ => {}
        }
        let closes = kind == Some(Kind::Block) && trimmed.ends_with("*/");
        open = kind.filter(|_| !closes);
    }
    comments
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Line,
    Block,
    /// A comment behind code.
    Trailing,
}

/// The comment that starts in a line of code, if there is one.
fn start(line: &str) -> (Option<Kind>, &str) {
    if let Some(text) = line.strip_prefix("//") {
        return (Some(Kind::Line), text.trim_start_matches(['/', '!']));
    }
    if let Some(text) = line.strip_prefix("/*") {
        return (Some(Kind::Block), text.trim_start_matches('*'));
    }
    // A quote that is open before the slashes makes them part of a text.
    let trailing = line.find(" // ").filter(|at| ['"', '\'', '`'].iter().all(|quote| is_even(&line[..*at], *quote)));
    trailing.map_or((None, ""), |at| (Some(Kind::Trailing), &line[at + 4..]))
}

fn is_even(text: &str, quote: char) -> bool {
    text.matches(quote).count().is_multiple_of(2)
}

#[test]
fn comments_are_found_with_their_lines() {
    let found = |path: &str, text: &str| -> Vec<(usize, String)> {
        comments(&File::new(path, text)).into_iter().map(|comment| (comment.line, comment.text)).collect()
    };
    let text = "/// One\n/// two.\nf(); // three\n// four\n\n/** Five. */\n/*\n * Six\n */\nlet a = \"b // c\";";
    let expected = [(1, "One two."), (3, "three"), (4, "four"), (6, "Five."), (7, "Six")];
    assert_eq!(found("src/a.rs", text), expected.map(|(line, text)| (line, text.to_owned())));
    let expected = [(1, "A"), (2, "b")].map(|(line, text)| (line, text.to_owned()));
    assert_eq!(found("a.session", "## A\n# b\n> SET c # d"), expected);
}
