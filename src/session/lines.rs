//! Lines of a session in their blocks: without the indentation of the block, each with its kind, and a script over several
//! lines as one. The parser and the kinds that editors show are made of the same lines.

use alloc::vec::Vec;

use super::line::{Line, classify, without_trailing_blanks};
use super::typed::{Script, script};

/// A line with its kind.
pub(super) struct SourceLine<'a> {
    pub(super) source: SourceText<'a>,
    pub(super) line: Line<'a>,
    /// Script of a command that goes on over the lines below.
    pub(super) script: Option<Script>,
}

/// Lines of a text in order, without those that belong to the script of a command above them.
pub(super) fn lines(text: &str) -> impl Iterator<Item = SourceLine<'_>> {
    let texts = dedented_lines(text);
    let mut index = 0;
    core::iter::from_fn(move || {
        let source = *texts.get(index)?;
        let line = classify(source.text);
        let below = texts.get(index + 1..).unwrap_or_default().iter().map(|source| source.text);
        let script = if let Line::Command { text, .. } = line { script(text, below) } else { None };
        index += 1 + script.as_ref().map_or(0, |script| script.lines);
        Some(SourceLine { source, line, script })
    })
}

/// A line freed of the indentation of its block.
#[derive(Clone, Copy)]
pub(super) struct SourceText<'a> {
    pub(super) number: usize,
    pub(super) indent: usize,
    pub(super) text: &'a str,
}

fn dedented_lines(text: &str) -> Vec<SourceText<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines: Vec<SourceText<'_>> =
        text.split('\n').enumerate().map(|(index, text)| SourceText { number: index + 1, indent: 0, text }).collect();
    let mut indentation_above = "";
    for block in lines.split_mut(|line| without_trailing_blanks(line.text).is_empty()) {
        indentation_above = indentation_to_cut(block, indentation_above);
        for line in block {
            line.indent = indentation_above.len();
            line.text = line.text.get(line.indent..).unwrap_or_default();
        }
    }
    lines
}

/// The indentation that a whole block shares. A block that begins with a reply goes on with the block above and is
/// cut as that was, since the indentation of a reply is part of it.
fn indentation_to_cut<'a>(block: &[SourceText<'a>], indentation_above: &'a str) -> &'a str {
    let Some(first) = block.first() else { return indentation_above };
    let shared = block.iter().map(|line| indentation(line.text)).reduce(common_prefix).unwrap_or_default();
    match first.text.get(shared.len()..).map(classify) {
        Some(Line::Reply(_) | Line::Anything) => common_prefix(shared, indentation_above),
        _ => shared,
    }
}

fn indentation(line: &str) -> &str {
    let text_length = line.trim_start_matches([' ', '\t']).len();
    line.get(..line.len() - text_length).unwrap_or_default()
}

fn common_prefix<'a>(a: &'a str, b: &'a str) -> &'a str {
    let length = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    a.get(..length).unwrap_or_default()
}
