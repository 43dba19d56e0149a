//! Parsing of parameter values, and the text that is stored of them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;

use crate::base::number::{leading_integer, parse_double, parse_integer, write_fixed};

/// Kind of a parameter's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    YesNo,
    /// Number between two inclusive bounds.
    Number(i64, i64),
    /// Number of bytes between two inclusive bounds, with an optional unit (`kb`, `mb`, `gb`: powers of two; `k`, `m`,
    /// `g`: powers of ten).
    Memory(u64, u64),
    /// Number of bytes, or a percentage of `maxmemory` such as `10%`.
    MemoryOrPercent,
    /// Value of another kind, clamped to two bounds.
    Clamped(&'static Kind, i64, i64),
    OneOf(&'static [&'static str]),
    Text,
    /// Letters of keyspace notifications.
    EventClasses,
    /// `SECONDS CHANGES ...`
    SavePoints,
    /// Numbers from 0 to 100.
    Percentiles,
    /// `CLASS HARD SOFT SECONDS ...`; omitted classes keep their limits.
    OutputLimits,
    /// Value of another kind, which the program may set, but no connection.
    ProgramOnly(&'static Kind),
    /// Set at the start only, because the value is a path (Redis' protected configuration).
    Protected,
    /// Set at the start only (Redis' immutable configuration).
    Fixed,
    /// One of these names, set at the start only.
    FixedOneOf(&'static [&'static str]),
}

impl Kind {
    /// Parses a value; `now` is the present one. Returns the text to store, or an error message.
    pub(super) fn read(self, value: &str, now: &str) -> Result<String, String> {
        match self {
            Kind::Text | Kind::Protected | Kind::Fixed => Ok(value.to_string()),
            Kind::EventClasses => {
                Ok(event_classes(value).ok_or("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")?)
            }
            Kind::YesNo => Ok(one_of(value, &["yes", "no"]).ok_or("argument must be 'yes' or 'no'")?),
            Kind::OneOf(names) | Kind::FixedOneOf(names) => one_of(value, names)
                .ok_or_else(|| format!("argument(s) must be one of the following: {}", names.join(", "))),
            Kind::Memory(min, max) => within(min, max, memory(value).ok_or("argument must be a memory value")?),
            Kind::MemoryOrPercent => memory_or_percent(value),
            Kind::Number(min, max) => {
                let number = parse_integer(value.as_bytes()).ok_or("argument couldn't be parsed into an integer")?;
                within(min, max, number)
            }
            Kind::Clamped(kind, min, max) => {
                let text = kind.read(value, now)?;
                Ok(parse_integer(text.as_bytes()).map_or(text, |number| number.clamp(min, max).to_string()))
            }
            Kind::ProgramOnly(kind) => kind.read(value, now),
            Kind::SavePoints => save_points(value).ok_or_else(|| "Invalid save parameters".into()),
            Kind::Percentiles => percentiles(value),
            Kind::OutputLimits => output_limits(value, now),
        }
    }
}

/// Event classes that `A` stands for.
const ALL_CLASSES: &str = "g$lshzxetd";
const OTHER_CLASSES: &str = "KEmno";

/// Canonical event classes: letters in Redis' order, or `A` for all. `None` for an unknown letter.
fn event_classes(value: &str) -> Option<String> {
    if !value.chars().all(|letter| letter == 'A' || among(ALL_CLASSES, letter) || among(OTHER_CLASSES, letter)) {
        return None;
    }
    let named = |classes: &str| classes.chars().filter(|&letter| among(value, letter)).collect::<String>();
    let some = named(ALL_CLASSES);
    let all = among(value, 'A') || some == ALL_CLASSES;
    Some(if all { "A".into() } else { some } + &named(OTHER_CLASSES))
}

/// Whether notifications of the class with this letter are enabled.
pub fn notifies(classes: &str, letter: char) -> bool {
    among(classes, letter) || (among(classes, 'A') && among(ALL_CLASSES, letter))
}

/// Whether `letters` contains a letter. `str::contains` would add the code of substring search.
fn among(letters: &str, letter: char) -> bool {
    letters.chars().any(|other| other == letter)
}

