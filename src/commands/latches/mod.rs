//! Latch family: locks, semaphores, once-only work, limits and barriers. Redis has none of these commands.

mod acquire;
mod arrive;
mod lease;
mod limit;
mod once;
mod options;

use super::Row;
use super::table::row::{Begin, Find, Group, KeyAccess, KeySpec, flags::*};

const SINCE: &str = "keylatch 0.2";

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row { since: SINCE, reply: "integer", ..Row::of(Group::Latch, name, arity, flags | TIME, keys, handler) }
}

/// Further keys after a keyword and their number. An owner may be named like the keyword.
const fn keys_after(word: &'static str, from: i32, access: KeyAccess) -> KeySpec {
    let find = Find::Counted { count_at: 0, first: 1, step: 1 };
    KeySpec { access, begin: Begin::Keyword { word, from }, find }
}

const UPDATE: KeyAccess = KeyAccess::ReadWriteUpdate;
const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];
/// Keys of LATCH.ACQUIRE; options follow `key owner TTL ms`.
const ACQUIRED: &[KeySpec] = &[KeySpec::one(1, UPDATE), keys_after("ALSO", 5, UPDATE), keys_after("INTENT", 5, UPDATE)];
const RENEWED: &[KeySpec] = &[KeySpec::one(1, UPDATE), keys_after("ALSO", 5, UPDATE)];
const RELEASED: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Remove), keys_after("ALSO", 3, KeyAccess::Remove)];

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key owner TTL milliseconds:integer \
            [mode=SHARED | (PERMITS permits:integer LIMIT limit:integer)] [WAIT wait:integer] [STEAL] \
            [DEPTH depth:integer] [DELAY delay:integer] [also=ALSO numkeys:integer also-key:key...] \
            [intent=INTENT numkeys:integer intent-key:key...]",
        complexity: "O(N) with N the number of keys; with PERMITS also the number of holders.",
        summary: "Acquires a lock or permits of a semaphore for a time, and returns the token; waits in line if held.",
        reply: "integer|null",
        ..row("latch.acquire", -5, WRITE | DENYOOM | BLOCKING | MOVABLEKEYS, ACQUIRED, acquire::acquire)
    },
    Row {
        arguments: "key:key member PARTIES parties:integer TTL milliseconds:integer [WAIT wait:integer] [PEEK]",
        summary: "Arrives at a barrier, which opens when all parties have arrived; waits until it opens.",
        reply: "array(integer)",
        ..row("latch.arrive", -7, WRITE | DENYOOM | BLOCKING, &[KeySpec::one(1, UPDATE)], arrive::arrive)
    },
    Row {
        arguments: "key:key owner token:integer",
        summary: "Checks that a token is that of a live holder; EXEC runs nothing if a queued check fails.",
        ..row("latch.check", 4, READONLY | FAST | GUARD, READ, lease::check)
    },
    Row {
        arguments: "key:key owner result TTL milliseconds:integer TOKEN token:integer",
        summary: "Ends once-only work: its result replaces the lock for a time.",
        ..row("latch.done", 8, WRITE | DENYOOM | FAST, &[KeySpec::one(1, KeyAccess::Overwrite)], once::done)
    },
    Row {
        arguments: "key:key",
        complexity: "O(N) with N the number of holders and waiting clients.",
        summary: "Returns the holders of a latch and the clients that wait for it.",
        reply: "map(bulk,array(map(bulk,bulk|integer)))",
        ..row("latch.inspect", 2, READONLY | CONNECTION_STATE, READ, lease::inspect)
    },
    Row {
        arguments: "key:key limit:integer PERIOD milliseconds:integer [BURST burst:integer] [COST cost:integer] \
            [algorithm=FIXED | SLIDING] [PEEK]",
        complexity: "O(1); with SLIDING O(N*log(M)) with N the cost and M the limit.",
        summary: "Uses a rate limit, and returns whether that is allowed, what remains, and when to try again.",
        reply: "array(integer)",
        ..row("latch.limit", -5, WRITE | DENYOOM | FAST, &[KeySpec::one(1, UPDATE)], limit::limit)
    },
    Row {
        arguments: "key:key owner TTL milliseconds:integer [WAIT wait:integer]",
        summary: "Acquires the right to do work once, or returns its result; waits while another owner does it.",
        reply: "array(bulk,integer)|array(bulk,bulk,integer)|array(bulk,bulk)",
        ..row(
            "latch.once",
            -5,
            WRITE | DENYOOM | BLOCKING,
            &[KeySpec::one(1, KeyAccess::ReadWriteAccess)],
            once::run_once,
        )
    },
    Row {
        arguments: "key:key owner [DEPTH depth:integer] [TOKEN token:integer] \
            [also=ALSO numkeys:integer also-key:key...]",
        complexity: "O(N) with N the number of keys.",
        summary: "Releases latches of an owner and returns their number; 0 if one of them is not held. With its token it can be repeated.",
        ..row("latch.release", -3, WRITE | MOVABLEKEYS, RELEASED, lease::release)
    },
    Row {
        arguments: "key:key owner TTL milliseconds:integer [TOKEN token:integer] [SHARED] \
            [also=ALSO numkeys:integer also-key:key...]",
        complexity: "O(N) with N the number of keys.",
        summary: "Renews leases of an owner and returns the milliseconds that remain; 0 if one of them is lost.",
        ..row("latch.renew", -5, WRITE | MOVABLEKEYS, RENEWED, lease::renew)
    },
];
