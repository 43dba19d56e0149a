//! The commands that search for places within a circle or a box.

use super::{position, row, unit, write_distance, write_position};
use crate::base::geo::{Position, Shape};
use crate::base::number::parse_double;
use crate::commands::args::{Args, count_of, is};
use crate::commands::row::{Access, Begin, Find, KeySpec, Reply, Row, flags::*};
use crate::commands::{Context, Handler};
use crate::keyspace::geo;
use crate::keyspace::sorted_sets;
use crate::keyspace::{EventKind, GeoPoint, Nearness, Vicinity};
use crate::resp::encode::Writer;
use crate::resp::error::{CommandError, ErrorText};

const READ: &[KeySpec] = &[KeySpec::one(1, Access::ReadAccess)];
const STORE: &[KeySpec] = &[KeySpec::one(1, Access::Overwrite), KeySpec::one(2, Access::ReadAccess)];
const BY_POSITION: &[KeySpec] = &[KeySpec::one(1, Access::ReadAccess), behind("STORE", 6), behind("STOREDIST", 6)];
const BY_MEMBER: &[KeySpec] = &[KeySpec::one(1, Access::ReadAccess), behind("STORE", 5), behind("STOREDIST", 5)];
const COMPLEXITY: &str =
    "O(N+log(M)) with N the number of members in the covering cells and M the number of all members.";

const fn behind(word: &'static str, from: i32) -> KeySpec {
    KeySpec { access: Access::Overwrite, begin: Begin::Keyword { word, from }, find: Find::Range { last: 0, step: 1 } }
}

const fn search_row(
    name: &'static str,
    arity: i32,
    arguments: &'static str,
    summary: &'static str,
    handler: Handler,
) -> Row {
    Row { arguments, complexity: COMPLEXITY, summary, reply: "array(any)", ..row(name, arity, READONLY, READ, handler) }
}

pub(in crate::commands) const ROWS: &[Row] = &[
    Row {
        reply: "array(any)|integer",
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
        reply: "array(any)|integer",
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

/// Which command it is: what comes before the options, and which options there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// `GEORADIUS`; STORE and STOREDIST are options where `stores`.
    Radius {
        stores: bool,
    },
    RadiusByMember {
        stores: bool,
    },
    Search,
    SearchStore,
}

impl Form {
    fn is_search(self) -> bool {
        matches!(self, Form::Search | Form::SearchStore)
    }

    fn names_target(self) -> bool {
        matches!(self, Form::Radius { stores: true } | Form::RadiusByMember { stores: true })
    }
}

/// A shape, and how many metres the unit is that it was given in.
#[derive(Clone, Copy, Debug)]
struct Measured {
    shape: Shape,
    is_box: bool,
    unit: f64,
}

/// Where a search begins.
#[derive(Clone, Copy, Debug)]
struct Centre {
    position: Position,
    is_member: bool,
}

/// Everything a request says.
#[derive(Debug, Default)]
struct Request<'a> {
    centre: Option<Centre>,
    measured: Option<Measured>,
    with_distance: bool,
    with_hash: bool,
    with_position: bool,
    count: Option<usize>,
    any: bool,
    order: Option<Nearness>,
    target: Option<&'a [u8]>,
    stores_distances: bool,
}

fn georadius(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    search(cx, args, Form::Radius { stores: true })
}

fn georadius_ro(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    search(cx, args, Form::Radius { stores: false })
}

fn georadiusbymember(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    search(cx, args, Form::RadiusByMember { stores: true })
}

fn georadiusbymember_ro(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    search(cx, args, Form::RadiusByMember { stores: false })
}

fn geosearch(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    search(cx, args, Form::Search)
}

fn geosearchstore(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    search(cx, args, Form::SearchStore)
}

