//! Arguments that commands on fields share: `FIELDS numfields field ...`, conditions and deadlines.

use alloc::vec::Vec;

use crate::base::clock::Timestamp;
use crate::base::number::parse_integer;
use crate::commands::table::args::{Args, is};
use crate::commands::table::options::Unit;
use crate::keyspace::hashes::FIELD_DEADLINE_MS_MAX;
use crate::keyspace::{DeadlineCondition, FieldExpiry, Presence};
use crate::resp::encode::Writer;
use crate::resp::error::{CommandError, ErrorText};

const MS_PER_SECOND: i64 = 1000;
/// Largest accepted number of fields.
const FIELDS_MAX: i64 = i32::MAX as i64;

/// Reads `FIELDS numfields` and returns the number. Exactly that many arguments must follow.
pub(super) fn trailing_fields(args: &mut Args<'_>) -> Result<usize, CommandError> {
    if !is(args.bytes()?, "FIELDS") {
        return Err(CommandError::FIELDS_MISPLACED);
    }
    let count = parse_integer(args.bytes()?).filter(|&count| count > 0);
    let count = count.ok_or(CommandError::FIELD_COUNT_NOT_POSITIVE)?;
    let left = args.left();
    if usize::try_from(count) == Ok(left) { Ok(left) } else { Err(CommandError::FIELD_COUNT_NOT_THAT) }
}

pub(super) fn write_values(values: &[Option<Vec<u8>>], reply: &mut Writer) {
    reply.array(values.len());
    values.iter().for_each(|value| reply.optional_bulk(value.as_deref()));
}

/// Parses the deadline of a field. A deadline before 1970 becomes 1970, because the log cannot contain a negative one.
pub(super) fn instant(number: &[u8], unit: Unit, now: Timestamp) -> Result<Timestamp, CommandError> {
    let number = parse_integer(number).ok_or(CommandError::NOT_AN_INTEGER)?;
    if number < 0 {
        return Err(CommandError::EXPIRE_NEGATIVE);
    }
    let ms = if unit.is_seconds() { number.checked_mul(MS_PER_SECOND) } else { Some(number) };
    let base = if unit.is_relative() { now } else { Timestamp::default() };
    let instant = ms.filter(|&ms| ms <= FIELD_DEADLINE_MS_MAX).and_then(|ms| base.checked_add_ms(ms));
    let instant = instant.filter(|instant| instant.as_ms() <= FIELD_DEADLINE_MS_MAX);
    Ok(instant.ok_or(CommandError::INVALID_EXPIRE)?.max(Timestamp::default()))
}

/// Fields of a request, or pairs of field and value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    /// Cursor at the first field.
    pub(super) args: Args<'a>,
    pub(super) count: usize,
}

/// Syntax and errors of the option FIELDS in one command.
#[derive(Clone, Debug)]
struct FieldsSyntax {
    /// Number of arguments per field: 1, or 2 with values.
    args_per_field: usize,
    /// Least number of arguments after FIELDS; fewer are the error `too_few`.
    min_args: usize,
    too_few: CommandError,
    bad_count: CommandError,
}

/// Reads the arguments after FIELDS and moves the cursor past the fields.
fn take_fields<'a>(
    args: &mut Args<'a>,
    fields: &mut Option<Fields<'a>>,
    syntax: &FieldsSyntax,
) -> Result<(), CommandError> {
    if fields.is_some() {
        return Err(CommandError::FIELDS_TWICE);
    }
    if args.left() < syntax.min_args {
        return Err(syntax.too_few);
    }
    let count = parse_integer(args.bytes()?).filter(|count| (1..=FIELDS_MAX).contains(count));
    let count = count.ok_or(syntax.bad_count)? as usize;
    if args.left() / syntax.args_per_field < count {
        return Err(CommandError::FIELDS_TOO_FEW);
    }
    *fields = Some(Fields { args: *args, count });
    args.skip(count * syntax.args_per_field);
    Ok(())
}

