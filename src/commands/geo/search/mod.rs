//! Searches for members within a circle or a box.

mod rows;

use super::{position, unit, write_distance, write_position};
use crate::base::geo::{Position, Shape};
use crate::base::number::parse_double;
use crate::commands::table::args::{Args, count_of, is};
use crate::commands::{Context, Reply};
use crate::keyspace::geo;
use crate::keyspace::sorted_sets;
use crate::keyspace::{EventKind, GeoPoint, Nearness, Vicinity};
use crate::resp::encode::Writer;
use crate::resp::error::{CommandError, ErrorText};

pub(in crate::commands) use rows::ROWS;

/// Command, which determines the arguments before the options, and the accepted options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// GEORADIUS. `stores`: STORE and STOREDIST are accepted.
    Radius {
        stores: bool,
    },
    /// GEORADIUSBYMEMBER. `stores`: STORE and STOREDIST are accepted.
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

    fn accepts_store(self) -> bool {
        matches!(self, Form::Radius { stores: true } | Form::RadiusByMember { stores: true })
    }
}

/// Search area.
#[derive(Clone, Copy, Debug)]
struct Area {
    /// Shape, in metres.
    shape: Shape,
    is_box: bool,
    /// Unit of the request, in metres. Distances in the reply have this unit.
    unit: f64,
}

/// Centre of a search.
#[derive(Clone, Copy, Debug)]
struct Centre {
    position: Position,
    /// Whether the centre was given as a member.
    is_member: bool,
}

/// Arguments of a request.
#[derive(Debug, Default)]
struct Request<'a> {
    centre: Option<Centre>,
    area: Option<Area>,
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

/// Runs a search. The type of the key is checked first, then the arguments; a missing key gives an empty result.
fn search(cx: &mut Context<'_>, args: &mut Args<'_>, form: Form) -> Reply {
    let target = if form == Form::SearchStore { Some(args.bytes()?) } else { None };
    let key = args.bytes()?;
    let key_exists = sorted_sets::find(&mut cx.txn(), key)?.is_some();
    let mut request = Request { target, ..Request::default() };
    request.read_head(cx, args, form, key, key_exists)?;
    request.read_options(cx, args, form, key, key_exists)?;
    request.check(args, form)?;
    let points = match (request.centre, request.area) {
        (Some(centre), Some(area)) if key_exists => {
            // COUNT without ANY sorts by distance, ascending unless DESC is given.
            let order = if request.count.is_some() && !request.any { Some(Nearness::Nearest) } else { None };
            let vicinity = Vicinity {
                centre: centre.position,
                shape: area.shape,
                order: request.order.or(order),
                any: if request.any { request.count } else { None },
            };
            let mut points = geo::search(&mut cx.txn(), key, &vicinity)?;
            points.truncate(request.count.unwrap_or(usize::MAX));
            points
        }
        _ => alloc::vec::Vec::new(),
    };
    let unit = request.area.map_or(1.0, |area| area.unit);
    let Some(target) = request.target else {
        cx.reply.array(points.len());
        points.iter().for_each(|point| request.write(point, unit, cx.reply));
        return Ok(());
    };
    let event = if form.is_search() { EventKind::GeoSearchStore } else { EventKind::GeoRadiusStore };
    let score = |point: &GeoPoint| if request.stores_distances { point.distance / unit } else { point.score };
    let mut pairs = points.iter().map(|point| (score(point), point.member.as_slice()));
    let len = geo::store(&mut cx.txn(), target, &mut pairs, event)?;
    cx.reply.integer(len as i64);
    Ok(())
}

impl<'a> Request<'a> {
    /// Reads the arguments of GEORADIUS and GEORADIUSBYMEMBER that precede the options.
    fn read_head(
        &mut self,
        cx: &mut Context<'_>,
        args: &mut Args<'a>,
        form: Form,
        key: &[u8],
        key_exists: bool,
    ) -> Result<(), CommandError> {
        match form {
            Form::Search | Form::SearchStore => return Ok(()),
            Form::Radius { .. } => self.centre = Some(Centre { position: position(args)?, is_member: false }),
            Form::RadiusByMember { .. } if !key_exists => {
                // Without a key, member, radius and unit are not checked, as in Redis.
                args.skip(3);
                return Ok(());
            }
            Form::RadiusByMember { .. } => self.centre = Some(centre_at(cx, key, args.bytes()?, key_exists)?),
        }
        self.area = Some(circle(args)?);
        Ok(())
    }

