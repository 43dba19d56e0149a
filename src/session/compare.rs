//! Printed lines against expected ones: line by line, or as multisets where the order of a reply means nothing.
//! Works on redis-cli's text alone and knows no command.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;

use super::line::without_trailing_blanks;

/// How much the order of a reply's elements means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Order {
    #[default]
    Exact,
    /// The elements in any order; of a cursor with its page, the page in any order.
    Any,
    /// Any order of pairs: in a flat list, each second element belongs to the one before it.
    AnyOfPairs,
}

/// Compares lines; `None` among the expected ones stands for any number of lines.
pub(super) fn matches(expected: &[Option<&str>], got: &[&str], order: Order) -> bool {
    let written: Vec<&str> = expected.iter().copied().flatten().collect();
    if written.len() == expected.len() {
        matches_whole(&written, got, order)
    } else {
        matches_part(expected, got, order)
    }
}

fn matches_whole(expected: &[&str], got: &[&str], order: Order) -> bool {
    if order == Order::Exact {
        return same_lines(expected, got);
    }
    match (Elements::read(expected), Elements::read(got)) {
        (Some(expected), Some(got)) => matches_unordered(&expected, &got, order),
        _ => same_lines(expected, got),
    }
}

/// Where the order of a reply means nothing, the elements that are written must be among the real ones.
fn matches_part(expected: &[Option<&str>], got: &[&str], order: Order) -> bool {
    let written: Vec<&str> = expected.iter().copied().flatten().collect();
    let elements = if order == Order::Exact { None } else { Elements::read(&written).zip(Elements::read(got)) };
    match elements {
        Some((written, got)) => contains_unordered(&written, &got, order),
        None => has_runs(expected, got),
    }
}

fn contains_unordered(written: &Elements<'_>, got: &Elements<'_>, order: Order) -> bool {
    match (written.cursor_and_page(), got.cursor_and_page()) {
        (Some((cursor, page)), Some((got_cursor, got_page))) => {
            same_lines(cursor, got_cursor) && is_contained(&page.bag(order), &got_page.bag(order))
        }
        _ => written.marker == got.marker && is_contained(&written.bag(order), &got.bag(order)),
    }
}

/// Whether each element of one sorted list is in the other, as often as it occurs.
fn is_contained<T: Ord>(part: &[T], whole: &[T]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|element| whole.by_ref().any(|other| other == element))
}

/// Whether the lines begin with the first run of expected lines, end with the last, and have the others in order between.
fn has_runs(expected: &[Option<&str>], got: &[&str]) -> bool {
    let runs: Vec<Vec<&str>> =
        expected.split(Option::is_none).map(|run| run.iter().copied().flatten().collect()).collect();
    let [first, between @ .., last] = runs.as_slice() else { return false };
    let inner = got.len().checked_sub(last.len()).filter(|&end| first.len() <= end);
    let Some((head, rest)) = inner.and_then(|end| Some((got.get(..first.len())?, got.get(first.len()..end)?))) else {
        return false;
    };
    let tail = got.get(got.len() - last.len()..).unwrap_or_default();
    same_lines(first, head) && same_lines(last, tail) && has_in_order(between, rest)
}

/// Takes each run at its first occurrence, which leaves the most lines for the next.
fn has_in_order(runs: &[Vec<&str>], mut rest: &[&str]) -> bool {
    runs.iter().filter(|run| !run.is_empty()).all(|run| {
        let found = rest.windows(run.len()).position(|lines| same_lines(run, lines));
        rest = found.and_then(|start| rest.get(start + run.len()..)).unwrap_or_default();
        found.is_some()
    })
}

fn matches_unordered(expected: &Elements<'_>, got: &Elements<'_>, order: Order) -> bool {
    match (expected.cursor_and_page(), got.cursor_and_page()) {
        (Some((cursor, page)), Some((got_cursor, got_page))) => {
            same_lines(cursor, got_cursor) && page.bag(order) == got_page.bag(order)
        }
        _ => expected.marker == got.marker && expected.bag(order) == got.bag(order),
    }
}

fn same_lines(expected: &[&str], got: &[&str]) -> bool {
    expected.len() == got.len() && expected.iter().zip(got).all(|(a, b)| canonical(a) == canonical(b))
}

/// A line in the form in which equal means equal: older servers print an empty array as `(empty list or set)`.
fn canonical(line: &str) -> (&str, bool) {
    let line = without_trailing_blanks(line);
    let head = line.strip_suffix("(empty array)").or_else(|| line.strip_suffix("(empty list or set)"));
    (head.unwrap_or(line), head.is_some())
}