/// Reads `[NX | XX | GT | LT] FIELDS numfields field ...` in any order.
pub(super) fn condition_and_fields<'a>(args: &mut Args<'a>) -> Result<(DeadlineCondition, Fields<'a>), CommandError> {
    let syntax = FieldsSyntax {
        args_per_field: 1,
        min_args: 2,
        too_few: CommandError::FIELDS_ALONE,
        bad_count: CommandError::NUMFIELDS_NOT_POSITIVE,
    };
    let (mut condition, mut fields) = (DeadlineCondition::default(), None);
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "FIELDS") => take_fields(args, &mut fields, &syntax)?,
            _ if is(word, "NX") => condition.without = true,
            _ if is(word, "XX") => condition.with = true,
            _ if is(word, "GT") => condition.later = true,
            _ if is(word, "LT") => condition.earlier = true,
            _ => return Err(args.refuse(ErrorText::unknown_argument(word))),
        }
    }
    let fields = fields.ok_or(CommandError::FIELDS_MISSING)?;
    let DeadlineCondition { without, with, later, earlier } = condition;
    if [without, with, later, earlier].into_iter().filter(|&is_set| is_set).count() > 1 {
        return Err(CommandError::MANY_CONDITIONS);
    }
    Ok((condition, fields))
}

/// Options and fields of HGETEX or HSETEX.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldOptions<'a> {
    /// Change of the deadlines; `None` without an expiration option.
    pub(super) expiry: Option<FieldExpiry>,
    pub(super) presence: Option<Presence>,
    pub(super) fields: Fields<'a>,
}

/// Reads the arguments of HGETEX after the key, in any order.
pub(super) fn hgetex<'a>(args: &mut Args<'a>, now: Timestamp) -> Result<FieldOptions<'a>, CommandError> {
    let conflict = CommandError::HGETEX_EXPIRY_CONFLICT;
    field_options(
        args,
        now,
        OptionsSyntax { args_per_field: 1, alternative: ("PERSIST", FieldExpiry::Never), conflict },
    )
}

/// Reads the arguments of HSETEX after the key, in any order.
pub(super) fn hsetex<'a>(args: &mut Args<'a>, now: Timestamp) -> Result<FieldOptions<'a>, CommandError> {
    let conflict = CommandError::HSETEX_EXPIRY_CONFLICT;
    field_options(args, now, OptionsSyntax { args_per_field: 2, alternative: ("KEEPTTL", FieldExpiry::Keep), conflict })
}

/// Differences between the options of HGETEX and HSETEX.
struct OptionsSyntax {
    /// Number of arguments per field. With values, the conditions FNX and FXX are accepted.
    args_per_field: usize,
    /// Keyword that is accepted instead of a deadline, with its meaning.
    alternative: (&'static str, FieldExpiry),
    conflict: CommandError,
}

fn field_options<'a>(
    args: &mut Args<'a>,
    now: Timestamp,
    options: OptionsSyntax,
) -> Result<FieldOptions<'a>, CommandError> {
    let syntax = FieldsSyntax {
        args_per_field: options.args_per_field,
        min_args: 1,
        too_few: CommandError::WRONG_ARITY,
        bad_count: CommandError::BAD_FIELD_COUNT,
    };
    let (mut expiry, mut presence, mut fields) = (None, None, None);
    while let Some(word) = args.optional() {
        let unit = match word {
            _ if is(word, "FIELDS") => {
                take_fields(args, &mut fields, &syntax)?;
                continue;
            }
            _ if options.args_per_field == 2 && is(word, "FXX") => {
                take_presence(&mut presence, Presence::Existing)?;
                continue;
            }
            _ if options.args_per_field == 2 && is(word, "FNX") => {
                take_presence(&mut presence, Presence::Missing)?;
                continue;
            }
            _ if is(word, options.alternative.0) => None,
            _ => Some(parse_unit(word).ok_or_else(|| args.refuse(ErrorText::unknown_argument(word)))?),
        };
        if expiry.is_some() {
            return Err(options.conflict);
        }
        expiry = Some(match unit {
            None => options.alternative.1,
            Some(unit) => {
                let number = args.optional().ok_or(CommandError::EXPIRE_MISSING)?;
                FieldExpiry::At(instant(number, unit, now)?)
            }
        });
    }
    Ok(FieldOptions { expiry, presence, fields: fields.ok_or(CommandError::FIELDS_MISSING)? })
}

fn parse_unit(word: &[u8]) -> Option<Unit> {
    match word {
        _ if is(word, "EX") => Some(Unit::Seconds),
        _ if is(word, "PX") => Some(Unit::Milliseconds),
        _ if is(word, "EXAT") => Some(Unit::UnixSeconds),
        _ if is(word, "PXAT") => Some(Unit::UnixMilliseconds),
        _ => None,
    }
}

fn take_presence(presence: &mut Option<Presence>, condition: Presence) -> Result<(), CommandError> {
    match presence.replace(condition) {
        None => Ok(()),
        Some(_) => Err(CommandError::FNX_FXX_CONFLICT),
    }
}
