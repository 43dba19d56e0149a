//! Words of a text of Lua, for the estimate of what compiling it takes: names, constants and symbols, without blanks and
//! comments. Faults of the text are left to the compiler.

/// Kind of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word<'a> {
    /// Name or keyword.
    Name(&'a [u8]),
    /// Text or number, as it is written.
    Constant(&'a [u8]),
    Symbol(u8),
}

/// Words of a text.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    pub fn of(text: &'a [u8]) -> Words<'a> {
        Words { text, at: 0 }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn skip_while(&mut self, is_skipped: impl Fn(u8) -> bool) {
        while self.byte(0).is_some_and(&is_skipped) {
            self.at += 1;
        }
    }

    /// Skips blanks and comments.
    fn skip_between(&mut self) {
        loop {
            self.skip_while(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
            if self.byte(0) != Some(b'-') || self.byte(1) != Some(b'-') {
                return;
            }
            self.at += 2;
            match self.long_bracket() {
                Some(level) => self.skip_long(level),
                None => self.skip_while(|byte| byte != b'\n'),
            }
        }
    }

    /// Number of equals signs of a long bracket that opens here: `[==[`.
    fn long_bracket(&self) -> Option<usize> {
        let rest = self.text.get(self.at..)?.strip_prefix(b"[")?;
        let level = rest.iter().take_while(|&&byte| byte == b'=').count();
        (rest.get(level) == Some(&b'[')).then_some(level)
    }

    /// Skips to the end of a long bracket.
    fn skip_long(&mut self, level: usize) {
        self.at += level + 2;
        while let Some(byte) = self.byte(0) {
            let rest = &self.text[self.at + 1..];
            self.at += 1;
            let equals = if byte == b']' { rest.iter().take_while(|&&byte| byte == b'=').count() } else { 0 };
            if byte == b']' && equals == level && rest.get(level) == Some(&b']') {
                self.at += level + 1;
                return;
            }
        }
    }

    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == quote || byte == b'\n' {
                return;
            }
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        self.skip_between();
        let (start, first) = (self.at, self.byte(0)?);
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                return Some(Word::Name(&self.text[start..self.at]));
            }
            b'"' | b'\'' => self.skip_quoted(first),
            b'0'..=b'9' => self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'.'),
            b'[' => match self.long_bracket() {
                Some(level) => self.skip_long(level),
                None => {
                    self.at += 1;
                    return Some(Word::Symbol(first));
                }
            },
            _ => {
                self.at += 1;
                return Some(Word::Symbol(first));
            }
        }
        Some(Word::Constant(&self.text[start..self.at.min(self.text.len())]))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn words(text: &str) -> Vec<Word<'_>> {
        Words::of(text.as_bytes()).collect()
    }

    #[test]
    fn comments_and_texts_hide_words() {
        use Word::{Constant, Name, Symbol};
        let expected = [
            Name(b"a"),
            Symbol(b'='),
            Constant(b"'or\\'or'"),
            Name(b"or"),
            Constant(b"[=[or]]]=]"),
            Symbol(b'['),
            Constant(b"1.5"),
            Symbol(b']'),
        ];
        assert_eq!(words("a -- or\n= --[==[ or ]] ]==] 'or\\'or' or [=[or]]]=] [1.5]"), expected);
        assert_eq!(words("'a\\"), [Constant(b"'a\\")]);
        assert_eq!(words("[[a"), [Constant(b"[[a")]);
        assert_eq!(words("--[[ a"), []);
    }
}
