//! Glob patterns of KEYS, SCAN MATCH and pattern subscriptions.
//!
//! `?` matches one byte, `*` any bytes, `[abc]` `[a-z]` `[^a]` one byte of a class, `\x` the byte x. Matching is
//! case-sensitive and works on bytes, not characters.

/// Whether `pattern` matches the whole name of a key, member or field. A lone star matches every name, including the
/// empty one: KEYS and the SCAN family treat it as no pattern.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    pattern == b"*" || matches_channel(pattern, text)
}

/// Whether `pattern` matches the whole of `text`, by the rules of Redis' `stringmatchlen` on x86.
///
/// Takes time of at limit the product of both lengths, since only the last star is ever retried.
pub fn matches_channel(pattern: &[u8], text: &[u8]) -> bool {
    if text.is_empty() {
        // Redis leaves its loop at once for empty text.
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
                if let Some(tail) = match_one(rest, byte) {
                    (rest, left) = (tail, after);
                    continue;
                }
            }
            // The pattern is longer than the text. A retry with more bytes for the star would leave even less text.
            None => return false,
        }
        let Some((after_star, [_, shorter @ ..])) = retry else { return false };
        (rest, left) = (after_star, shorter);
        retry = Some((after_star, shorter));
    }
}

/// Whether the pattern has no special character, so that it matches only itself.
pub fn literal(pattern: &[u8]) -> bool {
    !pattern.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\'))
}

/// Matches one byte against the first element of a pattern, which is not a star. Returns the rest of the pattern.
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

/// Matches one byte against a class after its `[`. Returns the rest of the pattern. An unclosed class ends with the
/// pattern.
fn match_class(class: &[u8], byte: u8) -> Option<&[u8]> {
    let (negated, mut rest) = match class {
        [b'^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut found = false;
    loop {
        rest = match rest {
            [] => break,
            [b'\\', escaped, tail @ ..] => {
                found |= *escaped == byte;
                tail
            }
            [b']', tail @ ..] => {
                rest = tail;
                break;
            }
            // Tested before a closing bracket: in `[a-]` the bracket is the end of the range.
            [start, b'-', end, tail @ ..] => {
                found |= in_range(*start, *end, byte);
                tail
            }
            [plain, tail @ ..] => {
                found |= *plain == byte;
                tail
            }
        };
    }
    (found != negated).then_some(rest)
}

/// Whether `byte` is in the range; both ends are included and may be in either order. Redis compares C's `char`, which
/// is signed on x86.
fn in_range(start: u8, end: u8, byte: u8) -> bool {
    let (start, end, byte) = (start as i8, end as i8, byte as i8);
    (start.min(end)..=start.max(end)).contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use alloc::vec::Vec;

    #[test]
    fn matches_like_a_real_server() {
        let cases: [(&str, &str, bool); 48] = [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("**", "", false),
            ("?", "", false),
            ("a", "a", true),
            ("a", "ab", false),
            ("ab", "a", false),
            ("?", "a", true),
            ("h?llo", "hello", true),
            ("h?llo", "hllo", false),
            ("h*llo", "heeeello", true),
            ("h*llo", "hllo", true),
            ("a**", "a", true),
            ("*?", "ab", true),
            ("*a*b*c*", "xxaxxbxxcxx", true),
            ("*a*b*c", "abcabd", false),
            ("*.*.x", "a.b.c.x", true),
            ("h[ae]llo", "hello", true),
            ("h[ae]llo", "hillo", false),
            ("h[^e]llo", "hallo", true),
            ("h[^e]llo", "hello", false),
            ("h[a-b]llo", "hbllo", true),
            ("h[b-a]llo", "hallo", true),
            ("h[a-b]llo", "hcllo", false),
            ("[!a]", "!", true),
            ("[!a]", "a", true),
            ("[!a]", "b", false),
            ("[]", "a", false),
            ("[^]", "a", true),
            ("[]a]", "a]", false),
            ("[", "[", false),
            ("[", "a", false),
            ("[^", "a", true),
            ("[a", "a", true),
            ("[a", "b", false),
            ("[a-", "-", true),
            ("[a-]", "a", true),
            ("[a-]b", "a", true),
            ("[\\]]", "]", true),
            ("[\\", "\\", true),
            ("[a\\-z]", "-", true),
            ("[a\\-z]", "b", false),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("\\", "\\", true),
            ("a\\", "a\\", true),
            ("a\\bc", "abc", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern:?} {text:?}");
        }
    }

    #[test]
    fn bytes_are_matched_and_compared_signed() {
        assert!(matches(b"?\xff\x00", b"\x80\xff\x00"));
        assert!(matches(b"[\x80-\xff]", b"\xc0"));
        assert!(matches(b"[\xff-\x01]", b"\x00"));
        assert!(!matches(b"[\xff-\x01]", b"\x02"));
    }

    #[test]
    fn literals_are_known() {
        assert!(literal(b"") && literal(b"user:1]-^"));
        for pattern in ["*", "a?", "[a]", "\\a"] {
            assert!(!literal(pattern.as_bytes()));
        }
    }

    #[test]
    fn many_stars_do_not_blow_up() {
        let text = [b'a'; 2_000];
        let pattern = b"a*".repeat(200);
        assert!(matches(&pattern, &text));
        assert!(!matches(&[&pattern[..], b"b"].concat(), &text));
        assert!(!matches(&b"*[b".repeat(3_000), &text));
    }

    /// Reference implementation: slow, for small inputs.
    fn matches_slowly(pattern: &[u8], text: &[u8]) -> bool {
        match pattern {
            [b'*', rest @ ..] => (0..=text.len()).any(|skip| matches_slowly(rest, &text[skip..])),
            _ => match text.split_first() {
                None => pattern.is_empty(),
                Some((&byte, after)) => match_one(pattern, byte).is_some_and(|rest| matches_slowly(rest, after)),
            },
        }
    }

    #[test]
    fn agrees_with_the_slow_rule_on_noise() {
        let mut random = Random::new(2);
        let mut pick = |letters: &[u8], limit: u64| -> Vec<u8> {
            let length = random.below(limit);
            (0..length).map(|_| letters[random.below(letters.len() as u64) as usize]).collect()
        };
        for _ in 0..50_000 {
            let pattern = pick(b"ab*?[]^-\\", 9);
            let text = pick(b"abc]-", 8);
            if text.is_empty() {
                continue;
            }
            assert_eq!(matches(&pattern, &text), matches_slowly(&pattern, &text), "{pattern:?} {text:?}");
        }
    }
}
