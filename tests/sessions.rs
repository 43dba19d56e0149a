//! Runs every session file of the repository, each on a fresh engine, and checks that the printed session parses and
//! matches, and that its effects and a snapshot give the same keyspace. Uses the public interface only.

#[path = "support/copies.rs"]
mod copies;
// The test of tidiness uses more of it.
#[allow(dead_code)]
#[path = "support/tree.rs"]
mod tree;

use keylatch::session::{self, Report, SESSION_START};
use keylatch::{Keylatch, ManualClock, Options};

#[test]
fn every_session_file_does_what_it_says() {
    let mut failures = Vec::new();
    for tree::File { path: name, text } in tree::sessions() {
        match run(&text) {
            Ok(report) => failures.extend(report.failures().iter().map(|failure| format!("{name}:{failure}"))),
            Err(error) => failures.push(format!("{name}:{error}")),
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_effects_of_every_session_file_give_the_same_keyspace() {
    let mut failures = Vec::new();
    for tree::File { path: name, text } in tree::sessions() {
        let Ok(session) = session::parse(&text) else { continue };
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
        engine.record(true);
        let ran = session::run(&mut engine, &session, None).is_ok();
        failures.extend(copies::check(&mut engine).err().filter(|_| ran).map(|failure| format!("{name}: {failure}")));
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn what_a_run_prints_reads_back_and_matches() {
    for tree::File { path: name, text } in tree::sessions() {
        let Ok(report) = run(&text) else { continue };
        let printed = report.print();
        let again = run(&printed).unwrap_or_else(|error| panic!("{name}: {error}\n{printed}"));
        let failures: Vec<String> = again.failures().iter().map(|failure| format!("{name}:{failure}")).collect();
        assert!(failures.is_empty(), "{}\n{printed}", failures.join("\n"));
        assert_eq!(again.print(), printed, "{name}");
    }
}

fn run(text: &str) -> Result<Report, keylatch::session::SessionError> {
    let session = session::parse(text)?;
    let mut engine = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
    session::run(&mut engine, &session, None)
}

/// The site runs these examples in place.
#[test]
fn every_example_of_a_guide_does_what_it_says() {
    let guides = tree::files("docs/guides", &["md"]);
    let mut failures = Vec::new();
    let mut count = 0;
    for tree::File { path, text } in &guides {
        let found = examples(text);
        assert!(!found.is_empty() || path.ends_with("README.md"), "{path}: no example");
        count += found.len();
        for (line, example) in found {
            match run(&example) {
                Ok(report) if report.steps.iter().all(|step| step.expected.is_empty()) => {
                    failures.push(format!("{path}:{line}: the example checks nothing"));
                }
                Ok(report) => {
                    failures.extend(report.failures().iter().map(|failure| format!("{path}, from {line}: {failure}")));
                }
                Err(error) => failures.push(format!("{path}, from {line}: {error}")),
            }
        }
    }
    assert!(count > 25, "only {count} examples were found in {} guides", guides.len());
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_page_on_sessions_shows_what_runs_print() {
    let page = include_str!("../docs/sessions.md");
    let passing = examples(page);
    assert!(passing.len() > 3, "only {} examples", passing.len());
    for (line, example) in passing {
        let report = run(&example).unwrap_or_else(|error| panic!("from {line}: {error}"));
        let failures: Vec<String> = report.failures().iter().map(ToString::to_string).collect();
        assert!(failures.is_empty(), "from {line}: {}", failures.join("\n"));
    }
    let (mismatches, printed) = (blocks(page, "mismatch"), blocks(page, "console"));
    let report = run(&mismatches[0].1).expect("a session");
    let failures: Vec<String> = report.failures().iter().map(|failure| format!("{failure}\n")).collect();
    assert_eq!((failures.concat(), report.mismatches()), (printed[0].1.clone(), 2));
}

/// Blocks of a page of Markdown that are sessions, each with the line of its fence.
fn examples(markdown: &str) -> Vec<(usize, String)> {
    blocks(markdown, "session")
}

/// Blocks of a language, each with the line of its fence.
fn blocks(markdown: &str, language: &str) -> Vec<(usize, String)> {
    let fence = format!("```{language}");
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (index, line) in markdown.lines().enumerate() {
        match line {
            _ if line == fence => {
                is_open = true;
                found.push((index + 1, String::new()));
            }
            "```" => is_open = false,
            _ if is_open => found.last_mut().expect("an open block is the last one").1 += &format!("{line}\n"),
            _ => {}
        }
    }
    found
}

/// A recipe is one of the files named so, or a lesson in the table of docs/recipes.md, which lists all of them.
#[test]
fn every_recipe_states_its_guarantee_beside_its_latch_form() {
    let guide = include_str!("../docs/recipes.md");
    let table: Vec<&str> = guide.lines().filter(|line| line.starts_with("| [")).collect();
    let is_listed = |path: &str| table.iter().any(|row| row.contains(&format!("(../{path})")));
    let lessons = tree::files("www/lessons", &["session"]);
    let recipes: Vec<&tree::File> = lessons.iter().filter(|file| is_listed(&file.path)).collect();
    assert_eq!(recipes.len(), table.len(), "a row of docs/recipes.md names no lesson, or one named before");
    for file in &lessons {
        assert!(is_listed(&file.path) || !file.path.contains("-recipe-"), "{}: not in docs/recipes.md", file.path);
    }
    for tree::File { path, text } in recipes {
        let (plain, latch) = text.split_once("\n# Guarantee: ").unwrap_or_else(|| panic!("{path}: no guarantee"));
        assert!(plain.contains("\n@ ") || latch.contains("\n@ "), "{path}: the clock stands still");
        assert!(latch.contains("> LATCH."), "{path}: no LATCH form");
        assert!(latch.contains("\n# The reason: "), "{path}: no reason for the LATCH form");
    }
}
