//! Patterns of Lua: the matcher behind `string.find`, `match`, `gmatch` and `gsub`. Its nesting and its work are limited,
//! which the matcher of the machine leaves open.

use alloc::vec::Vec;

use super::classes::{ESCAPE, in_set, is_in_class, set_end};

/// Largest nesting of the matcher.
const DEPTH_MAX: usize = 200;
/// Largest number of captures.
pub const CAPTURES_MAX: usize = 32;

/// Bytes that are compared, or looked up in a set, in the time of one step.
const BYTES_PER_STEP: usize = 8;

/// Text that a capture holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Captured {
    /// Opened and not yet closed.
    Open,
    /// A position: `()`.
    Position,
    /// A number of bytes.
    Len(usize),
}

/// One capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capture {
    pub start: usize,
    pub captured: Captured,
}

/// Reason why a match ended without a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchError {
    /// A malformed pattern, in Lua's words.
    Malformed(&'static str),
    /// No steps are left.
    Exhausted,
}

use MatchError::{Exhausted, Malformed};

/// Matcher of one pattern in one text.
#[derive(Debug)]
pub struct Matcher<'a> {
    pub text: &'a [u8],
    pattern: &'a [u8],
    pub captures: Vec<Capture>,
    /// Steps that may still be taken.
    steps_left: u64,
    depth: usize,
}

type Found = Result<Option<usize>, MatchError>;

