//! Command table: the form of rows and their arguments, the list of all rows, and all texts that are printed from it.

pub mod args;
pub mod catalog;
pub mod command_table;
#[cfg(feature = "internals")]
mod deprecated;
pub mod docs;
#[cfg(feature = "internals")]
pub mod export;
pub mod flags;
pub mod grammar;
pub mod introspection;
pub mod keys_of;
pub mod options;
pub mod role;
pub mod row;
