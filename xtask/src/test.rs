//! `cargo xtask test`: runs suites one after another and prints a count of them at the end.

use std::time::Instant;

use crate::cli::Selection;
use crate::failure::{Failure, Result};
use crate::progress;
use crate::suites::{self, Suite};

#[derive(Debug)]
enum Outcome {
    Passed,
    Failed(Failure),
    Skipped(&'static str),
}

pub(crate) fn run(selection: &Selection) -> Result {
    let mut build = Build::default();
    let mut lines = Vec::new();
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for suite in suites::ALL.iter().filter(|suite| is_selected(suite, selection)) {
        println!("\n#### {}: {}", suite.name, suite.about);
        let started = Instant::now();
        let outcome = run_suite(suite, selection, &mut build);
        let time = progress::seconds(started.elapsed());
        let line = match &outcome {
            Outcome::Passed => {
                passed += 1;
                format!("passed   {} ({time})", suite.name)
            }
            Outcome::Failed(failure) => {
                failed += 1;
                format!("FAILED   {} ({time}): {failure}", suite.name)
            }
            Outcome::Skipped(reason) => {
                skipped += 1;
                format!("SKIPPED  {} (--without {reason})", suite.name)
            }
        };
        println!("{line}");
        lines.push(line);
    }
    println!("\n#### summary\n{}\n\n{passed} passed, {failed} failed, {skipped} skipped", lines.join("\n"));
    if failed == 0 { Ok(()) } else { Err(Failure::new("not every suite passed")) }
}

fn is_selected(suite: &Suite, selection: &Selection) -> bool {
    match selection.quick {
        true => suites::QUICK.contains(&suite.name),
        false => selection.suites.is_empty() || selection.suites.iter().any(|name| name == suite.name),
    }
}

fn run_suite(suite: &Suite, selection: &Selection, build: &mut Build) -> Outcome {
    if let Some(left_out) = suite.needs.iter().find(|need| selection.without.contains(need)) {
        return Outcome::Skipped(left_out.name());
    }
    let ready = suite.prepare().and_then(|()| if suite.needs_build { build.ensure() } else { Ok(()) });
    match ready.and_then(|()| (suite.run)()) {
        Ok(()) => Outcome::Passed,
        Err(failure) => Outcome::Failed(failure),
    }
}

/// Builds the shared outputs once, when the first suite needs them.
#[derive(Debug, Default)]
struct Build {
    result: Option<Result>,
}

impl Build {
    fn ensure(&mut self) -> Result {
        match &self.result {
            None => self.result.insert(crate::build()).clone(),
            Some(Ok(())) => Ok(()),
            Some(Err(_)) => Err(Failure::new("not run, because the build failed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(selection: &Selection) -> Vec<&'static str> {
        suites::ALL.iter().filter(|suite| is_selected(suite, selection)).map(|suite| suite.name).collect()
    }

    #[test]
    fn none_named_is_all_and_quick_is_five() {
        assert_eq!(selected(&Selection::default()).len(), suites::ALL.len());
        let named = Selection { suites: vec!["native".into()], ..Selection::default() };
        assert_eq!(selected(&named), ["native"]);
        let quick = Selection { quick: true, ..Selection::default() };
        assert_eq!(selected(&quick), ["fmt", "clippy", "native", "build", "package"]);
    }
}
