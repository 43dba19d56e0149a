//! CLIENT KILL: closes the connections that match filters.

use alloc::vec::Vec;

use super::types::{client_type, type_of};
use crate::base::clock::Timestamp;
use crate::base::number::parse_integer;
use crate::commands::table::args::{Args, is};
use crate::commands::{Context, Reply};
use crate::resp::error::{CommandError, ErrorText};
use crate::server::clients::{Client, ClientId};

const MS_PER_SECOND: i64 = 1000;

/// Filters of CLIENT KILL. A client matches if all given filters match.
#[derive(Default)]
struct KillFilter<'a> {
    id: Option<ClientId>,
    kind: Option<&'static str>,
    address: Option<&'a [u8]>,
    local_address: Option<&'a [u8]>,
    /// Least age of the connection, in seconds.
    min_age_s: Option<i64>,
    skip_me: bool,
}

impl KillFilter<'_> {
    fn matches(&self, client: &Client, sender: ClientId, now: Timestamp) -> bool {
        let age_s = now.ms_since(client.connected_at) / MS_PER_SECOND;
        self.id.is_none_or(|id| id == client.id)
            && self.kind.is_none_or(|kind| kind == type_of(client))
            && self.address.is_none_or(|address| address == client.address.as_bytes())
            && self.local_address.is_none_or(|address| address == client.local_address.as_bytes())
            && self.min_age_s.is_none_or(|min_age_s| age_s >= min_age_s)
            && !(self.skip_me && client.id == sender)
    }
}

/// `CLIENT KILL address`, or `CLIENT KILL` with filters.
pub(super) fn kill(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let old_format = args.left() == 1;
    let filter = if old_format {
        KillFilter { address: Some(args.bytes()?), ..KillFilter::default() }
    } else {
        kill_filter(args)?
    };
    let (sender, now) = (cx.client, cx.now);
    let clients = cx.clients.iter().filter(|client| filter.matches(client, sender, now));
    let killed: Vec<ClientId> = clients.map(|client| client.id).collect();
    killed.iter().for_each(|client| cx.clients.close(*client));
    match (old_format, killed.len()) {
        (true, 0) => return Err(CommandError::NO_SUCH_CLIENT),
        (true, _) => cx.reply.ok(),
        (false, killed) => cx.reply.integer(killed as i64),
    }
    Ok(())
}

/// Reads the filters. Unlike the old format, they skip the sender by default.
fn kill_filter<'a>(args: &mut Args<'a>) -> Result<KillFilter<'a>, CommandError> {
    let mut filter = KillFilter { skip_me: true, ..KillFilter::default() };
    while let Some(word) = args.optional() {
        let value = args.bytes()?;
        match word {
            _ if is(word, "ID") => {
                let id = parse_integer(value).filter(|&id| id > 0).ok_or(CommandError::BAD_CLIENT_ID)?;
                filter.id = Some(ClientId(u32::try_from(id).unwrap_or(0)));
            }
            _ if is(word, "TYPE") => filter.kind = Some(client_type(args, value)?),
            _ if is(word, "ADDR") => filter.address = Some(value),
            _ if is(word, "LADDR") => filter.local_address = Some(value),
            _ if is(word, "USER") && value != b"default" => {
                return Err(args.refuse(ErrorText::quoted("ERR No such user", value)));
            }
            _ if is(word, "USER") => {}
            _ if is(word, "SKIPME") && is(value, "YES") => filter.skip_me = true,
            _ if is(word, "SKIPME") && is(value, "NO") => filter.skip_me = false,
            _ if is(word, "MAXAGE") => filter.min_age_s = Some(parse_integer(value).ok_or(CommandError::BAD_MAX_AGE)?),
            _ => return Err(CommandError::SYNTAX),
        }
    }
    Ok(filter)
}
