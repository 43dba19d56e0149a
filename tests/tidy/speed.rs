//! The files that exist only for speed: ARCHITECTURE.md lists them with their gains, and their lines have a budget.

/// Maximum number of lines of all these files, and of their tests.
const LINES_MAX: usize = 900;
const TEST_LINES_MAX: usize = 500;

const HEADING: &str = "## Files that exist for speed";
/// Where the tests of a Rust file begin.
const TESTS: &str = "#[cfg(test)]";

/// A row of the table: a file, files of its tests, and its gain.
struct Row<'a> {
    files: Vec<&'a str>,
    tests: Vec<&'a str>,
    gain: &'a str,
}

/// Violations of the table in a document; `text_of` returns a file's text, if the file exists.
pub fn check(document: &str, text_of: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let rows = rows(document);
    if rows.is_empty() {
        return vec![format!("ARCHITECTURE.md has no table below `{HEADING}`")];
    }
    let mut violations = Vec::new();
    let (mut lines, mut test_lines) = (0, 0);
    for row in rows {
        if row.files.is_empty() {
            violations.push(format!("a row names no file: {}", row.gain));
        }
        for file in &row.files {
            // A gain that was measured has a number.
            if !row.gain.contains(|c: char| c.is_ascii_digit()) {
                violations.push(format!("{file}: no gain is given"));
            }
        }
        for (file, is_test) in
            row.files.iter().map(|file| (file, false)).chain(row.tests.iter().map(|file| (file, true)))
        {
            let Some(text) = text_of(file) else {
                violations.push(format!("{file}: listed in ARCHITECTURE.md, but there is no such file"));
                continue;
            };
            let all = text.lines().count();
            let own = if is_test { 0 } else { text.lines().take_while(|line| *line != TESTS).count() };
            lines += own;
            test_lines += all - own;
        }
    }
    for (what, count, most) in [("files", lines, LINES_MAX), ("tests of files", test_lines, TEST_LINES_MAX)] {
        if count > most {
            violations.push(format!("{what} that exist for speed have {count} lines, at most {most}"));
        }
    }
    violations
}

/// The rows of the first table below the heading.
fn rows(document: &str) -> Vec<Row<'_>> {
    let below =
        document.lines().skip_while(|line| *line != HEADING).skip(1).take_while(|line| !line.starts_with("## "));
    let table = below.skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    table.skip(2).map(row).collect()
}

fn row(line: &str) -> Row<'_> {
    let mut cells = line.trim_matches('|').splitn(3, '|').map(str::trim);
    let mut next = || cells.next().unwrap_or_default();
    Row { files: names(next()), tests: names(next()), gain: next() }
}

/// The text between backticks.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rows: &str) -> Vec<String> {
        let document = format!(
            "# Plan\n\n{HEADING}\n\nText.\n\n| File | Tests | Gain |\n|---|---|---|\n{rows}\n\n## Next\n| a |\n"
        );
        check(&document, |path| match path {
            "src/small.rs" => Some(format!("{}{TESTS}\n{}", "code\n".repeat(300), "test\n".repeat(100))),
            "src/large.rs" => Some("code\n".repeat(601)),
            "tests/large.rs" => Some("test\n".repeat(400)),
            _ => None,
        })
    }

    #[test]
    fn a_missing_table_file_or_gain_is_found() {
        assert!(found("| `src/small.rs` | | GET 34 to 26 ns |").is_empty());
        assert!(found("")[0].contains("no table"));
        assert!(found("| `src/gone.rs` | | 10 % |")[0].contains("no such file"));
        assert!(found("| `src/small.rs` | `tests/gone.rs` | 10 % |")[0].contains("no such file"));
        assert!(found("| `src/small.rs` | | faster |")[0].contains("no gain"));
        assert!(found("| small | | 10 % |")[0].contains("names no file"));
    }

    #[test]
    fn lines_are_added_up() {
        assert_eq!(
            found("| `src/small.rs` | | 1 % |\n| `src/large.rs` | | 1 % |"),
            ["files that exist for speed have 901 lines, at most 900"]
        );
        assert_eq!(
            found("| `src/small.rs` | `tests/large.rs` | 1 % |"),
            ["tests of files that exist for speed have 501 lines, at most 500"]
        );
    }
}
