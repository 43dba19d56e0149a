//! A simple scanner of Rust source: comments and literals are replaced by blanks, so that names and brackets keep their
//! positions.

/// The source with every comment and the content of every literal replaced by blanks; lines stay where they are.
pub fn code_only(source: &str) -> String {
    let mut reader = Reader { rest: source, code: String::with_capacity(source.len()) };
    while !reader.rest.is_empty() {
        reader.step();
    }
    reader.code
}

struct Reader<'a> {
    rest: &'a str,
    code: String,
}

impl Reader<'_> {
    fn step(&mut self) {
        let after_name = self.code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if self.rest.starts_with("//") {
            self.blank(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.blank(block_comment_length(self.rest));
        } else if let Some(length) = raw_string_length(self.rest).filter(|_| !after_name) {
            self.blank(length);
        } else if self.rest.starts_with('"') {
            self.blank(quoted_length(self.rest, '"'));
        } else if let Some(length) = character_length(self.rest) {
            self.blank(length);
        } else if let Some(first) = self.rest.chars().next() {
            self.code.push(first);
            self.rest = &self.rest[first.len_utf8()..];
        }
    }

    fn blank(&mut self, length: usize) {
        let (gone, rest) = self.rest.split_at(length);
        self.code.extend(gone.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }
}

fn block_comment_length(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of `r"..."`, `r#"..."#`, with a `b` or `c` before it or not.
fn raw_string_length(text: &str) -> Option<usize> {
    let after_prefix =
        text.strip_prefix("br").or_else(|| text.strip_prefix("cr")).or_else(|| text.strip_prefix('r'))?;
    let hashes = after_prefix.len() - after_prefix.trim_start_matches('#').len();
    let body = after_prefix[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(text.len() - body.len() + length)
}

/// The length of a literal that starts with its quote, escapes heeded.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal; a lifetime is none.
fn character_length(text: &str) -> Option<usize> {
    let body = text.strip_prefix('\'')?;
    let first = body.chars().next()?;
    let is_literal = first == '\\' || body[first.len_utf8()..].starts_with('\'');
    is_literal.then(|| quoted_length(text, '\''))
}

/// The names and signs of code, each with its line number from 1. `::` is one sign.
pub fn tokens(code: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let name = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let length = match name {
                0 if rest.starts_with("::") => 2,
                0 => first.len_utf8(),
                _ => name,
            };
            tokens.push((index + 1, &rest[..length]));
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

#[test]
fn comments_and_literals_are_blanked() {
    for (source, left) in [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */ d */ e", "a                   e"),
        (r#"f("x\"y", 'z', '\'', 'a)"#, "f(      ,    ,     , 'a)"),
        ("r#\"a\"b\"# + br\"c\" + for\"d\"", "         +       + for   "),
        ("'é' \"é\n\" x", "        \n  x"),
    ] {
        let code = code_only(source);
        assert_eq!(
            code.split_whitespace().collect::<Vec<_>>(),
            left.split_whitespace().collect::<Vec<_>>(),
            "{source}"
        );
        assert_eq!(code.lines().count(), source.lines().count(), "{source}");
    }
}

#[test]
fn tokens_have_their_lines() {
    assert_eq!(tokens("use a::b;\n x_1+"), [(1, "use"), (1, "a"), (1, "::"), (1, "b"), (1, ";"), (2, "x_1"), (2, "+")]);
}
