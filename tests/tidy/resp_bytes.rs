//! RESP in TypeScript: bytes of requests and replies are read, written and joined in `resp` alone.

use crate::tree::File;

/// The package's sources, and the floor that knows the protocol.
const SOURCES: &str = "pkg-templates/npm/src/";
const FLOOR: &str = "pkg-templates/npm/src/resp/";

/// Types of requests and replies that no other text begins with.
const TYPES: [char; 5] = ['$', '*', ':', '+', '%'];
/// Numbers of the types of strings and integers.
const TYPE_BYTES: [&str; 4] = ["0x24", "0x3a", "36", "58"];

/// Lines outside of `resp` that handle bytes of the protocol.
pub fn outside_resp(file: &File) -> Vec<String> {
    if !file.path.starts_with(SOURCES) || file.path.starts_with(FLOOR) {
        return Vec::new();
    }
    let lines: Vec<&str> = file.text.lines().map(without_comment).collect();
    let mut violations = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let next = lines.get(index + 1).copied().unwrap_or_default();
        if let Some(reason) = reason_against(line, next) {
            violations.push(format!("{}:{}: {reason}; resp has it", file.path, index + 1));
        }
    }
    violations
}

fn without_comment(line: &str) -> &str {
    let is_comment = ["//", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark));
    if is_comment { "" } else { line.split(" // ").next().unwrap_or_default() }
}

fn reason_against(line: &str, next: &str) -> Option<&'static str> {
    if has_line_end(line) {
        Some("writes or matches lines of the protocol")
    } else if compares_type(line) {
        Some("reads types of the protocol")
    } else if joins_bytes(line, next) {
        Some("joins bytes")
    } else {
        None
    }
}

/// A line end within a text, a template or a pattern: not an optional one, and not one character of a class.
fn has_line_end(line: &str) -> bool {
    line.split("\\r\\n").skip(1).any(|behind| !behind.starts_with(['?', ']']))
}

/// A comparison of the first character or byte of something with a type.
fn compares_type(line: &str) -> bool {
    let by_text = TYPES.iter().any(|kind| {
        [format!("[0] === '{kind}'"), format!("startsWith('{kind}')"), format!("'{kind}'.charCodeAt")]
            .iter()
            .any(|comparison| line.contains(comparison.as_str()))
    });
    let by_number = TYPE_BYTES.iter().any(|byte| {
        [format!("case {byte}:"), format!("=== {byte}"), format!(" = {byte},"), format!(" = {byte};")]
            .iter()
            .any(|use_| line.contains(use_.as_str()))
    });
    by_text || by_number
}

/// Bytes with the length of several parts, or a loop that sets one behind the other.
fn joins_bytes(line: &str, next: &str) -> bool {
    let size = line.split("new Uint8Array(").nth(1).unwrap_or_default();
    line.contains("Buffer.concat(") || size.contains(".reduce(") || size.contains(".length +") || advances(line, next)
}

/// Whether a line sets a part at a position that the next one moves by its length.
fn advances(line: &str, next: &str) -> bool {
    let Some((_, arguments)) = line.trim_end().strip_suffix(");").and_then(|call| call.split_once(".set(")) else {
        return false;
    };
    let Some((part, at)) = arguments.split_once(", ") else { return false };
    next.trim_start().starts_with(&format!("{at} += {part}.length"))
}

#[test]
fn protocol_outside_of_its_floor_is_found() {
    for text in [
        "socket.write(`-${message}\\r\\n`);",
        "const HEAD = /^\\$(\\d+)\\r\\n/;",
        "parts.push(Buffer.from('\\r\\n'));",
        "if (head[0] === '$') return bulk();",
        "if (!line.startsWith('*')) return;",
        "if (reply[0] === ':'.charCodeAt(0)) return;",
        "      case 0x24:",
        "  Bulk = 36,",
        "const all = Buffer.concat(pieces);",
        "const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));",
        "const both = new Uint8Array(one.length + other.length);",
        "    bytes.set(part, at);\n    at += part.length;",
    ] {
        assert_eq!(outside_resp(&File::new("pkg-templates/npm/src/cli/a.ts", text)).len(), 1, "{text}");
        assert_eq!(outside_resp(&File::new("pkg-templates/npm/src/resp/a.ts", text)).len(), 0, "{text}");
        assert_eq!(outside_resp(&File::new("tests/js/a.mjs", text)).len(), 0, "{text}");
    }
}

#[test]
fn other_texts_and_bytes_are_no_protocol() {
    for text in [
        "// Ends with \\r\\n.",
        " * `*1\\r\\n`",
        "const lines = text.replace(/\\r\\n?/g, '\\n').split('\\n');",
        "const isOneLine = !/[\\r\\n]/.test(text);",
        "const isAll = name === '*' || name.startsWith('-');",
        "const digit = Number.parseInt(text, 36);",
        "const lengths = new Uint8Array(literals + distances);",
        "const zeros = new Uint8Array(size);",
        "    bytes.set(part, at);\n    this.#span(index, at, part.length);",
    ] {
        let found = outside_resp(&File::new("pkg-templates/npm/src/cli/a.ts", text));
        assert_eq!(found, Vec::<String>::new(), "{text}");
    }
}
