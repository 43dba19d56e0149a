//! Session texts: what a run prints parses, and runs again without a mismatch.

use keylatch::session::{self, SESSION_START};
use keylatch::{Keylatch, ManualClock, Options};

/// Lengths above which a run takes long and finds no more.
const BYTES_MAX: usize = 4096;

/// A text that is a session prints as one that matches on a fresh engine, and prints as itself.
pub fn check(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let Some(printed) = printed(text).filter(|_| bytes.len() <= BYTES_MAX && is_repeatable(text)) else { return };
    let again = run(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again.mismatches(), 0, "{printed}");
    assert_eq!(again.print(), printed);
}

fn printed(text: &str) -> Option<String> {
    run(text).ok().map(|report| report.print())
}

fn run(text: &str) -> Result<session::Report, session::SessionError> {
    let session = session::parse(text)?;
    session::run(&mut Keylatch::new(Options::default(), ManualClock::new(SESSION_START)), &session, None)
}

/// Replies of these commands tell of memory, or of what other commands of the process have left.
fn is_repeatable(text: &str) -> bool {
    let upper = text.to_uppercase();
    ["INFO", "MEMORY", "DEBUG", "LATENCY", "SLOWLOG", "CLIENT", "COMMAND", "LOLWUT", "HELLO"]
        .iter()
        .all(|name| !upper.contains(name))
}

pub fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "## Title\n> SET k v PX 5\nOK\n! set k\n@ +6ms\n! expired k\n> GET k\n(nil)\n",
        "@ race\nA> SET k a NX\nOK\nA+\nA> DEL k\n! del k\nA-\nB> SET k b NX\n(nil)\nB+\n@ +1s\n@ join\n> GET k\n\"b\"\n",
        "@ race\nA> BLPOP l 0\nA<\n...\nB> RPUSH l x\n@ join\n@ race\nA+\nA-\n@ join\n",
        "> ECHO A+\n| A+\n> KEYS *\n1) \"a\"\n...\nA<\n",
        "  > MULTI\n  OK\n  (TX)> GET k\n  QUEUED\n  (TX)> EXEC\n  1) (nil)\n\nA> SUBSCRIBE c\n> PUBLISH c m\nA<\n",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}
