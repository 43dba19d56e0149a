//! Splitting a line into arguments: the quoting rules of inline requests and of redis-cli (`sdssplitargs`).
//!
//! Arguments are separated by blanks. In "double quotes" `\n \r \t \b \a \\ \"` and `\xHH` are a byte; any other
//! character after a backslash is itself. In 'single quotes' only `\'` is special. A closing quote ends its argument.

use crate::base::argv::Argv;
use alloc::vec::Vec;
use core::fmt;

/// Reason why a line cannot be split, and its column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineError {
    /// 1-based column, in characters, of the quote that is never closed, or of the character after a closing quote.
    pub column: usize,
    pub kind: LineErrorKind,
}

/// Kind of a malformed line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineErrorKind {
    UnbalancedQuotes,
    TextAfterQuote,
}

impl fmt::Display for LineError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.kind {
            LineErrorKind::UnbalancedQuotes => "unbalanced quotes: the one opened here is never closed",
            LineErrorKind::TextAfterQuote => "a closing quote must be followed by a blank or the end of the line",
        })
    }
}

/// Appends the arguments of `line` to `out`; a blank line has none. On an error `out` keeps the arguments before it.
///
/// A NUL byte is an ordinary character, while C's string functions would end the line at it.
pub fn split_line(line: &[u8], out: &mut Argv) -> Result<(), LineError> {
    let mut token = Vec::new();
    let mut at = 0;
    loop {
        while line.get(at).is_some_and(|&byte| is_blank(byte)) {
            at += 1;
        }
        if at >= line.len() {
            return Ok(());
        }
        token.clear();
        at = read_token(line, at, &mut token)?;
        out.push(&token);
    }
}

/// Whether C's `isspace` accepts the byte.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Reads one argument that starts at `at`; returns the offset after it.
fn read_token(line: &[u8], mut at: usize, token: &mut Vec<u8>) -> Result<usize, LineError> {
    while let Some(&byte) = line.get(at) {
        match byte {
            // Unlike between arguments, vertical tab and form feed are not blanks inside one.
            b' ' | b'\n' | b'\r' | b'\t' => return Ok(at),
            b'"' | b'\'' => {
                let end = read_quoted(line, at, token)?;
                return match line.get(end) {
                    Some(&next) if !is_blank(next) => Err(error(line, end, LineErrorKind::TextAfterQuote)),
                    _ => Ok(end),
                };
            }
            _ => token.push(byte),
        }
        at += 1;
    }
    Ok(at)
}

/// Reads a quoted text that starts at `open`; returns the offset after the closing quote.
fn read_quoted(line: &[u8], open: usize, token: &mut Vec<u8>) -> Result<usize, LineError> {
    let quote = line[open];
    let mut at = open + 1;
    loop {
        let rest = line.get(at..).unwrap_or_default();
        let Some((&byte, _)) = rest.split_first() else {
            return Err(error(line, open, LineErrorKind::UnbalancedQuotes));
        };
        if byte == quote {
            return Ok(at + 1);
        }
        let (value, length) = if quote == b'"' { escaped(rest) } else { escaped_quote(rest) }.unwrap_or((byte, 1));
        token.push(value);
        at += length;
    }
}

/// Returns the byte of an escape between double quotes, and the escape's length.
fn escaped(rest: &[u8]) -> Option<(u8, usize)> {
    if let [b'\\', b'x', high, low, ..] = rest
        && let (Some(high), Some(low)) = ((*high as char).to_digit(16), (*low as char).to_digit(16))
    {
        return Some(((high * 16 + low) as u8, 4));
    }
    let [b'\\', letter, ..] = rest else { return None };
    let value = match letter {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 0x08,
        b'a' => 0x07,
        other => *other,
    };
    Some((value, 2))
}

/// Returns the only escape between single quotes, and its length.
fn escaped_quote(rest: &[u8]) -> Option<(u8, usize)> {
    rest.starts_with(b"\\'").then_some((b'\'', 2))
}

fn error(line: &[u8], at: usize, kind: LineErrorKind) -> LineError {
    // Continuation bytes of UTF-8 belong to the character before them.
    let characters = line[..at].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    LineError { column: characters + 1, kind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use alloc::string::ToString;

    fn split(line: &[u8]) -> Result<Vec<Vec<u8>>, LineError> {
        let mut argv = Argv::default();
        split_line(line, &mut argv)?;
        Ok(argv.as_ref().iter().map(<[u8]>::to_vec).collect())
    }

    #[test]
    fn quoting_follows_redis() {
        let cases: [(&[u8], &[&[u8]]); 16] = [
            (b"", &[]),
            (b" \t\r\n\x0b\x0c", &[]),
            (b"PING", &[b"PING"]),
            (b"  SET\tk  v ", &[b"SET", b"k", b"v"]),
            (b"SET k \"a b\"", &[b"SET", b"k", b"a b"]),
            (b"\"\" ''", &[b"", b""]),
            (br#""\x41\n\r\t\b\a\\\"\q\xzz\x4""#, &[b"A\n\r\t\x08\x07\\\"qxzzx4"]),
            (br#""\xff\x00""#, &[b"\xff\x00"]),
            (br"'a\'b\n\\ '", &[br"a'b\n\\ "]),
            (b"ab\"cd\" e", &[b"abcd", b"e"]),
            (b"a'b c'\td", &[b"ab c", b"d"]),
            (b"a\x0bb", &[b"a\x0bb"]),
            (b"\"a\"\x0b\"b\"", &[b"a", b"b"]),
            (b"a\\ b", &[b"a\\", b"b"]),
            (b"a\0b", &[b"a\0b"]),
            (b"it=s \xff", &[b"it=s", b"\xff"]),
        ];
        for (line, expected) in cases {
            assert_eq!(split(line).unwrap(), expected, "{line:?}");
        }
    }

    #[test]
    fn errors_say_where() {
        let cases: [(&str, usize, LineErrorKind); 7] = [
            ("SET a \"b", 7, LineErrorKind::UnbalancedQuotes),
            ("SET a 'b\\'", 7, LineErrorKind::UnbalancedQuotes),
            ("\"\\\"", 1, LineErrorKind::UnbalancedQuotes),
            ("\"a\\", 1, LineErrorKind::UnbalancedQuotes),
            ("é \"", 3, LineErrorKind::UnbalancedQuotes),
            ("\"a\"b", 4, LineErrorKind::TextAfterQuote),
            ("é 'ü'\"\"", 6, LineErrorKind::TextAfterQuote),
        ];
        for (line, column, kind) in cases {
            assert_eq!(split(line.as_bytes()), Err(LineError { column, kind }), "{line}");
        }
        let problem = split(b"\"").unwrap_err();
        assert!(problem.to_string().starts_with("unbalanced quotes"));
    }

    #[test]
    fn noise_does_not_panic() {
        let mut random = Random::new(4);
        let letters = b"ab \"'\\xn0f\t\n\0\xc3\xa9";
        for _ in 0..50_000 {
            let length = random.below(16);
            let line: Vec<u8> = (0..length).map(|_| letters[random.below(letters.len() as u64) as usize]).collect();
            if let Err(problem) = split(&line) {
                assert!(problem.column >= 1 && problem.column <= line.len() + 1);
            }
        }
    }
}
