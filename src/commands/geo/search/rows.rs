//! Rows of the searches.

use super::{georadius, georadius_ro, georadiusbymember, georadiusbymember_ro, geosearch, geosearchstore};
use crate::commands::geo::row;
use crate::commands::table::row::{Begin, Find, KeyAccess, KeySpec, flags::*};
use crate::commands::{Handler, Row};

const READ: &[KeySpec] = &[KeySpec::one(1, KeyAccess::ReadAccess)];
const STORE: &[KeySpec] = &[KeySpec::one(1, KeyAccess::Overwrite), KeySpec::one(2, KeyAccess::ReadAccess)];
const BY_POSITION: &[KeySpec] = &read_or_store(6);
const BY_MEMBER: &[KeySpec] = &read_or_store(5);
const COMPLEXITY: &str =
    "O(N+log(M)) with N the number of members in the covering cells and M the number of all members.";

const fn after_keyword(word: &'static str, from: i32) -> KeySpec {
    let (begin, find) = (Begin::Keyword { word, from }, Find::Range { last: 0, step: 1 });
    KeySpec { access: KeyAccess::Overwrite, begin, find }
}

/// Keys of GEORADIUS and GEORADIUSBYMEMBER, with STORE from an argument on.
const fn read_or_store(from: i32) -> [KeySpec; 3] {
    [KeySpec::one(1, KeyAccess::ReadAccess), after_keyword("STORE", from), after_keyword("STOREDIST", from)]
}

const fn search_row(
    name: &'static str,
    arity: i32,
    arguments: &'static str,
    summary: &'static str,
    handler: Handler,
) -> Row {
    Row { arguments, complexity: COMPLEXITY, summary, reply: FOUND, ..row(name, arity, READONLY, READ, handler) }
}

/// Members, or with options an array for each: member, distance, hash and position, in this order.
const FOUND: &str = "array(bulk)|array(array(bulk|integer|array(double,double)))";

pub(in crate::commands) const ROWS: &[Row] = &[
    Row {
        reply: "array(bulk)|array(array(bulk|integer|array(double,double)))|integer",
        flags: WRITE | DENYOOM | MOVABLEKEYS,
        keys: BY_POSITION,
        ..search_row(
            "georadius",
            -6,
            "key:key longitude:double latitude:double radius:double <unit=m | km | ft | mi> [withcoord=WITHCOORD] [withdist=WITHDIST] [withhash=WITHHASH] [COUNT count:integer [any=ANY]] [order=ASC | DESC] [store=STORE storekey:key | STOREDIST storedistkey:key]",
            "Returns or stores the members within a circle; deprecated in favor of GEOSEARCH.",
            georadius,
        )
    },
    Row {
        since: "3.2.10",
        ..search_row(
            "georadius_ro",
            -6,
            "key:key longitude:double latitude:double radius:double <unit=m | km | ft | mi> [withcoord=WITHCOORD] [withdist=WITHDIST] [withhash=WITHHASH] [COUNT count:integer [any=ANY]] [order=ASC | DESC]",
            "Returns the members within a circle.",
            georadius_ro,
        )
    },
    Row {
        reply: "array(bulk)|array(array(bulk|integer|array(double,double)))|integer",
        flags: WRITE | DENYOOM | MOVABLEKEYS,
        keys: BY_MEMBER,
        ..search_row(
            "georadiusbymember",
            -5,
            "key:key member radius:double <unit=m | km | ft | mi> [withcoord=WITHCOORD] [withdist=WITHDIST] [withhash=WITHHASH] [COUNT count:integer [any=ANY]] [order=ASC | DESC] [store=STORE storekey:key | STOREDIST storedistkey:key]",
            "Returns or stores the members around another; deprecated in favor of GEOSEARCH.",
            georadiusbymember,
        )
    },
    Row {
        since: "3.2.10",
        ..search_row(
            "georadiusbymember_ro",
            -5,
            "key:key member radius:double <unit=m | km | ft | mi> [withcoord=WITHCOORD] [withdist=WITHDIST] [withhash=WITHHASH] [COUNT count:integer [any=ANY]] [order=ASC | DESC]",
            "Returns the members within a circle around a member.",
            georadiusbymember_ro,
        )
    },
    Row {
        since: "6.2.0",
        ..search_row(
            "geosearch",
            -7,
            "key:key <from=FROMMEMBER member | FROMLONLAT (longitude:double latitude:double)> <by=BYRADIUS (radius:double <unit=m | km | ft | mi>) | BYBOX (width:double height:double <unit=m | km | ft | mi>)> [order=ASC | DESC] [COUNT count:integer [any=ANY]] [withcoord=WITHCOORD] [withdist=WITHDIST] [withhash=WITHHASH]",
            "Returns the members within a circle or a box.",
            geosearch,
        )
    },
    Row {
        since: "6.2.0",
        reply: "integer",
        flags: WRITE | DENYOOM,
        keys: STORE,
        ..search_row(
            "geosearchstore",
            -8,
            "destination:key source:key <from=FROMMEMBER member | FROMLONLAT (longitude:double latitude:double)> <by=BYRADIUS (radius:double <unit=m | km | ft | mi>) | BYBOX (width:double height:double <unit=m | km | ft | mi>)> [order=ASC | DESC] [COUNT count:integer [any=ANY]] [storedist=STOREDIST]",
            "Stores the members within a circle or a box.",
            geosearchstore,
        )
    },
];