/// The type of the key is looked at first, then the request is read, and only then does it matter whether there is a key.
fn search(cx: &mut Context<'_>, args: &mut Args<'_>, form: Form) -> Reply {
    let target = if form == Form::SearchStore { Some(args.bytes()?) } else { None };
    let key = args.bytes()?;
    let exists = sorted_sets::find(&mut cx.txn(), key)?.is_some();
    let mut request = Request { target, ..Request::default() };
    request.read_head(cx, args, form, key, exists)?;
    request.read_options(cx, args, form, key, exists)?;
    request.check(args, form)?;
    let places = match (request.centre, request.measured) {
        (Some(centre), Some(measured)) if exists => {
            // The first of all in no order would be any; ANY says that this is meant.
            let order = if request.count.is_some() && !request.any { Some(Nearness::Nearest) } else { None };
            let vicinity = Vicinity {
                centre: centre.position,
                shape: measured.shape,
                order: request.order.or(order),
                any: if request.any { request.count } else { None },
            };
            let mut places = geo::search(&mut cx.txn(), key, &vicinity)?;
            places.truncate(request.count.unwrap_or(usize::MAX));
            places
        }
        _ => alloc::vec::Vec::new(),
    };
    let unit = request.measured.map_or(1.0, |measured| measured.unit);
    let Some(target) = request.target else {
        cx.reply.array(places.len());
        places.iter().for_each(|place| request.write(place, unit, cx.reply));
        return Ok(());
    };
    let event = if form.is_search() { EventKind::GeoSearchStore } else { EventKind::GeoRadiusStore };
    let score = |place: &GeoPoint| if request.stores_distances { place.distance / unit } else { place.score };
    let mut pairs = places.iter().map(|place| (score(place), place.member.as_slice()));
    let len = geo::store(&mut cx.txn(), target, &mut pairs, event)?;
    cx.reply.integer(len as i64);
    Ok(())
}

impl<'a> Request<'a> {
    /// What GEORADIUS and GEORADIUSBYMEMBER have before the options.
    fn read_head(
        &mut self,
        cx: &mut Context<'_>,
        args: &mut Args<'a>,
        form: Form,
        key: &[u8],
        exists: bool,
    ) -> Result<(), CommandError> {
        match form {
            Form::Search | Form::SearchStore => return Ok(()),
            Form::Radius { .. } => self.centre = Some(Centre { position: position(args)?, is_member: false }),
            Form::RadiusByMember { .. } if !exists => {
                // Without a key nobody looks at what follows, as in Redis.
                args.skip(3);
                return Ok(());
            }
            Form::RadiusByMember { .. } => self.centre = Some(centre_at(cx, key, args.bytes()?, exists)?),
        }
        self.measured = Some(circle(args)?);
        Ok(())
    }

    fn read_options(
        &mut self,
        cx: &mut Context<'_>,
        args: &mut Args<'a>,
        form: Form,
        key: &[u8],
        exists: bool,
    ) -> Result<(), CommandError> {
        while let Some(word) = args.optional() {
            if self.take_plain(word) || (form.is_search() && self.take_area(word, cx, args, key, exists)?) {
                continue;
            }
            match word {
                _ if is(word, "COUNT") && !args.is_done() => {
                    let count = count_of(args.integer()?).filter(|&count| count > 0);
                    self.count = Some(count.ok_or(CommandError::GEO_COUNT)?);
                }
                _ if form.names_target() && is(word, "STORE") && !args.is_done() => {
                    (self.target, self.stores_distances) = (Some(args.bytes()?), false);
                }
                _ if form.names_target() && is(word, "STOREDIST") && !args.is_done() => {
                    (self.target, self.stores_distances) = (Some(args.bytes()?), true);
                }
                _ if form == Form::SearchStore && is(word, "STOREDIST") => self.stores_distances = true,
                _ => return Err(CommandError::SYNTAX),
            }
        }
        Ok(())
    }

    fn take_plain(&mut self, word: &[u8]) -> bool {
        match word {
            _ if is(word, "WITHDIST") => self.with_distance = true,
            _ if is(word, "WITHHASH") => self.with_hash = true,
            _ if is(word, "WITHCOORD") => self.with_position = true,
            _ if is(word, "ANY") => self.any = true,
            _ if is(word, "ASC") => self.order = Some(Nearness::Nearest),
            _ if is(word, "DESC") => self.order = Some(Nearness::Farthest),
            _ => return false,
        }
        true
    }

