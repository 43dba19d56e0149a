//! Output of a bench: rows of figures, one line of JSON each.

use serde_json::{Value, json};

use crate::failure::{Failure, Result};

/// A measurement with several stores.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Heading of its table.
    pub(crate) table: String,
    pub(crate) name: String,
    pub(crate) unit: String,
    /// The columns, keylatch first.
    pub(crate) figures: Vec<Figure>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) of: String,
    pub(crate) value: f64,
    /// Ratio of keylatch's figure to this one: the median over the rounds.
    pub(crate) ratio: Option<f64>,
}

impl Row {
    pub(crate) fn figure(&self, of: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.of == of)
    }

    pub(crate) fn to_json(&self) -> Value {
        let figure = |figure: &Figure| json!({ "of": figure.of, "value": figure.value, "ratio": figure.ratio });
        let figures: Vec<Value> = self.figures.iter().map(figure).collect();
        json!({ "table": self.table, "row": self.name, "unit": self.unit, "figures": figures })
    }

    /// None when a field is missing, or a figure is no finite number above zero.
    pub(crate) fn from_json(value: &Value) -> Option<Row> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let figures: Option<Vec<Figure>> = value["figures"].as_array()?.iter().map(figure).collect();
        let figures = figures.filter(|figures| !figures.is_empty())?;
        Some(Row { table: text("table")?, name: text("row")?, unit: text("unit")?, figures })
    }
}

fn figure(value: &Value) -> Option<Figure> {
    let number = |name: &str| value[name].as_f64().filter(|number| number.is_finite() && *number > 0.0);
    let ratio = if value["ratio"].is_null() { None } else { Some(number("ratio")?) };
    Some(Figure { of: value["of"].as_str()?.to_owned(), value: number("value")?, ratio })
}

/// Parses the rows that a script printed.
pub(crate) fn parse(output: &str) -> Result<Vec<Row>> {
    let row = |line: &str| {
        let value = serde_json::from_str(line).ok();
        value
            .as_ref()
            .and_then(Row::from_json)
            .ok_or_else(|| Failure::new(format!("a bench printed no figures: {line}")))
    };
    output.lines().filter(|line| !line.trim().is_empty()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::{Row, parse};

    const LINE: &str = r#"{"table":"1e3","row":"GET","unit":"ns","figures":[{"of":"keylatch","value":100},{"of":"Map","value":50,"ratio":2}]}"#;

    #[test]
    fn a_row_is_read_and_written() {
        let rows = parse(&format!("{LINE}\n\n")).unwrap();
        assert_eq!(rows[0].figure("Map").unwrap().ratio, Some(2.0));
        assert_eq!(Row::from_json(&rows[0].to_json()).as_ref(), Some(&rows[0]));
    }

    #[test]
    fn what_is_no_figure_is_refused() {
        for wrong in ["0", "null", "-1", "\"1\""] {
            assert!(parse(&LINE.replace(":100", &format!(":{wrong}"))).is_err(), "{wrong}");
        }
        assert!(parse(&LINE.replace("row", "line")).is_err());
        assert!(parse("warming up").is_err());
    }
}
