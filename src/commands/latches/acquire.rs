//! LATCH.ACQUIRE, and how its clients wait.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::options::{counted_keys, is_deadline, number, once, ttl, wait};
use crate::base::argv::ArgvRef;
use crate::base::clock::Timestamp;
use crate::base::headroom::ensure;
use crate::commands::table::args::{Args, is};
use crate::commands::{BlockOn, Blocking, Context, Reply, Wanted};
use crate::keyspace::latches::{self, Demand, Request};
use crate::keyspace::{Queue, QueuePosition, WaitedKey, Waiter};
use crate::resp::error::CommandError;
use crate::values::Mode;

/// Upper bound in bytes of a waiting client at one key besides key and owner.
const WAITER_BYTES: usize = 512;
/// Copies of a key and an owner that a waiting client keeps.
const WAITER_COPIES: usize = 4;

/// Options of LATCH.ACQUIRE.
#[derive(Default)]
struct Options<'a> {
    demand: Option<Demand>,
    until: Option<Option<Timestamp>>,
    steal: Option<()>,
    depth: Option<i64>,
    delay_ms: Option<i64>,
    also: Option<ArgvRef<'a>>,
    intent: Option<ArgvRef<'a>>,
}

impl<'a> Options<'a> {
    fn read(args: &mut Args<'a>, now: Timestamp) -> Result<Options<'a>, CommandError> {
        let mut options = Options::default();
        while let Some(word) = args.optional() {
            match word {
                _ if is(word, "SHARED") => {
                    once(&mut options.demand, Demand { mode: Mode::Shared, permits: 1, limit: 1 })?;
                }
                _ if is(word, "PERMITS") => once(&mut options.demand, permits(args)?)?,
                _ if is(word, "WAIT") => once(&mut options.until, wait(args, now)?)?,
                _ if is(word, "STEAL") => once(&mut options.steal, ())?,
                _ if is(word, "DEPTH") => once(&mut options.depth, number(args, 1, CommandError::INVALID_DEPTH)?)?,
                _ if is(word, "DELAY") => once(&mut options.delay_ms, number(args, 0, CommandError::INVALID_DELAY)?)?,
                _ if is(word, "ALSO") => once(&mut options.also, counted_keys(args)?)?,
                _ if is(word, "INTENT") => once(&mut options.intent, counted_keys(args)?)?,
                _ => return Err(CommandError::SYNTAX),
            }
        }
        Ok(options)
    }
}

/// Reads `permits LIMIT limit`, after the keyword PERMITS.
fn permits(args: &mut Args<'_>) -> Result<Demand, CommandError> {
    let permits = number(args, 1, CommandError::INVALID_PERMITS)?;
    super::options::keyword(args, "LIMIT")?;
    let limit = number(args, 1, CommandError::INVALID_LIMIT)?;
    // More permits than there are would be waited for in vain.
    if permits > limit {
        return Err(CommandError::INVALID_PERMITS);
    }
    Ok(Demand { mode: Mode::Permits, permits, limit })
}

/// `LATCH.ACQUIRE key owner TTL ms [SHARED | PERMITS k LIMIT n] [WAIT ms] [STEAL] [DEPTH n] [DELAY ms] [ALSO n key ...]
/// [INTENT n key ...]`
pub(super) fn acquire(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, owner, ttl_ms) = (args.bytes()?, args.bytes()?, ttl(args, cx.now)?);
    let options = Options::read(args, cx.now)?;
    let delay_ms = options.delay_ms.unwrap_or(0);
    if !is_deadline(cx.now.saturating_add_ms(ttl_ms), delay_ms) {
        return Err(CommandError::INVALID_DELAY);
    }
    let nothing = || args.argv().first(0);
    let request = Request {
        key,
        also: options.also.unwrap_or_else(nothing),
        intent: options.intent.unwrap_or_else(nothing),
        owner,
        demand: options.demand.unwrap_or(Demand { mode: Mode::Exclusive, permits: 1, limit: 1 }),
        ttl_ms,
        delay_ms,
        depth: options.depth.unwrap_or(1),
        steal: options.steal.is_some(),
    };
    let position = position_in_line(cx, key, owner);
    if !is_given_up(cx)
        && let Some(token) = latches::acquire(&mut cx.txn(), &request, position)?
    {
        cx.reply.integer(token as i64);
        return Ok(());
    }
    match options.until.flatten() {
        Some(until) if cx.blocking == Blocking::Allowed => block(cx, &request, position, until),
        _ => {
            cx.reply.null();
            Ok(())
        }
    }
}

/// Whether the wait is over. At its last instant a grant still precedes the timeout.
pub(super) fn is_given_up(cx: &Context<'_>) -> bool {
    let until = cx.resumed.and_then(|resumed| resumed.until);
    cx.blocking == Blocking::TimedOut && until != Some(cx.now)
}

/// Position of a resumed request, or of an earlier one of the same owner for the key: a new one takes its place.
pub(super) fn position_in_line(cx: &Context<'_>, key: &[u8], owner: &[u8]) -> Option<QueuePosition> {
    match cx.resumed {
        Some(resumed) => Some(resumed.position),
        None => cx.keyspace.interest.waiters.position_of(cx.database(), key, owner),
    }
}

/// Blocks the client until one of the keys changes, at the end of each line, or ahead of it if it upgrades.
fn block(cx: &mut Context<'_>, request: &Request<'_>, position: Option<QueuePosition>, until: Timestamp) -> Reply {
    if cx.resumed.is_none() && latches::has_deadlock(&mut cx.txn(), request)? {
        return Err(CommandError::DEADLOCK);
    }
    ensure(WAITER_COPIES * request.bytes_len() + WAITER_BYTES * request.key_count())?;
    let mut keys = Vec::new();
    for index in 0..request.key_count() {
        let (key, demand) = request.key_at(index);
        if let Some(queue) = latches::queue_of(&mut cx.txn(), request, (key, demand), position)? {
            keys.push(waited(cx, (key, request.owner), (queue, demand), (until, index == 0)));
        }
    }
    wait_for(cx, keys, position, until);
    Ok(())
}

/// Place of the client in the queue of a key.
pub(super) fn waited(
    cx: &Context<'_>,
    (key, owner): (&[u8], &[u8]),
    (queue, Demand { mode, permits, limit }): (Queue, Demand),
    (until, is_first): (Timestamp, bool),
) -> WaitedKey {
    let (since, until) = cx.resumed.map_or((cx.now, until), |resumed| (resumed.since, resumed.until.unwrap_or(until)));
    let (client, owner) = (cx.client, owner.into());
    let waiter = Waiter { client, owner, mode, permits, limit, since, until, is_first };
    WaitedKey { name: (cx.database(), key.into()), queue, waiter: Some(Box::new(waiter)) }
}

/// Blocks the client until one of the keys changes. A client at the same position, of the same owner, is answered.
pub(super) fn wait_for(cx: &mut Context<'_>, keys: Vec<WaitedKey>, position: Option<QueuePosition>, until: Timestamp) {
    let takes_over = position.filter(|_| cx.resumed.is_none());
    cx.block_on =
        Some(BlockOn { wanted: Some(Wanted { keys, kind: None }), takes_over, ..BlockOn::timeout(Some(until)) });
}