    /// Where GEOSEARCH begins and how far it reaches: one word of each, which may be repeated.
    fn take_area(
        &mut self,
        word: &[u8],
        cx: &mut Context<'_>,
        args: &mut Args<'_>,
        key: &[u8],
        exists: bool,
    ) -> Result<bool, CommandError> {
        let from_member = self.centre.map(|centre| centre.is_member);
        let by_box = self.measured.map(|measured| measured.is_box);
        match word {
            _ if is(word, "FROMMEMBER") && !args.is_done() && from_member != Some(false) => {
                self.centre = Some(centre_at(cx, key, args.bytes()?, exists)?);
            }
            _ if is(word, "FROMLONLAT") && args.left() >= 2 && from_member != Some(true) => {
                self.centre = Some(Centre { position: position(args)?, is_member: false });
            }
            _ if is(word, "BYRADIUS") && args.left() >= 2 && by_box != Some(true) => {
                self.measured = Some(circle(args)?);
            }
            _ if is(word, "BYBOX") && args.left() >= 3 && by_box != Some(false) => {
                self.measured = Some(rectangle(args)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn check(&self, args: &Args<'_>, form: Form) -> Result<(), CommandError> {
        let answers_more = self.with_distance || self.with_hash || self.with_position;
        if self.target.is_some() && answers_more {
            return Err(if form.is_search() {
                CommandError::GEO_STORE_OPTIONS
            } else {
                CommandError::RADIUS_STORE_OPTIONS
            });
        }
        let command = args.argv().get(0).unwrap_or_default();
        if form.is_search() && self.centre.is_none() {
            return Err(args.refuse(ErrorText::exactly_one("FROMMEMBER or FROMLONLAT", command)));
        }
        if form.is_search() && self.measured.is_none() {
            return Err(args.refuse(ErrorText::exactly_one("BYRADIUS and BYBOX", command)));
        }
        if self.any && self.count.is_none() {
            return Err(CommandError::ANY_NEEDS_COUNT);
        }
        Ok(())
    }

    /// A member alone, or an array of it and what was asked for beside it.
    fn write(&self, place: &GeoPoint, unit: f64, reply: &mut Writer) {
        let more = [self.with_distance, self.with_hash, self.with_position].into_iter().filter(|&with| with).count();
        if more > 0 {
            reply.array(1 + more);
        }
        reply.bulk(&place.member);
        if self.with_distance {
            write_distance(place.distance / unit, reply);
        }
        if self.with_hash {
            reply.integer(place.score as i64);
        }
        if self.with_position {
            write_position(place.position, reply);
        }
    }
}

/// The place of a member, which must be there if the key is.
fn centre_at(cx: &mut Context<'_>, key: &[u8], member: &[u8], exists: bool) -> Result<Centre, CommandError> {
    let position = geo::position(&mut cx.txn(), key, member)?;
    if exists && position.is_none() {
        return Err(CommandError::NO_SUCH_PLACE);
    }
    Ok(Centre { position: position.unwrap_or_default(), is_member: true })
}

/// A radius and its unit.
fn circle(args: &mut Args<'_>) -> Result<Measured, CommandError> {
    let radius = parse_double(args.bytes()?).ok_or(CommandError::RADIUS_NOT_A_NUMBER)?;
    if radius < 0.0 {
        return Err(CommandError::NEGATIVE_RADIUS);
    }
    let unit = unit(args.bytes()?)?;
    Ok(Measured { shape: Shape::Circle { radius: radius * unit }, is_box: false, unit })
}

/// A width, a height and their unit.
fn rectangle(args: &mut Args<'_>) -> Result<Measured, CommandError> {
    let width = parse_double(args.bytes()?).ok_or(CommandError::WIDTH_NOT_A_NUMBER)?;
    let height = parse_double(args.bytes()?).ok_or(CommandError::HEIGHT_NOT_A_NUMBER)?;
    if width < 0.0 || height < 0.0 {
        return Err(CommandError::NEGATIVE_BOX);
    }
    let unit = unit(args.bytes()?)?;
    Ok(Measured { shape: Shape::Box { width: width * unit, height: height * unit }, is_box: true, unit })
}
