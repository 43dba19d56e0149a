//! The engine: keyspace, clients and commands. A request with the time returns its reply; events, effects and messages
//! are queued for the host.

mod admission;
mod after_command;
mod blocked;
mod blocked_clients;
mod carry;
#[cfg(any(feature = "wasm", feature = "internals"))]
pub(crate) mod convention;
mod dispatch;
mod execute;
pub(crate) mod fact_queue;
mod gates;
mod handler;
mod host;
mod host_store;
mod inspect;
pub(crate) mod keylatch;
mod loading;
mod migrate;
mod pause;
pub(crate) mod persistence;
pub(crate) mod script_control;
mod script_slices;
mod state;
mod status;
mod string_run;
mod turn;

pub use self::execute::ERROR_BYTES;
pub use self::inspect::InspectedPart;
pub use self::state::Engine;
pub use self::status::Status;
pub(crate) use self::string_run::StringRun;
pub use self::turn::Turn;
