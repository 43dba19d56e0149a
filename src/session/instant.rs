//! Clock lines: a step, the next deadline, or a date. Dates are UTC and read by a small function of our own,
//! since the core has no calendar. Knows nothing of the engine.

/// Where a clock line moves the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockMove {
    /// `@ +5s`, `@ -200ms`: by so many milliseconds.
    ByMs(i64),
    /// `@ next`: to the first instant at which something is due.
    ToNext,
    /// `@ 2026-01-01T00:00:00Z`: to so many milliseconds since the epoch.
    ToMs(i64),
}

const MS_PER_DAY: i64 = 86_400_000;

/// Parses the text after `@ `; the error says what is wrong.
pub(super) fn parse_move(text: &str) -> Result<ClockMove, &'static str> {
    if text == "next" {
        return Ok(ClockMove::ToNext);
    }
    if let Some(span) = text.strip_prefix('+') {
        return parse_span_ms(span).map(ClockMove::ByMs);
    }
    if let Some(span) = text.strip_prefix('-') {
        return parse_span_ms(span).map(|span_ms| ClockMove::ByMs(-span_ms));
    }
    parse_date_ms(text).map(ClockMove::ToMs).ok_or("expected `@ +5s`, `@ -5s`, `@ next` or `@ 2026-01-01T00:00:00Z`")
}

fn parse_span_ms(text: &str) -> Result<i64, &'static str> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = text.strip_suffix(unit).unwrap_or_default();
    let unit_ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => MS_PER_DAY,
        _ => return Err("expected a whole number and ms, s, m, h or d"),
    };
    if number.is_empty() {
        return Err("a duration starts with a whole number");
    }
    let too_long = "the duration is out of range";
    number.parse::<i64>().ok().and_then(|count| count.checked_mul(unit_ms)).ok_or(too_long)
}

/// `YYYY-MM-DDThh:mm:ss[.mmm]Z` as milliseconds since the epoch.
fn parse_date_ms(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (year, rest) = date.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
    let valid = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    valid.then(|| days_since_epoch(year, month, day) * MS_PER_DAY)?.checked_add(parse_time_ms(time)?)
}

fn parse_time_ms(text: &str) -> Option<i64> {
    let (clock, thousandths) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, digits(fraction, 3)?),
        None => (text, 0),
    };
    let (hours, rest) = clock.split_once(':')?;
    let (minutes, seconds) = rest.split_once(':')?;
    let (hours, minutes, seconds) = (digits(hours, 2)?, digits(minutes, 2)?, digits(seconds, 2)?);
    let valid = hours < 24 && minutes < 60 && seconds < 60;
    valid.then_some(((hours * 60 + minutes) * 60 + seconds) * 1_000 + thousandths)
}

fn digits(text: &str, count: usize) -> Option<i64> {
    if text.len() != count || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar with a year of 0 to 9999.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    // Years count from March here, so that the leap day is the last of its year.
    let march_year = if month > 2 { year } else { year - 1 };
    let leap_days = march_year.div_euclid(4) - march_year.div_euclid(100) + march_year.div_euclid(400);
    let month_from_march = (month + 9) % 12;
    let days_before_month = (153 * month_from_march + 2) / 5;
    365 * march_year + leap_days + days_before_month + day - 1 - DAYS_FROM_MARCH_OF_YEAR_0_TO_EPOCH
}

const DAYS_FROM_MARCH_OF_YEAR_0_TO_EPOCH: i64 = 719_468;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn spans() {
        for (text, span_ms) in
            [("+5s", 5_000), ("+0ms", 0), ("-200ms", -200), ("+3m", 180_000), ("-2h", -7_200_000), ("+1d", 86_400_000)]
        {
            assert_eq!(parse_move(text), Ok(ClockMove::ByMs(span_ms)), "{text}");
        }
        for text in
            ["+", "+5", "5s", "+s", "+1.5s", "+-5s", "+5 s", "+5S", "+99999999999999999999s", "+9999999999999d", "Next"]
        {
            assert!(parse_move(text).is_err(), "{text}");
        }
        assert_eq!(parse_move("next"), Ok(ClockMove::ToNext));
    }

    #[test]
    fn dates() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-01-01T00:00:00Z", 1_767_225_600_000),
            ("2026-01-01T00:00:00.007Z", 1_767_225_600_007),
            ("2000-02-29T23:59:59.999Z", 951_868_799_999),
            ("2100-01-01T00:00:00Z", 4_102_444_800_000),
            ("1969-12-31T23:59:59Z", -1_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] {
            assert_eq!(parse_move(text), Ok(ClockMove::ToMs(ms)), "{text}");
        }
    }

    #[test]
    fn days_follow_each_other_through_all_years() {
        let mut expected = days_since_epoch(0, 1, 1);
        for year in 0..=9999 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    assert_eq!(days_since_epoch(year, month, day), expected, "{year}-{month}-{day}");
                    expected += 1;
                }
            }
        }
    }

    #[test]
    fn bad_dates_are_refused() {
        for text in [
            "",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-1-01T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00Z",
            "2026-01-01T00:00:00.1Z",
            "2026-01-01T00:00:00+01:00",
            "2026-01-01 00:00:00Z",
            "２026-01-01T00:00:00Z",
        ] {
            assert!(parse_move(text).is_err(), "{text}");
            assert!(parse_move(&format!("{text} ")).is_err());
        }
    }
}
