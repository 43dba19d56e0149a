//! Protected actions: commands that `enable-debug-command` allows to no client, to those of this machine, or to all.

use super::Server;
use super::clients::Client;
use crate::resp::error::CommandError;

/// Beginnings of loopback addresses as CLIENT LIST shows them.
const LOOPBACK: [&str; 3] = ["127.", "[::1]:", "[::ffff:127."];

impl Server {
    /// Refuses DEBUG to a client by `enable-debug-command`. The parameter concerns connections: the program itself may
    /// use DEBUG.
    pub fn check_debug(&self, client: Option<&Client>) -> Result<(), CommandError> {
        let Some(client) = client else { return Ok(()) };
        let is_allowed = match self.config.get("enable-debug-command") {
            "yes" => true,
            "local" => is_local(&client.address),
            _ => client.address.is_empty(),
        };
        if is_allowed { Ok(()) } else { Err(CommandError::DEBUG_NOT_ALLOWED) }
    }
}

/// Whether an address is on this machine: none, loopback, or a Unix socket, which has port 0.
fn is_local(address: &str) -> bool {
    address.is_empty() || address.ends_with(":0") || LOOPBACK.iter().any(|host| address.starts_with(host))
}
