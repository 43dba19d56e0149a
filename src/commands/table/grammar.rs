//! Parser for the notation of a row's arguments. COMMAND DOCS, hints and types are printed from its tree.
//!
//! ```text
//! name[:type]        an argument; types are string (default), key, integer, double, unix-time, pattern
//! TOKEN              a keyword alone; directly before a name: that argument's keyword
//! [a | b]            optional, one of;  <a | b>  one of;  [x=a | b]  the choice is named x
//! (a b)              a block;           item...  may be repeated
//! TOKEN name...      keyword once, before the first; TOKEN... name...  keyword before each
//! ```

use alloc::string::{String, ToString};
use alloc::vec::Vec;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentKind {
    String,
    Key,
    Integer,
    Double,
    UnixTime,
    Pattern,
    /// A keyword without a value.
    PureToken,
    /// One of `arguments`.
    OneOf,
    /// All of `arguments`, in order.
    Block,
}

impl ArgumentKind {
    /// Returns the name in COMMAND DOCS.
    pub fn name(self) -> &'static str {
        match self {
            ArgumentKind::String => "string",
            ArgumentKind::Key => "key",
            ArgumentKind::Integer => "integer",
            ArgumentKind::Double => "double",
            ArgumentKind::UnixTime => "unix-time",
            ArgumentKind::Pattern => "pattern",
            ArgumentKind::PureToken => "pure-token",
            ArgumentKind::OneOf => "oneof",
            ArgumentKind::Block => "block",
        }
    }

    fn from_name(name: &str) -> ArgumentKind {
        use ArgumentKind::{Double, Integer, Key, Pattern, UnixTime};
        [Key, Integer, Double, UnixTime, Pattern]
            .into_iter()
            .find(|kind| kind.name() == name)
            .unwrap_or(ArgumentKind::String)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    pub name: String,
    pub kind: ArgumentKind,
    pub token: Option<&'static str>,
    pub optional: bool,
    pub multiple: bool,
    /// With `multiple`: the keyword is repeated before each value.
    pub multiple_token: bool,
    pub arguments: Vec<Argument>,
}

/// Parses the arguments of a row.
pub fn parse(notation: &'static str) -> Vec<Argument> {
    Parser { rest: notation }.sequence()
}

/// Returns the arguments in the notation of command documentation.
pub fn syntax(arguments: &[Argument]) -> String {
    arguments.iter().map(one_syntax).collect::<Vec<_>>().join(" ")
}

fn one_syntax(argument: &Argument) -> String {
    let choice = argument.kind == ArgumentKind::OneOf;
    let mut text = match argument.kind {
        ArgumentKind::PureToken => String::new(),
        ArgumentKind::OneOf => argument.arguments.iter().map(one_syntax).collect::<Vec<_>>().join(" | "),
        ArgumentKind::Block => syntax(&argument.arguments),
        _ => argument.name.clone(),
    };
    let without_token = text.clone();
    if let Some(token) = argument.token {
        text = if text.is_empty() { token.to_string() } else { [token, &text].join(" ") };
    }
    let repetition = if argument.multiple_token || without_token.is_empty() { &text } else { &without_token };
    let repeated = if argument.multiple { [" [", repetition, " ...]"].concat() } else { String::new() };
    match (argument.optional, choice) {
        (true, _) => ["[", &text, &repeated, "]"].concat(),
        (false, true) => ["<", &text, ">", &repeated].concat(),
        (false, false) => text + &repeated,
    }
}

struct Parser {
    rest: &'static str,
}

impl Parser {
    fn sequence(&mut self) -> Vec<Argument> {
        let mut arguments = Vec::new();
        while let Some(argument) = self.item() {
            arguments.push(argument);
        }
        arguments
    }

    fn item(&mut self) -> Option<Argument> {
        self.rest = self.rest.trim_start();
        let mut argument = match self.rest.chars().next()? {
            '[' => Argument { optional: true, ..self.bracketed(']') },
            '<' => self.bracketed('>'),
            '(' => self.bracketed(')'),
            ']' | '>' | ')' | '|' => return None,
            _ => self.word(),
        };
        if let Some(rest) = self.rest.strip_prefix("...") {
            self.rest = rest;
            argument.multiple = true;
        }
        Some(argument)
    }

