//! State that the request generator reads. Independent of engines and servers.

use keylatch::internals::Client;
use keylatch::internals::resp::cli_text::quote;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub client: usize,
    pub argv: Vec<Vec<u8>>,
}

impl Request {
    /// Placeholder for the number of a client, which differs between the two sides.
    pub fn number_of(client: usize) -> String {
        format!("{{client {client}}}").replace(' ', "-")
    }

    /// Formats the request as a line of a session file.
    pub fn line(&self) -> String {
        let plain = |word: &[u8]| {
            !word.is_empty() && word.iter().all(|byte| byte.is_ascii_graphic() && !b"\"'\\".contains(byte))
        };
        let word = |word: &Vec<u8>| if plain(word) { String::from_utf8_lossy(word).into_owned() } else { quote(word) };
        let name = [b'A' + self.client as u8];
        format!("{}> {}", String::from_utf8_lossy(&name), self.argv.iter().map(word).collect::<Vec<_>>().join(" "))
    }
}

/// A key of the engine, and the type of its value.
pub struct Stored {
    pub key: Vec<u8>,
    pub type_name: &'static str,
}

/// Target of requests.
pub trait Harness {
    /// State of a client in the engine.
    fn client(&self, client: usize) -> &Client;

    /// One of the payloads that DUMP returned before.
    fn payload(&self, number: u64) -> Option<&[u8]>;

    /// The keys of each database that has any, with their types.
    fn keys(&self) -> Vec<(u8, Vec<Stored>)>;
}
