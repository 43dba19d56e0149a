//! What the generator of requests sees of those it makes them for. It knows neither engines nor servers.

use keylatch::Client;
use keylatch::resp::cli_text::quote;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub client: usize,
    pub argv: Vec<Vec<u8>>,
}

impl Request {
    /// A word that stands for the number of a client, which is another on each side.
    pub fn number_of(client: usize) -> String {
        format!("{{client {client}}}").replace(' ', "-")
    }

    /// As a line of a session file.
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

/// Where requests are performed.
pub trait Harness {
    /// A client as the engine sees it.
    fn client(&self, client: usize) -> &Client;

    /// One of the payloads that DUMP answered before.
    fn payload(&self, number: u64) -> Option<&[u8]>;

    /// The keys of each database that has some, with their types.
    fn keys(&self) -> Vec<(u8, Vec<Stored>)>;
}
