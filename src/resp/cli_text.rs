//! Replies in the output format of redis-cli on a terminal, versions 7 and 8.
//!
//! Contains layout only: no protocol, no colours, no terminal.

use super::read::Value;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// Appends the text of a reply line by line. Line ends inside simple strings, errors and verbatim texts begin a new
/// line. In these texts, bytes that are not UTF-8 are written as `\xHH`.
pub fn print(value: &Value<'_>, out: &mut Vec<String>) {
    let mut printer = Printer { lines: out, line: String::new() };
    printer.value(value, 0);
    let Printer { lines, line } = printer;
    lines.push(line);
}

/// Quotes a string as redis-cli does: `\n \r \t \a \b \\ \"`, and `\xHH` for what is not printable ASCII.
pub fn quote(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for &byte in bytes {
        match byte {
            b'\\' | b'"' => {
                out.push('\\');
                out.push(byte as char);
            }
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x07 => out.push_str("\\a"),
            0x08 => out.push_str("\\b"),
            b' '..=b'~' => out.push(byte as char),
            _ => push_hex(byte, &mut out),
        }
    }
    out.push('"');
    out
}

fn push_hex(byte: u8, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\x{byte:02x}");
}

struct Printer<'a> {
    lines: &'a mut Vec<String>,
    /// Current, unfinished line.
    line: String,
}

impl Printer<'_> {
    /// Prints a value; `indent` is the column of all lines but the first.
    fn value(&mut self, value: &Value<'_>, indent: usize) {
        match value {
            Value::Simple(text) | Value::Verbatim { text, .. } => self.raw(text),
            Value::Error(text) => self.tagged("(error) ", text),
            Value::Integer(number) => self.line.push_str(&format!("(integer) {number}")),
            Value::Bulk(bytes) => self.line.push_str(&quote(bytes)),
            Value::Null | Value::NullArray => self.line.push_str("(nil)"),
            Value::Boolean(true) => self.line.push_str("(true)"),
            Value::Boolean(false) => self.line.push_str("(false)"),
            Value::Double(text) => self.tagged("(double) ", text),
            // redis-cli cannot print these; the format is keylatch's own.
            Value::BigNumber(text) => self.tagged("(big number) ", text),
            Value::Array(elements) => self.elements(elements, "(empty array)", ')', indent),
            Value::Push(elements) => self.elements(elements, "(empty push)", ')', indent),
            Value::Set(elements) => self.elements(elements, "(empty set)", '~', indent),
            Value::Map(pairs) => self.pairs(pairs, indent),
        }
    }

    fn elements(&mut self, elements: &[Value<'_>], empty: &str, mark: char, indent: usize) {
        if elements.is_empty() {
            self.line.push_str(empty);
        }
        let width = index_width(elements.len());
        for (index, element) in elements.iter().enumerate() {
            self.index(index, width, mark, indent);
            self.value(element, indent + width + 2);
        }
    }

    fn pairs(&mut self, pairs: &[(Value<'_>, Value<'_>)], indent: usize) {
        if pairs.is_empty() {
            self.line.push_str("(empty hash)");
        }
        let width = index_width(pairs.len());
        let inner = indent + width + 2;
        for (index, (key, value)) in pairs.iter().enumerate() {
            self.index(index, width, '#', indent);
            self.value(key, inner);
            self.line.push_str(" => ");
            if is_multiline(value) {
                self.begin_line(inner);
            }
            self.value(value, inner);
        }
    }

    /// Prints the number of an element. The first one continues the current line.
    fn index(&mut self, index: usize, width: usize, mark: char, indent: usize) {
        if index > 0 {
            self.begin_line(indent);
        }
        self.line.push_str(&format!("{:width$}{mark} ", index + 1));
    }

    fn begin_line(&mut self, indent: usize) {
        self.lines.push(core::mem::take(&mut self.line));
        self.line.extend(core::iter::repeat_n(' ', indent));
    }

    fn tagged(&mut self, tag: &str, text: &[u8]) {
        self.line.push_str(tag);
        self.raw(text);
    }

    fn raw(&mut self, text: &[u8]) {
        for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
            if number > 0 {
                self.begin_line(0);
            }
            for chunk in line.strip_suffix(b"\r").unwrap_or(line).utf8_chunks() {
                self.line.push_str(chunk.valid());
                chunk.invalid().iter().for_each(|&byte| push_hex(byte, &mut self.line));
            }
        }
    }
}

