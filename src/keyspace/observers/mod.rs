//! Observers of changes: events, effects for the log, watched, waited-for and tracked keys. Clients are opaque ids
//! here.

pub(super) mod client_id;
pub(super) mod effect;
pub(super) mod event;
pub(super) mod facts;
pub(super) mod interest;
pub(super) mod tracking;
pub(super) mod waiters;
