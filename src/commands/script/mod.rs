//! Scripting family: EVAL, SCRIPT, FUNCTION and FCALL. The rows are part of every build. Lua is behind the feature
//! `scripting`: without it, commands that run or compile a text answer how to get it.

#[cfg(feature = "scripting")]
mod bridge;
#[cfg(feature = "scripting")]
mod eval;
mod flush_type;
#[cfg(feature = "scripting")]
mod functions;
mod library_commands;
#[cfg_attr(not(feature = "scripting"), path = "absent.rs")]
#[cfg_attr(feature = "scripting", path = "present.rs")]
mod lua;
#[cfg(feature = "scripting")]
mod program;
#[cfg(feature = "scripting")]
mod rights;
mod rows;
#[cfg(feature = "scripting")]
mod run;

pub(super) use rows::ROWS;

pub use lua::{may_write, resume};