impl<'a> Matcher<'a> {
    /// Makes a matcher that takes at most `steps_max` steps.
    pub fn new(text: &'a [u8], pattern: &'a [u8], steps_max: u64) -> Matcher<'a> {
        Matcher { text, pattern, captures: Vec::new(), steps_left: steps_max, depth: 0 }
    }

    /// Steps that are left.
    pub fn steps_left(&self) -> u64 {
        self.steps_left
    }

    /// Matches the whole pattern at a position of the text; returns the end of the match.
    pub fn match_at(&mut self, position: usize) -> Found {
        self.captures.clear();
        self.depth = 0;
        self.matches(position, 0)
    }

    fn step(&mut self) -> Result<(), MatchError> {
        self.steps(1)
    }

    fn steps(&mut self, count: usize) -> Result<(), MatchError> {
        let left = self.steps_left.checked_sub(count as u64);
        self.steps_left = left.unwrap_or(0);
        left.map(drop).ok_or(Exhausted)
    }

    /// Takes the steps of work on a number of bytes.
    fn work(&mut self, bytes: usize) -> Result<(), MatchError> {
        self.steps(bytes / BYTES_PER_STEP)
    }

    fn matches(&mut self, at: usize, item: usize) -> Found {
        self.depth += 1;
        let found = if self.depth > DEPTH_MAX { Err(Malformed("pattern too complex")) } else { self.items(at, item) };
        self.depth -= 1;
        found
    }

    /// Matches the items from `item` on. Items that need no way back are matched in a loop.
    fn items(&mut self, mut at: usize, mut item: usize) -> Found {
        loop {
            self.step()?;
            let Some(&first) = self.pattern.get(item) else { return Ok(Some(at)) };
            let second = self.pattern.get(item + 1).copied();
            match first {
                b'(' if second == Some(b')') => return self.start_capture(at, item + 2, Captured::Position),
                b'(' => return self.start_capture(at, item + 1, Captured::Open),
                b')' => return self.end_capture(at, item + 1),
                b'$' if item + 1 == self.pattern.len() => return Ok((at == self.text.len()).then_some(at)),
                ESCAPE if second == Some(b'b') => match self.balanced(at, item + 2)? {
                    Some(end) => (at, item) = (end, item + 4),
                    None => return Ok(None),
                },
                ESCAPE if second == Some(b'f') => match self.frontier(at, item + 2)? {
                    Some(end) => item = end,
                    None => return Ok(None),
                },
                ESCAPE if second.is_some_and(|digit| digit.is_ascii_digit()) => {
                    match self.back_reference(at, second.unwrap_or_default())? {
                        Some(end) => (at, item) = (end, item + 2),
                        None => return Ok(None),
                    }
                }
                _ => match self.single_item(at, item)? {
                    Item::Next(next_at, next_item) => (at, item) = (next_at, next_item),
                    Item::Found(found) => return Ok(found),
                },
            }
        }
    }

    /// Matches an item of one character class with its suffix.
    fn single_item(&mut self, at: usize, item: usize) -> Result<Item, MatchError> {
        let end = self.class_end(item)?;
        let is_match = self.is_single(at, item, end)?;
        let found = match self.pattern.get(end) {
            Some(b'?') => {
                if is_match && let found @ Some(_) = self.matches(at + 1, end + 1)? {
                    return Ok(Item::Found(found));
                }
                return Ok(Item::Next(at, end + 1));
            }
            Some(b'*') => self.longest(at, item, end, 0)?,
            Some(b'+') => self.longest(at, item, end, 1)?,
            Some(b'-') => self.shortest(at, item, end)?,
            _ if is_match => return Ok(Item::Next(at + 1, end)),
            _ => None,
        };
        Ok(Item::Found(found))
    }

    /// Tries the most repetitions first, at least `least`.
    fn longest(&mut self, at: usize, item: usize, end: usize, least: usize) -> Found {
        let mut count = 0;
        while self.is_single(at + count, item, end)? {
            self.step()?;
            count += 1;
        }
        while count >= least {
            if let found @ Some(_) = self.matches(at + count, end + 1)? {
                return Ok(found);
            }
            if count == 0 {
                break;
            }
            count -= 1;
        }
        Ok(None)
    }

    /// Tries the fewest repetitions first.
    fn shortest(&mut self, mut at: usize, item: usize, end: usize) -> Found {
        loop {
            if let found @ Some(_) = self.matches(at, end + 1)? {
                return Ok(found);
            }
            if !self.is_single(at, item, end)? {
                return Ok(None);
            }
            self.step()?;
            at += 1;
        }
    }

    fn start_capture(&mut self, at: usize, item: usize, captured: Captured) -> Found {
        if self.captures.len() >= CAPTURES_MAX {
            return Err(Malformed("too many captures"));
        }
        self.captures.push(Capture { start: at, captured });
        let level = self.captures.len();
        let found = self.matches(at, item)?;
        if found.is_none() {
            self.captures.truncate(level - 1);
        }
        Ok(found)
    }

    fn end_capture(&mut self, at: usize, item: usize) -> Found {
        let open = self.captures.iter().rposition(|capture| capture.captured == Captured::Open);
        let index = open.ok_or(Malformed("invalid pattern capture"))?;
        self.captures[index].captured = Captured::Len(at - self.captures[index].start);
        let found = self.matches(at, item)?;
        if found.is_none()
            && let Some(capture) = self.captures.get_mut(index)
        {
            capture.captured = Captured::Open;
        }
        Ok(found)
    }

    /// `%bxy`: a text between two characters in balance.
    fn balanced(&mut self, at: usize, item: usize) -> Found {
        let (Some(&begin), Some(&end)) = (self.pattern.get(item), self.pattern.get(item + 1)) else {
            return Err(Malformed("unbalanced pattern"));
        };
        if self.text.get(at) != Some(&begin) {
            return Ok(None);
        }
        let mut open = 1_usize;
        let closes = |&byte: &u8| {
            if byte == end {
                open -= 1;
            } else if byte == begin {
                open += 1;
            }
            open == 0
        };
        let rest = &self.text[at + 1..];
        let offset = rest.iter().position(closes);
        self.work(offset.unwrap_or(rest.len()))?;
        Ok(offset.map(|offset| at + offset + 2))
    }

    /// `%f[set]`: a border between a character outside and one inside the set. Returns the item behind it.
    fn frontier(&mut self, at: usize, item: usize) -> Found {
        if self.pattern.get(item) != Some(&b'[') {
            return Err(Malformed("missing '[' after '%f' in pattern"));
        }
        let end = self.class_end(item)?;
        self.work(2 * (end - item))?;
        let before = if at == 0 { 0 } else { self.text[at - 1] };
        let next = self.text.get(at).copied().unwrap_or(0);
        let is_border = !in_set(self.pattern, before, item, end - 1) && in_set(self.pattern, next, item, end - 1);
        Ok(is_border.then_some(end))
    }

    /// `%1`: the text of a capture.
    fn back_reference(&mut self, at: usize, digit: u8) -> Found {
        let index = usize::from(digit).wrapping_sub(usize::from(b'1'));
        let capture = self.captures.get(index).copied();
        let Some(Capture { start, captured: Captured::Len(len) }) = capture else {
            return Err(Malformed("invalid capture index"));
        };
        self.work(len)?;
        let is_same = self.text.get(at..at + len).is_some_and(|text| *text == self.text[start..start + len]);
        Ok(is_same.then_some(at + len))
    }

    /// End of a character class.
    fn class_end(&mut self, item: usize) -> Result<usize, MatchError> {
        match self.pattern.get(item) {
            Some(&ESCAPE) if item + 1 >= self.pattern.len() => Err(Malformed("malformed pattern (ends with '%')")),
            Some(&ESCAPE) => Ok(item + 2),
            Some(b'[') => {
                let end = set_end(self.pattern, item + 1).ok_or(Malformed("malformed pattern (missing ']')"))?;
                self.work(end - item)?;
                Ok(end)
            }
            _ => Ok(item + 1),
        }
    }

    /// Whether the character at a position is in the class from `item` to `end`.
    fn is_single(&mut self, at: usize, item: usize, end: usize) -> Result<bool, MatchError> {
        let Some(&byte) = self.text.get(at) else { return Ok(false) };
        Ok(match self.pattern[item] {
            b'.' => true,
            ESCAPE => is_in_class(byte, self.pattern[item + 1]),
            b'[' => {
                self.work(end - item)?;
                in_set(self.pattern, byte, item, end - 1)
            }
            own => own == byte,
        })
    }
}