fn one_of(value: &str, names: &[&str]) -> Option<String> {
    names.iter().find(|name| name.eq_ignore_ascii_case(value)).map(|name| (*name).to_string())
}

fn within<T: PartialOrd + Display + Copy>(min: T, max: T, number: T) -> Result<String, String> {
    if !(min..=max).contains(&number) {
        return Err(format!("argument must be between {min} and {max} inclusive"));
    }
    Ok(number.to_string())
}

/// Maximum number of digits of a number of bytes.
const DIGITS_MAX: usize = 127;

/// Parses a number of bytes as Redis does. Without digits the number is 0; digits saturate, and the unit's factor wraps
/// around.
fn memory(value: &str) -> Option<u64> {
    let unit = value.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = value.strip_suffix(unit).filter(|digits| digits.len() <= DIGITS_MAX)?;
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" => 1000,
        "kb" => 1 << 10,
        "m" => 1_000_000,
        "mb" => 1 << 20,
        "g" => 1_000_000_000,
        "gb" => 1 << 30,
        _ => return None,
    };
    let add = |number: u64, digit: u8| number.saturating_mul(10).saturating_add((digit - b'0').into());
    Some(digits.bytes().fold(0, add).wrapping_mul(factor))
}

/// Parses bytes or a percentage. Redis stores percentages as negative numbers, so a number of bytes that is negative as
/// `i64` is a percentage.
fn memory_or_percent(value: &str) -> Result<String, String> {
    let percent = || parse_integer(value.strip_suffix('%')?.as_bytes()).filter(|percent| *percent >= 0);
    let number = match memory(value) {
        Some(bytes) => bytes as i64,
        None => -percent().ok_or("argument must be a memory or percent value")?,
    };
    match number {
        0.. => Ok(number.to_string()),
        -100..0 => Ok(format!("{}%", -number)),
        _ => Err("percentage argument must be less or equal to 100".into()),
    }
}

/// Splits at single blanks. Empty text has no words.
fn words(value: &str) -> Vec<&str> {
    if value.is_empty() { Vec::new() } else { value.split(' ').collect() }
}

/// Parses a whole word as C's `strtoll` does.
fn integer(word: &str) -> Option<i64> {
    let (number, rest) = leading_integer(word.as_bytes());
    rest.is_empty().then_some(number)
}

/// Parses pairs of seconds, at least 1, and a number of changes.
fn save_points(value: &str) -> Option<String> {
    let words = words(value);
    let (pairs, []) = words.as_chunks::<2>() else { return None };
    let point = |[seconds, changes]: &[&str; 2]| {
        let (seconds, changes) = (integer(seconds)?, integer(changes)?);
        (seconds >= 1 && changes >= 0).then(|| format!("{seconds} {}", changes as i32))
    };
    Some(pairs.iter().map(point).collect::<Option<Vec<String>>>()?.join(" "))
}

/// Maximum number of decimals of a stored percentile.
const PERCENTILE_DECIMALS: usize = 6;

fn percentiles(value: &str) -> Result<String, String> {
    let shown = |word: &&str| {
        let percentile = parse_double(word.as_bytes()).ok_or("Invalid latency-tracking-info-percentiles parameters")?;
        if !(0.0..=100.0).contains(&percentile) {
            return Err("latency-tracking-info-percentiles parameters should sit between [0.0,100.0]");
        }
        let mut text = Vec::new();
        write_fixed(percentile, PERCENTILE_DECIMALS, &mut text);
        let text = String::from_utf8(text).unwrap_or_default();
        Ok(text.trim_end_matches('0').trim_end_matches('.').to_string())
    };
    Ok(words(value).iter().map(shown).collect::<Result<Vec<String>, &str>>()?.join(" "))
}

/// Client classes in Redis' order: name and alias.
const CLIENT_CLASSES: [(&str, &str); 3] = [("normal", "normal"), ("slave", "replica"), ("pubsub", "pubsub")];
/// Number of words of one limit: class, hard limit, soft limit, seconds.
const LIMIT_WORDS: usize = 4;