type Canonical<'a> = Vec<(&'a str, bool)>;

/// The elements of one printed aggregate, each with the lines it takes, freed of numbers and indentation.
struct Elements<'a> {
    marker: u8,
    list: Vec<Vec<&'a str>>,
}

impl<'a> Elements<'a> {
    /// `None` when the lines are not one aggregate as redis-cli prints it.
    fn read(lines: &[&'a str]) -> Option<Self> {
        let (width, marker) = number_width(lines.first()?)?;
        let mut list: Vec<Vec<&'a str>> = Vec::new();
        for line in lines {
            let starts_element = number_width(line) == Some((width, marker));
            let blank_ahead = line.bytes().take(width).filter(|byte| *byte == b' ').count() == width;
            let text = line.get(width..).filter(|_| starts_element || blank_ahead)?;
            match list.last_mut() {
                Some(element) if !starts_element => element.push(text),
                _ => list.push(Vec::from([text])),
            }
        }
        Some(Elements { marker, list })
    }

    /// SCAN and its relatives: a cursor, then the page as an aggregate of its own.
    fn cursor_and_page(&self) -> Option<(&[&'a str], Elements<'a>)> {
        let [cursor, page] = self.list.as_slice() else { return None };
        if Elements::read(cursor).is_some() {
            return None;
        }
        Some((cursor, Elements::read(page)?))
    }

    fn bag(&self, order: Order) -> Vec<Vec<Canonical<'a>>> {
        // An entry of a map is printed as one element already.
        let size = if order == Order::AnyOfPairs && self.marker == b')' { 2 } else { 1 };
        let canonical_element = |element: &Vec<&'a str>| element.iter().map(|line| canonical(line)).collect();
        let bag: BinaryHeap<Vec<Canonical<'a>>> =
            self.list.chunks(size).map(|chunk| chunk.iter().map(canonical_element).collect()).collect();
        bag.into_sorted_vec()
    }
}

/// The width of `12) `, `12# ` or `12~ ` at the head of a line, leading blanks included, and which of the three it is.
fn number_width(line: &str) -> Option<(usize, u8)> {
    let after_blanks = line.trim_start_matches(' ');
    let after_digits = after_blanks.trim_start_matches(|c: char| c.is_ascii_digit());
    if after_digits.len() == after_blanks.len() {
        return None;
    }
    let [marker @ (b')' | b'#' | b'~'), b' ', ..] = after_digits.as_bytes() else { return None };
    Some((line.len() - after_digits.len() + 2, *marker))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: &str, got: &str, order: Order) -> bool {
        let expected: Vec<Option<&str>> =
            expected.lines().map(|line| Some(line).filter(|line| *line != "...")).collect();
        let got: Vec<&str> = got.lines().collect();
        matches(&expected, &got, order)
    }

    #[test]
    fn trailing_blanks_and_the_old_empty_array_do_not_matter() {
        assert!(check("OK  ", "OK", Order::Exact));
        assert!(check("(empty list or set)", "(empty array)", Order::Exact));
        assert!(check("1) \"0\"\n2) (empty list or set)", "1) \"0\"\n2) (empty array)", Order::Exact));
        assert!(!check("(empty list or set)", "(empty set)", Order::Exact));
        assert!(!check("\"(empty list or set)\"", "\"(empty array)\"", Order::Exact));
        assert!(!check(" OK", "OK", Order::Exact));
        assert!(!check("OK", "", Order::Exact));
        assert!(check("", "", Order::Any));
    }

    #[test]
    fn flat_lists_compare_as_multisets() {
        assert!(check("1) \"a\"\n2) \"b\"", "1) \"b\"\n2) \"a\"", Order::Any));
        assert!(!check("1) \"a\"\n2) \"b\"", "1) \"b\"\n2) \"a\"", Order::Exact));
        assert!(!check("1) \"a\"\n2) \"a\"", "1) \"b\"\n2) \"a\"", Order::Any));
        assert!(!check("1) \"a\"", "1) \"a\"\n2) \"a\"", Order::Any));
        assert!(check("1~ \"a\"\n2~ \"b\"", "1~ \"b\"\n2~ \"a\"", Order::Any));
        assert!(!check("1) \"a\"\n2) \"b\"", "1~ \"b\"\n2~ \"a\"", Order::Any));
        assert!(!check("1) \"a\"", "(empty array)", Order::Any));
    }