    /// Parses alternatives up to the closing bracket. Several alternatives become a choice; a sequence becomes a block.
    fn bracketed(&mut self, close: char) -> Argument {
        self.rest = self.rest.get(1..).unwrap_or_default();
        let name = self.choice_name();
        let mut alternatives = Vec::new();
        loop {
            alternatives.push(as_one(self.sequence()));
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix('|') {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        self.rest = self.rest.strip_prefix(close).unwrap_or(self.rest);
        if alternatives.len() == 1 {
            let only = alternatives.remove(0);
            return Argument { name: name.map_or(only.name, str::to_string), ..only };
        }
        let name = name.unwrap_or("option").to_string();
        new(name, ArgumentKind::OneOf, None, alternatives)
    }

    fn choice_name(&mut self) -> Option<&'static str> {
        let end = self.rest.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-')?;
        let (name, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.strip_prefix('=')?;
        Some(name)
    }

    fn word(&mut self) -> Argument {
        let word = self.take_word();
        if word.starts_with(|letter: char| letter.is_ascii_lowercase()) {
            return value(word, None);
        }
        let (repeated, after) = match self.rest.strip_prefix("... ") {
            Some(rest) => (true, Some(rest)),
            None => (false, self.rest.strip_prefix(' ')),
        };
        match after {
            Some(rest) if rest.starts_with(|letter: char| letter.is_ascii_lowercase()) => {
                self.rest = rest;
                Argument { multiple_token: repeated, ..value(self.take_word(), Some(word)) }
            }
            _ => new(token_name(word), ArgumentKind::PureToken, Some(word), Vec::new()),
        }
    }

    fn take_word(&mut self) -> &'static str {
        let end = self.rest.find([' ', ']', '>', ')', '|', '.']).unwrap_or(self.rest.len()).max(1);
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        word
    }
}

/// Name of a keyword; those that are signs have words.
fn token_name(token: &str) -> String {
    match token {
        "=" => "equal".to_string(),
        "~" => "approximately".to_string(),
        "*" => "auto-id".to_string(),
        _ => token.to_ascii_lowercase(),
    }
}

/// Converts a sequence to one argument: its only element, or a block.
fn as_one(mut sequence: Vec<Argument>) -> Argument {
    if sequence.len() == 1 {
        return sequence.remove(0);
    }
    new("data".to_string(), ArgumentKind::Block, None, sequence)
}

fn value(word: &'static str, token: Option<&'static str>) -> Argument {
    let (name, kind) = word.split_once(':').unwrap_or((word, "string"));
    new(name.to_string(), ArgumentKind::from_name(kind), token, Vec::new())
}

fn new(name: String, kind: ArgumentKind, token: Option<&'static str>, arguments: Vec<Argument>) -> Argument {
    Argument { name, kind, token, optional: false, multiple: false, multiple_token: false, arguments }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_back_what_it_reads() {
        let cases = [
            (
                "key:key value [condition=NX | XX] [GET] [EX seconds:integer | KEEPTTL]",
                "key value [NX | XX] [GET] [EX seconds | KEEPTTL]",
            ),
            ("(key:key value)...", "key value [key value ...]"),
            ("key:key...", "key [key ...]"),
            ("cursor:integer [MATCH pattern:pattern]", "cursor [MATCH pattern]"),
            ("<ASYNC | SYNC>", "<ASYNC | SYNC>"),
            ("[range=start:integer end:integer [BYTE | BIT]]", "[start end [BYTE | BIT]]"),
            ("[WEIGHTS weight:double...]", "[WEIGHTS weight [weight ...]]"),
            ("[GET... pattern:pattern...]", "[GET pattern [GET pattern ...]]"),
            ("[command-name...]", "[command-name [command-name ...]]"),
            ("", ""),
        ];
        for (notation, expected) in cases {
            assert_eq!(syntax(&parse(notation)), expected);
        }
    }

    #[test]
    fn kinds_tokens_and_names_are_kept() {
        let arguments = parse("key:key [expiration=EX seconds:integer | KEEPTTL]");
        assert_eq!((arguments[0].kind, arguments[0].optional), (ArgumentKind::Key, false));
        let expiration = &arguments[1];
        assert_eq!((expiration.name.as_str(), expiration.kind), ("expiration", ArgumentKind::OneOf));
        assert!(expiration.optional);
        assert_eq!(expiration.arguments[0].token, Some("EX"));
        assert_eq!(expiration.arguments[0].kind, ArgumentKind::Integer);
        assert_eq!(expiration.arguments[1].kind, ArgumentKind::PureToken);
    }

    #[test]
    fn every_row_is_written_in_the_notation() {
        for row in crate::commands::all_rows() {
            let mut parser = Parser { rest: row.arguments };
            parser.sequence();
            assert_eq!(parser.rest, "", "{}", row.name);
        }
    }
}
