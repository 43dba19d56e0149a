//! An engine that records its log, and the clients that take turns in it.

use keylatch::internals::Client;
use keylatch::internals::resp::read::{Value, read};
use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options, Protocol, Timestamp};

use super::generator::CLIENTS;
use super::harness::{Harness, Request, Stored};
use super::scope::row_of;

/// Maximum number of payloads of DUMP that are kept.
const PAYLOADS_MAX: usize = 64;

pub struct EngineHarness {
    pub engine: Keylatch<ManualClock>,
    clients: Vec<ClientId>,
    payloads: Vec<Vec<u8>>,
}

impl EngineHarness {
    /// The drawn instants are long before and long after any `start` of this century.
    pub fn new(seed: u64, start: Timestamp) -> EngineHarness {
        EngineHarness::over(Keylatch::new(Options { seed }, ManualClock::new(start)))
    }

    /// Connects the clients to an engine without keys.
    pub fn over(mut engine: Keylatch<ManualClock>) -> EngineHarness {
        engine.record(true);
        let clients = CLIENTS.iter().map(|protocol| {
            let client = engine.connect();
            if *protocol == Protocol::Resp3 {
                engine.set_protocol(client, *protocol);
            }
            client
        });
        let clients = clients.collect();
        EngineHarness { engine, clients, payloads: Vec::new() }
    }

    /// Runs a request, unless its client is blocked. Returns the reply, and what other clients received.
    pub fn perform(&mut self, request: &Request) -> Vec<Vec<u8>> {
        if self.client(request.client).is_blocked() {
            return Vec::new();
        }
        let word = |word: &Vec<u8>| {
            let is_number = |client: &usize| Request::number_of(*client).as_bytes() == word;
            let client = (0..self.clients.len()).find(is_number);
            client.map_or(word.clone(), |client| self.clients[client].0.to_string().into())
        };
        let argv: Vec<Vec<u8>> = request.argv.iter().map(word).collect();
        let mut reply = Vec::new();
        self.engine.execute(self.clients[request.client], Argv::from_slices(&argv).as_ref(), &mut reply);
        let received: Vec<Vec<u8>> = self.clients.iter().map(|client| self.engine.take_outbox(*client)).collect();
        if row_of(&argv).is_some_and(|row| row.name == "dump")
            && let Ok(Some((Value::Bulk(payload), _))) = read(&reply)
        {
            self.payloads.push(payload.to_vec());
            let surplus = self.payloads.len().saturating_sub(PAYLOADS_MAX);
            self.payloads.drain(..surplus);
        }
        received.into_iter().chain([reply]).collect()
    }
}

impl Harness for EngineHarness {
    fn client(&self, client: usize) -> &Client {
        self.engine.client(self.clients[client]).expect("no client of the test is closed")
    }

    fn payload(&self, number: u64) -> Option<&[u8]> {
        let index = number.checked_rem(self.payloads.len() as u64)?;
        Some(&self.payloads[index as usize])
    }

    fn keys(&self) -> Vec<(u8, Vec<Stored>)> {
        Vec::new()
    }
}
