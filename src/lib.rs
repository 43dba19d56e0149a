//! A key-value engine that speaks Redis, for native code, bare metal and WebAssembly.
//!
//! [`Keylatch`] is the engine: requests go in as arguments ([`Argv`]) with the time of a [`Clock`], and replies come out as
//! RESP. It opens no socket or file, and never reads a clock or a source of randomness by itself.
//!
//! ```
//! use keylatch::{Argv, Keylatch, ManualClock, Options, Timestamp};
//!
//! let mut db = Keylatch::new(Options::default(), ManualClock::new(Timestamp::from_ms(0)));
//! let client = db.connect();
//! let mut reply = Vec::new();
//! db.execute(client, Argv::from_slices(&["SET", "lock", "me", "NX", "PX", "5000"]).as_ref(), &mut reply);
//! assert_eq!(reply, b"+OK\r\n");
//! ```
//!
//! | for | use |
//! |---|---|
//! | single requests, many at one instant | [`Keylatch::execute`], [`Keylatch::turn`] |
//! | a server: bytes of a socket in, bytes out | [`Connection`] |
//! | expiry without polling | [`Keylatch::next_deadline`], [`Keylatch::tick`] |
//! | events of keys | [`Keylatch::listen`], [`Keylatch::take_events`] |
//! | an append-only file, a snapshot (RDB) | [`Keylatch::take_effects`], [`Keylatch::replay`], [`Keylatch::snapshot`], [`Keylatch::load`] |
//! | tests as text | [`session`] |
//!
//! Replies and error texts are those of Redis 8.6.3, checked against recorded replies of a real server. A key with a deadline is alive while the clock shows no
//! more than that deadline. Memory that cannot be had is an error reply (`OOM`), never an abort, where the allocator returns
//! errors.
//!
//! Features: `std` (default) adds [`SystemClock`]; without it the crate needs `alloc` only. `wasm` is the boundary to
//! JavaScript of the npm package `keylatch`. `scripting` adds a Lua machine for EVAL and functions; it needs `std`, and an
//! engine with it cannot move to another thread.
#![no_std]
#![cfg_attr(not(feature = "internals"), warn(missing_docs))]
#![deny(clippy::dbg_macro, clippy::todo)]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod base;
// Some names are re-exported for `internals` alone.
#[cfg_attr(not(feature = "internals"), allow(unused_imports))]
mod commands;
mod connection;
mod engine;
#[cfg_attr(not(feature = "internals"), allow(unused_imports))]
mod keyspace;
#[cfg(feature = "scripting")]
mod lua;
mod resp;
mod server;
pub mod session;
mod store;
mod values;
#[cfg(feature = "wasm")]
mod wasm;

pub use base::argv::{Argv, ArgvRef};
#[cfg(feature = "std")]
pub use base::clock::SystemClock;
pub use base::clock::{Clock, ManualClock, Monotonic, MovableClock, Timestamp};
pub use base::headroom::OutOfMemory;
pub use connection::{Connection, Fed, Meter, OUTPUT_MAX};
pub use engine::Turn;
pub use engine::fact_queue::FactQueue;
pub use engine::keylatch::{Keylatch, Options};
pub use engine::persistence::{LoadError, Replayed};
pub use engine::script_control::ScriptControl;
pub use keyspace::{ClientId, Event, EventClass, EventKind, Fact, FactKind, FieldFact, Hold};
pub use resp::decode::Limits;
pub use resp::encode::Protocol;
pub use values::Mode;

/// The parts that the tests, fuzz targets, benches and the build program of this crate use. No version promises anything
/// about them.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::base::argv::Span;
    pub use crate::base::headroom::{Reserve, set_reserve};
    pub use crate::engine::persistence::skipped::{Skipped, SkippedPart};
    pub use crate::engine::{InspectedPart, Status};
    pub use crate::server::clients::Client;

    pub mod commands {
        pub use crate::commands::*;
    }

    pub mod keyspace {
        pub use crate::keyspace::*;
        pub use crate::values::{Kind, ValueRef};
    }

    pub mod resp {
        pub use crate::resp::{cli_text, decode, read};
    }

    /// The numbers that a host in another language calls commands by, printed as JSON.
    pub fn calling_convention() -> alloc::string::String {
        crate::engine::convention::json()
    }
}
