//! LATCH.ARRIVE.

use super::acquire::{wait_for, waited};
use super::options::{keyword, number, once, ttl, wait};
use crate::commands::blocking::headroom_to_wait;
use crate::commands::table::args::{Args, is};
use crate::commands::{Blocking, Context, Reply};
use crate::keyspace::latches::{self, Demand};
use crate::keyspace::{Queue, QueuePosition};
use crate::resp::error::CommandError;
use crate::values::Mode;

/// `LATCH.ARRIVE key member PARTIES n TTL ms [WAIT ms] [PEEK]`. A client that waits has arrived once: after the key
/// expired or was deleted, it does not arrive again.
pub(super) fn arrive(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, member) = (args.bytes()?, args.bytes()?);
    keyword(args, "PARTIES")?;
    let parties = number(args, 1, CommandError::INVALID_PARTIES)?;
    let ttl_ms = ttl(args, cx.now)?;
    let (mut until, mut peek) = (None, None);
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "WAIT") => once(&mut until, wait(args, cx.now)?)?,
            _ if is(word, "PEEK") => once(&mut peek, ())?,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let size = usize::try_from(parties).unwrap_or(usize::MAX);
    let arrived = if peek.is_some() || cx.resumed.is_some() {
        latches::arrivals(&mut cx.txn(), key)?
    } else {
        check_parties(cx, key, parties)?;
        let may_wait = until.flatten().is_some() && cx.blocking == Blocking::Allowed;
        let _held = if may_wait { Some(headroom_to_wait(args.argv())?) } else { None };
        latches::arrive(&mut cx.txn(), key, member, size, ttl_ms)?
    };
    match until.flatten() {
        Some(until) if arrived < size && cx.blocking == Blocking::Allowed => {
            let demand = Demand { mode: Mode::Permits, permits: 1, limit: parties };
            let keys = alloc::vec![waited(cx, (key, member), (Queue::Barrier, demand), (until, false))];
            wait_for(cx, keys, None, until);
        }
        _ => {
            cx.reply.array(3);
            cx.reply.integer((arrived >= size).into());
            cx.reply.integer(arrived as i64);
            cx.reply.integer(parties);
        }
    }
    Ok(())
}

/// Checks that clients which wait at the barrier count as many parties.
fn check_parties(cx: &Context<'_>, key: &[u8], parties: i64) -> Result<(), CommandError> {
    let waiters = &cx.keyspace.interest.waiters;
    let is_same = !waiters.want_changes()
        || waiters
            .after(cx.database(), key, Queue::Barrier, QueuePosition(0))
            .is_none_or(|(_, waiter)| waiter.limit == parties);
    if is_same { Ok(()) } else { Err(CommandError::INVALID_PARTIES) }
}
