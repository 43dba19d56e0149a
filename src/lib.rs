//! keylatch: a key-value engine that speaks Redis.
//!
//! The engine is built in floors; a file uses the floors below it and nothing above:
//!
//! - ground: `clock`, `argv`, `bytes`, `number`, `glob`, `random`, `hash`, `slab`, `slots`, `table`, `deadlines`, `geo`, `sorted`, `registry`
//! - values: `value`, `reply`, `request`
//! - keyspace: `keyspace`, typed operations on databases of values with deadlines
//! - server: `client`, `pubsub`, `invalidations`, `config`, `stats`, `server`
//! - commands: `command`, one row and one handler each
//! - engine: `engine`, `persistence`, [`Keylatch`]
//! - faces: `transcript`, `connection`, and `wasm`, the only place that knows JavaScript
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

mod argv;
mod bytes;
mod client;
mod clock;
pub mod command;
mod config;
mod connection;
mod deadlines;
mod engine;
mod geo;
mod glob;
mod hash;
mod invalidations;
mod keylatch;
mod keyspace;
mod memory;
mod number;
mod persistence;
mod pubsub;
mod random;
mod registry;
pub mod reply;
mod request;
mod server;
mod slab;
mod slots;
mod sorted;
mod stats;
mod table;
mod transcript;
mod value;
#[cfg(feature = "wasm")]
mod wasm;

pub use argv::{Argv, ArgvRef, Span};
pub use client::{Client, ClientId};
#[cfg(feature = "std")]
pub use clock::SystemClock;
pub use clock::{Clock, ManualClock, Monotonic, MovableClock, Timestamp};
pub use connection::{Connection, Fed, Meter, OUTPUT_MAX};
pub use engine::Status;
pub use keylatch::{Keylatch, Options, Turn};
pub use keyspace::{
    BitOperation, BitRange, Choice, CommonRun, CommonSubsequence, Comparison, CopyOptions, Counting, DATABASES,
    DeadlineCondition, Error, Event, EventClass, EventKind, Expiry, FieldAction, FieldOperation, FieldType, Frequency,
    Inspected, Inspection, Keyspace, MemoryLimit, Overflow, PastUse, Presence, RangeUnit, RestoreOptions, ScanFilter,
    SetOptions, SetOutcome, Space, TimeToLive,
};
pub use memory::{Reserve, tell_reserve};
pub use persistence::{LoadError, Replayed};
pub use reply::writer::Protocol;
pub use request::{Decoder, Limits, Next, ProtocolError};
pub use transcript::{
    Action, ClientReport, ClockMove, Expectation, Failure, Report, SESSION_START, Session, SessionError, Step,
    StepKind, Verdict, parse as parse_session, run as run_session,
};
pub use value::Kind;

/// The numbers that a host in another language calls commands by, printed as TypeScript for the npm package.
#[doc(hidden)]
pub fn calling_convention() -> alloc::string::String {
    engine::convention::typescript()
}
