//! Kinds of the lines of a text, for editors and pages that show it before it runs.

use super::line::{Line, client_of, database_of};
use super::lines::{SourceLine, lines};

/// A line of a text, as [`parse`](super::parse()) reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct OutlineLine<'a> {
    /// Kind as a word: that of a step, or `event`, `literal`, `anything`, `reply`, `prompt` without a command, `script` for a line
    /// that belongs to the command above it, or `ignored`.
    pub(crate) kind: &'static str,
    /// Name in the prompt or the mark, without `[db]` and `(TX)`.
    pub(crate) name: &'a str,
    /// Client of the session that the name stands for; empty for the default client.
    pub(crate) client: &'a str,
    /// Digits of the database in the prompt; empty if it shows none.
    pub(crate) database: &'a str,
    /// Length of the prompt or the mark with the indentation, in units of UTF-16.
    pub(crate) head: usize,
}

/// Lines of a text in order, one for each. Never fails: a line that the parser refuses where it stands has a kind, too.
pub(crate) fn outline(text: &str) -> impl Iterator<Item = OutlineLine<'_>> {
    // A byte order mark is a character in front of the first line.
    let mut before = usize::from(text.starts_with('\u{feff}'));
    lines(text).flat_map(move |line| {
        let script_lines = line.script.as_ref().map_or(0, |script| script.lines);
        let script = core::iter::repeat_n(OutlineLine { kind: "script", ..OutlineLine::default() }, script_lines);
        core::iter::once(outline_line(&line, core::mem::take(&mut before))).chain(script)
    })
}

fn outline_line<'a>(SourceLine { source, line, .. }: &SourceLine<'a>, before: usize) -> OutlineLine<'a> {
    let (kind, name) = kind_and_name(line);
    let head = match line {
        Line::Command { .. } | Line::Prompt { .. } => source.text.split_once('>').map_or("", |(prompt, _)| prompt),
        Line::Receive { .. } | Line::Enter { .. } | Line::Leave { .. } => name,
        _ => return OutlineLine { kind, ..OutlineLine::default() },
    };
    let head_length = before + source.indent + head.encode_utf16().count() + 1;
    OutlineLine { kind, name, client: client_of(name), database: database_of(head), head: head_length }
}

fn kind_and_name<'a>(line: &Line<'a>) -> (&'static str, &'a str) {
    match line {
        Line::Command { base, .. } => ("command", base),
        Line::Prompt { base } => ("prompt", base),
        Line::Receive { base } => ("receive", base),
        Line::Enter { base } => ("enter", base),
        Line::Leave { base } => ("leave", base),
        Line::Race(_) => ("race", ""),
        Line::Join(_) => ("join", ""),
        Line::Heading(_) => ("heading", ""),
        Line::Comment(_) => ("comment", ""),
        Line::Clock(_) => ("clock", ""),
        Line::Event(_) => ("event", ""),
        Line::Literal(_) => ("literal", ""),
        Line::Anything => ("anything", ""),
        Line::Reply(_) => ("reply", ""),
        Line::Ignored => ("ignored", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn parts(text: &str) -> Vec<(&'static str, &str, &str, usize)> {
        outline(text).map(|line| (line.kind, line.client, line.database, line.head)).collect()
    }

    #[test]
    fn lines_have_kinds_clients_and_prompts() {
        let text =
            "\u{feff}  A[2](TX)> GET k\n  é[2](TX)> GET k\n  (nil)\n  A<\n  redis /ü.sock[12]>\n\n@ +1s\n! set k\n...";
        let without_name = |kind| (kind, "", "", 0);
        assert_eq!(
            parts(text),
            [
                ("command", "A", "2", 12),
                without_name("reply"),
                without_name("reply"),
                ("receive", "A", "", 4),
                ("prompt", "", "12", 20),
                without_name("ignored"),
                without_name("clock"),
                without_name("event"),
                without_name("anything"),
            ]
        );
        assert_eq!(outline("keylatch> PING").next().map(|line| (line.name, line.client)), Some(("keylatch", "")));
    }

    #[test]
    fn a_script_takes_the_lines_that_its_command_joins() {
        let text = "> EVAL \"return\n1\" 0\n(integer) 1\n> EVAL \"return\n(nil)";
        let kinds: Vec<&str> = outline(text).map(|line| line.kind).collect();
        assert_eq!(kinds, ["command", "script", "reply", "command", "reply"]);
        assert_eq!(outline("").count(), 1);
    }
}
