//! Command lines as people type them.

use keylatch::Argv;
use keylatch::internals::commands::split_line;
use keylatch::internals::resp::cli_text::quote;

/// The arguments of a line, quoted and joined again, split into the same arguments.
pub fn check(line: &[u8]) {
    let mut argv = Argv::default();
    if split_line(line, &mut argv).is_err() {
        return;
    }
    let quoted: Vec<String> = argv.as_ref().iter().map(quote).collect();
    let mut again = Argv::default();
    split_line(quoted.join(" ").as_bytes(), &mut again).expect("what is quoted is balanced");
    assert!(argv.as_ref().iter().eq(again.as_ref().iter()));
}

pub fn seeds() -> Vec<Vec<u8>> {
    let lines: [&[u8]; 5] =
        [b"SET k v EX 10", b"ECHO \"a\\x00\\n\\\"b\"", b"ECHO 'it\\'s' \"\"", b"  PING\t\r\n", b"ECHO \"open"];
    lines.map(<[u8]>::to_vec).to_vec()
}
