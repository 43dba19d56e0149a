//! Lua: scripts and functions on a machine that reaches the engine through [`host::Host`] alone.

pub mod host;
pub mod limits;
pub mod shebang;
