//! Logs and snapshots: written data can be read back, torn or damaged data is refused without harm, and a real server
//! reads and writes the same.

#[path = "support/dice.rs"]
mod dice;
#[path = "persistence/harness.rs"]
mod harness;
#[path = "persistence/log.rs"]
mod log;
#[path = "support/mutation.rs"]
mod mutation;
#[path = "persistence/real_server.rs"]
mod real_server;
#[path = "support/redis.rs"]
mod redis;
#[path = "persistence/skip.rs"]
mod skip;
#[path = "persistence/snapshot.rs"]
mod snapshot;
#[path = "persistence/workload.rs"]
mod workload;