/// Number of digits of the largest index.
fn index_width(count: usize) -> usize {
    count.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// Whether redis-cli expects a value to take several lines: an aggregate of more than one element, or of one such
/// element.
fn is_multiline(value: &Value<'_>) -> bool {
    match value {
        Value::Array(elements) | Value::Set(elements) | Value::Push(elements) => match elements.as_slice() {
            [] => false,
            [element] => is_multiline(element),
            _ => true,
        },
        Value::Map(pairs) => match pairs.as_slice() {
            [] => false,
            [(_, value)] => is_multiline(value),
            _ => true,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resp::read::read;

    fn printed(reply: &[u8]) -> Vec<String> {
        let (value, _) = read(reply).unwrap().unwrap();
        let mut lines = Vec::new();
        print(&value, &mut lines);
        lines
    }

    /// Output of redis-cli 7.0.15.
    #[test]
    fn single_values() {
        let cases: [(&[u8], &str); 17] = [
            (b"+OK\r\n", "OK"),
            (b"+\r\n", ""),
            (b"-ERR syntax error\r\n", "(error) ERR syntax error"),
            (b":-3\r\n", "(integer) -3"),
            (b"$-1\r\n", "(nil)"),
            (b"*-1\r\n", "(nil)"),
            (b"_\r\n", "(nil)"),
            (b"#t\r\n", "(true)"),
            (b"#f\r\n", "(false)"),
            (b",3e+20\r\n", "(double) 3e+20"),
            (b"$0\r\n\r\n", "\"\""),
            (b"=5\r\ntxt:a\r\n", "a"),
            (b"*0\r\n", "(empty array)"),
            (b"%0\r\n", "(empty hash)"),
            (b"~0\r\n", "(empty set)"),
            (b">0\r\n", "(empty push)"),
            (b"$11\r\na\"b\\\n\t\x01\xff\x7f\x07\x08\r\n", r#""a\"b\\\n\t\x01\xff\x7f\a\b""#),
        ];
        for (reply, expected) in cases {
            assert_eq!(printed(reply), [expected], "{reply:?}");
        }
        assert_eq!(printed(b"(12\r\n"), ["(big number) 12"]);
    }

    #[test]
    fn nested_arrays_are_indented_below_their_number() {
        let eleven =
            [b"*11\r\n".to_vec(), b":1\r\n".repeat(10), b"*2\r\n$1\r\na\r\n*2\r\n+x\r\n_\r\n".to_vec()].concat();
        let lines = printed(&eleven);
        assert_eq!(lines[0], " 1) (integer) 1");
        assert_eq!(lines[9], "10) (integer) 1");
        assert_eq!(lines[10..], ["11) 1) \"a\"", "    2) 1) x", "       2) (nil)"]);
    }

    #[test]
    fn maps_and_sets_have_marks_of_their_own() {
        let map = b"%5\r\n+a\r\n*2\r\n:1\r\n:2\r\n:3\r\n~1\r\n+x\r\n+c\r\n%0\r\n+d\r\n*1\r\n%1\r\n+k\r\n+v\r\n+e\r\n*1\r\n%2\r\n+k\r\n+v\r\n+l\r\n#t\r\n";
        let expected = [
            "1# a => ",
            "   1) (integer) 1",
            "   2) (integer) 2",
            "2# (integer) 3 => 1~ x",
            "3# c => (empty hash)",
            "4# d => 1) 1# k => v",
            "5# e => ",
            "   1) 1# k => v",
            "      2# l => (true)",
        ];
        assert_eq!(printed(map), expected);
        assert_eq!(
            printed(b">2\r\n+message\r\n~2\r\n:1\r\n:2\r\n"),
            ["1) message", "2) 1~ (integer) 1", "   2~ (integer) 2"]
        );
    }

    #[test]
    fn raw_texts_keep_their_lines() {
        assert_eq!(printed(b"=14\r\ntxt:# A\r\nb:1\r\n\r\n"), ["# A", "b:1", ""]);
        assert_eq!(printed(b"*2\r\n=7\r\ntxt:a\nb\r\n+c\r\n"), ["1) a", "b", "2) c"]);
        assert_eq!(printed(b"+caf\xc3\xa9 \xff\x80!\r\n"), ["café \\xff\\x80!"]);
    }
}
