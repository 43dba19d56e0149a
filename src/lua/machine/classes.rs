//! Character classes of patterns: `%a` and its like, and sets in brackets.

/// Character that makes the next one a class, or an ordinary character.
pub const ESCAPE: u8 = b'%';

/// Returns the end of the set of which `at` is the first character behind `[`.
pub fn set_end(pattern: &[u8], mut at: usize) -> Option<usize> {
    if pattern.get(at) == Some(&b'^') {
        at += 1;
    }
    let first = at;
    loop {
        match pattern.get(at)? {
            b']' if at > first => return Some(at + 1),
            &ESCAPE => at += 2,
            _ => at += 1,
        }
    }
}

/// Whether a character is in the set between `[` at `item` and `]` at `end`.
pub fn in_set(pattern: &[u8], byte: u8, item: usize, end: usize) -> bool {
    let is_negated = pattern.get(item + 1) == Some(&b'^');
    let mut at = item + 1 + usize::from(is_negated);
    while at < end {
        let own = pattern[at];
        if own == ESCAPE && at + 1 < end {
            if is_in_class(byte, pattern[at + 1]) {
                return !is_negated;
            }
            at += 2;
        } else if pattern.get(at + 1) == Some(&b'-') && at + 2 < end {
            if (own..=pattern[at + 2]).contains(&byte) {
                return !is_negated;
            }
            at += 3;
        } else if own == byte {
            return !is_negated;
        } else {
            at += 1;
        }
    }
    is_negated
}

/// Whether a character is in a class, such as `a` of `%a`.
pub fn is_in_class(byte: u8, class: u8) -> bool {
    let is_in = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => matches!(byte, b' ' | b'\t'..=b'\r'),
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        b'z' => byte == 0,
        _ => return class == byte,
    };
    is_in != class.is_ascii_uppercase()
}
