//! Replies, as clients read them.

use keylatch::internals::resp::cli_text::print;
use keylatch::internals::resp::read::read;

/// A reply does not extend beyond its input, reads the same without the bytes behind it, and not at all without its
/// end.
pub fn check(bytes: &[u8]) {
    let Ok(Some((value, used))) = read(bytes) else { return };
    assert!((1..=bytes.len()).contains(&used));
    assert_eq!(read(&bytes[..used]), Ok(Some((value.clone(), used))));
    assert_eq!(read(&bytes[..used - 1]), Ok(None));
    print(&value, &mut Vec::new());
}

pub fn seeds() -> Vec<Vec<u8>> {
    let replies: [&[u8]; 6] = [
        b"*3\r\n+OK\r\n-ERR x\r\n:-12\r\n",
        b"%1\r\n$1\r\nk\r\n~2\r\n#t\r\n_\r\n",
        b">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n",
        b"|1\r\n+a\r\n,1.5\r\n=7\r\ntxt:abc\r\n",
        b"*-1\r\n$-1\r\n",
        b"(12345678901234567890\r\n!5\r\nERR x\r\n",
    ];
    replies.map(<[u8]>::to_vec).to_vec()
}
