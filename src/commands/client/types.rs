//! Types of clients in CLIENT LIST and CLIENT KILL.

use crate::commands::table::args::{Args, is};
use crate::resp::error::{CommandError, ErrorText};
use crate::server::clients::Client;

/// Types that are accepted as an argument.
const TYPES: &[&str] = &["normal", "master", "replica", "slave", "pubsub"];

/// Parses the type of a client; an error for a name that is no type.
pub(super) fn client_type(args: &Args<'_>, word: &[u8]) -> Result<&'static str, CommandError> {
    let found = TYPES.iter().find(|name| is(word, name));
    found.copied().ok_or_else(|| args.refuse(ErrorText::quoted("ERR Unknown client type", word)))
}

/// Returns the type of a client: replicas and masters do not occur.
pub(super) fn type_of(client: &Client) -> &'static str {
    if client.is_subscribed() { "pubsub" } else { "normal" }
}
