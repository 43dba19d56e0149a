//! Rows as Markdown: a table for each heading, and one of the aims.

use super::aims::{self, Aim, Bound, Measure, Verdict};
use super::row::{Figure, Row};

/// All tables of a suite. A cell has the figure, and the ratio of keylatch's figure to it.
pub(crate) fn tables(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut rest = rows;
    while let Some(first) = rest.first() {
        let length = rest.iter().take_while(|row| row.table == first.table).count();
        text += &table(&rest[..length]);
        rest = &rest[length..];
    }
    text
}

/// Table of the rows of one heading. A column that some rows lack is empty there.
fn table(rows: &[Row]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for figure in rows.iter().flat_map(|row| &row.figures) {
        if !columns.contains(&figure.of.as_str()) {
            columns.push(&figure.of);
        }
    }
    let mut text =
        format!("\n| {} | {} |\n|---|{}\n", rows[0].table, columns.join(" | "), "---:|".repeat(columns.len()));
    for row in rows {
        let cell = |of: &&str| row.figure(of).map(|figure| shown(figure, &row.unit)).unwrap_or_default();
        let cells: Vec<String> = columns.iter().map(cell).collect();
        text += &format!("| {} | {} |\n", row.name, cells.join(" | "));
    }
    text
}

fn shown(figure: &Figure, unit: &str) -> String {
    let value = with_unit(number(figure.value), unit);
    match figure.ratio {
        Some(ratio) => format!("{value} ({})", number(ratio)),
        None => value,
    }
}

fn with_unit(number: String, unit: &str) -> String {
    let blank = if unit.is_empty() || unit.starts_with('/') { "" } else { " " };
    format!("{number}{blank}{unit}")
}

/// Formats a number with three digits, or more if its integer part has more.
pub(crate) fn number(value: f64) -> String {
    match value {
        _ if value >= 1e6 => format!("{:.1} M", value / 1e6),
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// An aim with its measured number.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) aim: Aim,
    pub(crate) measured: f64,
    /// The unit of the row.
    unit: String,
    pub(crate) verdict: Verdict,
}

pub(crate) fn judge(suite: &str, rows: &[Row]) -> Vec<Judged> {
    let judged = |aim: Aim| {
        let unit = rows.iter().find(|row| row.name == aim.row)?.unit.clone();
        let measured = aim.measured(rows)?;
        let verdict = aim.verdict(measured);
        Some(Judged { aim, measured, unit, verdict })
    };
    aims::of(suite).into_iter().filter_map(judged).collect()
}

/// The aims of several suites as one table, with a count.
pub(crate) fn aims_table(all: &[Judged]) -> String {
    let count = |verdict| all.iter().filter(|judged| judged.verdict == verdict).count();
    let [met, below, missed] = [Verdict::Met, Verdict::BelowAim, Verdict::Miss].map(count);
    let mut text = format!("\nOf {} aims: {met} met, {below} below aim, {missed} missed.\n", all.len());
    text += "\n| where | what | measured | aim (floor) | |\n|---|---|---:|---:|---|\n";
    for Judged { aim, measured, unit, verdict } in all {
        let (what, unit) = match aim.measure {
            Measure::Own => (String::new(), unit.as_str()),
            Measure::Rate => (String::new(), "/s"),
            Measure::Ratio(store) => (format!(", ratio to {store}"), ""),
            Measure::Beside(other) => (format!(", ratio to {other}"), ""),
        };
        let measured = with_unit(number(*measured), unit);
        let (suite, row, verdict) = (aim.suite, &aim.row, verdict.text());
        text += &format!("| {suite} | {row}{what} | {measured} | {} | {verdict} |\n", limits(aim, unit));
    }
    text
}

/// The aim, and the floor if it differs.
fn limits(aim: &Aim, unit: &str) -> String {
    let sign = match aim.bound {
        Bound::AtMost => "<=",
        Bound::AtLeast => ">=",
    };
    let shown = |limit| with_unit(number(limit), unit);
    let floor = if aim.floor == aim.aim { String::new() } else { format!(" ({})", shown(aim.floor)) };
    format!("{sign} {}{floor}", shown(aim.aim))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, figures: &[(&str, f64, Option<f64>)]) -> Row {
        let figure =
            |(of, value, ratio): &(&str, f64, Option<f64>)| Figure { of: (*of).into(), value: *value, ratio: *ratio };
        Row { table: "1e3".into(), name: name.into(), unit: "ns".into(), figures: figures.iter().map(figure).collect() }
    }

    #[test]
    fn a_column_that_a_row_lacks_is_empty() {
        let rows = [
            row("GET", &[("keylatch", 100.0, None), ("Map", 50.0, Some(2.0))]),
            row("INCR", &[("keylatch", 9.0, None)]),
        ];
        let text = tables(&rows);
        assert!(text.contains("| GET | 100 ns | 50.0 ns (2.00) |"), "{text}");
        assert!(text.contains("| INCR | 9.00 ns |  |"), "{text}");
    }

    #[test]
    fn an_aim_is_judged_where_it_was_measured() {
        let rows = [row("GET same 1e3", &[("keylatch", 100.0, None), ("Map", 10.0, Some(10.0))])];
        let judged = judge("node", &rows);
        assert_eq!(judged.len(), 1);
        assert!(aims_table(&judged).contains("Of 1 aims: 0 met, 0 below aim, 1 missed."));
        assert!(
            aims_table(&judged).contains("| node | GET same 1e3, ratio to Map | 10.0 | <= 3.50 (4.50) | **MISS** |")
        );
    }
}
