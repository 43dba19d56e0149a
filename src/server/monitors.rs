//! Monitors: clients that are shown every command.

use alloc::format;

use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::base::headroom::ensure;
use crate::resp::cli_text::quote;
use crate::server::clients::{ClientId, Clients};
use crate::server::secrets::{REDACTED, Secrets};

/// Upper bound of memory per byte of a command shown to monitors: 4 characters in quotes, in a line that grows by
/// doubling.
const SHOWN_FACTOR: usize = 12;

const US_PER_MS: i64 = 1000;
const MS_PER_SECOND: i64 = 1000;

/// Origin of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Client,
    #[cfg_attr(not(feature = "scripting"), allow(dead_code))]
    Script,
}

/// Sends a command to all monitors, without passwords.
pub fn show(
    clients: &mut Clients,
    now: Timestamp,
    sender: ClientId,
    origin: Origin,
    argv: ArgvRef<'_>,
    secrets: Secrets,
) {
    if ensure(argv.copy_len().saturating_mul(SHOWN_FACTOR)).is_err() {
        // Monitors that would miss a command are disconnected.
        return each_monitor(clients, |clients, monitor| clients.close(monitor));
    }
    let Some(client) = clients.get(sender) else { return };
    let (seconds, ms) = (now.as_ms().div_euclid(MS_PER_SECOND), now.as_ms().rem_euclid(MS_PER_SECOND));
    let address = match origin {
        Origin::Client => client.address.as_str(),
        Origin::Script => "lua",
    };
    let mut line = format!("{seconds}.{:06} [{} {address}]", ms * US_PER_MS, client.database);
    for (index, argument) in argv.iter().enumerate() {
        let shown = quote(if secrets.include(argv, index) { REDACTED.as_bytes() } else { argument });
        line = line + " " + &shown;
    }
    each_monitor(clients, |clients, monitor| {
        clients.post(monitor, |messages| messages.simple(&line));
    });
}

fn each_monitor(clients: &mut Clients, act: impl Fn(&mut Clients, ClientId)) {
    let mut next = clients.monitor_after(ClientId(0));
    while let Some(monitor) = next {
        act(clients, monitor);
        next = clients.monitor_after(monitor);
    }
}
