//! Geo family: points stored as members of sorted sets. Searches are in `search`.

pub(super) mod search;

use crate::keyspace::sorted_sets;
use alloc::vec::Vec;

use super::table::args::{Args, is};
use super::table::row::{Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Handler, Reply, Row};
use crate::base::geo::Position;
use crate::base::number::{parse_double, write_fixed};
use crate::keyspace::{Presence, ScoreOptions};
use crate::resp::encode::Writer;
use crate::resp::error::{CommandError, ErrorText};

const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];

const fn row(name: &'static str, arity: i32, flags: u32, keys: &'static [KeySpec], handler: Handler) -> Row {
    Row {
        since: "3.2.0",
        complexity: "O(N) with N the number of given members.",
        ..Row::of(Group::Geo, name, arity, flags, keys, handler)
    }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        arguments: "key:key [condition=NX | XX] [change=CH] (longitude:double latitude:double member)...",
        complexity: "O(log(N)) per member added, with N the size of the sorted set.",
        summary: "Adds members with coordinates to a geospatial index.",
        reply: "integer",
        ..row("geoadd", -5, WRITE | DENYOOM, &[KeySpec::one(1, KeyAccess::ReadWriteUpdate)], geoadd)
    },
    Row {
        arguments: "key:key member1 member2 [unit=m | km | ft | mi]",
        complexity: "O(1)",
        summary: "Returns the distance between two members.",
        reply: "bulk|null",
        ..row("geodist", -4, READONLY, READ, geodist)
    },
    Row {
        arguments: "key:key [member...]",
        summary: "Returns the geohashes of members.",
        reply: "array(bulk|null)",
        ..row("geohash", -2, READONLY, READ, geohash)
    },
    Row {
        arguments: "key:key [member...]",
        summary: "Returns the coordinates of members.",
        reply: "array(array(double,double)|null)",
        ..row("geopos", -2, READONLY, READ, geopos)
    },
];

/// `GEOADD key [NX | XX] [CH] longitude latitude member [longitude latitude member ...]`. Scores are geohashes.
fn geoadd(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let key = args.bytes()?;
    let (mut only_new, mut only_existing, mut count_changes) = (false, false, false);
    while let Some(word) = args.peek() {
        match word {
            _ if is(word, "NX") => only_new = true,
            _ if is(word, "XX") => only_existing = true,
            _ if is(word, "CH") => count_changes = true,
            _ => break,
        }
        args.optional();
    }
    if args.is_done() || !args.left().is_multiple_of(3) || (only_new && only_existing) {
        return Err(CommandError::SYNTAX);
    }
    let mut pairs: Vec<(f64, &[u8])> = Vec::new();
    pairs.try_reserve_exact(args.left() / 3).map_err(|_| CommandError::OUT_OF_MEMORY)?;
    while !args.is_done() {
        let position = position(args)?;
        pairs.push((position.score(), args.bytes()?));
    }
    let presence = match (only_new, only_existing) {
        (true, _) => Some(Presence::Missing),
        (_, true) => Some(Presence::Existing),
        _ => None,
    };
    let added = sorted_sets::add(&mut cx.txn(), key, ScoreOptions { presence, condition: None }, &pairs)?;
    let counted = if count_changes { added.added + added.updated } else { added.added };
    cx.reply.integer(counted as i64);
    Ok(())
}

/// Reads longitude and latitude, in degrees.
fn position(args: &mut Args<'_>) -> Result<Position, CommandError> {
    let mut degrees = || parse_double(args.bytes()?).ok_or(CommandError::NOT_A_FLOAT);
    let (longitude, latitude) = (degrees()?, degrees()?);
    Position::new(longitude, latitude).ok_or_else(|| args.refuse(ErrorText::invalid_position(longitude, latitude)))
}

/// Returns the length of a unit in metres.
fn unit(word: &[u8]) -> Result<f64, CommandError> {
    match word {
        _ if is(word, "m") => Ok(1.0),
        _ if is(word, "km") => Ok(1000.0),
        _ if is(word, "ft") => Ok(0.3048),
        _ if is(word, "mi") => Ok(1609.34),
        _ => Err(CommandError::UNKNOWN_UNIT),
    }
}

/// Writes a distance with four decimals, as a bulk string in both protocols.
fn write_distance(distance: f64, reply: &mut Writer) {
    let mut text = Vec::new();
    write_fixed(distance, 4, &mut text);
    reply.bulk(&text);
}

fn write_position(position: Position, reply: &mut Writer) {
    reply.array(2);
    reply.double(position.longitude);
    reply.double(position.latitude);
}

/// `GEODIST key member1 member2 [M | KM | FT | MI]`
fn geodist(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let (key, one, other) = (args.bytes()?, args.bytes()?, args.bytes()?);
    // The number of arguments is checked before the unit.
    if args.left() > 1 {
        return Err(CommandError::SYNTAX);
    }
    let unit = args.optional().map_or(Ok(1.0), unit)?;
    let (mut txn, reply) = cx.txn_and_reply();
    let zset = sorted_sets::find(&mut txn, key)?;
    let position = |member: &[u8]| Some(Position::of_score(zset?.score(member)?));
    match (position(one), position(other)) {
        (Some(one), Some(other)) => write_distance(one.distance(other) / unit, reply),
        _ => reply.null(),
    }
    Ok(())
}

fn geohash(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    each_position(cx, args, |position, reply| match position {
        Some(position) => reply.bulk(&position.geohash()),
        None => reply.null(),
    })
}

fn geopos(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    each_position(cx, args, |position, reply| match position {
        Some(position) => write_position(position, reply),
        None => reply.null_array(),
    })
}

fn each_position(cx: &mut Context<'_>, args: &mut Args<'_>, write: impl Fn(Option<Position>, &mut Writer)) -> Reply {
    let key = args.bytes()?;
    let (mut txn, reply) = cx.txn_and_reply();
    let zset = sorted_sets::find(&mut txn, key)?;
    reply.array(args.left());
    args.rest().for_each(|member| write(zset.and_then(|zset| zset.score(member)).map(Position::of_score), reply));
    Ok(())
}