    #[test]
    fn pairs_stay_together() {
        let expected = "1) \"f\"\n2) \"1\"\n3) \"g\"\n4) \"2\"";
        assert!(check(expected, "1) \"g\"\n2) \"2\"\n3) \"f\"\n4) \"1\"", Order::AnyOfPairs));
        assert!(!check(expected, "1) \"f\"\n2) \"2\"\n3) \"g\"\n4) \"1\"", Order::AnyOfPairs));
        assert!(check(expected, "1) \"f\"\n2) \"2\"\n3) \"g\"\n4) \"1\"", Order::Any));
        assert!(check(
            "1# \"a\" => \"1\"\n2# \"b\" => \"2\"",
            "1# \"b\" => \"2\"\n2# \"a\" => \"1\"",
            Order::AnyOfPairs
        ));
    }

    #[test]
    fn a_page_compares_apart_from_its_cursor() {
        let expected = "1) \"0\"\n2) 1) \"a\"\n   2) \"b\"";
        assert!(check(expected, "1) \"0\"\n2) 1) \"b\"\n   2) \"a\"", Order::Any));
        assert!(!check(expected, "1) \"9\"\n2) 1) \"b\"\n   2) \"a\"", Order::Any));
        assert!(!check(expected, "1) \"0\"\n2) 1) \"b\"\n   2) \"c\"", Order::Any));
        assert!(!check(expected, "1) \"0\"\n2) 1) \"b\"\n   2) \"a\"", Order::AnyOfPairs));
    }

    #[test]
    fn nested_elements_move_as_a_whole_and_wide_numbers_line_up() {
        let expected = "1) 1) \"a\"\n   2) (integer) 1\n2) 1) \"b\"\n   2) (integer) 2\n3) (nil)";
        let swapped = "1) (nil)\n2) 1) \"b\"\n   2) (integer) 2\n3) 1) \"a\"\n   2) (integer) 1";
        let mixed = "1) (nil)\n2) 1) \"b\"\n   2) (integer) 1\n3) 1) \"a\"\n   2) (integer) 2";
        assert!(check(expected, swapped, Order::Any));
        assert!(!check(expected, mixed, Order::Any));
        let ten = " 1) a\n 2) b\n 3) c\n 4) d\n 5) e\n 6) f\n 7) g\n 8) h\n 9) i\n10) j";
        let ten_turned = " 1) j\n 2) i\n 3) h\n 4) g\n 5) f\n 6) e\n 7) d\n 8) c\n 9) b\n10) a";
        assert!(check(ten, ten_turned, Order::Any));
    }

    #[test]
    fn lines_that_are_no_aggregate_compare_in_order() {
        assert!(!check("a\nb", "b\na", Order::Any));
        assert!(!check("1) a\nb", "b\n1) a", Order::Any));
        assert!(check("1) a\n\u{e9}\u{e9}", "1) a\n\u{e9}\u{e9}", Order::Any));
    }

    #[test]
    fn anything_stands_for_any_number_of_lines() {
        for got in ["", "a", "a\nb"] {
            assert!(check("...", got, Order::Exact), "{got}");
        }
        assert!(check("a\n...", "a", Order::Exact));
        assert!(check("...\nb", "a\nb", Order::Exact));
        assert!(check("a\n...\nc\n...\ne", "a\nb\nc\nd\ne", Order::Exact));
        assert!(check("...\na\nb\n...", "a\na\nb", Order::Exact));
        assert!(check("...\n...", "", Order::Exact));
        assert!(!check("a\n...", "b\na", Order::Exact));
        assert!(!check("...\nb", "b\na", Order::Exact));
        assert!(!check("a\n...\na", "a", Order::Exact), "a line is used once");
        assert!(!check("...\na\n...\nb\n...", "b\na", Order::Exact));
    }

    #[test]
    fn anything_in_an_unordered_reply_leaves_elements_out() {
        let got = "1) \"c\"\n2) \"a\"\n3) \"b\"";
        assert!(check("1) \"a\"\n...", got, Order::Any));
        assert!(check("1) \"b\"\n2) \"c\"\n...", got, Order::Any));
        assert!(!check("1) \"d\"\n...", got, Order::Any));
        assert!(!check("1) \"a\"\n2) \"a\"\n...", got, Order::Any));
        let page = "1) \"0\"\n2) 1) \"c\"\n   2) \"a\"";
        assert!(check("1) \"0\"\n2) 1) \"a\"\n...", page, Order::Any));
        assert!(!check("1) \"9\"\n2) 1) \"a\"\n...", page, Order::Any));
        assert!(check("...", "1) \"a\"", Order::Any));
    }
}
