//! Scripting family: EVAL, SCRIPT, FUNCTION and FCALL. The rows are part of every build. Lua is behind the feature
//! `scripting`: without it, commands that run or compile a text answer how to get it.

#[cfg_attr(not(feature = "scripting"), path = "execution/absent.rs")]
mod execution;
mod flush_type;
mod library_commands;
mod rows;

pub(super) use rows::ROWS;

pub use execution::{may_write, resume};
