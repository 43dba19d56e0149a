//! Numbers in JSON, as the C library reads them: also hexadecimal ones, infinite ones, and those that are none.

/// Reads the number at the beginning of a text; returns it with its length, or nothing if there is none.
pub fn parse(text: &[u8]) -> Option<(f64, usize)> {
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let negative = text.first() == Some(&b'-');
    let rest = &text[sign..];
    let (number, length) = special(rest).or_else(|| hexadecimal(rest)).or_else(|| decimal(rest))?;
    Some((if negative { -number } else { number }, sign + length))
}

/// Whether a text begins with letters, in either case.
pub fn begins_with(text: &[u8], letters: &[u8]) -> bool {
    text.get(..letters.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(letters))
}

fn special(text: &[u8]) -> Option<(f64, usize)> {
    if begins_with(text, b"infinity") {
        return Some((f64::INFINITY, 8));
    }
    if begins_with(text, b"inf") {
        return Some((f64::INFINITY, 3));
    }
    begins_with(text, b"nan").then(|| (f64::NAN, 3 + payload(&text[3..])))
}

/// Length of what may follow `nan`: letters, digits and underscores in parentheses.
fn payload(text: &[u8]) -> usize {
    let word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    match text.strip_prefix(b"(") {
        Some(rest) => {
            let length = rest.iter().take_while(word).count();
            if rest.get(length) == Some(&b')') { length + 2 } else { 0 }
        }
        None => 0,
    }
}

fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    let (whole, fraction, mut length) = digits(text, u8::is_ascii_digit);
    if whole + fraction == 0 {
        return None;
    }
    length += exponent(&text[length..], b'e').map_or(0, |(_, length)| length);
    let number = core::str::from_utf8(&text[..length]).ok()?.parse().ok()?;
    Some((number, length))
}

/// Counts the digits before and after a point; returns the length of all, with the point if digits are beside it.
fn digits(text: &[u8], is_digit: fn(&u8) -> bool) -> (usize, usize, usize) {
    let count = |text: &[u8]| text.iter().take_while(|byte| is_digit(byte)).count();
    let whole = count(text);
    if text.get(whole) != Some(&b'.') {
        return (whole, 0, whole);
    }
    let fraction = count(&text[whole + 1..]);
    let length = if whole + fraction == 0 { 0 } else { whole + 1 + fraction };
    (whole, fraction, length)
}

/// Reads an exponent; returns it with its length.
fn exponent(text: &[u8], letter: u8) -> Option<(i32, usize)> {
    if !text.first()?.eq_ignore_ascii_case(&letter) {
        return None;
    }
    let sign = usize::from(matches!(text.get(1), Some(b'+' | b'-')));
    let numerals = &text[1 + sign..];
    let count = numerals.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let add = |sum: i32, byte: &u8| sum.saturating_mul(10).saturating_add(i32::from(byte - b'0'));
    let value = numerals[..count].iter().fold(0, add);
    (count > 0).then(|| (if text[1] == b'-' { -value } else { value }, 1 + sign + count))
}

fn hexadecimal(text: &[u8]) -> Option<(f64, usize)> {
    if !begins_with(text, b"0x") {
        return None;
    }
    let body = &text[2..];
    let (whole, fraction, length) = digits(body, u8::is_ascii_hexdigit);
    if whole + fraction == 0 {
        return None;
    }
    let numerals = body[..length].iter().filter_map(|byte| (*byte as char).to_digit(16));
    let (mantissa, dropped) = numerals.fold((0_u64, 0_i32), |(mantissa, dropped), digit| match mantissa >> 60 {
        0 => (mantissa << 4 | u64::from(digit), dropped),
        // Digits that do not fit count for rounding only.
        _ => (mantissa | u64::from(digit != 0), dropped.saturating_add(4)),
    });
    let (power, more) = exponent(&body[length..], b'p').unwrap_or((0, 0));
    let scale = power.saturating_add(dropped).saturating_sub(i32::try_from(fraction * 4).unwrap_or(i32::MAX));
    Some((libm::scalbn(mantissa as f64, scale), 2 + length + more))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn numbers_are_read_as_in_c() {
        for (text, number, length) in [
            ("12", 12.0, 2),
            ("-1.5e3,", -1500.0, 6),
            ("1e", 1.0, 1),
            ("1e+", 1.0, 1),
            (".5", 0.5, 2),
            ("5.", 5.0, 2),
            ("0x1F", 31.0, 4),
            ("0x.8p1", 1.0, 6),
            ("0xg", 0.0, 1),
            ("-INFINITYx", f64::NEG_INFINITY, 9),
            ("infx", f64::INFINITY, 3),
            ("1e400", f64::INFINITY, 5),
            ("0x123456789abcdef12345", f64::from_bits(0x44b2_3456_789a_bcdf), 22),
        ] {
            assert_eq!(parse(text.as_bytes()), Some((number, length)), "{text}");
        }
        for text in ["", "-", ".", "x", "+-1"] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        assert!(parse(b"nan(a_1)").is_some_and(|(number, length)| number.is_nan() && length == 8));
        assert!(parse(b"nan(a 1)").is_some_and(|(number, length)| number.is_nan() && length == 3));
    }
}
