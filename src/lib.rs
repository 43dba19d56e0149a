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
pub mod commands;
mod connection;
mod engine;
mod keyspace;
pub mod resp;
mod server;
mod session;
mod store;
mod values;
#[cfg(feature = "wasm")]
mod wasm;

pub use base::argv::{Argv, ArgvRef, Span};
#[cfg(feature = "std")]
pub use base::clock::SystemClock;
pub use base::clock::{Clock, ManualClock, Monotonic, MovableClock, Timestamp};
pub use base::headroom::{Reserve, set_reserve};
pub use connection::{Connection, Fed, Meter, OUTPUT_MAX};
pub use engine::Status;
pub use engine::keylatch::{Keylatch, Options, Turn};
pub use engine::persistence::{LoadError, Replayed};
pub use keyspace::{
    BitOperation, BitRange, Choice, CommonRun, CommonSubsequence, Comparison, CopyOptions, Counting, DATABASES,
    DeadlineCondition, Error, Event, EventClass, EventKind, Expiry, FieldAction, FieldOperation, FieldType, Frequency,
    Inspected, Inspection, Keyspace, MemoryLimit, Overflow, PastUse, Presence, RangeUnit, RestoreOptions, ScanFilter,
    SetOptions, SetOutcome, TimeToLive, Txn,
};
pub use resp::decode::{Decoder, Limits, Next, ProtocolError};
pub use resp::encode::Protocol;
pub use server::clients::{Client, ClientId};
pub use session::{
    Action, ClientReport, ClockMove, Expectation, Failure, Report, SESSION_START, Session, SessionError, Step,
    StepKind, Verdict, parse as parse_session, run as run_session,
};
pub use values::Kind;

/// The numbers that a host in another language calls commands by, as JSON.
#[doc(hidden)]
pub fn calling_convention() -> alloc::string::String {
    engine::convention::json()
}
