//! The Lua machine behind scripts and functions. It knows Lua and the table `redis`; commands reach it through
//! [`Machine`] alone, so that another machine can take its place.
//!
//! A machine is a cache: texts are kept by `server/scripts`, and a machine is built again after a fork, a load or a
//! migration. While a script runs, the state of the engine is in the [`Host`](crate::lua::host::Host) that both share.

mod arguments;
mod builtins;
mod classes;
mod collections;
mod compiler;
pub mod conversion;
mod coroutines;
mod errors;
mod format;
mod globals;
pub mod instructions;
mod lua;
mod memory;
pub mod natives;
mod patterns;
mod protected_calls;
pub mod protection;
mod redis_table;
mod registration;
mod results;
mod standard;
mod strings;
mod suspension;
mod thread;

pub use errors::Failure;
pub use globals::World;
pub use lua::{Compiled, LoadedFunction, Machine, Progress};
