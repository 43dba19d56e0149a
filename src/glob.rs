//! Glob patterns as KEYS, SCAN MATCH and pattern subscriptions understand them.
//!
//! `?` one byte, `*` any bytes, `[abc]` `[a-z]` `[^a]` one byte of a class, `\x` the byte x itself. Bytes, not characters;
//! case-sensitive.

/// Whether `pattern` matches the whole of `text`, by the rules of Redis' `stringmatchlen` on x86.
///
/// Work is at most the product of the two lengths, since only the last star is ever retried.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    if pattern == b"*" {
        return true;
    }
    if text.is_empty() {
        // Redis leaves its loop at once here: only the lone star above (a shortcut of KEYS and SCAN) matches, `**` does not.
        return pattern.is_empty();
    }
    let (mut rest, mut left) = (pattern, text);
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        if let [b'*', after @ ..] = rest {
            rest = after;
            retry = Some((after, left));
            continue;
        }
        match left.split_first() {
            None if rest.is_empty() => return true,
            Some((&byte, after)) => {
                if let Some(behind) = match_one(rest, byte) {
                    (rest, left) = (behind, after);
                    continue;
                }
            }
            // More pattern than text: giving the star more bytes would only leave less text.
            None => return false,
        }
        let Some((after_star, [_, shorter @ ..])) = retry else { return false };
        (rest, left) = (after_star, shorter);
        retry = Some((after_star, shorter));
    }
}

/// True when the pattern has no special character, so that it can only match itself.
pub fn literal(pattern: &[u8]) -> bool {
    !pattern.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\'))
}

/// Matches one byte against the head of a pattern that is not a star; returns the pattern behind that head.
fn match_one(pattern: &[u8], byte: u8) -> Option<&[u8]> {
    let (wanted, rest) = match pattern {
        [b'?', rest @ ..] => return Some(rest),
        [b'[', class @ ..] => return match_class(class, byte),
        [b'\\', escaped, rest @ ..] => (*escaped, rest),
        [plain, rest @ ..] => (*plain, rest),
        [] => return None,
    };
    (wanted == byte).then_some(rest)
}

/// Matches one byte against a class, its `[` already taken. A class that is never closed ends with the pattern.
fn match_class(class: &[u8], byte: u8) -> Option<&[u8]> {
    let (negated, mut rest) = match class {
        [b'^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut found = false;
    loop {
        rest = match rest {
            [] => break,
            [b'\\', escaped, behind @ ..] => {
                found |= *escaped == byte;
                behind
            }
            [b']', behind @ ..] => {
                rest = behind;
                break;
            }
            // Before the closing bracket is looked for: in `[a-]` the bracket is the end of the range.
            [start, b'-', end, behind @ ..] => {
                found |= in_range(*start, *end, byte);
                behind
            }
            [plain, behind @ ..] => {
                found |= *plain == byte;
                behind
            }
        };
    }
    (found != negated).then_some(rest)
}

/// Both ends included, in either order. Redis compares C's `char`, which is signed on x86.
fn in_range(start: u8, end: u8, byte: u8) -> bool {
    let (start, end, byte) = (start as i8, end as i8, byte as i8);
    (start.min(end)..=start.max(end)).contains(&byte)
}