/// Result of an item.
enum Item {
    /// The next position in text and pattern.
    Next(usize, usize),
    Found(Option<usize>),
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    fn found(text: &str, pattern: &str) -> Option<(usize, usize)> {
        let mut matcher = Matcher::new(text.as_bytes(), pattern.as_bytes(), 1_000_000);
        (0..=text.len()).find_map(|start| Some((start, matcher.match_at(start).unwrap()?)))
    }

    #[test]
    fn items_match_as_in_lua() {
        for (text, pattern, expected) in [
            ("hello", "l+", Some((2, 4))),
            ("hello", "l-", Some((0, 0))),
            ("hello", "h.-o", Some((0, 5))),
            ("key=value", "(%w+)=(%w+)", Some((0, 9))),
            ("a(b(c)d)e", "%b()", Some((1, 8))),
            ("THE (quick) fox", "%f[%a]%a+%f[%A]", Some((0, 3))),
            ("abcabc", "(abc)%1", Some((0, 6))),
            ("x]y", "[]]", Some((1, 2))),
            ("a-b", "[a%-]+", Some((0, 2))),
            ("0x1F", "[^%x]", Some((1, 2))),
            ("abc", "b$", None),
            ("abc", "c$", Some((2, 3))),
            ("ab", "ab?c?", Some((0, 2))),
            ("", ".*", Some((0, 0))),
        ] {
            assert_eq!(found(text, pattern), expected, "{pattern} in {text}");
        }
    }

    #[test]
    fn work_and_nesting_are_limited() {
        let text = [b'a'; 60];
        let pattern = "a*".repeat(20) + "b";
        assert_eq!(Matcher::new(&text, pattern.as_bytes(), 100_000).match_at(0), Err(Exhausted));
        let nested = "a?".repeat(100_000);
        let mut matcher = Matcher::new(&text, nested.as_bytes(), 1_000_000);
        assert_eq!(matcher.match_at(0).ok().flatten(), Some(60));
        let long = [b'a'; 1000];
        let mut matcher = Matcher::new(&long, nested.as_bytes(), 1_000_000);
        assert_eq!(matcher.match_at(0), Err(Malformed("pattern too complex")));
    }

    #[test]
    fn long_scans_take_steps() {
        let long = |text: &str| text.repeat(10_000);
        let set = format!("[{}]", long("b"));
        for (text, pattern) in
            [(long("("), "%b()"), (long("a"), &set), (long("a"), &format!("%f{set}")), (long("a"), "(a*)%1b")]
        {
            let mut matcher = Matcher::new(text.as_bytes(), pattern.as_bytes(), 100_000);
            let exhausted = (0..text.len()).find_map(|start| matcher.match_at(start).err());
            assert_eq!(exhausted, Some(Exhausted), "{}", &pattern[..4]);
        }
    }

    #[test]
    fn malformed_patterns_are_errors() {
        for pattern in ["%", "[a", "(a", "a)", "%b", "%f", "[%", "[]", "%1", "[^"] {
            let outcome = Matcher::new(b"aaa", pattern.as_bytes(), 1000).match_at(0);
            let is_open = pattern == "(a" && outcome.is_ok();
            assert!(outcome.is_err() || is_open, "{pattern}: {outcome:?}");
        }
    }
}
