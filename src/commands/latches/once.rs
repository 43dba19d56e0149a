//! Work that runs once: LATCH.ONCE and LATCH.DONE.

use super::acquire::{is_given_up, position_in_line, wait_for, waited};
use super::options::{keyword, once, token, ttl, wait};
use crate::commands::table::args::{Args, is};
use crate::commands::{Blocking, Context, Reply};
use crate::keyspace::Queue;
use crate::keyspace::latches::{self, Demand, Once, Request};
use crate::resp::error::CommandError;
use crate::values::Mode;

/// `LATCH.ONCE key owner TTL ms [WAIT ms]`
pub(super) fn run_once(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, owner, ttl_ms) = (args.bytes()?, args.bytes()?, ttl(args, cx.now)?);
    let mut until = None;
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "WAIT") => once(&mut until, wait(args, cx.now)?)?,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let demand = Demand { mode: Mode::Exclusive, permits: 1, limit: 1 };
    let nothing = args.argv().first(0);
    let request =
        Request { key, also: nothing, intent: nothing, owner, demand, ttl_ms, delay_ms: 0, depth: 1, steal: false };
    let (position, is_over) = (position_in_line(cx, key, owner), is_given_up(cx));
    let state = latches::once(&mut cx.txn(), &request, position, is_over)?;
    match (&state, until.flatten()) {
        (Once::Busy(..), Some(until)) if cx.blocking == Blocking::Allowed => {
            let keys = alloc::vec![waited(cx, (key, owner), (Queue::Line, demand), (until, true))];
            wait_for(cx, keys, position, until);
        }
        _ => write(cx, &state),
    }
    Ok(())
}

fn write(cx: &mut Context<'_>, state: &Once) {
    match state {
        Once::Run(token) => {
            cx.reply.array(2);
            cx.reply.bulk(b"run");
            cx.reply.integer(*token as i64);
        }
        Once::Busy(owner, remaining_ms) => {
            cx.reply.array(3);
            cx.reply.bulk(b"busy");
            cx.reply.bulk(owner);
            cx.reply.integer(*remaining_ms);
        }
        Once::Done(result) => {
            cx.reply.array(2);
            cx.reply.bulk(b"done");
            cx.reply.bulk(result);
        }
    }
}

/// `LATCH.DONE key owner result TTL ms TOKEN t`
pub(super) fn done(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, owner, result, ttl_ms) = (args.bytes()?, args.bytes()?, args.bytes()?, ttl(args, cx.now)?);
    keyword(args, "TOKEN")?;
    let token = token(args.bytes()?)?;
    latches::done(&mut cx.txn(), key, (owner, token), result, ttl_ms)?;
    cx.reply.integer(1);
    Ok(())
}
