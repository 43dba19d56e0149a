//! HELP of containers. Knows the rows of their subcommands only.

use super::Context;
use super::table::docs::help_lines;
use crate::resp::error::CommandError;

/// Writes the HELP reply of a container, printed from its rows.
pub fn write_help(cx: &mut Context<'_>, container: &str) -> Result<(), CommandError> {
    let lines = cx.table.find(container).map(help_lines).unwrap_or_default();
    cx.reply.array(lines.len());
    lines.iter().for_each(|line| cx.reply.simple(line));
    Ok(())
}
