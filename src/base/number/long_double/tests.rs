//! Tests of long doubles: against a real server, and of rounding at the limits of the format.

use super::*;
use crate::base::random::Random;
use alloc::format;
use alloc::string::String;

fn parse(text: &str) -> Option<LongDouble> {
    LongDouble::parse(text.as_bytes())
}

fn sum(left: &str, right: &str) -> String {
    let (left, right) = (parse(left).unwrap(), parse(right).unwrap());
    let mut out = Vec::new();
    left.add(right).write(&mut out);
    String::from_utf8(out).unwrap()
}

/// Sums returned by Redis 8.6.3 and Redis 7.0.15 on x86.
#[test]
fn sums_are_those_of_a_real_server() {
    let cases = [
        ("0", "1.5", "1.5"),
        ("1.8", "-1.8", "0"),
        ("10.50", "0.1", "10.6"),
        ("5.0e3", "200", "5200"),
        ("0.1", "0.2", "0.3"),
        ("1", "1e20", "100000000000000000000"),
        ("1", "1e-30", "1"),
        ("1.5", "1.23456789012345678", "2.73456789012345678"),
        ("3.0", "1.000000000000000005", "4.00000000000000001"),
        ("0", "1.1e-10", "0.00000000011"),
        ("9007199254740993", "1", "9007199254740994"),
        ("123456789012345678901234567890", "0.1", "123456789012345678899921813504"),
        ("0", "-0.0", "0"),
        ("-0.0", "-0.0", "0"),
        ("0", "-1e-18", "0"),
        ("0x10", "1", "17"),
        ("100000000000000000", "0.01", "100000000000000000.0078125"),
        ("0", "5e-324", "0"),
        ("0x.8p1", "0x1p-1", "1.5"),
        ("1e4000", "-1e4000", "0"),
    ];
    for (left, right, expected) in cases {
        assert_eq!(sum(left, right), expected, "{left} + {right}");
    }
}

#[test]
fn products_are_rounded_and_whole_numbers_are_the_next_above() {
    let ceiling = |text: &str, factor: u32| parse(text).unwrap().times(factor).ceil();
    let cases = [
        ("0", 1, Some(0)),
        ("-0", 1, Some(0)),
        ("1.5", 1, Some(2)),
        ("-1.5", 1, Some(-1)),
        ("0.001", 1000, Some(1)),
        // A real server reads -0.001 seconds as 0 ms: the product is above -1 by one unit of the last place.
        ("-0.001", 1000, Some(0)),
        ("-0.002", 1000, Some(-1)),
        ("1e-4940", 1000, Some(1)),
        ("9223372036854775807", 1, Some(i64::MAX)),
        ("9223372036854775808", 1, None),
        ("-9223372036854775808", 1, Some(i64::MIN)),
        ("-9223372036854775809.5", 1, None),
        ("1e300", 1000, None),
        ("1e4932", 1000, None),
        ("inf", 1000, None),
    ];
    for (text, factor, expected) in cases {
        assert_eq!(ceiling(text, factor), expected, "{text} * {factor}");
    }
}

#[test]
fn refuses_text_that_strtold_does_not_read_whole() {
    let texts = [
        "", " 1", "1 ", "\t1", "nan", "-nan", "1,5", "1e", "1e+", "1.2.3", ".", "e5", "0x", "0x.p1", "+-1", "infin",
        "1_0",
    ];
    for text in texts {
        assert_eq!(parse(text), None, "{text:?}");
    }
    assert_eq!(LongDouble::parse(b"1\0"), None);
    assert_eq!(LongDouble::parse(&[b'1'; TEXT_BUFFER_BYTES]), None);
    assert!(LongDouble::parse(&[b'0'; TEXT_BUFFER_BYTES - 1]).is_some());
}

#[test]
fn refuses_overflow_and_underflow_but_not_zero() {
    for text in ["1e5000", "-1e4933", "1.18973149535723176508e4932", "1e-4952", "-1e-5000", "1e99999999999999999999"] {
        assert_eq!(parse(text), None, "{text}");
    }
    for text in ["1e-99999999999999999999", "0x1p16384", "0x1p-16446", "0x1.ffffffffffffffffp16383"] {
        assert_eq!(parse(text), None, "{text}");
    }
    for text in ["1e4932", "1e-4950", "0x1p-16445", "0x1.8p-16446", "0e99999999999", "0x0p99999999999", "5e-324"] {
        assert!(parse(text).is_some(), "{text}");
    }
}

#[test]
fn doubles_are_printed_with_all_their_digits() {
    let mut random = Random::new(17);
    let awkward = [0.0, -0.0, 0.5, 5e-324, -2.5e-7, 0.000_000_5, 0.000_001_5, 123.456_789_5, f64::MAX, 1e22, 1e300];
    let random = (0..20_000).map(|_| f64::from_bits(random.next_u64()));
    for value in awkward.into_iter().chain([f64::INFINITY, f64::NEG_INFINITY]).chain(random) {
        if value.is_nan() {
            continue;
        }
        let mut out = Vec::new();
        LongDouble::from_double(value).write_fixed(6, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("{value:.6}"), "{value:e}");
    }
}

#[test]
fn infinities_are_read_and_added() {
    for text in ["inf", "+INF", "Infinity"] {
        assert_eq!(parse(text), Some(LongDouble::infinite(false)));
    }
    assert_eq!(sum("inf", "1"), "inf");
    assert_eq!(sum("1", "-inf"), "-inf");
    assert_eq!(sum("-inf", "-inf"), "-inf");
    assert_eq!(sum("inf", "-inf"), "nan");
    assert_eq!(sum("1e4932", "1e4932"), "inf");
}

#[test]
fn long_inputs_round_correctly_and_print_exactly() {
    // 2^64 + 1 lies halfway between two long doubles: rounded to even, or upwards if any digit follows.
    assert_eq!(sum("18446744073709551617", "0"), "18446744073709551616");
    assert_eq!(sum("18446744073709551617.00000000000000000000000000001", "0"), "18446744073709551618");
    assert_eq!(sum("18446744073709551619", "0"), "18446744073709551620");
    let printed = sum("1e4932", "0");
    assert_eq!(printed.len(), 4933);
    assert!(printed.starts_with("9999999999999999999") || printed.starts_with("10000000000000000000"), "{printed}");
    let mut zeros = String::from("0.");
    zeros.extend(core::iter::repeat_n('0', 5000));
    assert_eq!(sum(&(zeros + "15e5001"), "0"), "1.5");
}

#[test]
fn printed_numbers_read_back_and_noise_does_not_panic() {
    let mut random = Random::new(7);
    let letters = b"0123456789.eE+-xXpPaf inf";
    for _ in 0..20_000 {
        let length = random.below(24);
        let text: Vec<u8> = (0..length).map(|_| letters[random.below(letters.len() as u64) as usize]).collect();
        let Some(value) = LongDouble::parse(&text) else { continue };
        let mut printed = Vec::new();
        value.write(&mut printed);
        let again = LongDouble::parse(&printed).unwrap();
        if value.exponent >= 0 {
            assert_eq!(again.mantissa, value.mantissa, "{text:?}");
        }
    }
}
