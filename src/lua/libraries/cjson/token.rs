//! Tokens of JSON. A zero byte ends the text, as in C.

use alloc::vec::Vec;

use super::number::{begins_with, parse};

/// Token of a text.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    ObjectBegin,
    ObjectEnd,
    ArrayBegin,
    ArrayEnd,
    Text(Vec<u8>),
    Number(f64),
    Boolean(bool),
    Null,
    Colon,
    Comma,
    End,
    /// Bytes that are no token, with the reason.
    Error(&'static str),
}

impl Token {
    /// Name of the token in an error.
    pub fn name(&self) -> &'static str {
        match self {
            Token::ObjectBegin => "T_OBJ_BEGIN",
            Token::ObjectEnd => "T_OBJ_END",
            Token::ArrayBegin => "T_ARR_BEGIN",
            Token::ArrayEnd => "T_ARR_END",
            Token::Text(_) => "T_STRING",
            Token::Number(_) => "T_NUMBER",
            Token::Boolean(_) => "T_BOOLEAN",
            Token::Null => "T_NULL",
            Token::Colon => "T_COLON",
            Token::Comma => "T_COMMA",
            Token::End => "T_END",
            Token::Error(reason) => reason,
        }
    }
}

/// Reader of tokens.
#[derive(Debug)]
pub struct Tokens<'a> {
    text: &'a [u8],
    /// Where the next token begins, after blanks.
    pub position: usize,
    /// Whether numbers that JSON has no form for are read.
    invalid_numbers: bool,
}

impl<'a> Tokens<'a> {
    /// Starts at the beginning of a text.
    pub fn new(text: &'a [u8], invalid_numbers: bool) -> Tokens<'a> {
        Tokens { text, position: 0, invalid_numbers }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.get(self.position + ahead).copied().unwrap_or_default()
    }

    /// Returns the next token, and where it begins. An error begins where it was found.
    pub fn next(&mut self) -> (Token, usize) {
        while matches!(self.byte(0), b' ' | b'\t' | b'\n' | b'\r') {
            self.position += 1;
        }
        let start = self.position;
        let single = match self.byte(0) {
            b'{' => Token::ObjectBegin,
            b'}' => Token::ObjectEnd,
            b'[' => Token::ArrayBegin,
            b']' => Token::ArrayEnd,
            b',' => Token::Comma,
            b':' => Token::Colon,
            0 => return (Token::End, start),
            _ => {
                let token = self.longer();
                return if let Token::Error(_) = token { (token, self.position) } else { (token, start) };
            }
        };
        self.position += 1;
        (single, start)
    }

    fn longer(&mut self) -> Token {
        match self.byte(0) {
            b'"' => self.string().unwrap_or_else(Token::Error),
            b'-' | b'0'..=b'9' if !self.invalid_numbers && self.is_invalid_number() => Token::Error("invalid number"),
            b'-' | b'0'..=b'9' => self.number(),
            b't' if self.word(b"true") => Token::Boolean(true),
            b'f' if self.word(b"false") => Token::Boolean(false),
            b'n' if self.word(b"null") => Token::Null,
            b'+' | b'i' | b'I' | b'n' | b'N' if self.invalid_numbers && self.is_invalid_number() => self.number(),
            _ => Token::Error("invalid token"),
        }
    }

    fn word(&mut self, word: &[u8]) -> bool {
        let found = self.text[self.position..].starts_with(word);
        if found {
            self.position += word.len();
        }
        found
    }

    fn number(&mut self) -> Token {
        match parse(&self.text[self.position..]) {
            Some((number, length)) => {
                self.position += length;
                Token::Number(number)
            }
            None => Token::Error("invalid number"),
        }
    }

    /// Whether JSON has no form for the number: a plus sign, leading zeros, hexadecimal, infinite, or none.
    fn is_invalid_number(&self) -> bool {
        if self.byte(0) == b'+' {
            return true;
        }
        let sign = usize::from(self.byte(0) == b'-');
        match self.byte(sign) {
            b'0' => matches!(self.byte(sign + 1), b'x' | b'X' | b'0'..=b'9'),
            0..=b'9' => false,
            _ => {
                let rest = &self.text[self.position + sign..];
                begins_with(rest, b"inf") || begins_with(rest, b"nan")
            }
        }
    }

    fn string(&mut self) -> Result<Token, &'static str> {
        let mut bytes = Vec::new();
        self.position += 1;
        loop {
            let run = self.text[self.position..].iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0)).count();
            let end = self.position + run;
            bytes.try_reserve(run + 4).map_err(|_| "not enough memory")?;
            bytes.extend_from_slice(&self.text[self.position..end]);
            self.position = end;
            match self.byte(0) {
                b'"' => {
                    self.position += 1;
                    return Ok(Token::Text(bytes));
                }
                b'\\' => self.escape(&mut bytes)?,
                _ => return Err("unexpected end of string"),
            }
        }
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), &'static str> {
        let byte = match self.byte(1) {
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let (character, length) = self.character().ok_or("invalid unicode escape code")?;
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                self.position += length;
                return Ok(());
            }
            _ => return Err("invalid escape code"),
        };
        bytes.push(byte);
        self.position += 2;
        Ok(())
    }

    /// Reads an escape of four hexadecimal digits, or two that are a surrogate pair; returns the character with its length in the text.
    fn character(&self) -> Option<(char, usize)> {
        let unit = self.unit(0)?;
        if unit & 0xf800 != 0xd800 {
            return Some((char::from_u32(unit)?, 6));
        }
        if unit & 0x400 != 0 || self.byte(6) != b'\\' || self.byte(7) != b'u' {
            return None;
        }
        let low = self.unit(6)?;
        if low & 0xfc00 != 0xdc00 {
            return None;
        }
        Some((char::from_u32(((unit & 0x3ff) << 10 | (low & 0x3ff)) + 0x1_0000)?, 12))
    }

    fn unit(&self, ahead: usize) -> Option<u32> {
        (2..6).try_fold(0, |unit, index| Some(unit << 4 | (self.byte(ahead + index) as char).to_digit(16)?))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{Token, Tokens};

    fn all(text: &str) -> Vec<(Token, usize)> {
        let mut tokens = Tokens::new(text.as_bytes(), false);
        let mut found = Vec::new();
        loop {
            let (token, start) = tokens.next();
            let last = matches!(token, Token::End | Token::Error(_));
            found.push((token, start));
            if last {
                return found;
            }
        }
    }

    #[test]
    fn tokens_and_their_places() {
        let text = |text: &str| Token::Text(text.as_bytes().to_vec());
        assert_eq!(
            all(" [1,\"a\\n\\u00e9\"]"),
            [
                (Token::ArrayBegin, 1),
                (Token::Number(1.0), 2),
                (Token::Comma, 3),
                (text("a\né"), 4),
                (Token::ArrayEnd, 15),
                (Token::End, 16),
            ]
        );
        assert_eq!(all("\"\\ud83d\\ude00\""), [(text("😀"), 0), (Token::End, 14)]);
        for (input, reason, position) in [
            ("tru", "invalid token", 0),
            ("\"abc", "unexpected end of string", 4),
            ("\"a\\q\"", "invalid escape code", 2),
            ("\"\\ud800\"", "invalid unicode escape code", 1),
            ("01", "invalid number", 0),
            ("-nan", "invalid number", 0),
            ("inf", "invalid token", 0),
        ] {
            assert_eq!(all(input), [(Token::Error(reason), position)], "{input}");
        }
    }
}
