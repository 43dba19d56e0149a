//! Commands on leases that are held: LATCH.RENEW, LATCH.RELEASE, LATCH.CHECK and LATCH.INSPECT.

use super::options::{counted_keys, number, once, token, ttl};
use crate::base::clock::Timestamp;
use crate::commands::table::args::{Args, is};
use crate::commands::{Context, Reply};
use crate::keyspace::latches::{self, Keys, Lease, Renewal};
use crate::keyspace::{Queue, QueuePosition, Waiter, hashes};
use crate::resp::encode::Writer;
use crate::resp::error::CommandError;
use crate::values::Hash;

/// `LATCH.RENEW key owner TTL ms [TOKEN t] [SHARED] [ALSO n key ...]`
pub(super) fn renew(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, owner, ttl_ms) = (args.bytes()?, args.bytes()?, ttl(args, cx.now)?);
    let (mut token_option, mut shared, mut also) = (None, None, None);
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "TOKEN") => once(&mut token_option, token(args.bytes()?)?)?,
            _ if is(word, "SHARED") => once(&mut shared, ())?,
            _ if is(word, "ALSO") => once(&mut also, counted_keys(args)?)?,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let keys = Keys { key, also: also.unwrap_or_else(|| args.argv().first(0)) };
    let renewal = Renewal { ttl_ms, token: token_option, shared: shared.is_some() };
    let remaining_ms = latches::renew(&mut cx.txn(), keys, owner, renewal)?;
    cx.reply.integer(remaining_ms.unwrap_or(0));
    Ok(())
}

/// `LATCH.RELEASE key owner [TOKEN t] [DEPTH n] [ALSO n key ...]`
pub(super) fn release(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, owner) = (args.bytes()?, args.bytes()?);
    let (mut token_option, mut depth, mut also) = (None, None, None);
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "TOKEN") => once(&mut token_option, token(args.bytes()?)?)?,
            _ if is(word, "DEPTH") => once(&mut depth, number(args, 0, CommandError::INVALID_DEPTH)?)?,
            _ if is(word, "ALSO") => once(&mut also, counted_keys(args)?)?,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let keys = Keys { key, also: also.unwrap_or_else(|| args.argv().first(0)) };
    let released = latches::release(&mut cx.txn(), keys, owner, token_option, depth.unwrap_or(0))?;
    cx.reply.integer(released as i64);
    Ok(())
}

/// `LATCH.CHECK key owner token`
pub(super) fn check(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, owner, token) = (args.bytes()?, args.bytes()?, token(args.bytes()?)?);
    let remaining_ms = latches::check(&mut cx.txn(), key, owner, token)?;
    cx.reply.integer(remaining_ms);
    Ok(())
}

/// `LATCH.INSPECT key`
pub(super) fn inspect(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let (now, database) = (cx.now, cx.database());
    let (mut txn, reply) = cx.txn_and_reply();
    let hash = hashes::find(&mut txn, key)?;
    reply.map(2);
    reply.bulk(b"holders");
    reply.array(hash.map_or(0, Hash::len));
    for field in hash.into_iter().flat_map(Hash::iter) {
        let lease = latches::lease_of(&field)?;
        write_holder(&field.name, lease, lease.remaining_ms(now), reply);
    }
    cx.reply.bulk(b"waiters");
    let (waiters, list, mut len) = (&cx.keyspace.interest.waiters, cx.reply.open(), 0);
    for queue in [Queue::Upgrade, Queue::Line] {
        let mut last = QueuePosition(0);
        while let Some((position, waiter)) = waiters.after(database, key, queue, last) {
            write_waiter(waiter, now, cx.reply);
            (last, len) = (position, len + 1);
        }
    }
    cx.reply.close_array(list, len);
    Ok(())
}

fn write_holder(owner: &[u8], lease: Lease, remaining_ms: i64, reply: &mut Writer) {
    let holder = lease.holder;
    reply.map(6);
    write_text("owner", owner, reply);
    write_text("mode", holder.mode.name().as_bytes(), reply);
    write_number("permits", holder.permits, reply);
    write_number("depth", holder.depth, reply);
    write_number("token", holder.token as i64, reply);
    write_number("remaining-ms", remaining_ms, reply);
}

fn write_waiter(waiter: &Waiter, now: Timestamp, reply: &mut Writer) {
    reply.map(5);
    write_text("owner", &waiter.owner, reply);
    write_text("mode", waiter.mode.name().as_bytes(), reply);
    write_number("client", waiter.client.0.into(), reply);
    write_number("waited-ms", now.ms_since(waiter.since).max(0), reply);
    write_number("left-ms", waiter.until.ms_since(now).max(0), reply);
}

#[inline(never)]
fn write_text(name: &str, text: &[u8], reply: &mut Writer) {
    reply.bulk(name.as_bytes());
    reply.bulk(text);
}

#[inline(never)]
fn write_number(name: &str, number: i64, reply: &mut Writer) {
    reply.bulk(name.as_bytes());
    reply.integer(number);
}