fn output_limits(value: &str, now: &str) -> Result<String, String> {
    let new = words(value);
    let (new, []) = new.as_chunks::<LIMIT_WORDS>() else {
        return Err("Wrong number of arguments in buffer limit configuration.".into());
    };
    let mut limits: Vec<String> = words(now).as_chunks::<LIMIT_WORDS>().0.iter().map(|limit| limit.join(" ")).collect();
    for [class, hard, soft, seconds] in new {
        let is = |name: &str| name.eq_ignore_ascii_case(class);
        let index = CLIENT_CLASSES.iter().position(|(name, alias)| is(name) || is(alias));
        let index = index.ok_or("Invalid client class specified in buffer limit configuration.")?;
        let (Some(hard), Some(soft), Some(seconds @ 0..)) = (memory(hard), memory(soft), integer(seconds)) else {
            return Err("Error in hard, soft or soft_seconds setting in buffer limit configuration.".into());
        };
        if let Some(limit) = limits.get_mut(index) {
            *limit = format!("{} {hard} {soft} {seconds}", CLIENT_CLASSES[index].0);
        }
    }
    Ok(limits.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_redis_reads_them() {
        for (value, bytes) in
            [("", 0), ("kb", 0), ("05", 5), ("7B", 7), ("1m", 1_000_000), ("1Mb", 1 << 20), ("1gb", 1 << 30)]
        {
            assert_eq!(memory(value), Some(bytes), "{value}");
        }
        assert_eq!(memory("99999999999999999999"), Some(u64::MAX));
        assert_eq!(memory("17179869184gb"), Some(0));
        for value in ["x", "-1", "+1", " 1", "1 ", "1 kb", "1t", "1.5", "10%", &"1".repeat(128)] {
            assert_eq!(memory(value), None, "{value}");
        }
    }

    #[test]
    fn numbers_are_refused_or_clamped() {
        let hz = Kind::Clamped(&Kind::Number(0, 1000), 1, 500);
        for (value, kept) in [("0", "1"), ("7", "7"), ("1000", "500")] {
            assert_eq!(hz.read(value, "").as_deref(), Ok(kept), "{value}");
        }
        assert_eq!(hz.read("-1", ""), Err("argument must be between 0 and 1000 inclusive".into()));
        assert_eq!(hz.read("1x", ""), Err("argument couldn't be parsed into an integer".into()));
    }

    #[test]
    fn a_share_of_memory_is_a_percentage() {
        for (value, kept) in
            [("1kb", "1024"), ("10%", "10%"), ("0%", "0"), ("100%", "100%"), ("18446744073709551615", "1%")]
        {
            assert_eq!(memory_or_percent(value).as_deref(), Ok(kept), "{value}");
        }
        assert_eq!(memory_or_percent("101%"), Err("percentage argument must be less or equal to 100".into()));
        for value in ["%", "-1%", "+1%", "1.5%", "1 %", "x"] {
            assert_eq!(memory_or_percent(value), Err("argument must be a memory or percent value".into()), "{value}");
        }
    }

    #[test]
    fn lists_of_numbers_are_kept_as_redis_prints_them() {
        for (value, kept) in [
            ("", Some("")),
            ("3600 1 +5 0", Some("3600 1 5 0")),
            ("5 ", Some("5 0")),
            ("0 0", None),
            ("1", None),
            (" ", None),
            ("1 -1", None),
            ("1 2x", None),
        ] {
            assert_eq!(save_points(value).as_deref(), kept, "{value}");
        }
        for (value, kept) in [("", ""), ("50 99.90", "50 99.9"), ("0x10 1e1 100", "16 10 100"), ("0 -0", "0 -0")] {
            assert_eq!(percentiles(value).as_deref(), Ok(kept), "{value}");
        }
        for value in ["x", "50  99", "nan"] {
            assert_eq!(
                percentiles(value),
                Err("Invalid latency-tracking-info-percentiles parameters".into()),
                "{value}"
            );
        }
        assert!(percentiles("100.1").is_err_and(|problem| problem.ends_with("sit between [0.0,100.0]")));
    }

    #[test]
    fn limits_of_output_are_of_four_words() {
        for (value, problem) in [
            ("normal 0 0", "Wrong"),
            ("master 0 0 0", "Invalid"),
            ("normal -1 0 0", "Error"),
            ("normal 0 0 x", "Error"),
        ] {
            assert!(output_limits(value, "").is_err_and(|found| found.starts_with(problem)), "{value}");
        }
    }
}
