//! Latches: locks, semaphores, limits and barriers as typed operations. Their state is in ordinary hashes, sorted sets,
//! sets and strings, so that a log and a snapshot load in Redis.
//!
//! A latch is a hash with one field for each owner. The field's value is a [`Holder`], and its deadline is the end of
//! the lease, with the delay that follows a lost lease.

mod acquire;
mod arrive;
mod lease;
mod limit;
mod once;

pub use acquire::{Demand, Request, acquire, has_deadlock, queue_of};
pub use arrive::{arrivals, arrive};
pub use lease::{Keys, Lease, Renewal, check, lease_of, release, renew};
pub use limit::{Algorithm, Usage, Verdict, limit};
pub use once::{Once, done, once};
