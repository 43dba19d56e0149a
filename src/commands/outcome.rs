//! Outcomes of runs of commands: a reply, a client that is blocked, or a script that is suspended.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::argv::Argv;
use crate::base::clock::Timestamp;
use crate::keyspace::{QueuePosition, WaitedKey};
use crate::server::scripts::suspended::Suspended;
use crate::values::Kind;

/// Outcome of one run of a command.
#[derive(Debug)]
pub enum Outcome {
    /// The reply is written.
    Done,
    /// No reply is written. The client is blocked; the command runs again when a key is ready or the time is over.
    Block(BlockOn),
    /// No reply is written. The command goes on when its script is resumed.
    Suspend(Box<Suspended>),
}

/// Condition that a blocked command waits for. A command that is run again and blocks again keeps its first one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockOn {
    pub wanted: Option<Wanted>,
    /// End of the timeout; `None` without one.
    pub until: Option<Timestamp>,
    /// Position of an earlier blocked command that ends, and that this one takes.
    pub takes_over: Option<QueuePosition>,
    pub report: Option<HostReport>,
    /// Request that runs again in place of the present one.
    pub request: Option<Argv>,
}

/// Report of the host that a blocked command waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostReport {
    SnapshotSaved,
    LogSynced,
    /// The host does not end, although SHUTDOWN asked it to.
    GoesOn,
}

impl BlockOn {
    /// Returns the condition of a command that waits for a timeout only.
    pub fn timeout(until: Option<Timestamp>) -> BlockOn {
        BlockOn { wanted: None, until, takes_over: None, report: None, request: None }
    }

    /// Returns the condition of a command that waits for a report of the host.
    pub fn report(report: HostReport) -> BlockOn {
        BlockOn { report: Some(report), ..BlockOn::timeout(None) }
    }

    pub fn keys(&self) -> &[WaitedKey] {
        self.wanted.as_ref().map_or(&[], |wanted| &wanted.keys)
    }
}

/// Keys of a blocked client, and the type that a new key must have for the command to run again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    pub keys: Vec<WaitedKey>,
    /// `None` if the command waits for any change of a key.
    pub kind: Option<Kind>,
}

/// Queue position of a command that was blocked and runs again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resumed {
    pub position: QueuePosition,
    /// Instant at which the command was blocked.
    pub since: Timestamp,
    pub until: Option<Timestamp>,
}

/// Whether a handler may block its client in this run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocking {
    /// The handler may block the client.
    Allowed,
    /// The handler must reply at once: the command runs in a transaction, or is replayed from a log.
    Denied,
    /// The timeout is over: the handler must write the reply for it.
    TimedOut,
}
