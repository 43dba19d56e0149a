//! Replies that only scripts give.

use super::{HEADER_MAX_BYTES, Protocol, Writer};

impl Writer {
    /// Writes a boolean; in RESP2 an integer.
    pub fn boolean(&mut self, value: bool) {
        match (self.protocol, value) {
            (Protocol::Resp2, _) => self.integer(value.into()),
            (Protocol::Resp3, true) => self.put(b"#t\r\n"),
            (Protocol::Resp3, false) => self.put(b"#f\r\n"),
        }
    }

    /// Writes a status of any bytes; line ends become blanks.
    pub fn status(&mut self, text: &[u8]) {
        self.one_line(b"+", text);
    }

    /// Writes a number of any size by its digits, of which line ends become blanks; in RESP2 a bulk string.
    pub fn big_number(&mut self, digits: &[u8]) {
        match self.protocol {
            Protocol::Resp2 => {
                self.header(b'$', digits.len() as i64);
                self.one_line(b"", digits);
            }
            Protocol::Resp3 => self.one_line(b"(", digits),
        }
    }

    fn one_line(&mut self, kind: &[u8], text: &[u8]) {
        if !self.reserve(text.len() + HEADER_MAX_BYTES) {
            return;
        }
        self.put(kind);
        let shown = |&byte: &u8| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte };
        self.out.extend(text.iter().map(shown));
        self.end_line();
    }
}
