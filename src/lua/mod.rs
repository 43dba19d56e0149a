//! Lua: scripts and functions on a machine that reaches the engine through [`host::Host`] alone.

mod charges;
pub mod host;
mod libraries;
pub mod limits;
pub mod machine;
pub mod shebang;
