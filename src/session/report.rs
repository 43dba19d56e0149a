//! Reports as text: the session with its real replies, which is itself a session that matches, and the list of mismatches.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::line::{ANYTHING, Line, classify, without_trailing_blanks};
use super::{Expectation, Report, Step, StepKind, Verdict};

impl Report {
    /// Number of steps that did not match.
    pub fn mismatches(&self) -> usize {
        self.steps.iter().filter(|step| step.verdict == Verdict::Mismatched).count()
    }

    /// Prints the session with its real replies, and races with their guards. This text, run on an equal engine, has no
    /// mismatch.
    pub fn print(&self) -> String {
        let mut text = String::new();
        let mut remarks_above = true;
        for step in &self.steps {
            let remark = matches!(step.kind, StepKind::Heading | StepKind::Comment);
            if remark && !remarks_above {
                text.push('\n');
            }
            remarks_above = remark;
            step.lines().for_each(|line| {
                text.push_str(&line);
                text.push('\n');
            });
        }
        if self.steps.last().is_some_and(|step| step.in_race) {
            // The run ended at a line of the race.
            text.push_str("@ join\n");
        }
        text
    }

    /// Mismatches in order: at most one for the reply and one for the events of a step.
    pub fn failures(&self) -> Vec<Failure> {
        self.steps.iter().filter(|step| step.verdict == Verdict::Mismatched).flat_map(Step::failures).collect()
    }
}

impl Step {
    fn lines(&self) -> impl Iterator<Item = String> {
        core::iter::once(self.head()).chain(self.replies()).chain(self.event_lines())
    }

    fn event_lines(&self) -> Vec<String> {
        let expected = self.expected_events.iter().map(|expectation| &expectation.text);
        let lines = |event: &String| format!("! {event}");
        match self.skipped || self.expected_events.is_empty() {
            true => expected.map(lines).collect(),
            false => self.events.iter().map(lines).collect(),
        }
    }

    /// Real lines of the reply. Where `...` was expected and matched, the expected ones are kept: the others vary. So are
    /// guards.
    fn replies(&self) -> Vec<String> {
        if !self.in_race && (self.reply_differs || self.expected.iter().all(|expectation| !expectation.anything)) {
            return self.printed.iter().map(|line| reply_line(line)).collect();
        }
        let line = |expectation: &Expectation| match expectation.anything {
            true => ANYTHING.to_string(),
            false => reply_line(&expectation.text),
        };
        self.expected.iter().map(line).collect()
    }

    /// The line of the step itself, as typed.
    fn head(&self) -> String {
        if self.text.is_empty() { self.prompt.clone() } else { format!("{} {}", self.prompt, self.text) }
    }

    pub(super) fn events_differ(&self) -> bool {
        let expected = self.expected_events.iter().map(|expectation| &expectation.text);
        !self.expected_events.is_empty() && !expected.eq(&self.events)
    }

    fn failures(&self) -> Vec<Failure> {
        let mut failures = Vec::new();
        if self.reply_differs {
            failures.push(self.failure("", &self.expected, &self.printed));
        }
        if self.events_differ() {
            failures.push(self.failure("! ", &self.expected_events, &self.events));
        }
        failures
    }

    fn failure(&self, mark: &str, expected: &[Expectation], got: &[String]) -> Failure {
        Failure {
            line: self.line,
            command: self.head(),
            expected: expected.iter().map(|expectation| format!("{mark}{}", expectation.text)).collect(),
            got: got.iter().map(|line| format!("{mark}{line}")).collect(),
            message: self.message.clone(),
        }
    }
}

/// A printed line in the form in which it reads back as a reply.
fn reply_line(line: &str) -> String {
    let line = without_trailing_blanks(line);
    match classify(line) {
        Line::Reply(_) => line.to_string(),
        _ if line.is_empty() => "|".to_string(),
        _ => format!("| {line}"),
    }
}

/// A mismatch. `Display` prints `LINE: COMMAND` and, below it, the expected and the real lines: with a file name and a colon
/// in front, editors can jump to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Number of the line of the command, counted from 1.
    pub line: usize,
    /// The command with its prompt.
    pub command: String,
    /// Expected lines.
    pub expected: Vec<String>,
    /// Real lines.
    pub got: Vec<String>,
    /// A note on the reply.
    pub message: Option<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.line, self.command)?;
        write_block(out, "expected", &self.expected)?;
        write_block(out, "got", &self.got)?;
        match &self.message {
            Some(message) => write!(out, "\n    note: {message}"),
            None => Ok(()),
        }
    }
}

