//! keylatch: a key-value engine that speaks Redis.
//!
//! The source is built in floors; a file uses its own floor and those below:
//!
//! - `base`: clocks, bytes, numbers, chance, the headroom of memory
//! - `store`: memory structures, such as the slab and the hash index
//! - `values`: lists, hashes, sets, sorted sets, sketches
//! - `resp`: decoder, encoder and reader of the protocol, every error text
//! - `keyspace`: databases of keys with deadlines, and the typed operations
//! - `server`: clients, channels, configuration, statistics: data only
//! - `commands`: one row and one handler each
//! - `engine`: dispatch, blocked clients, persistence, [`Keylatch`]
//! - `connection`: one client's stream of bytes
//! - `session`: command sessions, which are tests and documentation
//! - `wasm`: the only floor that names JavaScript
//!
//! Nothing here reads a clock or a random source: time and chance are arguments. Bytes go in, bytes come out.
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
#![no_std]
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
pub use engine::keylatch::{Keylatch, Options};
pub use engine::persistence::{LoadError, Replayed};
pub use keyspace::{ClientId, Event, EventClass, EventKind};
pub use resp::decode::Limits;
pub use resp::encode::Protocol;
pub use values::rdb::DumpError;

/// The parts that the tests, fuzz targets, benches and the build program of this crate use. No version promises anything
/// about them.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::base::argv::Span;
    pub use crate::base::headroom::{Reserve, set_reserve};
    pub use crate::engine::Status;
    pub use crate::server::clients::Client;

    pub mod commands {
        pub use crate::commands::*;
    }

    pub mod keyspace {
        pub use crate::keyspace::*;
        pub use crate::values::Kind;
    }

    pub mod resp {
        pub use crate::resp::{cli_text, decode, read};
    }

    /// The numbers that a host in another language calls commands by, printed as JSON.
    pub fn calling_convention() -> alloc::string::String {
        crate::engine::convention::json()
    }
}
