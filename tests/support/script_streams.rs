//! An engine that suspends the scripts of its streams.

use keylatch::{Connection, Fed, Keylatch, ManualClock, Options, Timestamp};

/// The stream of a client, and its output.
pub struct Stream {
    pub connection: Connection,
    pub out: Vec<u8>,
}

/// An engine with streams.
pub struct Db {
    pub engine: Keylatch<ManualClock>,
}

impl Db {
    pub fn new(slice: u64) -> Db {
        let clock = ManualClock::new(Timestamp::from_ms(1_767_225_600_000));
        let mut engine = Keylatch::new(Options::default(), clock);
        engine.configure("lua-instruction-limit", "100000").unwrap();
        engine.configure("lua-memory-limit", "2mb").unwrap();
        engine.scripts().suspend_after(slice);
        engine.record(true);
        engine.listen(true);
        Db { engine }
    }

    pub fn connect(&mut self) -> Stream {
        let client = self.engine.accept("127.0.0.1:50000", "127.0.0.1:6379");
        Stream { connection: Connection::new(client, self.engine.limits()), out: Vec::new() }
    }

    pub fn feed(&mut self, stream: &mut Stream, words: &[&str]) -> Fed {
        stream.connection.feed(&mut self.engine, &request(words), &mut stream.out)
    }

    /// Feeds a request and runs its script to the end; returns the output and the number of slices.
    pub fn ask(&mut self, stream: &mut Stream, words: &[&str]) -> (String, u64) {
        self.ask_bytes(stream, &request(words))
    }

    pub fn ask_bytes(&mut self, stream: &mut Stream, request: &[u8]) -> (String, u64) {
        let mut slices = 0;
        let mut fed = stream.connection.feed(&mut self.engine, request, &mut stream.out);
        while self.engine.scripts().is_suspended() {
            assert!(fed.blocked && stream.out.is_empty());
            slices += 1;
            if !self.engine.scripts().resume(slices) {
                assert_eq!(self.engine.take_affected(), [stream.connection.client()]);
                fed = stream.connection.feed(&mut self.engine, b"", &mut stream.out);
            }
        }
        assert!(!fed.blocked && !fed.more);
        (stream.taken(), slices)
    }
}

impl Stream {
    pub fn taken(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.out)).into_owned()
    }
}

pub fn request(words: &[&str]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        bytes.extend_from_slice(format!("${}\r\n{word}\r\n", word.len()).as_bytes());
    }
    bytes
}
