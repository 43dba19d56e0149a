//! Roles of commands that the engine treats unlike others, and ACL categories that differ from the group's.

use crate::server::secrets::Secrets;

/// Role for which the engine treats a command unlike others. A row has at most one; flags state all else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Treated as its flags say.
    Regular,
    /// Chooses the database of the commands that follow: of guards in a transaction, of effects in a log.
    ChoosesDatabase,
    /// Begins a unit of effects in a log. The command with the flag `RUNS_QUEUE` ends it.
    BeginsUnit,
    /// Read-only, yet in logs of Redis, which stores its result in the value.
    LoggedRead,
    /// Creates a value from a payload of DUMP, the third argument.
    Restores,
    /// Sent by health checks: refused while the store fails, so that they notice it.
    HealthCheck,
    /// Leaves CLIENT CACHING in force for the next command.
    KeepsCaching,
    /// Tool that configuration forbids to clients.
    DebugTool,
    /// Runs the script that is its first argument.
    RunsText,
    /// Keeps the script or library that is one of its arguments.
    LoadsText,
    /// Runs the script with the digest that is its first argument.
    RunsDigest,
    /// Runs a function.
    RunsFunction,
    /// Has passwords among its arguments.
    Secret(Secrets),
}

impl Role {
    /// Returns the arguments that SLOWLOG and MONITOR redact.
    pub fn secrets(self) -> Secrets {
        match self {
            Role::Secret(secrets) => secrets,
            _ => Secrets::None,
        }
    }
}

/// Source of the ACL category of a row's family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FamilyCategory {
    /// Category of the row's group.
    OfGroup,
    /// That of connections, although the group is another one.
    Connection,
    /// Those of lists, sets and sorted sets.
    SortedTypes,
    Absent,
}
