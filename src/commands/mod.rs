//! Commands. Each command is one [`Row`] in its family's file; COMMAND, help and documentation are printed from it.
//! A handler reads its arguments through a cursor, calls typed operations of the keyspace and writes its reply.
//! Handlers have no access to sockets, JavaScript or clocks.

mod acl;
mod bitfield;
mod bits;
mod blocking;
mod call;
mod client;
mod cluster;
mod config;
mod connection;
mod context;
mod diagnostics;
mod dump;
mod expiry;
mod geo;
mod hashes;
mod help;
mod info;
mod keys;
mod latches;
mod lcs;
mod line;
mod lists;
mod memory;
mod module;
mod multi_pop;
mod outcome;
mod pages;
mod pubsub;
mod replication;
mod request;
mod saving;
mod script;
mod server;
mod sets;
mod shutdown;
mod sketches;
mod sort;
mod sorted_sets;
mod streams;
mod strings;
mod table;
mod tracking;
mod transactions;

pub use blocking::headroom_to_wait;
pub use call::{SliceOutcome, call, resume, run_handler, run_queued};
pub use context::{CommandTable, Context, Handler, Reply, Row, State};
pub(crate) use keys::encoding;
pub use line::{LineError, LineErrorKind, split_line};
pub use outcome::{BlockOn, Blocking, HostReport, Outcome, Resumed, Wanted};
pub use request::{Request, resolve, unknown};
pub use script::may_write;
pub use table::args::Args;
pub use table::catalog::{all_rows, find, rows};
#[cfg(feature = "internals")]
pub use table::export::json;
pub use table::flags;
pub use table::grammar::{Argument, ArgumentKind, parse as parse_grammar, syntax};
pub use table::role::Role;
pub use table::row::{Begin, Find, Group, KeyAccess, KeySpec};
