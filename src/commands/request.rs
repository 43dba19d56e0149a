//! Requests and their rows.

use super::context::{CommandTable, Row};
use super::table::flags;
use super::table::role::Role;
use crate::base::argv::ArgvRef;
use crate::resp::error::ErrorText;

/// Number of arguments of `SET key value`, a SET without options.
const SET_WITHOUT_OPTIONS_LEN: usize = 3;

/// A request with its row, so that the name is looked up once.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub argv: ArgvRef<'a>,
    /// Number in the table and row; `None` for an unknown command.
    pub command: Option<(u16, &'static Row)>,
}

impl<'a> Request<'a> {
    pub fn new(table: &CommandTable, argv: ArgvRef<'a>) -> Request<'a> {
        Request { argv, command: find_row(table, argv) }
    }

    /// Whether the command may depend on the time. A SET without options does not.
    #[inline(always)]
    pub fn may_need_time(&self) -> bool {
        let is_plain_set =
            |row: &Row| row.has(flags::SHORT_WITHOUT_OPTIONS) && self.argv.len() == SET_WITHOUT_OPTIONS_LEN;
        self.command.is_some_and(|(_, row)| row.has(flags::TIME) && !is_plain_set(row))
    }
}

fn find_row(table: &CommandTable, argv: ArgvRef<'_>) -> Option<(u16, &'static Row)> {
    let number = table.number(argv.get(0).unwrap_or_default())?;
    let row = table.row(number);
    let Some(word) = argv.get(1).filter(|_| !row.subcommands.is_empty()) else { return Some((number, row)) };
    let found = table.subcommand(number, word).map(|sub| (sub, table.row(sub)));
    found.filter(|(_, sub)| !combines_errors(row) || sub.accepts(argv.len()))
}

/// Whether the container has one error for an unknown subcommand and for a wrong number of arguments. DEBUG is no container
/// in Redis: its handler reads the words.
fn combines_errors(container: &Row) -> bool {
    container.role == Role::DebugTool
}

/// Returns the number and row of a request's command, or of its subcommand if the command is a container.
pub fn resolve(table: &CommandTable, argv: ArgvRef<'_>) -> Result<(u16, &'static Row), ErrorText> {
    find_row(table, argv).ok_or_else(|| unknown(table, argv))
}

/// Returns the error for a request without a row.
pub fn unknown(table: &CommandTable, argv: ArgvRef<'_>) -> ErrorText {
    let name = argv.get(0).unwrap_or_default();
    match (table.number(name).map(|number| table.row(number)), argv.get(1)) {
        (Some(container), Some(word)) if combines_errors(container) => {
            ErrorText::unknown_or_wrong(&container.name.to_ascii_uppercase(), word)
        }
        (Some(container), Some(word)) => ErrorText::unknown_subcommand(container.name, word),
        _ => ErrorText::unknown_command(name, argv.iter().skip(1)),
    }
}
