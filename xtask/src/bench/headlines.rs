//! The five figures that the README shows.

use super::aims::Measure;
use super::report;
use super::row::Row;

/// A line of the README: its text, and the numbers of one or more rows of a suite.
struct Headline {
    what: &'static str,
    suite: &'static str,
    rows: &'static [&'static str],
    measure: Measure,
    unit: &'static str,
}

const HEADLINES: [Headline; 5] = [
    Headline {
        what: "GET, cache of 1e5 keys under `maxmemory`, beside lru-cache: keys put together for the call / kept keys",
        suite: "node",
        rows: &["GET concatenated 1e5 JSON TTL, maxmemory", "GET same 1e5 JSON TTL, maxmemory"],
        measure: Measure::Ratio("lru-cache"),
        unit: " times as long",
    },
    Headline {
        what: "GET, the same 1e3 keys, beside a `Map`",
        suite: "node",
        rows: &["GET same 1e3"],
        measure: Measure::Ratio("Map"),
        unit: " times as long",
    },
    Headline {
        what: "GET over loopback, pipelines of 16, beside redis-server",
        suite: "server",
        rows: &["GET -P 16 -c 50"],
        measure: Measure::Ratio("redis-server"),
        unit: " times as many a second",
    },
    Headline {
        what: "GET as RESP, 100 in one call",
        suite: "node",
        rows: &["RESP pipeline 100 GET 1e3"],
        measure: Measure::Rate,
        unit: "/s",
    },
    Headline {
        what: "memory for a key of 16 bytes and its value of 32",
        suite: "memory",
        rows: &["bytes counted 1e6"],
        measure: Measure::Own,
        unit: " bytes",
    },
];

/// A Markdown table; `rows_of` returns the rows of a suite. Figures that were not measured are left out.
pub(crate) fn table<'a>(rows_of: impl Fn(&str) -> &'a [Row]) -> String {
    let mut text = String::from("\n| what | measured |\n|---|---:|\n");
    for Headline { what, suite, rows, measure, unit } in HEADLINES {
        let numbers: Option<Vec<String>> =
            rows.iter().map(|row| measure.of(rows_of(suite), row).map(report::number)).collect();
        if let Some(numbers) = numbers {
            text += &format!("| {what} | {}{unit} |\n", numbers.join(" / "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::row::Figure;
    use super::*;

    #[test]
    fn a_figure_that_was_not_measured_is_left_out() {
        let row = Row {
            table: "Bytes a key".into(),
            name: "bytes counted 1e6".into(),
            unit: "B".into(),
            figures: vec![Figure { of: "keylatch".into(), value: 68.0, ratio: None }],
        };
        let text = table(|suite| if suite == "memory" { std::slice::from_ref(&row) } else { &[] });
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.contains("| 68.0 bytes |"), "{text}");
    }
}
