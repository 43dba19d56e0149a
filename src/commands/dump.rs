//! DUMP and RESTORE: serialized values.

use super::table::args::{Args, is};
use super::table::row::{Group, KeyAccess, KeySpec, Role, flags::*};
use super::{Context, Reply, Row};
use crate::base::clock::Timestamp;
use crate::base::number::parse_integer;
use crate::keyspace::dump;
use crate::keyspace::keys;
use crate::keyspace::{PastUse, RestoreOptions};
use crate::resp::error::CommandError;

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: super::Handler) -> Row {
    Row { since: "2.6.0", ..Row::of(Group::Generic, name, arity, flags, keys, handler) }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key",
        complexity: "O(N) with N the size of the value.",
        summary: "Serializes the value of a key for RESTORE, also of Redis and Valkey.",
        reply: "bulk|null",
        tips: &["nondeterministic_output"],
        ..row("dump", 2, READONLY, &[KeySpec::one(1, KeyAccess::ReadAccess)], dump)
    },
    Row {
        arguments: "key:key ttl:integer serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds:integer] [FREQ frequency:integer]",
        complexity: "O(N) with N the size of the value.",
        summary: "Creates a key from the output of DUMP, with a time to live in ms (0 for none).",
        role: Role::Restores,
        ..row("restore", -4, WRITE | DENYOOM | DANGEROUS | TIME, &[KeySpec::one(1, KeyAccess::Overwrite)], restore)
    },
];

fn dump(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let payload = dump::dump(&mut cx.txn(), args.bytes()?)?;
    cx.reply.optional_bulk(payload.as_deref());
    Ok(())
}

/// `RESTORE key ttl payload [REPLACE] [ABSTTL] [IDLETIME s] [FREQ n]`. The options are checked first, then the key, the
/// time to live and the payload.
fn restore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, ttl, payload) = (args.bytes()?, args.bytes()?, args.bytes()?);
    let (mut options, mut is_absolute) = (RestoreOptions::default(), false);
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "REPLACE") => options.replace = true,
            _ if is(word, "ABSTTL") => is_absolute = true,
            _ => options.past_use = Some(past_use(word, args, options.past_use)?),
        }
    }
    if !options.replace && keys::is_taken(&mut cx.txn(), key) {
        return Err(CommandError::KEY_EXISTS);
    }
    options.deadline = match parse_integer(ttl).ok_or(CommandError::NOT_AN_INTEGER)? {
        ..0 => return Err(CommandError::BAD_TTL),
        0 => None,
        instant if is_absolute => Some(Timestamp::from_ms(instant)),
        // In Redis a sum beyond 64 bits wraps to a negative deadline, which deletes the value at once.
        ttl_ms => Some(cx.now.checked_add_ms(ttl_ms).unwrap_or(Timestamp::MIN)),
    };
    dump::restore(&mut cx.txn(), key, payload, options)?;
    cx.reply.ok();
    Ok(())
}

/// Reads IDLETIME or FREQ. Both in one request are a syntax error.
fn past_use(word: &[u8], args: &mut Args<'_>, previous: Option<PastUse>) -> Result<PastUse, CommandError> {
    match previous {
        None | Some(PastUse::IdleSeconds(_)) if is(word, "IDLETIME") => {
            u64::try_from(args.integer()?).map(PastUse::IdleSeconds).map_err(|_| CommandError::BAD_IDLETIME)
        }
        None | Some(PastUse::Frequency(_)) if is(word, "FREQ") => {
            u8::try_from(args.integer()?).map(PastUse::Frequency).map_err(|_| CommandError::BAD_FREQ)
        }
        _ => Err(CommandError::SYNTAX),
    }
}