    fn read_options(
        &mut self,
        cx: &mut Context<'_>,
        args: &mut Args<'a>,
        form: Form,
        key: &[u8],
        key_exists: bool,
    ) -> Result<(), CommandError> {
        while let Some(word) = args.optional() {
            if self.take_flag(word) || (form.is_search() && self.take_area(word, cx, args, key, key_exists)?) {
                continue;
            }
            match word {
                _ if is(word, "COUNT") && !args.is_done() => {
                    let count = count_of(args.integer()?).filter(|&count| count > 0);
                    self.count = Some(count.ok_or(CommandError::GEO_COUNT)?);
                }
                _ if form.accepts_store() && is(word, "STORE") && !args.is_done() => {
                    (self.target, self.stores_distances) = (Some(args.bytes()?), false);
                }
                _ if form.accepts_store() && is(word, "STOREDIST") && !args.is_done() => {
                    (self.target, self.stores_distances) = (Some(args.bytes()?), true);
                }
                _ if form == Form::SearchStore && is(word, "STOREDIST") => self.stores_distances = true,
                _ => return Err(CommandError::SYNTAX),
            }
        }
        Ok(())
    }

    /// Reads an option without a value, and returns whether `word` is one.
    fn take_flag(&mut self, word: &[u8]) -> bool {
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

    /// Reads the centre or the area of GEOSEARCH, and returns whether `word` begins one. Only the same keyword may be
    /// repeated.
    fn take_area(
        &mut self,
        word: &[u8],
        cx: &mut Context<'_>,
        args: &mut Args<'_>,
        key: &[u8],
        key_exists: bool,
    ) -> Result<bool, CommandError> {
        let from_member = self.centre.map(|centre| centre.is_member);
        let by_box = self.area.map(|area| area.is_box);
        match word {
            _ if is(word, "FROMMEMBER") && !args.is_done() && from_member != Some(false) => {
                self.centre = Some(centre_at(cx, key, args.bytes()?, key_exists)?);
            }
            _ if is(word, "FROMLONLAT") && args.left() >= 2 && from_member != Some(true) => {
                self.centre = Some(Centre { position: position(args)?, is_member: false });
            }
            _ if is(word, "BYRADIUS") && args.left() >= 2 && by_box != Some(true) => {
                self.area = Some(circle(args)?);
            }
            _ if is(word, "BYBOX") && args.left() >= 3 && by_box != Some(false) => {
                self.area = Some(rectangle(args)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn check(&self, args: &Args<'_>, form: Form) -> Result<(), CommandError> {
        let has_extra_fields = self.with_distance || self.with_hash || self.with_position;
        if self.target.is_some() && has_extra_fields {
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
        if form.is_search() && self.area.is_none() {
            return Err(args.refuse(ErrorText::exactly_one("BYRADIUS and BYBOX", command)));
        }
        if self.any && self.count.is_none() {
            return Err(CommandError::ANY_NEEDS_COUNT);
        }
        Ok(())
    }

    /// Writes a member, or an array of the member and the requested extra fields.
    fn write(&self, point: &GeoPoint, unit: f64, reply: &mut Writer) {
        let extras = usize::from(self.with_distance) + usize::from(self.with_hash) + usize::from(self.with_position);
        if extras > 0 {
            reply.array(1 + extras);
        }
        reply.bulk(&point.member);
        if self.with_distance {
            write_distance(point.distance / unit, reply);
        }
        if self.with_hash {
            reply.integer(point.score as i64);
        }
        if self.with_position {
            write_position(point.position, reply);
        }
    }
}

/// Returns the position of a member as a centre. A missing member is an error if the key exists.
fn centre_at(cx: &mut Context<'_>, key: &[u8], member: &[u8], key_exists: bool) -> Result<Centre, CommandError> {
    let position = geo::position(&mut cx.txn(), key, member)?;
    if key_exists && position.is_none() {
        return Err(CommandError::NO_SUCH_PLACE);
    }
    Ok(Centre { position: position.unwrap_or_default(), is_member: true })
}

/// Reads a radius and its unit.
fn circle(args: &mut Args<'_>) -> Result<Area, CommandError> {
    let radius = parse_double(args.bytes()?).ok_or(CommandError::RADIUS_NOT_A_NUMBER)?;
    if radius < 0.0 {
        return Err(CommandError::NEGATIVE_RADIUS);
    }
    let unit = unit(args.bytes()?)?;
    Ok(Area { shape: Shape::Circle { radius: radius * unit }, is_box: false, unit })
}

/// Reads a width, a height and their unit.
fn rectangle(args: &mut Args<'_>) -> Result<Area, CommandError> {
    let width = parse_double(args.bytes()?).ok_or(CommandError::WIDTH_NOT_A_NUMBER)?;
    let height = parse_double(args.bytes()?).ok_or(CommandError::HEIGHT_NOT_A_NUMBER)?;
    if width < 0.0 || height < 0.0 {
        return Err(CommandError::NEGATIVE_BOX);
    }
    let unit = unit(args.bytes()?)?;
    Ok(Area { shape: Shape::Box { width: width * unit, height: height * unit }, is_box: true, unit })
}