fn write_block(out: &mut fmt::Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
    write!(out, "\n    {title}:")?;
    if lines.is_empty() {
        return out.write_str(" nothing");
    }
    lines.iter().try_for_each(|line| write!(out, "\n      {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::Timestamp;
    use crate::base::random::Random;
    use crate::session::{ClockMove, compare, parse};

    fn step(kind: StepKind, prompt: &str, text: &str, printed: Vec<String>) -> Step {
        Step {
            line: 1,
            kind,
            client: String::new(),
            prompt: prompt.to_string(),
            text: text.to_string(),
            printed,
            expected: Vec::new(),
            events: Vec::new(),
            expected_events: Vec::new(),
            database: 0,
            words: Vec::new(),
            reply: Vec::new(),
            facts: Vec::new(),
            verdict: Verdict::Ran,
            reply_differs: false,
            in_race: false,
            skipped: false,
            message: None,
            now: Timestamp::from_ms(0),
        }
    }

    fn report(steps: Vec<Step>) -> Report {
        Report { steps, clients: Vec::new(), now: Timestamp::from_ms(0) }
    }

    const FRAGMENTS: [&str; 39] = [
        "",
        " ",
        "\t",
        "\r",
        "|",
        "| ",
        "#",
        "## ",
        "> ",
        "A> ",
        "A<",
        "A+",
        "-",
        "@ race",
        "<",
        "redis> x",
        "127.0.0.1:6379[1](TX)> GET k",
        "@ ",
        "@ next",
        "! ",
        "! set k",
        "(0.50s)",
        "Reading messages... (press Ctrl-C to quit)",
        "1) \"a\"",
        "2) ",
        "   ",
        "OK",
        "(nil)",
        "[2]> ",
        "(integer) 1",
        "\u{feff}",
        "é",
        "\u{a0}",
        "\u{2028}",
        "\"",
        "redis>",
        "x\ry",
        "...",
        "  ...",
    ];

    fn random_line(random: &mut Random) -> String {
        (0..random.below(4)).map(|_| FRAGMENTS[random.below(FRAGMENTS.len() as u64) as usize]).collect()
    }

    fn random_step(random: &mut Random) -> Step {
        let printed = (0..random.below(5)).map(|_| random_line(random)).collect();
        match random.below(6) {
            0 => step(StepKind::Heading, "##", "Title", Vec::new()),
            1 => step(StepKind::Comment, "#", without_trailing_blanks(&random_line(random)), Vec::new()),
            2 => step(StepKind::Clock(ClockMove::ToNext), "@", "next", Vec::new()),
            3 => step(StepKind::Receive, "A<", "", printed),
            4 => step(StepKind::Command, "[1](TX)>", "  GET \"a\"", printed),
            _ => step(StepKind::Command, "redis 127.0.0.1:6379>", "GET > b", printed),
        }
    }

    #[test]
    fn what_is_printed_reads_back() {
        let mut random = Random::new(7);
        for round in 0..3_000 {
            let mut steps: Vec<Step> = (0..random.below(8)).map(|_| random_step(&mut random)).collect();
            let text = report(steps.clone()).print();
            let session = parse(&text).unwrap_or_else(|error| panic!("round {round}: {error}\n{text}"));
            assert_eq!(session.actions.len(), steps.len(), "round {round}\n{text}");
            for (step, action) in steps.iter_mut().zip(&session.actions) {
                assert_eq!(
                    (step.kind, step.text.as_str()),
                    (action.kind, action.text.as_str()),
                    "round {round}\n{text}"
                );
                let expected: Vec<Option<&str>> =
                    action.expected.iter().map(|line| (!line.anything).then_some(line.text.as_str())).collect();
                let printed: Vec<&str> = step.printed.iter().map(String::as_str).collect();
                assert!(compare::matches(&expected, &printed, compare::Order::Exact), "round {round}\n{text}");
            }
        }
    }

    #[test]
    fn events_are_printed_where_some_were_expected() {
        let mut expecting = step(StepKind::Command, "A>", "DEL k", ["(integer) 1".to_string()].to_vec());
        expecting.events = ["del k".to_string()].to_vec();
        let silent = expecting.clone();
        expecting.expected_events = [Expectation { line: 3, text: "set k".to_string(), anything: false }].to_vec();
        let heading = step(StepKind::Heading, "##", "Next", Vec::new());
        let text = report([expecting, heading, silent].to_vec()).print();
        assert_eq!(text, "A> DEL k\n(integer) 1\n! del k\n\n## Next\nA> DEL k\n(integer) 1\n");
    }

    #[test]
    fn anything_that_matched_is_printed_again() {
        let mut varying =
            step(StepKind::Command, ">", "TIME", ["1) \"1\"".to_string(), "2) \"2\"".to_string()].to_vec());
        varying.expected = [
            Expectation { line: 2, text: "1) \"1\"".to_string(), anything: false },
            Expectation { line: 3, text: "...".to_string(), anything: true },
        ]
        .to_vec();
        assert_eq!(report([varying.clone()].to_vec()).print(), "> TIME\n1) \"1\"\n...\n");
        varying.reply_differs = true;
        assert_eq!(report([varying].to_vec()).print(), "> TIME\n1) \"1\"\n2) \"2\"\n");
    }

    #[test]
    fn failures_say_what_differs() {
        let mut failing = step(StepKind::Command, "A>", "GET k", ["(nil)".to_string()].to_vec());
        failing.line = 12;
        failing.verdict = Verdict::Mismatched;
        failing.reply_differs = true;
        failing.message = Some("a remark".to_string());
        failing.expected = [Expectation { line: 13, text: "\"1\"".to_string(), anything: false }].to_vec();
        failing.expected_events = [Expectation { line: 14, text: "set k".to_string(), anything: false }].to_vec();
        let report = report([failing].to_vec());
        assert_eq!(report.mismatches(), 1);
        let texts: Vec<String> = report.failures().iter().map(Failure::to_string).collect();
        let reply = "12: A> GET k\n    expected:\n      \"1\"\n    got:\n      (nil)\n    note: a remark";
        let events = "12: A> GET k\n    expected:\n      ! set k\n    got: nothing\n    note: a remark";
        assert_eq!(texts, [reply, events]);
    }
}
