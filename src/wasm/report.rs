//! Report of a session in the form JavaScript reads.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::convert::{Bytes, Views, ms};
use super::facts::{self, FactView};
use crate::keyspace::Fact;
use crate::session::{ClientReport, Expectation, Failure, Report, Step};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReportView<'a> {
    steps: Vec<StepView<'a>>,
    clients: Vec<ClientView<'a>>,
    now_ms: f64,
    mismatches: usize,
    failures: Vec<FailureView>,
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepView<'a> {
    line: usize,
    kind: &'static str,
    client: &'a str,
    prompt: &'a str,
    text: &'a str,
    printed: &'a [String],
    expected: Vec<ExpectationView<'a>>,
    events: &'a [String],
    expected_events: Vec<ExpectationView<'a>>,
    database: u8,
    words: Views<'a, Vec<u8>, Bytes<'a>>,
    reply: Bytes<'a>,
    facts: Vec<FactView<'a, &'a str>>,
    verdict: &'static str,
    message: Option<&'a str>,
    now_ms: f64,
}

#[derive(Serialize)]
struct ExpectationView<'a> {
    line: usize,
    text: &'a str,
    anything: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClientView<'a> {
    name: &'a str,
    id: u32,
    database: u8,
    in_transaction: bool,
}

#[derive(Serialize)]
struct FailureView {
    line: usize,
    command: String,
    expected: Vec<String>,
    got: Vec<String>,
    message: Option<String>,
}

impl<'a> ReportView<'a> {
    pub(super) fn new(report: &'a Report) -> ReportView<'a> {
        ReportView {
            steps: report.steps.iter().map(|of| step(of, &report.clients)).collect(),
            clients: report.clients.iter().map(client).collect(),
            now_ms: ms(report.now),
            mismatches: report.mismatches(),
            failures: report.failures().into_iter().map(failure).collect(),
            text: report.print(),
        }
    }
}

fn step<'a>(step: &'a Step, clients: &'a [ClientReport]) -> StepView<'a> {
    StepView {
        line: step.line,
        kind: step.kind.name(),
        client: &step.client,
        prompt: &step.prompt,
        text: &step.text,
        printed: &step.printed,
        expected: step.expected.iter().map(expectation).collect(),
        events: &step.events,
        expected_events: step.expected_events.iter().map(expectation).collect(),
        database: step.database,
        words: Views(&step.words, |word| Bytes(word)),
        reply: Bytes(&step.reply),
        facts: step.facts.iter().map(|of| fact(of, clients)).collect(),
        verdict: step.verdict.name(),
        message: step.message.as_deref(),
        now_ms: ms(step.now),
    }
}

/// A fact with the name of its client; null for time, memory and clients that are not of the session.
fn fact<'a>(fact: &'a Fact, clients: &'a [ClientReport]) -> FactView<'a, &'a str> {
    let author = clients.iter().find(|client| fact.client == Some(client.id));
    facts::view(fact, author.map(|client| client.name.as_str()))
}

fn expectation(expectation: &Expectation) -> ExpectationView<'_> {
    ExpectationView { line: expectation.line, text: &expectation.text, anything: expectation.anything }
}

fn client(client: &ClientReport) -> ClientView<'_> {
    let ClientReport { name, id, database, in_transaction } = client;
    ClientView { name, id: id.0, database: *database, in_transaction: *in_transaction }
}

fn failure(failure: Failure) -> FailureView {
    let Failure { line, command, expected, got, message } = failure;
    FailureView { line, command, expected, got, message }
}
